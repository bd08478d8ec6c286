"""The stdio door, in processes of their own."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from typing import Any

import pytest

from conftest import EXAMPLES, call, message

PROGRAM = """
import asyncio, ctypes, os, subprocess, sys, time
from mcpcore import Call, Server
server = Server("s", "1")

@server.tool()
def prints() -> str:
    print("from python")
    ctypes.CDLL(None).puts(b"from native code")
    ctypes.CDLL(None).fflush(None)
    os.write(1, b"from a descriptor\\n")
    return "printed"

@server.tool()
def spawns() -> str:
    out = subprocess.run(["sh", "-c", "cat; echo from a child"], timeout=10)
    inherited = subprocess.run(["sh", "-c", "ls /proc/self/fd | wc -l"], capture_output=True, text=True)
    return f"{out.returncode} {int(inherited.stdout) <= 5}"

@server.tool()
def forks() -> str:
    child = os.fork()
    if child == 0:
        print("from a fork", flush=True)
        os._exit(0)
    return str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))

@server.tool()
def blocks(seconds: float) -> str:
    time.sleep(seconds)
    return "slept"
"""
ASYNC = (
    PROGRAM
    + """
@server.tool()
async def awaits(seconds: float) -> str:
    try:
        await asyncio.sleep(seconds)
    except asyncio.CancelledError:
        print("cancelled", file=sys.stderr, flush=True)
        raise
    return "slept"
"""
)
RUN = "\nserver.run()\n"


class Process:
    """A server that is spoken to line by line."""

    def __init__(self, *command: str) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def send(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def ask(self, line: str) -> dict[str, Any]:
        self.send(line)
        return self.read()

    def read(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        found: dict[str, Any] = json.loads(self.process.stdout.readline())
        return found

    def end(self, *, status: int = 0, seconds: float = 20) -> str:
        out, err = self.process.communicate(timeout=seconds)
        assert self.process.returncode == status, err
        assert out == ""
        return err

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *error: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()


@pytest.fixture(params=[PROGRAM, ASYNC], ids=["threads", "loop"])
def program(request: pytest.FixtureRequest) -> str:
    """With sync functions alone there is no event loop."""
    return str(request.param)


def text(response: dict[str, Any]) -> str:
    return str(response["result"]["content"][0]["text"])


# R009, R105, STDIO-03: only messages are on the wire, whoever prints.
def test_nothing_but_messages_on_standard_output(program: str) -> None:
    with Process(sys.executable, "-c", program + RUN) as server:
        assert text(server.ask(call("prints"))) == "printed"
        assert text(server.ask(call("spawns"))) == "0 True"
        assert text(server.ask(call("forks"))) == "0"
        assert "tools" in server.ask(message("tools/list"))["result"]
        err = server.end()
    for who in ("python", "native code", "a descriptor", "a child", "a fork"):
        assert f"from {who}\n" in err


def test_answers_that_are_owed_come_before_the_end(program: str) -> None:
    with Process(sys.executable, "-c", program + RUN) as server:
        for number in range(3):
            server.send(call("blocks", {"seconds": 0.2}, number=number))
        assert server.process.stdin is not None
        server.process.stdin.close()
        assert sorted(server.read()["id"] for _ in range(3)) == [0, 1, 2]
        server.process.stdin = None
        server.end()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_cleanly_with_calls_in_flight(program: str, number: signal.Signals) -> None:
    with Process(sys.executable, "-c", program + RUN) as server:
        server.ask(message("tools/list"))
        server.send(call("blocks", {"seconds": 60}))
        if "awaits" in program:
            server.send(call("awaits", {"seconds": 60}, number=2))
        time.sleep(0.3)
        started = time.monotonic()
        server.process.send_signal(number)
        err = server.end()
        assert time.monotonic() - started < 10
        assert "Traceback" not in err
        assert ("cancelled" in err) == ("awaits" in program)


def test_a_client_that_goes_away_is_an_error(program: str) -> None:
    with Process(sys.executable, "-c", program + RUN) as server:
        server.ask(message("tools/list"))
        assert server.process.stdout is not None
        server.process.stdout.close()
        assert server.process.wait(20) == 1
        assert server.process.stderr is not None
        assert "ConnectionLostError" in server.process.stderr.read()


def test_a_second_door_is_refused() -> None:
    code = PROGRAM + "\nserver.run()\nserver2 = Server('b', '1')\nserver2.run()\n"
    with Process(sys.executable, "-c", code) as server:
        server.ask(message("tools/list"))
        err = server.end(status=1)
    assert "ClosedError" in err and "earlier serve_stdio" in err


def test_uvloop_runs_it() -> None:
    pytest.importorskip("uvloop")
    code = ASYNC + "\nimport uvloop\nuvloop.run(server.serve_stdio())\n"
    with Process(sys.executable, "-c", code) as server:
        assert text(server.ask(call("awaits", {"seconds": 0.01}))) == "slept"
        assert text(server.ask(call("blocks", {"seconds": 0.01}))) == "slept"
        server.end()


def test_the_first_example() -> None:
    with Process(sys.executable, str(EXAMPLES / "weather.py")) as server:
        listed = server.ask(message("tools/list"))["result"]["tools"]
        assert [tool["name"] for tool in listed] == ["get_weather"]
        assert listed[0]["description"] == "Current weather of Oslo or Lima."
        assert text(server.ask(call("get_weather", {"place": "Oslo"}))) == "-3 °C and snow"
        failed = server.ask(call("get_weather", {"place": "Rome"}))
        assert failed["result"]["isError"] and "try Oslo" in text(failed)
        read = server.ask(message("resources/read", uri="weather://place/Lima"))
        assert read["result"]["contents"][0]["text"] == "19 °C and fog"
        assert server.ask(message("resources/read", uri="weather://place/Rome"))["error"]["code"] == -32602
        got = server.ask(message("prompts/get", name="forecast", arguments={"place": "Oslo"}))
        assert "Oslo tomorrow" in got["result"]["messages"][0]["content"]["text"]
        server.end()


def test_a_wrong_catalog_stops_the_program_with_every_fault() -> None:
    code = """
from mcpcore import Server
Server("s", "1", catalog={"tools": [{"name": "a", "inputSchema": {"type": "nope"}}, {"nam": "b"}]}, dispatch=print).run()
"""
    with Process(sys.executable, "-c", code) as server:
        err = server.end(status=1)
    assert "inputSchema" in err and "tools[1]" in err
