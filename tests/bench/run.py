"""Measures everything side by side and prints it with ratios; what has a target is printed with pass or fail.

    python3 tests/bench/run.py [process] [stdio] [http] [--quick]

Ratios of one run are what counts; times belong to the machine.
"""

import statistics
import sys

import instructions
import programs

ROUNDS = 3


class Report:
    """Prints, and counts targets met and missed and steps that failed."""

    def __init__(self):
        self.met = self.missed = 0
        self.failures = []

    def target(self, text, value, limit, at_most):
        met = value <= limit if at_most else value >= limit
        self.met, self.missed = self.met + met, self.missed + (not met)
        print(f"  {'pass' if met else 'FAIL'}  {text}: {value:.2f} ({'at most' if at_most else 'at least'} {limit})")

    def attempt(self, work, *given):
        """What `work` gives; None when a step of it failed, which is told at the end too."""
        try:
            return work(*given)
        except programs.StepFailed as failure:
            print(f"FAILED: {failure}", flush=True)
            self.failures.append(str(failure).splitlines()[0])
            return None


def process(report):
    """The cases in process: instructions and time."""
    program = report.attempt(programs.calls)
    if program is None:
        return
    times = report.attempt(programs.step, "time the cases", [program, "time"])
    counts = report.attempt(instructions.count_all, program)
    if times is None or counts is None:
        return
    times = dict(line.split("\t") for line in times.splitlines())
    print(f"\n{'in process':<18}{'instructions':>13}{'× parse':>9}{'ns':>9}{'× parse':>9}")
    for case, count in counts.items():
        ns = int(times[case])
        print(f"{case:<18}{count:>13}{count / counts['parse']:>9.2f}{ns:>9}{ns / int(times['parse']):>9.2f}")
    report.target("tools/call / bare parse", counts["call-50"] / counts["parse"], 3.0, True)
    report.target("tools/list / (parse + copy)", counts["list-50"] / counts["list-parse-copy"], 1.5, True)
    report.target("tools/call of 50 000 / of 50 tools", counts["call-50000"] / counts["call-50"], 1.1, True)


def servers(report, program):
    """Name, command and requests of each server that can be had. Each takes half a second of CPU, fifty clock ticks, or more."""
    host = report.attempt(lambda: [*programs.echo(), programs.catalog(program, 50)])
    peers = [
        ("Rust SDK (rmcp)", report.attempt(programs.rmcp), 60_000),
        ("TypeScript SDK, low", report.attempt(programs.typescript, "low"), 5_000),
        ("TypeScript SDK", report.attempt(programs.typescript, "high"), 5_000),
        ("Python SDK, low", report.attempt(programs.python, "low"), 2_000),
        ("Python SDK", report.attempt(programs.python, "high"), 1_000),
    ]
    ours = [
        ("bare loop", [program, "serve", "loop"], 1_000_000),
        ("floor", [program, "serve", "floor"], 1_000_000),
        ("mcpcore, C host", host, 400_000),
        ("mcpcore, Rust host", [program, "serve", "engine"], 400_000),
    ]
    return [row for row in ours + peers if row[1]]


def drive(program, name, command, requests):
    """Requests a second, and CPU seconds of the server a request."""
    line = programs.step(f"load {name}", [program, "drive", requests, *command])
    sent, seconds, cpu = line.split("\t")
    if float(cpu) == 0:
        raise programs.StepFailed(f"load {name}: too few requests to measure")
    return int(sent) / float(seconds), float(cpu) / int(sent)


