"""Measures the Node package beside the official TypeScript SDK, over HTTP and stdio, and prints it with targets.

    python3 tests/bench/node.py [http] [stdio] [--quick]

Ratios of CPU seconds of one run are what counts; times belong to the machine.
"""

import contextlib
import re
import shutil
import socket
import statistics
import subprocess
import sys
import time

import programs
from run import ROUNDS, Report, drive

CONNECTIONS = 64
# Half a second of CPU, fifty clock ticks, or more.
REQUESTS = {"ours": 40_000, "sdk": 1_500}


def host(*words):
    """The package as a server: linked beside a copy of the program, as a user's project has it."""
    home = programs.OUT / "node"
    (home / "node_modules").mkdir(parents=True, exist_ok=True)
    link = home / "node_modules" / "mcpcore"
    if not link.is_symlink():
        link.symlink_to(programs.ROOT / "bindings" / "node")
    shutil.copy(programs.HERE / "peers" / "node" / "host.mjs", home / "host.mjs")
    return ["node", home / "host.mjs", *words]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def running(command, port=None):
    """Starts a server; gives its process and its port, which it says itself unless it was told."""
    process = subprocess.Popen([str(word) for word in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        if port is None:
            line = process.stdout.readline()
            if not re.fullmatch(r"\d+\n", line):
                raise programs.StepFailed(f"{command[-1]} says no port: {line!r}")
            port = int(line)
        yield process.pid, port
    finally:
        process.kill()
        process.wait()


def wait_for(port):
    end = time.monotonic() + 30
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            if time.monotonic() > end:
                raise programs.StepFailed(f"nobody listens on port {port}") from None
            time.sleep(0.05)


def load(name, command, kind, requests, port=None):
    """Requests a second, and CPU seconds of a request."""
    with running(command, port) as (pid, where):
        wait_for(where)
        words = ["node", programs.HERE / "load.mjs", where, pid, kind, CONNECTIONS, requests]
        sent, seconds, cpu = programs.step(f"load {name}, {kind}", words).split("\t")
    if float(cpu) < 0.05:
        raise programs.StepFailed(f"load {name}: too few requests to measure")
    return int(sent) / float(seconds), float(cpu) / int(sent)


def rows(program):
    """Name, command, requests, whether the port is told to it."""
    listed = [
        ("engine, Rust host", [program, "serve", "http"], REQUESTS["ours"], False),
        ("Node, listen", host("listen"), REQUESTS["ours"], False),
        ("Node, node:http", host("handler"), REQUESTS["ours"], False),
    ]
    for form, name in (("high", "TypeScript SDK"), ("low", "TypeScript SDK, low")):
        listed.append((name, programs.typescript(form), REQUESTS["sdk"], True))
    return listed


def http(report, quick):
    program = report.attempt(programs.calls)
    if program is None:
        return
    servers = report.attempt(rows, program) or []
    cpu = {}
    print(f"\n{'HTTP, 64 connections':<24}{'case':<6}{'requests/s':>12}{'CPU µs':>10}")
    for kind in ("echo", "list"):
        found = {}
        for _ in range(1 if quick else ROUNDS):
            for name, command, requests, told in servers:
                count = requests // 4 if quick else requests
                port = free_port() if told else None
                words = [*command, "--http", port] if told else command
                measured = report.attempt(load, name, words, kind, count, port)
                if measured is not None:
                    found.setdefault(name, []).append(measured)
        for name, measured in found.items():
            rate, cost = (statistics.median(column) for column in zip(*measured))
            cpu[name, kind] = cost
            print(f"{name:<24}{kind:<6}{rate:>12.0f}{cost * 1e6:>10.1f}")
    judge(report, cpu)


def judge(report, cpu):
    sdk = cpu.get(("TypeScript SDK", "echo"))
    for name in ("Node, listen", "Node, node:http"):
        ours = cpu.get((name, "echo"))
        if sdk and ours:
            report.target(f"calls a CPU second, {name} / TypeScript SDK", sdk / ours, 30, False)
    engine, ours = cpu.get(("engine, Rust host", "list")), cpu.get(("Node, listen", "list"))
    if engine and ours:
        report.target("CPU of a list, Node / engine alone", ours / engine, 3, True)


def stdio(report, quick):
    program = report.attempt(programs.calls)
    if program is None:
        return
    servers = [("Node", host(), 100_000)]
    for form, name in (("high", "TypeScript SDK"), ("low", "TypeScript SDK, low")):
        command = report.attempt(programs.typescript, form)
        servers += [(name, command, 5_000)] if command else []
    print(f"\n{'stdio, 64 in flight':<24}{'requests/s':>12}{'CPU µs':>10}")
    for name, command, requests in servers:
        count = requests // 4 if quick else requests
        measured = [report.attempt(drive, program, name, command, count) for _ in range(1 if quick else ROUNDS)]
        measured = [one for one in measured if one is not None]
        if measured:
            rate, cost = (statistics.median(column) for column in zip(*measured))
            print(f"{name:<24}{rate:>12.0f}{cost * 1e6:>10.1f}")


def main(words):
    parts = {word for word in words if not word.startswith("-")} or {"http", "stdio"}
    if parts - {"http", "stdio"} or set(words) - parts - {"--quick"}:
        print(__doc__)
        return 2
    report = Report()
    if "http" in parts:
        http(report, "--quick" in words)
    if "stdio" in parts:
        stdio(report, "--quick" in words)
    print(f"\n{report.met} targets met, {report.missed} missed")
    for failure in report.failures:
        print(f"not measured: {failure}")
    return report.missed != 0 or bool(report.failures)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
