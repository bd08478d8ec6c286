"""Clients of the revisions before 2026-07-28 over HTTP: sessions, the stores that keep them, streams that are come back to."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from typing import Any

import httpx
import pytest

from test_http import alone, authorize, mounted, own, wsgi

from mcpcore import Call, Server

DOORS = pytest.mark.parametrize("door", [own, alone, mounted])
# Doors that take more options.
OPTION_DOORS = pytest.mark.parametrize("door", [own, alone])
CAPABILITIES: dict[str, Any] = {"elicitation": {}}


class Session:
    """A client of one revision."""

    def __init__(self, client: httpx.AsyncClient, url: str, revision: str = "2025-11-25", **headers: str) -> None:
        self.client, self.url, self.revision = client, url, revision
        self.headers = {"accept": "application/json, text/event-stream", **headers}
        self.last = 0

    def request(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        self.last += 1
        return {"jsonrpc": "2.0", "id": self.last, "method": method, "params": params or {}}

    async def post(self, message: dict[str, Any]) -> httpx.Response:
        return await self.client.post(self.url, json=message, headers=self.headers)

    async def ask(self, method: str, params: dict[str, Any] | None = None) -> httpx.Response:
        return await self.post(self.request(method, params))

    async def call(self, name: str) -> str:
        response = await self.ask("tools/call", {"name": name, "arguments": {}})
        assert response.status_code == 200, response.text
        return str(answer(response)["result"]["content"][0]["text"])

    async def begin(self) -> httpx.Response:
        info = {"name": "t", "version": "1"}
        params = {"protocolVersion": self.revision, "capabilities": CAPABILITIES, "clientInfo": info}
        response = await self.ask("initialize", params)
        if "mcp-session-id" in response.headers:
            self.headers["mcp-session-id"] = response.headers["mcp-session-id"]
        self.headers["mcp-protocol-version"] = self.revision
        return response

    async def end(self) -> int:
        return (await self.client.delete(self.url, headers=self.headers)).status_code


def events(text: str) -> list[dict[str, str]]:
    """The fields of each event."""
    blocks = [block for block in text.replace("\r\n", "\n").split("\n\n") if block and not block.startswith(":")]
    return [
        dict(line.split(": ", 1) if ": " in line else (line.rstrip(":"), "") for line in block.split("\n"))
        for block in blocks
    ]


def answer(response: httpx.Response) -> Any:
    """The response among what was said."""
    if response.headers["content-type"].startswith("application/json"):
        return response.json()
    said = [json.loads(event["data"]) for event in events(response.text) if event.get("data")]
    return next(message for message in said if "method" not in message)


def server_of_sessions() -> Server:
    server = Server("sessions", "1", subscribe=True)

    @server.tool(input_schema={"type": "object"})
    def name(call: Call) -> str:
        return str(
            call.elicit("who", "Who are you?", {"type": "object", "properties": {"name": {"type": "string"}}}).content
        )

    @server.tool(input_schema={"type": "object"})
    async def revision(call: Call) -> str:
        return call.protocol_version

    @server.tool(input_schema={"type": "object"})
    def leave(call: Call) -> str:
        call.close_stream(retry=0.02)
        # What is there when the client is sent away still goes with it.
        time.sleep(0.05)
        return "left"

    return server


@DOORS
async def test_a_session_from_its_opening_to_its_end(door: Any) -> None:
    server = server_of_sessions()
    async with door(server, "anyone") as url, httpx.AsyncClient(timeout=30) as client:
        session = Session(client, url)
        opened = await session.begin()
        assert opened.status_code == 200 and answer(opened)["result"]["protocolVersion"] == "2025-11-25"
        assert session.headers["mcp-session-id"].isascii()
        assert (await session.post({"jsonrpc": "2.0", "method": "notifications/initialized"})).status_code == 202
        assert await session.call("revision") == "2025-11-25"
        # The question comes on the stream of the request; its answer is another request.
        ask = session.request("tools/call", {"name": "name", "arguments": {}})
        seen: list[Any] = []
        async with client.stream("POST", url, json=ask, headers=session.headers) as stream:
            assert stream.headers["content-type"].startswith("text/event-stream")
            async for line in stream.aiter_lines():
                if not line.startswith("data: {"):
                    continue
                message = json.loads(line[6:])
                seen.append(message)
                if message.get("method") == "elicitation/create":
                    content = {"action": "accept", "content": {"name": "Ann"}}
                    given = await session.post({"jsonrpc": "2.0", "id": message["id"], "result": content})
                    assert given.status_code == 202
        assert seen[-1]["id"] == ask["id"] and "Ann" in seen[-1]["result"]["content"][0]["text"], seen
        assert await session.end() in (200, 204)
        assert (await session.ask("ping")).status_code == 404


@DOORS
async def test_both_eras_at_one_address(door: Any) -> None:
    server = server_of_sessions()
    async with door(server, "anyone") as url, httpx.AsyncClient(timeout=30) as client:
        for wanted in ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"):
            session = Session(client, url, wanted)
            await session.begin()
            assert await session.call("revision") == wanted
        from test_http import text_of, tool

        assert text_of(await client.post(url, **tool("revision"))) == "2026-07-28"


@OPTION_DOORS
async def test_a_client_that_was_sent_away_comes_back(door: Any) -> None:
    server = server_of_sessions()
    async with door(server, "anyone", retry=5.0) as url, httpx.AsyncClient(timeout=30) as client:
        session = Session(client, url)
        await session.begin()
        first = events((await session.ask("tools/call", {"name": "leave", "arguments": {}})).text)
        assert first[0]["data"] == "" and {"id": "", **first[0]}["id"], first
        assert any(event.get("retry") == "20" for event in first), first
        last = [event["id"] for event in first if "id" in event][-1]
        back = await client.get(url, headers={**session.headers, "last-event-id": last})
        assert back.status_code == 200 and "left" in back.text, back.text


@OPTION_DOORS
async def test_the_session_of_somebody_else(door: Any) -> None:
    server = server_of_sessions()
    async with door(server, authorize) as url, httpx.AsyncClient(timeout=30) as client:
        ann = Session(client, url, authorization="Bearer admin")
        await ann.begin()
        bob = Session(client, url, authorization="Bearer bob")
        bob.headers["mcp-session-id"] = ann.headers["mcp-session-id"]
        assert (await bob.ask("ping")).status_code == 404
        assert await bob.end() == 404
        assert (await ann.ask("ping")).status_code == 200


@OPTION_DOORS
async def test_sessions_that_are_not_kept(door: Any) -> None:
    server = server_of_sessions()
    async with door(server, "anyone", sessions="stateless") as url, httpx.AsyncClient(timeout=30) as client:
        session = Session(client, url)
        await session.begin()
        assert "mcp-session-id" not in session.headers
        assert await session.call("revision") == "2025-11-25"
        assert (await client.get(url, headers=session.headers)).status_code == 405
        assert await session.end() == 405


def test_wsgi_keeps_no_sessions() -> None:
    class Probe:
        server = server_of_sessions()

    with wsgi(Probe(), "anyone") as url, httpx.Client(timeout=30) as client:  # type: ignore[arg-type]
        info = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": info}
        headers = {"accept": "application/json, text/event-stream"}
        opened = client.post(url, json=message, headers=headers)
        assert opened.status_code == 200 and "mcp-session-id" not in opened.headers
        assert client.get(url, headers=headers).status_code == 405


@OPTION_DOORS
async def test_a_session_ends_although_nobody_comes(door: Any) -> None:
    server, began, ended = server_of_sessions(), threading.Event(), threading.Event()

    @server.tool(input_schema={"type": "object"})
    async def stays(_call: Call) -> str:
        began.set()
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()
        return ""

    async with door(server, "anyone", session_idle=0.3) as url, httpx.AsyncClient(timeout=30) as client:
        session = Session(client, url)
        await session.begin()
        left = asyncio.create_task(session.call("stays"))
        assert await asyncio.to_thread(began.wait, 10)
        left.cancel()
        # No other request comes that could bring it about.
        assert await asyncio.to_thread(ended.wait, 10)


class Memory:
    """A store, and what it was asked."""

    def __init__(self) -> None:
        self.sessions: dict[str, str] = {}
        self.times: list[float | None] = []
        self.lock = threading.Lock()
        self.broken = False

    def save(self, id: str, session: str, ttl: float | None) -> None:
        with self.lock:
            self._fail()
            self.sessions[id] = session
            self.times.append(ttl)

    def load(self, id: str) -> str | None:
        with self.lock:
            self._fail()
            return self.sessions.get(id)

    def delete(self, id: str) -> None:
        with self.lock:
            self.sessions.pop(id, None)

    def _fail(self) -> None:
        if self.broken:
            raise OSError("the store is away")


@OPTION_DOORS
async def test_another_process_goes_on_with_a_session(door: Any) -> None:
    store = Memory()
    more = {"session_store": store, "session_idle": 60.0}
    async with httpx.AsyncClient(timeout=30) as client:
        async with door(server_of_sessions(), authorize, **more) as url:
            session = Session(client, url, "2025-06-18", authorization="Bearer admin")
            await session.begin()
            assert await session.call("revision") == "2025-06-18"
        assert list(store.sessions) == [session.headers["mcp-session-id"]] and set(store.times) == {60.0}
        async with door(server_of_sessions(), authorize, **more) as url:
            session.url = url
            assert await session.call("revision") == "2025-06-18"
            thief = Session(client, url, authorization="Bearer bob")
            thief.headers["mcp-session-id"] = session.headers["mcp-session-id"]
            assert (await thief.ask("ping")).status_code == 404
            assert await session.end() in (200, 204)
            assert not store.sessions
            assert (await session.ask("ping")).status_code == 404


@OPTION_DOORS
async def test_a_store_that_fails(door: Any, caplog: pytest.LogCaptureFixture) -> None:
    store = Memory()
    store.broken = True
    async with (
        door(server_of_sessions(), "anyone", session_store=store) as url,
        httpx.AsyncClient(timeout=30) as client,
    ):
        session = Session(client, url)
        assert (await session.begin()).status_code == 503
        session.headers["mcp-session-id"] = "00000000000000000000000000000000"
        assert (await session.ask("ping")).status_code == 503
        assert "the store is away" in caplog.text


async def test_two_endpoints() -> None:
    async with own(server_of_sessions(), "anyone", sse_path="/sse") as url, httpx.AsyncClient(timeout=30) as client:
        place = url.replace("/mcp", "/sse")
        async with client.stream("GET", place, headers={"accept": "text/event-stream"}) as stream:
            lines = stream.aiter_lines()
            while not (line := await anext(lines)).startswith("data: "):
                pass
            session = Session(client, str(httpx.URL(place).join(line[6:])), "2024-11-05")
            assert (await session.begin()).status_code == 202
            while not (line := await anext(lines)).startswith("data: "):
                pass
            assert json.loads(line[6:])["result"]["protocolVersion"] == "2024-11-05"


def test_what_options_may_be() -> None:
    server = server_of_sessions()

    class Waits(Memory):
        async def load(self, id: str) -> str | None:  # type: ignore[override]
            return None

    for more, word in [
        ({"sessions": "some"}, "sessions"),
        ({"max_sessions": 0}, "max_sessions"),
        ({"session_store": object()}, "save"),
        ({"session_store": Waits()}, "load"),
        ({"sse_path": "sse"}, "sse_path"),
        ({"sessions": "stateless", "session_store": Memory()}, "session_store"),
    ]:
        with pytest.raises(ValueError, match=word):
            server.asgi(authorize="anyone", allowed_origins="any", path="/mcp", **more)  # type: ignore[arg-type]
