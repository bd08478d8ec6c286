"""Careless handlers, many calls, early ends. R095 to R100, R105."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import threading
import time
from typing import Any

import pytest

from conftest import call as request
from conftest import message, run_python, text_of

import mcpcore
from mcpcore import Call, Rejection, Server


async def test_ten_thousand_concurrent_async_calls() -> None:
    server = Server("many", "1", max_calls=20_000)
    running = most = 0
    gate = asyncio.Event()

    @server.tool()
    async def wait(n: int) -> int:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await gate.wait()
        running -= 1
        return n

    async with server.client() as client:
        tasks = [asyncio.create_task(client.call_tool("wait", {"n": n})) for n in range(10_000)]
        while running < 10_000:
            await asyncio.sleep(0.01)
        gate.set()
        results = await asyncio.gather(*tasks)
    assert most == 10_000
    assert [one.structured for one in results] == list(range(10_000))


async def test_more_calls_than_one_connection_may_have_wait_their_turn() -> None:
    server = Server("bounded", "1", max_calls=5)
    running = most = 0

    @server.tool()
    async def count() -> str:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.002)
        running -= 1
        return "x"

    async with server.client() as client:
        results = await asyncio.gather(*(client.call_tool("count") for _ in range(50)))
        assert most == 5 and len(results) == 50


# N-22: threads that sleep hold up neither the loop nor each other.
async def test_sync_handlers_that_sleep_do_not_hold_up_others() -> None:
    server = Server("sleepy", "1", threads=16)
    barrier = threading.Barrier(12)

    @server.tool()
    def together() -> str:
        # Passes only if all twelve run at once.
        barrier.wait(30)
        return "met"

    @server.tool()
    async def quick() -> str:
        return "quick"

    async with server.client() as client:
        slow = [asyncio.create_task(client.call_tool("together")) for _ in range(11)]
        for _ in range(20):
            assert (await client.call_tool("quick")).text == "quick"
        assert not any(task.done() for task in slow)
        assert (await client.call_tool("together")).text == "met"
        assert [(await task).text for task in slow] == ["met"] * 11


# Decision 39, R098: all threads taken by what waits for another thread.
async def test_calls_that_find_no_thread_in_time_are_told_so() -> None:
    server = Server("busy", "1", threads=2, thread_wait=0.2)
    release = threading.Event()

    @server.tool()
    def hold() -> str:
        release.wait(30)
        return "held"

    async with server.client() as client:
        held = [asyncio.create_task(client.call_tool("hold")) for _ in range(2)]
        await asyncio.sleep(0.1)
        with pytest.raises(Rejection) as busy:
            await client.call_tool("hold")
        assert busy.value.code == -32603 and "busy" in busy.value.message
        release.set()
        assert [(await one).text for one in held] == ["held", "held"]
        assert (await client.call_tool("hold")).text == "held"


async def test_a_handler_that_never_answers_ends_with_its_connection() -> None:
    server = Server("never", "1")

    @server.tool()
    async def never(call: Call) -> str:
        await asyncio.get_running_loop().create_future()
        return "never"

    async with server.client() as client:
        task = asyncio.create_task(client.call_tool("never"))
        await asyncio.sleep(0.02)
        assert server.stats["callsOwed"] == 1
    with pytest.raises(asyncio.CancelledError):
        await task
    assert server.stats["callsOwed"] == 0


async def test_answers_after_the_cancel_and_after_the_end_are_dropped() -> None:
    server = Server("late", "1")
    kept: list[Call] = []

    @server.tool()
    async def keep(call: Call) -> str:
        kept.append(call)
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            return "an answer all the same"
        return "never"

    async with server.client() as client:
        task = asyncio.create_task(client.call_tool("keep"))
        await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await client.list_tools()
    (call,) = kept
    assert call._complete_text("again") is False and call._fail("again") is False
    call.progress(1)
    assert (call.name, call.cancelled) == ("keep", "cancelled by the client")
    assert call.arguments == {} and call.caller.principal == "local"


async def test_sys_exit_in_a_handler_ends_the_call_alone(logged: pytest.LogCaptureFixture) -> None:
    server = Server("exit", "1")
    server.add_tool(lambda: sys.exit(3), "blocks", input_schema={"type": "object"})

    @server.tool()
    async def awaits() -> str:
        sys.exit(3)

    async with server.client() as client:
        for name in ("blocks", "awaits"):
            assert (await client.call_tool(name)).is_error
        assert "SystemExit" in logged.text


async def test_numbers_and_texts_at_the_edge() -> None:
    server = Server("edge", "1")

    @server.tool(input_schema={"type": "object"}, output_schema=None)
    def back(**given: Any) -> Any:
        return given

    cases: list[Any] = [
        0,
        -1,
        2**63,
        -(2**63),
        2**200,
        1.5,
        -0.0,
        1e300,
        1e-7,
        "",
        "\x00\u2028\U0001f980",
        [[[]]],
        {"": None},
    ]
    async with server.client() as client:
        for case in cases:
            assert (await client.call_tool("back", {"x": case})).structured == {"x": case}
        server.add_tool(lambda: {"half": "\ud800"}, "half", input_schema={"type": "object"})
        assert (await client.call_tool("half")).structured == {"half": "\ufffd"}
        server.add_tool(lambda: "\ud800!", "halftext", input_schema={"type": "object"})
        assert "!" in (await client.call_tool("halftext")).text
        deep: Any = []
        for _ in range(500):
            deep = [deep]
        server.add_tool(lambda: deep, "deep", input_schema={"type": "object"})
        itself: list[Any] = []
        itself.append(itself)
        server.add_tool(lambda: itself, "itself", input_schema={"type": "object"})
        for name in ("deep", "itself"):
            assert (await client.call_tool(name)).is_error


def resident() -> int:
    """Bytes of memory that this process holds."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


