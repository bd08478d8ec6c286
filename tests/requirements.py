#!/usr/bin/env python3
"""Checks tests/requirements.tsv: each requirement has a test that is there and names it, and each file of the wire corpus
says no more and no less than the table. `--update` writes the wire part anew from the corpus."""

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
TABLE = HERE / "requirements.tsv"
KINDS = ("rust", "c", "interop", "check")


def corpus() -> dict[str, list[str]]:
    """For each id, the files of the wire corpus that name it."""
    shown: dict[str, list[str]] = {}
    for path in sorted((HERE / "wire").glob("*.txtar")):
        line = re.search(r"^Shows: (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
        for name in line[1].split() if line else []:
            shown.setdefault(name, []).append(path.stem)
    return shown


def fault(name: str, test: str, shown: dict[str, list[str]]) -> str | None:
    """What is wrong with one test of a row."""
    kind, _, where = test.partition(":")
    if kind == "wire":
        return None if where in shown.get(name, []) else f"{test} is not there or does not name it"
    if kind not in KINDS:
        return f"{test} is of no known kind"
    path, _, function = where.partition("::")
    file = ROOT / path
    if not file.is_file():
        return f"{path} is not there"
    text = file.read_text(encoding="utf-8")
    if not re.search(rf"\b{re.escape(name)}\b", text):
        return f"{path} does not name it"
    if function and not re.search(rf"\b{re.escape(function)}\b", text):
        return f"{path} has no {function}"
    return None


def main() -> int:
    shown = corpus()
    head, *lines = TABLE.read_text(encoding="utf-8").splitlines()
    faults: list[str] = []
    still_open: list[str] = []
    new = [head]
    seen: set[str] = set()
    for line in lines:
        name, level, title, by = line.split("\t")
        if name in seen or level not in ("MUST", "SHOULD") or not title:
            faults.append(f"{name}: stands twice, or has no level or title")
        seen.add(name)
        if by.startswith(("n/a: ", "open: ")):
            if by.startswith("open: "):
                still_open.append(f"{name}: {by}")
            if name in shown:
                faults.append(f"{name}: is {by[:4]}, yet the corpus shows it")
            new.append(line)
            continue
        tests = by.split()
        faults += [f"{name}: {wrong}" for test in tests if (wrong := fault(name, test, shown))]
        listed = {test.removeprefix("wire:") for test in tests if test.startswith("wire:")}
        faults += [f"{name}: wire:{file} shows it and is not listed" for file in shown.get(name, []) if file not in listed]
        wire = [f"wire:{file}" for file in shown.get(name, [])]
        new.append("\t".join([name, level, title, " ".join(wire + [t for t in tests if not t.startswith("wire:")])]))
        if not tests:
            faults.append(f"{name}: no test")
    if "--update" in sys.argv:
        TABLE.write_text("\n".join(new) + "\n", encoding="utf-8")
        return 0
    for line in faults:
        print(f"FAIL {line}")
    for line in still_open:
        print(f"open {line}")
    print(f"{len(seen)} requirements, {len(faults)} faults, {len(still_open)} open")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
