#!/usr/bin/env python3
"""Runs the wire corpus against a host program over its standard input and output. README.md says how a file is read."""

import argparse
import concurrent.futures
import json
import os
import shlex
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import embed
import environment
import over_http
import scenario
from scenario import Fault, Scenario

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PATIENCE = 15.0
MODELS = "mcp-types==2.3.0"


class Waiting:
    """Waits for what a host says."""

    def wait_for(self, wanted: object) -> None:
        """Waits for the answer to the request with this id, looking at each message once."""
        seen = 0

        def done(messages: list[str]) -> bool:
            nonlocal seen
            fresh, seen = messages[seen:], len(messages)
            return any(answers(message, wanted) for message in fresh)

        self.wait(done, f"the answer to {wanted}")

    def wait(self, done, what: str) -> None:
        end = time.monotonic() + PATIENCE
        with self.news:
            while not done(self.messages):
                if not self.news.wait(max(0, min(end - time.monotonic(), 0.2))) and (
                    time.monotonic() >= end or (self.process.poll() is not None and not self.threads[0].is_alive())
                ):
                    raise Fault(f"waited in vain for {what}")


class HttpHost(Waiting, over_http.HttpHost):
    """One that listens."""


class SessionHost(HttpHost):
    """One that listens, and whose client may be of an older revision."""

    sessions = True


class Host(Waiting):
    """One host process and what it has said so far."""

    def __init__(self, command: list[str]) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
        )
        self.messages: list[str] = []
        self.stderr = b""
        self.split = 0
        self.news = threading.Condition()
        self.threads = [threading.Thread(target=run, daemon=True) for run in (self._listen, self._collect)]
        for thread in self.threads:
            thread.start()

    def _listen(self) -> None:
        buffer = b""
        while chunk := os.read(self.process.stdout.fileno(), 1 << 16):
            *lines, buffer = (buffer + chunk).split(b"\n")
            with self.news:
                self.messages += [line.decode("utf-8", "backslashreplace") for line in lines]
                self.news.notify_all()
        with self.news:
            if buffer:
                self.messages.append(buffer.decode("utf-8", "backslashreplace"))
            self.news.notify_all()

    def _collect(self) -> None:
        while chunk := os.read(self.process.stderr.fileno(), 1 << 16):
            self.stderr += chunk

    def send(self, data: bytes) -> None:
        step = self.split or len(data) or 1
        try:
            for start in range(0, len(data), step):
                piece = data[start : start + step]
                while piece:
                    piece = piece[self.process.stdin.write(piece) :]
        except BrokenPipeError:
            raise Fault(f"the host is gone: {self.stderr.decode(errors='replace')[-500:]}") from None

    def end(self) -> None:
        """Closes the input and waits for a clean end."""
        if not self.process.stdin.closed:
            self.process.stdin.close()
        try:
            status = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise Fault("the host did not leave after the end of its input") from None
        for thread in self.threads:
            thread.join(PATIENCE)
        if status != 0:
            raise Fault(f"the host left with status {status}: {self.stderr.decode(errors='replace')[-500:]}")


def answers(message: str, wanted: object) -> bool:
    """Whether the message ends the wait for the request with this id."""
    try:
        value = scenario.load(message)
    except ValueError:
        return False
    if not isinstance(value, dict):
        return False
    if "method" not in value:
        return "id" in value and type(value["id"]) is type(wanted) and value["id"] == wanted
    if value["method"] != "notifications/subscriptions/acknowledged":
        return False
    try:
        tag = scenario.pointer(value, "/params/_meta/io.modelcontextprotocol~1subscriptionId")
    except Fault:
        return False
    return type(tag) is type(wanted) and tag == wanted


def identify(line: str) -> object:
    """The id of a request; None for anything else."""
    try:
        value = scenario.load(line)
    except (ValueError, RecursionError, Fault):
        return None
    if isinstance(value, dict) and "method" in value:
        given = value.get("id")
        return given if isinstance(given, str) else None
    return None


