"""Measures everything side by side and prints it with ratios; what has a target is printed with pass or fail.

    python3 tests/bench/run.py [process] [stdio] [http] [--quick]

Ratios of one run are what counts; times belong to the machine.
"""

import functools
import sys

import comparison
import instructions
import programs

HOST, FLOOR = "mcpcore, C host", "floor"
INLINE, POOL, BARE, RMCP = "mcpcore, C host, inline", "mcpcore, C host, pool", "bare hyper", "Rust SDK (rmcp)"
SESSION = "mcpcore, C host, session"
# Case and connections.
HTTP_CASES = [("echo", 1), ("echo", 16), ("echo", 64), ("list", 16), ("large", 16)]
# How many times the CPU of a bare hyper server a request may take.
MOST_OF_BARE = {("echo", 16): 1.25, ("echo", 64): 1.25, ("list", 16): 1.25, ("large", 16): 1.7}
# How many times the CPU of a modern call one in a session may take.
MOST_IN_SESSION = 1.2
STARTS = 21


def process(report, program, _):
    """The cases in process: instructions and time."""
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


def echo(program, *words):
    return [*programs.echo(), programs.catalog(program, 50), *words]


def stdio(report, program, quick):
    """All servers over stdio."""
    rows = [
        ("bare loop", 1_000_000, lambda: [program, "serve", "loop"]),
        (FLOOR, 1_000_000, lambda: [program, "serve", "floor"]),
        (HOST, 400_000, lambda: echo(program)),
        ("mcpcore, Rust host", 400_000, lambda: [program, "serve", "engine"]),
        (RMCP, 60_000, programs.rmcp),
        ("TypeScript SDK, low", 5_000, lambda: programs.typescript("low")),
        ("TypeScript SDK", 5_000, lambda: programs.typescript("high")),
        ("Python SDK, low", 2_000, lambda: programs.python("low")),
        ("Python SDK", 1_000, lambda: programs.python("high")),
    ]
    cpu = comparison.stdio(report, program, report.servers(rows), quick, FLOOR)
    peers = [cost for name, cost in cpu.items() if "SDK" in name]
    report.ratio("requests a CPU second / those of the floor", cpu.get(FLOOR), cpu.get(HOST), 0.5, False)
    report.ratio("requests a CPU second / those of the best peer", min(peers, default=None), cpu.get(HOST), 8.0, False)


def http(report, program, quick):
    """All servers over HTTP. The bare one answers as many bytes as the first."""
    rows = [
        (INLINE, 180_000, lambda: echo(program, "http-inline")),
        (BARE, 180_000, lambda: [program, "serve", "bare-http", "BYTES"]),
        ("mcpcore, Rust host, inline", 180_000, lambda: [program, "serve", "http"]),
        (SESSION, 180_000, lambda: [comparison.IN_SESSION, *echo(program, "http-inline")]),
        (POOL, 90_000, lambda: echo(program, "http-pool")),
        (RMCP, 30_000, programs.rmcp, "--http", "PORT"),
        ("TypeScript SDK, low", 4_000, lambda: programs.typescript("low"), "--http", "PORT"),
        ("TypeScript SDK", 4_000, lambda: programs.typescript("high"), "--http", "PORT"),
        ("Python SDK, low", 1_500, lambda: programs.python("low"), "--http", "PORT"),
        ("Python SDK", 1_500, lambda: programs.python("high"), "--http", "PORT"),
        ("FastMCP", 600, lambda: programs.python("fast"), "--http", "PORT"),
    ]
    servers = report.servers(rows)
    found = comparison.http(report, program, HTTP_CASES, servers, quick, BARE)
    for case, connections in HTTP_CASES:
        of = functools.partial(comparison.cpu_of, found, case, connections)
        most = MOST_OF_BARE.get((case, connections))
        if most:
            report.ratio(f"CPU of a request / of bare hyper, {case} at {connections}", of(INLINE), of(BARE), most, True)
        if case == "echo":
            text = f"requests a CPU second / those of the Rust SDK, echo at {connections}"
            report.ratio(text, of(RMCP), of(INLINE), 4, False)
            text = f"CPU of a call in a session / of a modern one, echo at {connections}"
            report.ratio(text, of(SESSION), of(INLINE), MOST_IN_SESSION, True)
    report.attempt(start, report, program, [server for server in servers if server.name in (INLINE, BARE)])


def start(report, program, servers):
    """From the start of a process to its first answer."""
    words = [word for server in servers for word in ("--", *server.command)]
    lines = programs.step("start them", [program, "start", STARTS, *words])
    took = {server.name: float(line.split("\t")[0]) for server, line in zip(servers, lines.splitlines())}
    print(f"\n{'start to first answer':<26}{'ms':>9}")
    for name, median in took.items():
        print(f"{name:<26}{median / 1000:>9.2f}")
    report.ratio("start to first answer / that of bare hyper", took.get(INLINE), took.get(BARE), 1.5, True)


if __name__ == "__main__":
    sys.exit(comparison.main(__doc__, sys.argv[1:], {"process": process, "stdio": stdio, "http": http}))