# R095's like: nothing is left behind by a server that nobody uses any more.
def test_a_thousand_servers_come_and_go() -> None:
    async def once() -> None:
        server = Server("s", "1")

        @server.tool(input_schema={"type": "object"})
        def blocks() -> str:
            return "b"

        @server.tool(input_schema={"type": "object"})
        async def awaits() -> str:
            return "a"

        assert text_of(await server.handle(request("awaits"))) == "a"
        assert text_of(await server.handle(request("blocks"))) == "b"
        async with server.client() as client:
            assert (await client.call_tool("awaits")).text == "a"

    async def many(count: int) -> None:
        for _ in range(count):
            await once()

    def settle() -> tuple[int, int, int]:
        gc.collect()
        end = time.monotonic() + 5
        while threading.active_count() > before_threads and time.monotonic() < end:
            time.sleep(0.01)
        return resident(), descriptors(), threading.active_count()

    before_threads = threading.active_count()
    asyncio.run(many(200))
    first = settle()
    asyncio.run(many(800))
    last = settle()
    assert last[1] <= first[1] + 2, "descriptors"
    assert last[2] <= before_threads + 1, "threads"
    assert last[0] - first[0] < 8 << 20, "memory"


def test_servers_in_one_loop_leave_no_descriptor() -> None:
    async def work() -> int:
        before = descriptors()
        for _ in range(100):
            server = Server("s", "1")
            server.add_tool(lambda: "x", "t", input_schema={"type": "object"})
            await server.handle(request("t"))
            del server
        gc.collect()
        await asyncio.sleep(0.05)
        return descriptors() - before

    assert asyncio.run(work()) <= 4


SERVER = """
import asyncio, sys, threading, time, os
sys.path.insert(0, {tests!r})
from conftest import call as request
from mcpcore import Call, Server
server = Server("s", "1")
@server.tool(input_schema={{"type": "object"}})
def blocks(): time.sleep(60)
@server.tool(input_schema={{"type": "object"}})
async def awaits(): await asyncio.sleep(60)
@server.tool(input_schema={{"type": "object"}})
def quick(): return "quick"
"""


