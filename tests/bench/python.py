"""Measures the Python package beside the official Python SDK and FastMCP, over HTTP and stdio, and prints it with targets.

    python3 tests/bench/python.py [http] [stdio] [--quick]

It is given the wheel that `make wheel` made. Ratios of CPU seconds of one run are what counts; times belong to the machine.
"""

import statistics
import sys

import programs
from node import free_port, load
from run import ROUNDS, Report, drive

# Half a second of CPU, fifty clock ticks, or more.
REQUESTS = {"ours": 40_000, "sdk": 1_000}


def ours(*words):
    """The package, installed from its wheel beside the SDKs that it is measured with."""
    interpreter, _ = programs.python("high")
    wheels = list((programs.ROOT / "build" / "python" / "wheels").glob("*.whl"))
    if len(wheels) != 1:
        raise programs.StepFailed("no wheel in build/python/wheels: make wheel")
    stamp = programs.OUT / "python" / "wheel"
    made = f"{wheels[0]} {wheels[0].stat().st_mtime_ns}"
    if not stamp.exists() or stamp.read_text() != made:
        pip = [interpreter, "-m", "pip", "install", "--quiet", "--force-reinstall", "--no-deps", wheels[0]]
        programs.step("install the wheel", pip)
        stamp.write_text(made)
    return [interpreter, programs.HERE / "peers" / "python" / "ours.py", *words]


def rows(program):
    """Name, command, requests, whether the port is told to it, and what stands behind the port."""
    return [
        ("engine, Rust host", [program, "serve", "http"], REQUESTS["ours"], False, []),
        ("Python, async", ours("listen"), REQUESTS["ours"], False, []),
        ("Python, sync", ours("listen", "--sync"), REQUESTS["ours"], False, []),
        ("Python, ASGI, async", ours("asgi"), REQUESTS["ours"] // 2, False, []),
        ("Python SDK, async", programs.python("high"), REQUESTS["sdk"], True, ["--async"]),
        ("Python SDK, sync", programs.python("high"), REQUESTS["sdk"], True, []),
        ("Python SDK, low", programs.python("low"), REQUESTS["sdk"], True, []),
        ("FastMCP", programs.python("fast"), REQUESTS["sdk"] // 4, True, []),
    ]


def http(report, quick):
    program = report.attempt(programs.calls)
    servers = report.attempt(rows, program) if program else None
    cpu = {}
    print(f"\n{'HTTP, 64 connections':<24}{'case':<6}{'requests/s':>12}{'CPU µs':>10}")
    for kind in ("echo", "list"):
        found = {}
        for _ in range(1 if quick else ROUNDS):
            for name, command, requests, told, more in servers or []:
                count = requests // 4 if quick else requests
                port = free_port() if told else None
                words = [*command, "--http", port, *more] if told else command
                measured = report.attempt(load, name, words, kind, count, port)
                if measured is not None:
                    found.setdefault(name, []).append(measured)
        for name, measured in found.items():
            rate, cost = (statistics.median(column) for column in zip(*measured))
            cpu[name, kind] = cost
            print(f"{name:<24}{kind:<6}{rate:>12.0f}{cost * 1e6:>10.1f}")
    judge(report, cpu)


def judge(report, cpu):
    for name, peer in (("Python, async", "Python SDK, async"), ("Python, sync", "Python SDK, sync")):
        sdk, own = cpu.get((peer, "echo")), cpu.get((name, "echo"))
        if sdk and own:
            report.target(f"calls a CPU second, {name} / {peer}", sdk / own, 10, False)
    engine, own = cpu.get(("engine, Rust host", "list")), cpu.get(("Python, async", "list"))
    if engine and own:
        report.target("CPU of a list, Python / engine alone", own / engine, 3, True)


def stdio(report, quick):
    program = report.attempt(programs.calls)
    if program is None:
        return
    servers = [
        ("Python, async", report.attempt(ours), 60_000),
        ("Python, sync", report.attempt(ours, "stdio", "--sync"), 60_000),
        ("Python SDK", report.attempt(programs.python, "high"), 1_000),
        ("Python SDK, low", report.attempt(programs.python, "low"), 2_000),
    ]
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
