"""Counts instructions of the cases of core/benches/calls, compares them with each other, and with what
core/tests/instructions.tsv keeps if the same compiler made that.

    python3 tests/bench/instructions.py                a rise of over 5 % fails, and a missed target
    MCP_BLESS=1 python3 tests/bench/instructions.py    keeps the counts of now; read the diff
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import programs

KEPT = programs.ROOT / "core" / "tests" / "instructions.tsv"
BLESS = "MCP_BLESS=1 make bench-instructions"
MOST_RISE = 0.05
TIMES = 1000
# What holds with every compiler: so many times the instructions of another case at most.
MOST_TIMES = [("call-50", "parse", 3.0), ("call-2000", "call-50", 1.05), ("list-50", "list-parse-copy", 1.5)]
# Minutes under callgrind, for its catalog; `make bench` counts it, and call-2000 stands in for it here.
SLOW = {"call-50000"}


def compiler():
    """The compiler's version: counts of two compilers cannot be compared."""
    return subprocess.run(["rustc", "-V"], cwd=programs.ROOT, text=True, capture_output=True, check=True).stdout.strip()


def count(program, case):
    """Instructions of one operation. Only what happens inside of the function `operation` is counted."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "callgrind.out"
        programs.step(
            f"count {case}",
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "--toggle-collect=*measure::operation*",
             program, "count", case, TIMES],
        )
        found = re.search(r"^(?:summary|totals): (\d+)", out.read_text(errors="replace"), re.MULTILINE)
    total = int(found[1]) if found else 0
    if total == 0:
        raise programs.StepFailed(f"count {case}: callgrind saw nothing of the measured function")
    return round(total / TIMES)


def count_all(program, without=frozenset()):
    """Case to instructions, in the order of the program."""
    cases = programs.step("list the cases", [program, "cases"]).split()
    return {case: count(program, case) for case in cases if case not in without}


def read():
    """What is kept: the compiler, and case to instructions."""
    lines = KEPT.read_text().splitlines() if KEPT.exists() else []
    kept = {}
    for line in lines:
        if line and not line.startswith("#"):
            case, instructions = line.split("\t")
            kept[case] = int(instructions)
    by = next((line[2:] for line in lines if line.startswith("# rustc ")), "")
    return by, kept


def write(counts):
    """Keeps these counts."""
    rows = "".join(f"{case}\t{instructions}\n" for case, instructions in counts.items())
    KEPT.write_text(f"# Instructions of one operation, see tests/bench/README.md. Written by: {BLESS}\n# {compiler()}\n{rows}")


def compare_with_each_other(counts):
    """Prints each target, and gives how many passed and failed."""
    failed = 0
    for case, other, most in MOST_TIMES:
        times = counts[case] / counts[other]
        failed += times > most
        print(f"{case:<18}{times:>10.3f} x {other}, at most {most}{'  MISSED' if times > most else ''}")
    return len(MOST_TIMES) - failed, failed


def compare_with_kept(counts):
    """Prints each case, and gives how many passed and failed."""
    by, kept = read()
    if by != compiler():
        print(f"the counts were kept with {by or 'no compiler'}, this is {compiler()}: they cannot be compared. {BLESS}")
        return 0, 0
    failed = [case for case in kept if case not in counts]
    for case in failed:
        print(f"{case:<18} is kept but no longer measured; {BLESS}")
    for case, now in counts.items():
        before = kept.get(case)
        change = None if before is None else now / before - 1
        bad = change is None or change > MOST_RISE
        word = "not kept yet" if change is None else f"{change:+.1%} of {before}"
        print(f"{case:<18}{now:>10}  {word}{f'  too many: make it cheaper, or {BLESS}' if bad else ''}")
        if bad:
            failed.append(case)
        elif change < -MOST_RISE:
            print(f"{'':<18}fewer: keep that with {BLESS}")
    return len(counts) - len([case for case in failed if case in counts]), len(failed)


def main():
    try:
        counts = count_all(programs.calls(), SLOW)
    except programs.StepFailed as failure:
        print(f"instructions: {failure}")
        return 1
    if os.environ.get("MCP_BLESS") == "1":
        write(counts)
    results = [compare_with_each_other(counts), compare_with_kept(counts)]
    passed, failed = map(sum, zip(*results))
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
