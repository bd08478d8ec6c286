#!/usr/bin/env python3
"""Runs the curl lines of the README against the weather example; each must answer as the README shows."""

import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).resolve().parent.parent.parent / "README.md"
ADDRESS = "127.0.0.1:4000"


def main() -> int:
    lines = README.read_text(encoding="utf-8").splitlines()
    commands = [line for line in lines if line.startswith("curl ")]
    answers = [line for line in lines if line.startswith('{"jsonrpc"')]
    server = subprocess.Popen([sys.argv[1], "127.0.0.1:0"], stderr=subprocess.PIPE, text=True)
    address = re.search(r"http://(\S+)/mcp", server.stderr.readline())[1]
    passed = failed = 0
    for command, answer in zip(commands, answers, strict=True):
        assert ADDRESS in command
        command = command.replace(ADDRESS, address)
        got = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=20)
        good = got.stdout == answer
        passed += good
        failed += not good
        if not good:
            print(f"FAIL {command}\n  {got.stdout}{got.stderr}\n  instead of\n  {answer}")
    server.terminate()
    server.wait(timeout=10)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or passed != 3 else 0


if __name__ == "__main__":
    sys.exit(main())
