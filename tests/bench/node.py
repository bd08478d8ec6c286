"""Measures the Node package beside the official TypeScript SDK, over HTTP and stdio, and prints it with targets.

    python3 tests/bench/node.py [http] [stdio] [--quick]

Ratios of CPU seconds of one run are what counts; times belong to the machine.
"""

import shutil
import sys

import comparison
import programs

ENGINE, LISTEN, HANDLER, SDK = "engine, Rust host", "Node, listen", "Node, node:http", "TypeScript SDK"
ECHO, LIST = ("echo", 64), ("list", 64)


def host(*words):
    """The package as a server: linked beside a copy of the program, as a user's project has it."""
    home = programs.OUT / "node"
    (home / "node_modules").mkdir(parents=True, exist_ok=True)
    link = home / "node_modules" / "mcpcore"
    if not link.is_symlink():
        link.symlink_to(programs.ROOT / "bindings" / "node")
    shutil.copy(programs.HERE / "peers" / "node" / "host.mjs", home / "host.mjs")
    return ["node", home / "host.mjs", *words]


def http(report, program, quick):
    rows = [
        (ENGINE, 100_000, lambda: [program, "serve", "http"]),
        (LISTEN, 40_000, lambda: host("listen")),
        (HANDLER, 40_000, lambda: host("handler")),
        (SDK, 4_000, lambda: programs.typescript("high"), "--http", "PORT"),
        ("TypeScript SDK, low", 4_000, lambda: programs.typescript("low"), "--http", "PORT"),
    ]
    found = comparison.http(report, program, [ECHO, LIST], report.servers(rows), quick, ENGINE)
    for name in (LISTEN, HANDLER):
        sdk, ours = comparison.cpu_of(found, *ECHO, SDK), comparison.cpu_of(found, *ECHO, name)
        report.ratio(f"calls a CPU second, {name} / {SDK}", sdk, ours, 30, False)
    ours, engine = comparison.cpu_of(found, *LIST, LISTEN), comparison.cpu_of(found, *LIST, ENGINE)
    report.ratio("CPU of a list, Node / engine alone", ours, engine, 3, True)


def stdio(report, program, quick):
    rows = [
        ("Node", 100_000, host),
        (SDK, 5_000, lambda: programs.typescript("high")),
        ("TypeScript SDK, low", 5_000, lambda: programs.typescript("low")),
    ]
    comparison.stdio(report, program, report.servers(rows), quick)


if __name__ == "__main__":
    sys.exit(comparison.main(__doc__, sys.argv[1:], {"http": http, "stdio": stdio}))
