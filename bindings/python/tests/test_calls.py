"""What a function can do with its call: questions, progress, log lines, cancellation, state, hooks."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import dataclasses
import threading
import time
from collections.abc import AsyncIterator
from typing import Any

import pytest
from pydantic import BaseModel

import mcpcore
from mcpcore import Call, Rejection, Server


class Person(BaseModel):
    name: str
    age: int = 0


@dataclasses.dataclass
class Colour:
    colour: str


@pytest.mark.parametrize("is_async", [False, True])
async def test_questions(is_async: bool) -> None:
    server = Server("q", "1")
    rounds: list[int] = []

    def ask(call: Call) -> str:
        rounds.append(call.round)
        person = call.elicit("who", "Who are you?", Person)
        if person.content is None:
            return person.action
        call.state = {"seen": person.content.name}
        colour = call.elicit("colour", "Which colour?", Colour)
        free = call.elicit("free", "Anything else?", {"type": "object", "properties": {"x": {"type": "string"}}})
        told = call.sample("model", f"Greet {person.content.name}", max_tokens=9, system_prompt="Be kind.")
        roots = call.roots()
        agreed = call.elicit_url("page", "Sign in", "https://example.com/")
        return (
            f"{call.state['seen']} {person.content.age} {colour.content} {free} {told.text} {roots} {agreed.accepted}"
        )

    async def aask(call: Call) -> str:
        return ask(call)

    server.add_tool(aask if is_async else ask, "ask")
    asked: list[dict[str, Any]] = []

    async def elicit(params: dict[str, Any]) -> dict[str, Any]:
        asked.append(params)
        if params.get("mode") == "url":
            return {"action": "accept"}
        content: dict[str, Any] = {"name": "Ann", "age": 7} if "name" in params["requestedSchema"]["properties"] else {}
        if "colour" in params["requestedSchema"]["properties"]:
            content = {"colour": "red"}
        return {"action": "accept", "content": content}

    def sample(params: dict[str, Any]) -> dict[str, Any]:
        assert params["systemPrompt"] == "Be kind." and params["maxTokens"] == 9
        return {"role": "assistant", "content": {"type": "text", "text": "Hello!"}, "model": "m"}

    async with server.client(elicit=elicit, sample=sample, roots=["file:///w"]) as client:
        result = await client.call_tool("ask")
        assert result.text == "Ann 7 Colour(colour='red') Elicitation('accept', {}) Hello! [Root('file:///w')] True"
    assert rounds == [0, 1, 2, 3, 4, 5, 6]
    assert asked[0]["requestedSchema"]["required"] == ["name"]

    async with server.client(elicit=lambda _: {"action": "decline"}) as client:
        assert (await client.call_tool("ask")).text == "decline"
    async with server.client() as client:
        with pytest.raises(Rejection) as undeclared:
            await client.call_tool("ask")
        assert undeclared.value.code == -32021


async def test_several_questions_at_once() -> None:
    server = Server("q", "1")

    @server.tool()
    def both(call: Call) -> str:
        form = {"type": "object", "properties": {"x": {"type": "string"}}}
        request = {"method": "elicitation/create", "params": {"message": "?", "requestedSchema": form}}
        answers = call.require_input({"a": request, "b": request})
        return ",".join(sorted(answers))

    asked = 0

    def elicit(_: dict[str, Any]) -> dict[str, Any]:
        nonlocal asked
        asked += 1
        return {"action": "accept", "content": {"x": "y"}}

    async with server.client(elicit=elicit) as client:
        assert (await client.call_tool("both")).text == "a,b"
        assert asked == 2


# An `except Exception` of the handler must not swallow the question.
async def test_a_question_passes_through_careless_handlers() -> None:
    server = Server("q", "1")

    @server.tool()
    def careless(call: Call) -> str:
        try:
            return str(call.elicit("k", "?", {"type": "object", "properties": {}}).action)
        except Exception:
            return "swallowed"

    async with server.client(elicit=lambda _: {"action": "cancel"}) as client:
        assert (await client.call_tool("careless")).text == "cancel"


@pytest.mark.parametrize("is_async", [False, True])
async def test_progress_and_log_lines(is_async: bool) -> None:
    server = Server("p", "1")

    def work(call: Call) -> str:
        for step in (1, 2, 2, 3):
            call.progress(step, 3, f"step {step}")
        for level in ("debug", "warning"):
            call.log(level, {"level": level, "n": 1}, logger="work")
        with pytest.raises(ValueError, match="level must be one of"):
            call.log("loud", "x")  # type: ignore[arg-type]
        return "done"

    async def awork(call: Call) -> str:
        return work(call)

    server.add_tool(awork if is_async else work, "work")
    progress: list[Any] = []
    notes: list[dict[str, Any]] = []
    async with server.client(on_notification=notes.append, log_level="info") as client:
        assert (await client.call_tool("work", on_progress=progress.append)).text == "done"
    assert [one["progress"] for one in progress][-1] == 3 and progress[0]["message"] == "step 1"
    lines = [note["params"] for note in notes if note["method"] == "notifications/message"]
    assert lines == [{"level": "warning", "logger": "work", "data": {"level": "warning", "n": 1}}]
    quiet = Server("p", "1", logging=False)
    quiet.add_tool(lambda call: call.log("info", "x"), "log", input_schema={"type": "object"})


async def test_cancellation_reaches_the_handler() -> None:
    server = Server("c", "1")
    ended: dict[str, Any] = {}
    begun = asyncio.Event()
    loop = asyncio.get_running_loop()

    @server.tool()
    async def awaits(call: Call) -> str:
        begun.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            ended["awaits"] = call.cancelled
            raise
        return "never"

    @server.tool()
    def blocks(call: Call) -> str:
        loop.call_soon_threadsafe(begun.set)
        while call.cancelled is None:
            time.sleep(0.005)
        ended["blocks"] = call.cancelled
        return "too late"

    async with server.client() as client:
        for name in ("awaits", "blocks"):
            begun.clear()
            task = asyncio.create_task(client.call_tool(name))
            await begun.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            while name not in ended:
                await asyncio.sleep(0.005)
            assert ended[name] == "cancelled by the client"
        begun.clear()
        task = asyncio.create_task(client.call_tool("awaits"))
        await begun.wait()
        del ended["awaits"]
    assert ended["awaits"] == "the connection closed"


async def test_handle_that_is_cancelled_cancels_its_call() -> None:
    server = Server("c", "1")
    seen: list[str] = []

    @server.tool()
    async def awaits(call: Call) -> str:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise
        return "never"

    from conftest import call as request

    task = asyncio.create_task(server.handle(request("awaits")))
    await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert seen == ["cancelled"]


async def test_middleware_is_round_every_call() -> None:
    server = Server("m", "1")
    order: list[str] = []

    @server.middleware
    async def outer(call: Call, following: Any) -> Any:
        order.append(f"outer {call.kind} {call.name}")
        try:
            return await following(call)
        finally:
            order.append("outer done")

    @server.middleware
    async def inner(call: Call, following: Any) -> Any:
        if call.name == "refused":
            raise mcpcore.ToolError("not today")
        if call.name == "replaced":
            return "instead"
        order.append("inner")
        return await following(call)

    @server.tool()
    def blocks() -> str:
        order.append(
            "blocks on " + ("a thread" if threading.current_thread() is not threading.main_thread() else "main")
        )
        return "b"

    @server.tool()
    async def awaits() -> str:
        return "a"

    for name in ("refused", "replaced"):
        server.add_tool(lambda: "x", name, input_schema={"type": "object"})
    async with server.client() as client:
        assert (await client.call_tool("blocks")).text == "b"
        assert order == ["outer tool blocks", "inner", "blocks on a thread", "outer done"]
        assert (await client.call_tool("awaits")).text == "a"
        assert (await client.call_tool("replaced")).text == "instead"
        refused = await client.call_tool("refused")
        assert refused.is_error and refused.text == "not today"
    with pytest.raises(ValueError, match="async def"):
        server.middleware(lambda call, following: None)  # type: ignore[arg-type, return-value]


async def test_the_lifespan_is_shared_and_left_once() -> None:
    events: list[str] = []

    @contextlib.asynccontextmanager
    async def lifespan(server: Server) -> AsyncIterator[dict[str, str]]:
        events.append("in")
        yield {"db": server.name}
        events.append("out")

    server = Server("life", "1", lifespan=lifespan)

    @server.tool()
    def use(call: Call) -> str:
        assert call.server is server
        return str(call.shared["db"])

    async with server.client() as client, server.client() as other:
        assert (await client.call_tool("use")).text == (await other.call_tool("use")).text == "life"
        assert events == ["in"]
    assert events == ["in", "out"]
    async with server:
        assert events == ["in", "out", "in"]


context: contextvars.ContextVar[str] = contextvars.ContextVar("context", default="unset")


async def test_context_variables_are_carried() -> None:
    server = Server("v", "1")

    @server.tool()
    def blocks() -> str:
        before, _ = context.get(), context.set("changed by a thread")
        return before

    @server.tool()
    async def awaits() -> str:
        before, _ = context.get(), context.set("changed by a task")
        return before

    async with server.client() as client:
        for name in ("blocks", "awaits", "blocks"):
            token = context.set(f"of the caller of {name}")
            assert (await client.call_tool(name)).text == f"of the caller of {name}"
            context.reset(token)
    assert context.get() == "unset"


async def test_a_handler_may_use_its_server() -> None:
    server = Server("nested", "1", threads=2)

    @server.tool()
    def leaf(n: int) -> int:
        return n

    @server.tool()
    def deep(n: int, call: Call) -> int:
        from conftest import call as request

        response = mcpcore._mcpcore.from_json(
            server.handle_sync(request("deep" if n else "leaf", {"n": max(n - 1, 0)})) or ""
        )
        call.server.resource_updated("x://y")
        return int(response["result"]["structuredContent"]) + 1

    @server.tool()
    async def adeep(n: int) -> int:
        async with server.client() as client:
            return int((await client.call_tool("adeep" if n else "deep", {"n": max(n - 1, 0)})).structured) + 1

    async with server.client() as client:
        results = await asyncio.gather(*(client.call_tool("deep", {"n": 3}) for _ in range(8)))
        assert [one.structured for one in results] == [4] * 8
        assert (await client.call_tool("adeep", {"n": 3})).structured == 5


async def test_spans() -> None:
    pytest.importorskip("opentelemetry.sdk")
    from opentelemetry import trace
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    server = Server("o", "1")

    @server.tool()
    def blocks() -> str:
        return format(trace.get_current_span().get_span_context().trace_id, "032x")

    @server.tool()
    async def awaits() -> str:
        return format(trace.get_current_span().get_span_context().trace_id, "032x")

    parent = "0af7651916cd43dd8448eb211c80319c"
    async with server.client() as client:
        for name in ("blocks", "awaits"):
            meta = {"traceparent": f"00-{parent}-b7ad6b7169203331-01"}
            assert (await client.call_tool(name, meta=meta)).text == parent
    spans = exporter.get_finished_spans()
    assert [span.name for span in spans] == ["tools/call blocks", "tools/call awaits"]
    assert spans[0].attributes and spans[0].attributes["gen_ai.tool.name"] == "blocks"
