"""Ctrl-C and SIGTERM, whenever they come and whichever thread the system gives them to."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

from conftest import call

PROGRAM = """
import asyncio, os, signal, sys, threading, time
from mcpcore import Server
server = Server("h", "1")
@server.tool(input_schema={"type": "object"})
def quick(): return "quick"
"""
AWAITS = """
@server.tool(input_schema={"type": "object"})
async def never(): await asyncio.sleep(600)
"""
# The main thread takes no signals itself: as for one that comes right before it waits, nothing interrupts the wait.
DEAF = """
def ready(listener=None):
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    print("ready", flush=True)
"""
SERVE = """
server.run_http(0, authorize="anyone", allowed_origins="any", ready=ready)
print("end", flush=True)
"""
NUMBERS = pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])


def run(code: str, number: int, *, message: str | None = None) -> tuple[int, str, str]:
    """Runs a program until it says something (to a message), sends it a signal, and waits for its end."""
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", code], stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            assert process.stdin is not None and process.stdout is not None
            if message is not None:
                process.stdin.write(message + "\n")
                process.stdin.flush()
            assert process.stdout.readline() != "", process.communicate(timeout=60)[1]
            # Meanwhile the main thread goes where it waits.
            time.sleep(0.2)
            process.send_signal(number)
            status = process.wait(60)
            return status, process.stdout.read(), process.stderr.read() if process.stderr else ""
        finally:
            process.kill()


@pytest.mark.parametrize("more", ["", AWAITS], ids=["threads", "loop"])
@NUMBERS
def test_a_signal_that_interrupts_no_wait_ends_a_door(more: str, number: int) -> None:
    assert run(PROGRAM + more + DEAF + SERVE, number) == (0, "end\n", "")


# The input stays open meanwhile.
@NUMBERS
def test_a_signal_that_interrupts_no_wait_ends_stdio(number: int) -> None:
    hears = """
threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
server.run()
"""
    assert run(PROGRAM + hears, number, message=call("quick")) == (0, "", "")


@pytest.mark.parametrize("more", ["", AWAITS], ids=["threads", "loop"])
def test_what_the_program_handles_or_ignores_stays_its_own(more: str) -> None:
    code = """
mine = []
signal.signal(signal.SIGINT, signal.SIG_IGN)
signal.signal(signal.SIGTERM, lambda number, frame: (mine.append(number), opened[0].stop(0)))
opened = []
def ready(listener):
    opened.append(listener)
    os.kill(os.getpid(), signal.SIGINT)
    print("ready", flush=True)
"""
    after = "print(mine == [signal.SIGTERM], signal.getsignal(signal.SIGINT) == signal.SIG_IGN, flush=True)\n"
    assert run(PROGRAM + more + code + SERVE + after, signal.SIGTERM) == (0, "end\nTrue True\n", "")


# Also of one that comes before anybody waits.
@pytest.mark.parametrize("early", ["", "os.kill(os.getpid(), signal.SIGTERM)"], ids=["waiting", "early"])
def test_whoever_was_told_of_signals_is_told_all_the_same(early: str) -> None:
    code = f"""
reader, writer = os.pipe()
os.set_blocking(writer, False)
signal.set_wakeup_fd(writer)
def ready(listener):
    {early}
    print("ready", flush=True)
"""
    after = "print(set(os.read(reader, 8)), signal.set_wakeup_fd(-1) == writer, flush=True)\n"
    assert run(PROGRAM + code + SERVE + after, signal.SIGTERM) == (0, f"end\n{{{signal.SIGTERM:d}}} True\n", "")


def test_ctrl_c_ends_handle_sync() -> None:
    code = f"""
def ready():
    print("ready", flush=True)
@server.tool(input_schema={{"type": "object"}})
async def waits():
    ready()
    try:
        await asyncio.sleep(600)
    except asyncio.CancelledError:
        print("cancelled", flush=True)
        raise
try:
    server.handle_sync({call("waits")!r})
except KeyboardInterrupt:
    server.close()
    print("end", flush=True)
"""
    status, out, err = run(PROGRAM + code, signal.SIGINT)
    assert (status, sorted(out.split()), err) == (0, ["cancelled", "end"], "")


def test_ctrl_c_ends_a_wsgi_server_that_waits_for_a_coroutine() -> None:
    code = f"""
import io
@server.tool(input_schema={{"type": "object"}})
async def waits():
    print("ready", flush=True)
    await asyncio.sleep(600)
application = server.wsgi(authorize="anyone", allowed_origins="any")
body = {call("waits")!r}.encode()
environ = {{"REQUEST_METHOD": "POST", "PATH_INFO": "/", "CONTENT_LENGTH": str(len(body)), "wsgi.input": io.BytesIO(body),
           "CONTENT_TYPE": "application/json", "HTTP_ACCEPT": "application/json, text/event-stream",
           "HTTP_MCP_PROTOCOL_VERSION": "2026-07-28", "HTTP_MCP_METHOD": "tools/call", "HTTP_MCP_NAME": "waits"}}
try:
    application(environ, print)
except KeyboardInterrupt:
    print("end", flush=True)
"""
    status, out, err = run(PROGRAM + code, signal.SIGINT)
    assert (status, out, err) == (0, "end\n", "")