@pytest.mark.parametrize(
    "ending",
    [
        # The loop ends with calls in flight.
        """
async def main():
    tasks = [asyncio.create_task(server.handle(request(name))) for name in ("blocks", "awaits") * 5]
    await asyncio.sleep(0.1)
asyncio.run(main())
""",
        # A thread waits for a call at the end of the interpreter.
        """
threading.Thread(target=lambda: server.handle_sync(request("awaits")), daemon=True).start()
threading.Thread(target=lambda: server.handle_sync(request("blocks")), daemon=True).start()
time.sleep(0.2)
""",
        # An HTTP server is still open.
        """
server._engine().listen({"addresses": ["127.0.0.1:0"], "authorize": __import__("mcpcore").Caller(), "allowed_origins": "any"})
server.handle_sync(request("quick"))
""",
        # A client is open and its loop is gone.
        """
loop = asyncio.new_event_loop()
client = server.client()
loop.run_until_complete(client.__aenter__())
loop.run_until_complete(asyncio.wait([loop.create_task(client.call_tool("blocks")), loop.create_task(client.call_tool("awaits"))], timeout=0.1))
""",
        "os._exit(0) if False else sys.exit(0)",
    ],
    ids=["loop", "threads", "http", "client", "exit"],
)
def test_the_interpreter_ends_with_calls_in_flight(ending: str) -> None:
    code = SERVER.format(tests=os.path.dirname(__file__)) + ending + "\nprint('end')\n"
    if "sys.exit" in ending:
        code = code.replace("\nprint('end')\n", "")
    started = time.monotonic()
    done = run_python(code, timeout=30)
    assert done.returncode == 0, done.stderr
    # A thread that sleeps a minute must not hold up the end.
    assert time.monotonic() - started < 25
    assert "Fatal" not in done.stderr and "panicked" not in done.stderr, done.stderr


# R099: a child of a fork is told, and does no harm to its parent.
def test_a_fork_is_told_so() -> None:
    code = (
        SERVER.format(tests=os.path.dirname(__file__))
        + """
assert "quick" in server.handle_sync(request("quick"))
child = os.fork()
if child == 0:
    try:
        server.handle_sync(request("quick"))
    except Exception as error:
        code = 7 if "forked" in str(error) else 8
    else:
        code = 9
    mine = Server("child", "1")
    mine.add_tool(lambda: "mine", "t", input_schema={"type": "object"})
    assert "mine" in mine.handle_sync(request("t"))
    del server
    sys.exit(code)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
assert "quick" in server.handle_sync(request("quick"))
print("end")
"""
    )
    done = run_python(code, timeout=30)
    assert done.stdout == "end\n" and done.returncode == 0, done.stderr


# R096: a lock of Python, held by a thread that the library waits for.
def test_locks_of_python_and_blocking_doors() -> None:
    server = Server("locks", "1")
    lock = threading.Lock()

    @server.tool(input_schema={"type": "object"})
    def locked() -> str:
        with lock:
            return "got it"

    threads = []
    results: list[str] = []
    with lock:
        for _ in range(8):
            thread = threading.Thread(target=lambda: results.append(text_of(server.handle_sync(request("locked")))))
            thread.start()
            threads.append(thread)
        time.sleep(0.05)
    for thread in threads:
        thread.join(10)
    assert results == ["got it"] * 8


async def test_answers_of_many_kinds_reach_their_own_calls() -> None:
    server = Server("together", "1")

    @server.tool(concurrency=3)
    async def echo(n: int, call: Call) -> str:
        if n % 3 == 0:
            await asyncio.sleep(0)
        if n % 3 == 1:
            call.progress(n)
        if n % 50 == 7:
            raise mcpcore.ToolError(f"no {n}")
        if n % 50 == 8:
            return "x" * 100_000 + str(n)
        return str(n)

    @server.tool()
    def threaded(n: int) -> str:
        return str(n)

    async with server.client() as client:
        wanted = [("threaded" if n % 10 == 9 else "echo", n) for n in range(300)]
        found = await asyncio.gather(*(client.call_tool(name, {"n": n}) for name, n in wanted))
    texts = [f"no {n}" if n % 50 == 7 else "x" * 100_000 * (n % 50 == 8) + str(n) for _, n in wanted]
    assert [one.text for one in found] == texts


async def test_handle_sync_on_a_loop() -> None:
    server = Server("s", "1")

    @server.tool(input_schema={"type": "object"})
    async def awaits() -> str:
        return "a"

    # Its own loop is the one that would wait.
    await server.handle(message("tools/list"))
    with pytest.raises(mcpcore.InvalidArgumentError, match="await handle"):
        server.handle_sync(request("awaits"))
    assert text_of(await asyncio.to_thread(server.handle_sync, request("awaits"))) == "a"


def test_handle_sync_times_out() -> None:
    server = Server("s", "1")
    ended: list[str] = []

    @server.tool(input_schema={"type": "object"})
    async def awaits() -> str:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise
        return "a"

    with pytest.raises(mcpcore.CallTimeoutError):
        server.handle_sync(request("awaits"), timeout=0.05)
    deadline = time.monotonic() + 5
    while not ended and time.monotonic() < deadline:
        time.sleep(0.01)
    assert ended == ["cancelled"]
    server.close()
