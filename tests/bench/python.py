"""Measures the Python package beside the official Python SDK and FastMCP, over HTTP and stdio, and prints it with targets.

    python3 tests/bench/python.py [http] [stdio] [--quick]

It is given the wheel that `make wheel` made. Ratios of CPU seconds of one run are what counts; times belong to the machine.
"""

import sys

import comparison
import programs

ENGINE, ASYNC, SYNC = "engine, Rust host", "Python, async", "Python, sync"
SDK_ASYNC, SDK_SYNC = "Python SDK, async", "Python SDK, sync"
ECHO, LIST = ("echo", 64), ("list", 64)


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


def http(report, program, quick):
    rows = [
        (ENGINE, 100_000, lambda: [program, "serve", "http"]),
        (ASYNC, 40_000, lambda: ours("listen")),
        (SYNC, 40_000, lambda: ours("listen", "--sync")),
        ("Python, ASGI, async", 20_000, lambda: ours("asgi")),
        (SDK_ASYNC, 1_500, lambda: programs.python("high"), "--http", "PORT", "--async"),
        (SDK_SYNC, 1_500, lambda: programs.python("high"), "--http", "PORT"),
        ("Python SDK, low", 1_500, lambda: programs.python("low"), "--http", "PORT"),
        ("FastMCP", 600, lambda: programs.python("fast"), "--http", "PORT"),
    ]
    found = comparison.http(report, program, [ECHO, LIST], report.servers(rows), quick, ENGINE)
    for name, peer in ((ASYNC, SDK_ASYNC), (SYNC, SDK_SYNC)):
        sdk, own = comparison.cpu_of(found, *ECHO, peer), comparison.cpu_of(found, *ECHO, name)
        report.ratio(f"calls a CPU second, {name} / {peer}", sdk, own, 10, False)
    own, engine = comparison.cpu_of(found, *LIST, ASYNC), comparison.cpu_of(found, *LIST, ENGINE)
    report.ratio("CPU of a list, Python / engine alone", own, engine, 3, True)


def stdio(report, program, quick):
    rows = [
        (ASYNC, 60_000, ours),
        (SYNC, 60_000, lambda: ours("stdio", "--sync")),
        ("Python SDK", 1_000, lambda: programs.python("high")),
        ("Python SDK, low", 2_000, lambda: programs.python("low")),
    ]
    comparison.stdio(report, program, report.servers(rows), quick)


if __name__ == "__main__":
    sys.exit(comparison.main(__doc__, sys.argv[1:], {"http": http, "stdio": stdio}))