class Run:
    """One scenario being run."""

    def __init__(self, item: Scenario, command: list[str], door: type) -> None:
        self.item = item
        self.command = command
        self.door = door
        self.values: dict[str, str] = {}
        self.sent = b""
        self.before: list[str] = []
        self.stderr = ""
        self.host = door(command)

    def heard(self) -> list[str]:
        return self.before + self.host.messages

    def step(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        host = self.host
        match word:
            case "#wait":
                host.wait_for(scenario.load(rest))
            case "#lines":
                count = int(rest) - len(self.before)
                host.wait(lambda all_: len(all_) >= count, f"{rest} messages")
            case "#sleep":
                time.sleep(int(rest) / 1000)
            case "#bytes":
                self.send(bytes.fromhex(rest))
            case "#text":
                self.send(scenario.expand(rest, self.values).encode())
            case "#split":
                host.split = int(rest)
            case "#let":
                name, wanted, path, how = (rest.split(" ") + [""])[:4]
                if name in scenario.MACROS:
                    raise Fault(f"#let: ${name} is a macro")
                message = next((m for m in reversed(self.heard()) if answers(m, scenario.load(wanted))), None)
                if message is None:
                    raise Fault(f"#let: nothing answered {wanted}")
                found = scenario.write(scenario.pointer(scenario.load(message), path))
                self.values[name] = scenario.damage(found, how)
            case "#eof":
                host.process.stdin.close()
            case "#restart":
                self.finish()
                self.host = self.door(self.command)
            case _ if word.startswith("#"):
                raise Fault(f"no such directive: {line}")
            case _:
                self.request(line)

    def send(self, data: bytes) -> None:
        self.sent += data
        self.host.send(data)

    def request(self, line: str) -> None:
        later = line.startswith("& ")
        text = scenario.expand(line.removeprefix("& "), self.values)
        wanted = identify(text)
        self.send(text.encode() + b"\n")
        if wanted is not None and not later:
            self.host.wait_for(wanted)

    def finish(self) -> None:
        self.host.end()
        self.before += self.host.messages
        self.stderr += self.host.stderr.decode(errors="replace")
        self.host.messages = []


def refused(item: Scenario, command: list[str]) -> list[str]:
    """The host must not start, and say why."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE)
    text = done.stderr.decode(errors="replace")
    faults = [f"stderr lacks {want!r}: {text[-500:]}" for want in item.sections["refused"] if want not in text]
    if done.returncode == 0 or done.returncode < 0:
        faults.append(f"the host left with status {done.returncode}")
    if done.stdout:
        faults.append(f"something on standard output: {done.stdout[:200]!r}")
    return faults


def serve(item: Scenario, command: list[str], bless: bool, door: type) -> tuple[list[str], list[tuple[str, str]]]:
    """Runs one scenario; its faults, and each message with the method of the request it answers."""
    run = Run(item, command, door)
    faults: list[str] = []
    try:
        for line in item.sections.get("client", []):
            run.step(line)
        run.finish()
    except Fault as fault:
        faults.append(str(fault))
        run.host.process.kill()
        run.host.process.wait()
    messages = run.heard()
    faults += [f"{wrong}: {message[:300]}" for message in messages if (wrong := scenario.universal(message, bool(item.session)))]
    expected = scenario.expectations(item.sections["server"])
    if issubclass(door, HttpHost):
        for one in expected:
            one.group = 1  # each answer comes on its own way
    taken, surplus = scenario.pair(expected, messages, run.values)
    if bless and (not faults) and bless_file(item, expected, taken, messages):
        print(f"blessed {item.path.name}")
    faults += [f"never came: {e.line()[:600]}" for e, t in zip(expected, taken) if t is None and not e.any_number]
    faults += [f"unexpected: {scenario.shorten(m)[:900]}" for m in surplus]
    for want in item.sections.get("stderr", []):
        if want not in run.stderr:
            faults.append(f"stderr lacks {want!r}: {run.stderr[-500:]}")
    return faults, list(attribute(run.sent, messages))


def attribute(sent: bytes, messages: list[str]):
    """Each response with the method of its request."""
    methods: dict[str, list[str]] = {}
    for line in sent.split(b"\n"):
        try:
            value = scenario.load(line.decode("utf-8-sig"))
        except (ValueError, RecursionError, Fault):
            continue
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, dict) and isinstance(one.get("method"), str) and "id" in one:
                methods.setdefault(scenario.write(one["id"]), []).append(one["method"])
    for message in messages:
        try:
            value = scenario.load(message)
        except (ValueError, Fault):
            continue
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, dict):
                known = methods.get(scenario.write(one["id"]), []) if "id" in one else []
                yield (known.pop(0) if len(known) > 1 else known[0] if known else ""), scenario.write(one)


def bless_file(item: Scenario, expected, taken, messages: list[str]) -> bool:
    """Writes what came into the file. Whole blocks are replaced where lines did not match."""
    old = item.path.read_text(encoding="utf-8")
    head, mark, _ = old.partition("-- server --\n")
    tail = ""
    if "\n-- stderr --" in old:
        tail = "-- stderr --" + old.split("\n-- stderr --", 1)[1]
    if all(t is not None or e.any_number for e, t in zip(expected, taken)) and len(
        [t for t in taken if t is not None]
    ) == len([m for m in messages if not any(e.any_number and e.fits(m, {}) for e in expected)]):
        lines: list[str] = []
        group = 0
        for one, message in zip(expected, taken):
            if one.group != group:
                if group:
                    lines.append("#ordered")
                if one.group:
                    lines.append("#unordered")
                group = one.group
            lines.append(one.line() if message is None else one.blessed(message))
        if group:
            lines.append("#ordered")
    else:
        lines = [e.line() for e in expected if e.any_number]
        lines += [scenario.shorten(m) for m in messages if not any(e.any_number and e.fits(m, {}) for e in expected)]
    new = head + mark + "".join(line + "\n" for line in lines) + tail
    if new != old:
        item.path.write_text(new, encoding="utf-8")
    return new != old


def check_models(found: list[tuple[str, str, str, str]]) -> list[str]:
    """Gives every message to the official models, in a virtual environment of their own."""
    python = environment.python_with(MODELS)
    lines = "".join(json.dumps(entry) + "\n" for entry in found)
    done = subprocess.run([python, HERE / "models.py"], input=lines.encode(), capture_output=True)
    if done.returncode not in (0, 1):
        raise SystemExit(done.stderr.decode())
    return done.stdout.decode().splitlines()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--host", default=str(ROOT / "build" / "examples" / "everything"), help="command of the host")
    parser.add_argument("--dispatch", choices=["pool", "inline", "pump"], default="pool", help="where callbacks run")
    parser.add_argument("--http", action="store_true", help="over HTTP, what is not about a stream of bytes")
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--no-models", action="store_true", help="do not ask the official models")
    parser.add_argument("names", nargs="*", help="only files whose name contains one of these")
    options = parser.parse_args()
    stale = embed.stale()
    if stale:
        print(f"{stale} is stale: run python3 tests/wire/embed.py", file=sys.stderr)
        return 1
    bless = os.environ.get("MCP_BLESS") == "1"
    files = [p for p in sorted(HERE.glob("*.txtar")) if not options.names or any(n in p.name for n in options.names)]
    if not files:
        print("no such file", file=sys.stderr)
        return 1
    failed = left_out = 0
    found: list[tuple[str, str, str, str]] = []

    def one(path: Path) -> tuple[Path, list[str] | None, list[tuple[str, str]], str]:
        try:
            return run_file(path)
        except Fault as fault:
            return path, [str(fault)], [], ""

    def run_file(path: Path) -> tuple[Path, list[str] | None, list[tuple[str, str]], str]:
        item = scenario.read(path)
        only = [mark.split(" ", 1)[1] for mark in item.marks if mark.startswith("#only-dispatch ")]
        if only and options.dispatch not in only[0].split():
            return path, [], [], ""
        if options.http and not over_http.applies(item):
            return path, None, [], ""
        command = shlex.split(options.host) + item.flags
        if options.dispatch != "pool":
            command.append("--" + options.dispatch)
        with tempfile.TemporaryDirectory() as folder:
            if "catalog" in item.sections:
                file = Path(folder, "catalog.json")
                file.write_text(scenario.expand("\n".join(item.sections["catalog"]), {}), encoding="utf-8")
                command += ["--catalog-file", str(file)]
            if "refused" in item.sections:
                return path, refused(item, command), [], ""
            over = SessionHost if item.session else HttpHost
            faults, messages = serve(item, command, bless, over if options.http else Host)
            return path, faults, messages, item.session

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for path, faults, messages, session in pool.map(one, files):
            found += [(path.name, method, message, session) for method, message in messages]
            left_out += faults is None
            if faults:
                failed += 1
                print(f"FAIL {path.name}")
                for fault in faults:
                    print(f"     {fault}")
    if not options.no_models:
        wrong = check_models(found)
        for line in wrong:
            print(f"MODEL {line}")
        failed += bool(wrong)
    print(f"{len(files) - failed - left_out} passed, {failed} failed, {len(found)} messages")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
