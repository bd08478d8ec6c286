"""Servers side by side: loads them over stdio or HTTP, prints a table, and judges targets."""

import statistics
from typing import NamedTuple

import programs

ROUNDS = 3
# Requests in a quick run: one of so many.
QUICK = 4
# A MiB of echo for so many of the usual size; a list for two.
SHARES = {"echo": 1, "list": 2, "large": 60}
# In front of a command: its calls are those of a session. They echo, so other cases leave it out.
IN_SESSION = "session"


class Server(NamedTuple):
    """A server to be started; `requests` are those of a whole run, enough for half a second of CPU."""

    name: str
    requests: int
    command: list


class Row(NamedTuple):
    """What a server did over HTTP."""

    rate: float
    cpu: float
    p50: float
    p99: float
    resident: float


class Report:
    """Prints, and counts targets met and missed and steps that failed."""

    def __init__(self):
        self.met = self.missed = 0
        self.failures = []

    def target(self, text, value, limit, at_most):
        met = value <= limit if at_most else value >= limit
        self.met, self.missed = self.met + met, self.missed + (not met)
        print(f"  {'pass' if met else 'FAIL'}  {text}: {value:.2f} ({'at most' if at_most else 'at least'} {limit})")

    def ratio(self, text, one, other, limit, at_most):
        """A target that a quotient must meet. What was not measured has been told already, and failed."""
        if one and other:
            self.target(text, one / other, limit, at_most)

    def fail(self, text):
        print(f"FAILED: {text}", flush=True)
        self.failures.append(text.splitlines()[0])

    def attempt(self, work, *given):
        """What `work` gives; None when a step of it failed, which is told at the end too."""
        try:
            return work(*given)
        except programs.StepFailed as failure:
            self.fail(str(failure))
            return None

    def servers(self, rows):
        """Servers that can be had. A row is a name, requests, what makes the command, and words behind that."""
        made = [(name, requests, self.attempt(make), words) for name, requests, make, *words in rows]
        return [Server(name, requests, [*command, *words]) for name, requests, command, words in made if command]


def drive(program, server, requests):
    """Requests a second over stdio, and CPU seconds of the server a request."""
    line = programs.step(f"load {server.name}", [program, "drive", requests, *server.command])
    sent, seconds, cpu = line.split("\t")
    if float(cpu) == 0:
        raise programs.StepFailed(f"load {server.name}: too few requests to measure")
    return int(sent) / float(seconds), float(cpu) / int(sent)


def stdio(report, program, servers, quick, unit=None):
    """Servers over stdio, 64 calls in flight, rounds interleaved. Gives name to CPU seconds; prints it in those of `unit`."""
    found = {}
    for _ in range(1 if quick else ROUNDS):
        for server in servers:
            measured = report.attempt(drive, program, server, server.requests // (QUICK if quick else 1))
            if measured is not None:
                found.setdefault(server.name, []).append(measured)
    cpu = {name: statistics.median(cost for _, cost in measured) for name, measured in found.items()}
    print(f"\n{'stdio, 64 in flight':<26}{'requests/s':>12}{'CPU µs':>10}{f'× {unit}' if unit else '':>11}")
    for name, measured in found.items():
        rate = statistics.median(rate for rate, _ in measured)
        times = f"{cpu[name] / cpu[unit]:>11.2f}" if unit in cpu else ""
        print(f"{name:<26}{rate:>12.0f}{cpu[name] * 1e6:>10.2f}{times}")
    return cpu


def load(report, program, case, connections, servers, quick):
    """Servers over HTTP, loaded in turns. Gives name to its row."""
    share = SHARES[case] * (QUICK if quick else 1)
    words = [word for server in servers for word in ("--", max(server.requests // share, 1), *server.command)]
    lines = programs.step(f"load {case} at {connections}", [program, "load", case, connections, *words])
    rows = {}
    for server, line in zip(servers, lines.splitlines()):
        first, *rest = line.split("\t")
        if first == "-":
            report.fail(f"{case} at {connections}, {server.name}: {rest[0][:300]}")
        else:
            rows[server.name] = Row(*map(float, [first, *rest[:4]]))
    return rows


def http(report, program, cases, servers, quick, unit):
    """A table of servers over HTTP. Gives case and connections to name to row; a case is the two."""
    print(
        f"\n{'HTTP':<8}{'connections':>11}  {'':<26}{'requests/s':>11}{'p50 µs':>10}{'p99 µs':>10}{'CPU µs':>10}{'MiB':>8}"
        f"{f'CPU × {unit}':>18}"
    )
    found = {}
    for case, connections in cases:
        chosen = [server for server in servers if case == "echo" or server.command[0] != IN_SESSION]
        rows = report.attempt(load, report, program, case, connections, chosen, quick) or {}
        found[case, connections] = rows
        for name, row in rows.items():
            times = f"{row.cpu / rows[unit].cpu:>18.2f}" if unit in rows else ""
            print(
                f"{case:<8}{connections:>11}  {name:<26}{row.rate:>11.0f}{row.p50:>10.0f}{row.p99:>10.0f}{row.cpu:>10.2f}"
                f"{row.resident / 1024:>8.1f}{times}",
                flush=True,
            )
    return found


def cpu_of(found, case, connections, name):
    """CPU of a request of a table's row; None if there is no such row."""
    row = found.get((case, connections), {}).get(name)
    return row and row.cpu


def main(usage, words, parts):
    """Runs the parts that the words name, or all. A part is called with the report, the bench program, and whether to be
    quick."""
    named = [word for word in words if not word.startswith("-")]
    if set(named) - set(parts) or set(words) - set(named) - {"--quick"}:
        print(usage)
        return 2
    report = Report()
    program = report.attempt(programs.calls)
    for name, part in parts.items():
        if program is not None and (name in named or not named):
            part(report, program, "--quick" in words)
    print(f"\n{report.met} targets met, {report.missed} missed")
    for failure in report.failures:
        print(f"not measured: {failure}")
    return report.missed != 0 or bool(report.failures)
