"""A program for the type checkers: what is right passes, and each wrong line is one. It is checked, not run."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel
from typing_extensions import assert_type

from mcpcore import (
    Authorization,
    Call,
    Caller,
    Client,
    Elicitation,
    Image,
    Message,
    Rejection,
    Root,
    Server,
    ToolError,
    ToolResult,
    Unauthorized,
)


class Person(BaseModel):
    name: str


@dataclass
class Weather:
    place: str
    degrees: float


@asynccontextmanager
async def lifespan(server: Server) -> AsyncGenerator[dict[str, int], None]:
    yield {"n": 1}


server = Server("sample", "1.0.0", lifespan=lifespan, list_changed=["tools"], call_timeout=5.0, cache_scope="public")


# A decorator keeps the function's type, so that its arguments are checked wherever it is called.
@server.tool()
def weather(place: str, days: int = 1) -> list[Weather]:
    return [Weather(place, 1.0)] * days


@server.tool
async def greet(call: Call) -> str:
    answer = call.elicit("who", "Who are you?", Person)
    assert_type(answer, Elicitation[Person])
    assert_type(call.roots(), list[Root])
    assert_type(call.sample("s", "Hello").text, str)
    assert_type(call.arguments, dict[str, Any])
    assert_type(call.raw_arguments, bytes)
    assert_type(call.caller, Caller)
    call.progress(1, 2, "half")
    call.log("info", {"a": 1})
    call.state = {"kept": True}
    if answer.content is None:
        raise ToolError("nobody")
    return answer.content.name


@server.resource("a://{b}", mime_type="text/plain")
def resource(b: str) -> str | bytes:
    return b


@server.prompt(title="P")
def prompt(topic: str) -> list[Message | str]:
    return [topic, Message(Image(b""), "assistant")]


@server.middleware
async def around(call: Call, following: Any) -> Any:
    return await following(call)


def authorize(request: Authorization) -> Caller | None:
    if request.bearer is None:
        raise Unauthorized("a token is wanted", scope=["read"])
    return Caller("ann", scopes=["read"], claims={"team": 1})


async def dispatch(call: Call) -> ToolResult:
    return ToolResult("text", structured={"a": 1})


pair = Server("pair", "1", catalog=lambda caller: {"tools": [{"name": caller.catalog_key}]}, dispatch=dispatch)
app = server.asgi(authorize=authorize, allowed_origins=["loopback"], max_body_bytes=1 << 20)
web = server.wsgi(authorize="anyone", allowed_origins="any")

assert_type(weather("Oslo", 2), list[Weather])


async def test(client: Client) -> None:
    async with server.client(roots=["file:///"]) as opened:
        assert_type(opened, Client)
        assert_type((await opened.call_tool("greet")).text, str)
    assert_type(await server.handle("{}"), "str | None")
    async with client.listen(tools=True) as news:
        async for note in news:
            assert_type(note, dict[str, Any])
    try:
        await client.discover()
    except Rejection as error:
        assert_type(error.code, int)


# ---- what is wrong ----

weather(5)  # type: ignore[arg-type]
weather("Oslo", dayz=2)  # type: ignore[call-arg]
Server("name alone")  # type: ignore[call-arg]
Server("a", "1", cache_scope="everybody")  # type: ignore[arg-type]
server.asgi(authorize=authorize)  # type: ignore[call-arg]
server.asgi(authorize=authorize, allowed_origins="any", max_body="1")  # type: ignore[call-arg]
server.run_http(8000, authorize=lambda request: "ann", allowed_origins="any")  # type: ignore[arg-type, return-value]
server.tool(annotations=5)  # type: ignore[call-overload]


def wrong(call: Call) -> None:
    call.log("loud", "x")  # type: ignore[arg-type]
    call.progress("one")  # type: ignore[arg-type]
    call.number = 5  # type: ignore[misc]


if __name__ == "__main__":
    asyncio.run(server.serve_stdio())
