"""Runs every check as its make target, goes on after a failure, and ends with one line: N passed, N failed.

A target counts what its own output says (`N passed, N failed`, or cargo's `test result:` lines); one that counts
nothing counts as one. A target that exits with an error counts at least one failure.
"""

import os
import re
import subprocess
import sys
import time

TARGETS = [
    "lint",
    "build",
    "test-rust",
    "schema-suite",
    "header-check",
    "abi-check",
    "test-c",
    "wire",
    "test-curl",
    "interop",
    "conformance",
    "test-mounted",
    "test-node",
    "test-npm",
    "test-python",
    "test-wheel",
    "requirements",
    "install-check",
    "soak-quick",
    "test-asan",
    "test-valgrind",
    "bench-instructions",
]

# What Debian brings, and what shows that it is there: a checker, a build system whose package file is tested, a web server
# that mounts the endpoint, a proxy before it.
DEBIAN = {
    "gcc": "command -v cc",
    "g++": "command -v c++",
    "cmake": "command -v cmake",
    "curl": "command -v curl",
    "libmicrohttpd-dev": "pkg-config --exists libmicrohttpd",
    "nginx": "command -v nginx || test -x /usr/sbin/nginx",
    "pkg-config": "command -v pkg-config",
    "valgrind": "command -v valgrind",
}


def install_missing() -> None:
    missing = [package for package, probe in DEBIAN.items() if subprocess.run(
        ["sh", "-c", probe], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode]
    if missing:
        print("installing", *missing, flush=True)
        quiet = {"stdout": subprocess.DEVNULL}
        subprocess.run(["apt-get", "update"], check=True, **quiet)
        subprocess.run(["apt-get", "install", "-y", "--no-install-recommends", *missing], check=True, **quiet)


def count(output: str) -> tuple[int, int]:
    passed = failed = 0
    for line in output.splitlines():
        cargo = re.match(r"test result: \w+\. (\d+) passed; (\d+) failed", line)
        plain = re.fullmatch(r"(?:[\w ]+: )?(\d+) passed, (\d+) failed", line.strip())
        found = cargo or plain
        if found:
            passed += int(found[1])
            failed += int(found[2])
    return passed, failed


def run(target: str) -> tuple[int, int]:
    print(f"\n=== {target}", flush=True)
    started = time.monotonic()
    process = subprocess.Popen(["make", "--no-print-directory", target], stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, errors="replace")
    lines = []
    for line in process.stdout:
        sys.stdout.write(line)
        lines.append(line)
    code = process.wait()
    passed, failed = count("".join(lines))
    if code and not failed:
        failed = 1
    if not passed and not failed:
        passed = 1
    print(f"--- {target}: {'ok' if not failed else 'FAILED'} after {time.monotonic() - started:.0f} s", flush=True)
    return passed, failed


def main() -> int:
    os.chdir(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    install_missing()
    results = {target: run(target) for target in sys.argv[1:] or TARGETS}
    print()
    for target, (passed, failed) in results.items():
        print(f"  {target:20} {passed:6} {failed:4}")
    passed = sum(result[0] for result in results.values())
    failed = sum(result[1] for result in results.values())
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
