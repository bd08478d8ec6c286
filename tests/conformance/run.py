#!/usr/bin/env python3
"""Runs the official conformance suite against hosts, each of its sets against one process on one address, and ends with
`N passed, N failed`.

`expected.tsv` names each scenario with the number of checks that it must pass. Stricter than the suite: a warning, a
skipped check, a missing result or another number of checks is a failure. Scenarios that it does not name are run by the
suite too, and are not looked at.
"""

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PLACE = ROOT / "build" / "conformance"
SUITE = PLACE / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
# What the suite is asked for each set that `expected.tsv` names.
SETS = {
    "2026-07-28": ("--requirements", "2026-07-28"),
    "2025-11-25": ("--requirements", "2025-11-25"),
    "all": ("--suite", "all"),
    "2025-06-18": ("--suite", "all", "--spec-version", "2025-06-18"),
    "2025-03-26": ("--suite", "all", "--spec-version", "2025-03-26"),
}
# What the suite only notes down, as often as there was something to see.
NOTES = ("incoming-response", "incoming-sse-event", "outgoing-request", "stream-closed")
# The one check that may be void: an answer that is JSON has no stream to read.
VOID = "server-sse-streams-functional"


def install() -> Path:
    """Fetches the suite and the Node that it needs, once; gives that Node's folder."""
    lock = HERE / "package-lock.json"
    installed = PLACE / "package-lock.json"
    PLACE.mkdir(parents=True, exist_ok=True)
    if not SUITE.exists() or installed.read_bytes() != lock.read_bytes():
        for name in ("package.json", "package-lock.json"):
            shutil.copy(HERE / name, PLACE / name)
        subprocess.run(["npm", "install", "--no-save", "--silent", "--no-audit", "--no-fund"], cwd=PLACE, check=True)
    return PLACE / "node_modules" / "node" / "bin"


def read_expected() -> dict[str, dict[str, int]]:
    expected: dict[str, dict[str, int]] = {}
    for line in (HERE / "expected.tsv").read_text().splitlines():
        if line and not line.startswith("#"):
            name, scenario, checks = line.split("\t")
            expected.setdefault(name, {})[scenario] = int(checks)
    return expected


class Host:
    """A fixture host that was started, and where it listens."""

    def __init__(self, command: str):
        self.process = subprocess.Popen([*shlex.split(command), "--http", "0"], stdin=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, text=True, cwd=ROOT)
        self.url = self._read_url(command)

    def _read_url(self, command: str) -> str:
        for line in self.process.stderr:
            found = re.search(r"https?://\S+", line)
            if found:
                return found[0]
        raise SystemExit(f"{command} did not say where it listens (exit code {self.process.wait()})")

    def __enter__(self):
        # The suite passes some scenarios against a dead server: see first that this one lives.
        deadline = time.monotonic() + 10
        while True:
            try:
                urllib.request.urlopen(self.url, timeout=5).close()
                return self
            except urllib.error.HTTPError:
                return self
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=20)


def run_suite(node: Path, url: str, name: str) -> Path:
    results = PLACE / "results" / name
    shutil.rmtree(results, ignore_errors=True)
    command = ["node", SUITE, "server", "--url", url, *SETS[name], "-o", results]
    subprocess.run(command, cwd=PLACE, stdout=subprocess.DEVNULL, timeout=900,
                   env={**os.environ, "PATH": f"{node}{os.pathsep}{os.environ['PATH']}"})
    return results


def judge(results: Path, scenario: str, wanted: int) -> tuple[int, list[str]]:
    """The number of checks passed, and what is wrong."""
    files = [file for file in results.glob("*/checks.json")
             if re.fullmatch(rf"(server-)?{re.escape(scenario)}-\d{{4}}-.*", file.parent.name)]
    if len(files) != 1:
        return 0, [f"{len(files)} results instead of one"]
    checks = [check for check in json.loads(files[0].read_text())
              if check["status"] != "INFO" or check["id"] not in NOTES]
    bad = [check for check in checks if check["status"] != "SUCCESS" and (check["status"], check["id"]) != ("INFO", VOID)]
    passed = len(checks) - len(bad)
    faults = [f"{check['status']} {check['id']}: {check.get('errorMessage') or check.get('description')}" for check in bad]
    if not faults and passed != wanted:
        faults = [f"{passed} checks instead of {wanted}"]
    return passed, faults


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--host", action="append", metavar="NAME=COMMAND", help="a fixture host; may be repeated")
    parser.add_argument("--set", action="append", choices=SETS, help="only this one; may be repeated")
    arguments = parser.parse_args()
    hosts = arguments.host or [f"C={ROOT / 'build' / 'examples' / 'everything'}"]
    node = install()
    expected = read_expected()
    total = [0, 0]
    for name, command in (host.split("=", 1) for host in hosts):
        with Host(command) as host:
            for chosen in arguments.set or SETS:
                results = run_suite(node, host.url, chosen)
                passed = failed = 0
                for scenario, wanted in expected[chosen].items():
                    good, faults = judge(results, scenario, wanted)
                    passed += good
                    failed += len(faults)
                    for fault in faults:
                        print(f"  {name} {chosen} {scenario}: {fault}")
                print(f"{name:8} {chosen:10}  {len(expected[chosen]):3} scenarios {passed:4} checks passed {failed:4} failed",
                      flush=True)
                total[0] += passed
                total[1] += failed
    print(f"{total[0]} passed, {total[1]} failed")
    return 1 if total[1] or not total[0] else 0


if __name__ == "__main__":
    sys.exit(main())