def stdio(report, quick):
    """All servers over stdio, 64 calls in flight, rounds interleaved."""
    program = report.attempt(programs.calls)
    if program is None:
        return
    found = {}
    rows = servers(report, program)
    for _ in range(1 if quick else ROUNDS):
        for name, command, requests in rows:
            measured = report.attempt(drive, program, name, command, requests // 4 if quick else requests)
            if measured is not None:
                found.setdefault(name, []).append(measured)
    cpu = {name: statistics.median(cost for _, cost in measured) for name, measured in found.items()}
    print(f"\n{'stdio, 64 in flight':<24}{'requests/s':>12}{'CPU µs/request':>16}{'× floor':>9}")
    for name, measured in found.items():
        rate = statistics.median(rate for rate, _ in measured)
        ratio = f"{cpu[name] / cpu['floor']:>9.2f}" if "floor" in cpu else ""
        print(f"{name:<24}{rate:>12.0f}{cpu[name] * 1e6:>16.2f}{ratio}")
    ours = cpu.get("mcpcore, C host")
    peers = [cost for name, cost in cpu.items() if "SDK" in name]
    if ours and "floor" in cpu:
        report.target("requests a CPU second / those of the floor", cpu["floor"] / ours, 0.5, False)
    if ours and peers:
        report.target("requests a CPU second / those of the best peer", min(peers) / ours, 8.0, False)


OURS = "mcpcore, Rust host"
BARE = "bare hyper"
IN_SESSION = "the same in a session"
# How many times the CPU of a modern call one in a session may take.
MOST_IN_SESSION = 1.2
# Case, connections, requests, and how many times the CPU of a bare hyper server a request may take.
HTTP_CASES = [
    ("echo", 1, 60_000, None),
    ("echo", 16, 180_000, 1.25),
    ("echo", 64, 180_000, 1.25),
    ("list", 16, 90_000, 1.25),
    ("large", 16, 3_000, 1.7),
]


def load(program, case, connections, requests, servers):
    """What the load driver says of each server: requests a second, CPU µs a request, p50, p99, resident KiB, bytes."""
    words = [word for command in servers.values() for word in ("--", *command)]
    lines = programs.step(f"load {case} at {connections}", [program, "load", case, connections, requests, *words])
    rows = [tuple(map(float, line.split("\t"))) for line in lines.splitlines()]
    return dict(zip(servers, rows))


def http(report, quick):
    """Servers over HTTP, loaded in turns: a bare one on hyper, and ours on one thread, inline."""
    program = report.attempt(programs.calls)
    if program is None:
        return
    # The bare one answers as many bytes as the first.
    servers = {OURS: [program, "serve", "http"], BARE: [program, "serve", "bare-http", "BYTES"]}
    print(f"\n{'HTTP':<28}{'connections':>12}{'requests/s':>12}{'CPU µs':>9}{'p50 µs':>9}{'p99 µs':>9}{'MiB':>7}{'× bare':>8}")
    for case, connections, requests, limit in HTTP_CASES:
        chosen = {**servers, IN_SESSION: ["session", *servers[OURS]]} if case == "echo" else servers
        found = report.attempt(load, program, case, connections, requests // 4 if quick else requests, chosen)
        if found is None:
            continue
        for name, (rate, cpu, median, slowest, resident, _) in found.items():
            row = f"{case}, {name}"
            print(
                f"{row:<28}{connections:>12}{rate:>12.0f}{cpu:>9.2f}{median:>9.0f}{slowest:>9.0f}"
                f"{resident / 1024:>7.1f}{cpu / found[BARE][1]:>8.2f}"
            )
        if limit:
            text = f"CPU of a request / of bare hyper, {case} at {connections}"
            report.target(text, found[OURS][1] / found[BARE][1], limit, True)
        if limit and IN_SESSION in found:
            text = f"CPU of a call in a session / of a modern one, {case} at {connections}"
            report.target(text, found[IN_SESSION][1] / found[OURS][1], MOST_IN_SESSION, True)


def main(words):
    parts = {word for word in words if not word.startswith("-")} or {"process", "stdio", "http"}
    if parts - {"process", "stdio", "http"} or set(words) - parts - {"--quick"}:
        print(__doc__)
        return 2
    report = Report()
    if "process" in parts:
        process(report)
    if "stdio" in parts:
        stdio(report, "--quick" in words)
    if "http" in parts:
        http(report, "--quick" in words)
    print(f"\n{report.met} targets met, {report.missed} missed")
    for failure in report.failures:
        print(f"not measured: {failure}")
    return report.missed != 0 or bool(report.failures)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
