"""The HTTP doors: the library's own server, ASGI under uvicorn and in FastAPI, WSGI."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import wsgiref.simple_server
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import pytest
import uvicorn

from conftest import EXAMPLES, META, run_python

import mcpcore
from mcpcore import Authorization, Call, Caller, Forbidden, Server, Unauthorized

HEADERS = {
    "content-type": "application/json",
    "accept": "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
}


def post_arguments(method: str, name: str | None = None, **more: Any) -> dict[str, Any]:
    """Headers and body of a request."""
    meta, headers = {**META, **more.pop("meta", {})}, {**HEADERS, **more.pop("headers", {}), "mcp-method": method}
    params = {**more, "_meta": meta}
    if name is not None:
        params["name"] = headers["mcp-name"] = name
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    return {"headers": headers, "content": body}


def tool(name: str, arguments: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    return post_arguments("tools/call", name, arguments=arguments or {}, **more)


def text_of(response: httpx.Response) -> str:
    assert response.status_code == 200, (response.status_code, response.text)
    return str(response.json()["result"]["content"][0]["text"])


class Probe:
    """A server with one tool of each behaviour, and what they saw."""

    def __init__(self) -> None:
        self.seen: list[Any] = []
        self.server = server = Server("http", "1", subscribe=True)
        open_schema = {"type": "object"}

        @server.tool(input_schema=open_schema)
        async def awaits() -> str:
            return "a"

        @server.tool(input_schema=open_schema)
        def blocks() -> str:
            return "b"

        @server.tool(input_schema=open_schema)
        async def reports(call: Call) -> str:
            for step in (1, 2, 3):
                call.progress(step, 3)
                await asyncio.sleep(0.03)
            return "reported"

        @server.tool(input_schema=open_schema)
        async def hangs(call: Call) -> str:
            self.seen.append("begun")
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                self.seen.append(call.cancelled)
                raise
            return "never"

        @server.tool(input_schema=open_schema)
        def waits(call: Call) -> str:
            self.seen.append("begun")
            while call.cancelled is None:
                time.sleep(0.005)
            self.seen.append(call.cancelled)
            return "never"

        @server.tool(input_schema=open_schema, timeout=0.1)
        async def slow() -> str:
            await asyncio.sleep(60)
            return "never"

        @server.tool(input_schema=open_schema, scopes=["admin"])
        async def who(call: Call) -> str:
            return f"{call.caller.principal} {call.caller.claims.get('team')} {call.header('x-trace')}"

        @server.tool(input_schema=open_schema)
        async def big(call: Call) -> str:
            return str(call.arguments["text"])

    async def until(self, count: int) -> None:
        end = time.monotonic() + 30
        while len(self.seen) < count:
            assert time.monotonic() < end, self.seen
            await asyncio.sleep(0.005)


async def aauthorize(request: Authorization) -> Caller | None:
    await asyncio.sleep(0)
    return authorize(request)


def authorize(request: Authorization) -> Caller | None:
    match request.bearer:
        case "admin":
            return Caller("ann", scopes=["admin"], claims={"team": "blue"})
        case "bob":
            return Caller("bob")
        case "few":
            raise Forbidden("more is needed", error="insufficient_scope", scope=["admin"])
        case "expired":
            raise Unauthorized("it has expired", error="invalid_token", reason="the secret reason")
        case "crash":
            raise RuntimeError("the secret crash")
        case "nonsense":
            return "ann"  # type: ignore[return-value]
        case _:
            return None


OPTIONS: dict[str, Any] = {"allowed_origins": ["loopback"], "call_headers": ["x-trace"]}


@contextlib.asynccontextmanager
async def own(server: Server, how: Any, **more: Any) -> AsyncIterator[str]:
    """The library's own HTTP server."""
    listening: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def ready(listener: Any) -> None:
        listening.set_result(listener.port)

    task = asyncio.create_task(server.serve_http(0, authorize=how, ready=ready, **OPTIONS, **more))
    yield f"http://127.0.0.1:{await listening}/mcp"
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@contextlib.asynccontextmanager
async def under_uvicorn(app: Any, path: str) -> AsyncIterator[str]:
    config = uvicorn.Config(app, port=0, log_level="warning", lifespan="auto")
    serving = uvicorn.Server(config)
    task = asyncio.create_task(serving.serve())
    while not serving.started:
        await asyncio.sleep(0.01)
    port = serving.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}{path}"
    serving.should_exit = True
    await task


@contextlib.asynccontextmanager
async def alone(server: Server, how: Any, **more: Any) -> AsyncIterator[str]:
    """The ASGI application, alone under uvicorn."""
    async with under_uvicorn(server.asgi(authorize=how, path="/mcp", **OPTIONS, **more), "/mcp") as url:
        yield url


@contextlib.asynccontextmanager
async def mounted(server: Server, how: Any) -> AsyncIterator[str]:
    """The ASGI application under a sub-path of FastAPI."""
    from fastapi import FastAPI

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with server:
            yield

    app = FastAPI(lifespan=lifespan)
    app.mount("/deep/tools", server.asgi(authorize=how, **OPTIONS))
    async with under_uvicorn(app, "/deep/tools/") as url:
        yield url


DOORS = pytest.mark.parametrize("door", [own, alone, mounted])


@DOORS
async def test_calls_lists_and_refusals(door: Any) -> None:
    probe = Probe()
    async with door(probe.server, "anyone") as url, httpx.AsyncClient(timeout=30) as client:
        assert text_of(await client.post(url, **tool("awaits"))) == "a"
        assert text_of(await client.post(url, **tool("blocks"))) == "b"
        listed = await client.post(url, **post_arguments("tools/list"))
        assert "awaits" in [one["name"] for one in listed.json()["result"]["tools"]]
        big = "é" * 100_000
        assert text_of(await client.post(url, **tool("big", {"text": big}))) == big
        answers = await asyncio.gather(*(client.post(url, **tool("awaits")) for _ in range(50)))
        assert [text_of(answer) for answer in answers] == ["a"] * 50
        assert (await client.post(url, **tool("nope"))).json()["error"]["code"] == -32602
        assert (await client.get(url, headers={"mcp-protocol-version": "2026-07-28"})).status_code == 405
        assert (await client.get(url)).status_code == 400
        assert (await client.post(url, **tool("awaits", headers={"origin": "https://evil.example"}))).status_code == 403
        assert (await client.post(url, **tool("awaits", headers={"origin": "http://localhost:1"}))).status_code == 200
        assert (
            await client.post(url, **tool("awaits", headers={"mcp-protocol-version": "1999-01-01"}))
        ).status_code == 400
        assert (await client.post(url, **tool("big", {"text": "x" * (2 << 20)}))).status_code == 413
        late = await client.post(url, **tool("slow"))
        assert late.json()["error"]["code"] == -32603 and "too long" in late.json()["error"]["message"]
        assert text_of(await client.post(url, **tool("awaits"))) == "a"


@DOORS
async def test_progress_makes_a_stream(door: Any) -> None:
    probe = Probe()
    async with door(probe.server, "anyone") as url, httpx.AsyncClient(timeout=30) as client:
        request = tool("reports", meta={"progressToken": 7})
        events: list[tuple[float, Any]] = []
        async with client.stream("POST", url, **request) as response:
            assert response.headers["content-type"] == "text/event-stream"
            async for line in response.aiter_lines():
                if line.startswith("data: "):
                    events.append((time.monotonic(), json.loads(line[6:])))
        messages = [event for _, event in events]
        assert [one["params"]["progress"] for one in messages[:-1]] == [1, 2, 3]
        assert messages[-1]["result"]["content"][0]["text"] == "reported"
        # It came while it happened.
        assert events[-1][0] - events[0][0] > 0.03


@DOORS
@pytest.mark.parametrize("name", ["hangs", "waits"])
async def test_a_client_that_hangs_up_cancels_its_call(door: Any, name: str) -> None:
    probe = Probe()
    async with door(probe.server, "anyone") as url, httpx.AsyncClient(timeout=30) as client:
        task = asyncio.create_task(client.post(url, **tool(name)))
        await probe.until(1)
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await probe.until(2)
        assert probe.seen == ["begun", "the connection closed"]
        assert text_of(await client.post(url, **tool("awaits"))) == "a"


@DOORS
@pytest.mark.parametrize("how", [authorize, aauthorize])
async def test_authorization(door: Any, how: Any, logged: pytest.LogCaptureFixture) -> None:
    probe = Probe()
    async with door(probe.server, how) as url, httpx.AsyncClient(timeout=30) as client:

        async def ask(token: str | None, name: str = "who") -> httpx.Response:
            headers = {"x-trace": "t1"} | ({} if token is None else {"authorization": f"Bearer {token}"})
            return await client.post(url, **tool(name, headers=headers))

        assert text_of(await ask("admin")) == "ann blue t1"
        hidden = await ask("bob")
        assert hidden.json()["error"]["code"] == -32602
        nobody = await ask(None)
        assert nobody.status_code == 401 and nobody.headers["www-authenticate"].startswith("Bearer")
        expired = await ask("expired")
        assert expired.status_code == 401 and 'error="invalid_token"' in expired.headers["www-authenticate"]
        few = await ask("few")
        assert few.status_code == 403 and 'scope="admin"' in few.headers["www-authenticate"]
        for token, shown in [("crash", "the secret crash"), ("nonsense", "gives a Caller or None")]:
            failed = await ask(token)
            assert failed.status_code == 500 and "secret" not in failed.text
            assert shown in logged.text
        assert "the secret reason" in logged.text and "secret" not in expired.text + str(expired.headers)


@DOORS
async def test_subscriptions(door: Any) -> None:
    probe = Probe()
    async with door(probe.server, "anyone") as url, httpx.AsyncClient(timeout=30) as client:
        wanted = {"toolsListChanged": True, "resourceSubscriptions": ["x://y"]}
        request = post_arguments("subscriptions/listen", notifications=wanted)
        async with client.stream("POST", url, **request) as response:
            lines = response.aiter_lines()

            async def event() -> Any:
                async for line in lines:
                    if line.startswith("data: "):
                        return json.loads(line[6:])
                raise AssertionError("the stream ended")

            assert (await event())["method"] == "notifications/subscriptions/acknowledged"
            probe.server.resource_updated("x://y")
            assert (await event())["params"]["uri"] == "x://y"
            probe.server.add_tool(lambda: "new", "new", input_schema={"type": "object"})
            assert (await event())["method"] == "notifications/tools/list_changed"
            assert text_of(await client.post(url, **tool("new"))) == "new"
        end = time.monotonic() + 10
        while probe.server.stats["subscriptions"]:
            assert time.monotonic() < end
            await asyncio.sleep(0.01)


async def test_nothing_is_left_of_asgi_requests() -> None:
    probe = Probe()
    app = probe.server.asgi(authorize="anyone", allowed_origins="any")
    faults: list[Any] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: faults.append(context))

    async def once(**request: Any) -> int:
        sent: list[Any] = []
        body = request["content"].encode()

        async def receive() -> dict[str, Any]:
            if not body:
                await asyncio.sleep(60)
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Any) -> None:
            sent.append(message)

        headers = [(name.encode(), value.encode()) for name, value in request["headers"].items()]
        await app({"type": "http", "method": "POST", "path": "/", "headers": headers}, receive, send)
        return int(sent[0]["status"])

    for _ in range(300):
        assert await once(**tool("awaits")) == 200
    assert set(await asyncio.gather(*(once(**tool(name)) for name in ("awaits", "blocks", "reports") * 20))) == {200}
    await asyncio.sleep(0.1)
    assert (faults, app._young) == ([], {})


async def test_a_body_that_never_comes_is_refused_in_time() -> None:
    probe = Probe()
    for door in (own, alone):
        async with door(probe.server, "anyone", body_timeout=0.3) as url:
            port = int(url.split(":")[2].split("/")[0])
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            head = "".join(f"{name}: {value}\r\n" for name, value in HEADERS.items())
            writer.write(f"POST /mcp HTTP/1.1\r\nhost: localhost\r\n{head}content-length: 50\r\n\r\n{{".encode())
            assert b" 408 " in await asyncio.wait_for(reader.readline(), 20)
            writer.close()


def test_who_may_come_in_has_to_be_said() -> None:
    server = Server("h", "1")
    with pytest.raises(TypeError):
        server.asgi()  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="authorize"):
        server.asgi(authorize=None, allowed_origins="any")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="allowed_origins"):
        server.asgi(authorize="anyone", allowed_origins="*")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="no such option"):
        server.asgi(authorize="anyone", allowed_origins="any", nothing=1)  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="origin"):
        server.asgi(authorize="anyone", allowed_origins=["https://a.example/path"])


@contextlib.contextmanager
def wsgi(probe: Probe, how: Any) -> Iterator[str]:
    class Quiet(wsgiref.simple_server.WSGIRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

    app = probe.server.wsgi(authorize=how, path="/mcp", **OPTIONS)
    with wsgiref.simple_server.make_server("127.0.0.1", 0, app, handler_class=Quiet) as serving:
        thread = threading.Thread(target=serving.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{serving.server_port}/mcp"
        serving.shutdown()
        thread.join()
    probe.server.close()


@pytest.mark.parametrize("how", [authorize, aauthorize])
def test_wsgi(how: Any) -> None:
    probe = Probe()
    with wsgi(probe, how) as url, httpx.Client(timeout=30, headers={"authorization": "Bearer admin"}) as client:
        assert text_of(client.post(url, **tool("awaits"))) == "a"
        assert text_of(client.post(url, **tool("blocks"))) == "b"
        assert text_of(client.post(url, **tool("who", headers={"x-trace": "t"}))) == "ann blue t"
        streamed = client.post(url, **tool("reports", meta={"progressToken": 7}))
        assert streamed.text.count("notifications/progress") == 3 and "reported" in streamed.text
        assert client.post(url, **tool("awaits", headers={"authorization": ""})).status_code == 401
        assert client.post(url, **tool("slow")).json()["error"]["code"] == -32603
        listening = client.post(url, **post_arguments("subscriptions/listen", notifications={"toolsListChanged": True}))
        assert listening.json()["error"]["code"] == -32601


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


PROGRAM = """
import asyncio, sys, time
from mcpcore import Server
server = Server("h", "1")
@server.tool(input_schema={"type": "object"})
def blocks():
    time.sleep(60)
"""


# With sync functions alone there is no event loop.
@pytest.mark.parametrize("more", ["", "\nserver.add_tool(asyncio.sleep, 'never', input_schema={'type': 'object'})\n"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_run_http_ends_by_signals_with_calls_in_flight(more: str, number: signal.Signals) -> None:
    code = (
        PROGRAM
        + more
        + (
            "server.run_http(0, authorize='anyone', allowed_origins='any', "
            "ready=lambda listener: print(listener.port, flush=True))\nprint('end', flush=True)"
        )
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            port = int(process.stdout.readline())
            request = tool("blocks")
            client = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            client.request("POST", "/mcp", request["content"], request["headers"])
            time.sleep(0.3)
            process.send_signal(number)
            out, err = process.communicate(timeout=20)
            assert (process.returncode, out, err) == (0, "end\n", "")
        finally:
            process.kill()


def test_the_fastapi_example() -> None:
    port = free_port()
    environment = {**os.environ, "PYTHONPATH": str(EXAMPLES)}
    command = [sys.executable, "-m", "uvicorn", "fastapi_app:app", "--port", str(port), "--log-level", "warning"]
    with subprocess.Popen(command, env=environment) as process:
        try:
            url = f"http://127.0.0.1:{port}/tools/"
            for _ in range(200):
                with contextlib.suppress(httpx.TransportError):
                    if httpx.get(f"http://127.0.0.1:{port}/").json() == {"mcp": "/tools/"}:
                        break
                time.sleep(0.1)
            granted = {"authorization": "Bearer let-me-in"}
            streamed = httpx.post(url, **tool("count", {"text": "a b c"}, meta={"progressToken": 1}, headers=granted))
            assert streamed.text.count("notifications/progress") == 5 and '"letters":3' in streamed.text
            assert httpx.post(url, **tool("count", {"text": "a"})).status_code == 401
            assert httpx.post(url, **tool("count", {"text": ""}, headers=granted)).json()["result"]["isError"] is True
        finally:
            process.terminate()


async def test_peers_say_themselves_as_everywhere(tmp_path: Any) -> None:
    probe, peers = Probe(), []

    async def who(request: Authorization) -> Caller:
        peers.append(request.peer)
        return Caller("someone")

    address = f"unix:{tmp_path}/socket"
    async with own(probe.server, who, addresses=["127.0.0.1:0", address]) as url:
        for transport, where in ((None, url), (httpx.AsyncHTTPTransport(uds=address[5:]), "http://localhost/mcp")):
            async with httpx.AsyncClient(timeout=30, transport=transport) as client:
                assert text_of(await client.post(where, **tool("awaits"))) == "a"
    assert peers[0].startswith("127.0.0.1:") and peers[1] == f"unix:{os.getuid()}"


# Acceptance 5: the official client, in a process of its own.
OFFICIAL = """
import asyncio, sys
from mcp import Client
async def main():
    async with Client(sys.argv[1]) as client:
        assert client.protocol_version == "2026-07-28", client.protocol_version
        tools = await client.list_tools()
        assert "awaits" in [tool.name for tool in tools.tools]
        assert (await client.call_tool("awaits")).content[0].text == "a"
        assert (await client.call_tool("blocks")).content[0].text == "b"
        seen = []
        async def note(progress, total, message):
            seen.append(progress)
        assert (await client.call_tool("reports", progress_callback=note)).content[0].text == "reported"
        assert seen == [1, 2, 3], seen
        async with client.listen(resource_subscriptions=["x://y"]) as news:
            assert news.honored.resource_subscriptions == ["x://y"]
    print("passed")
asyncio.run(main())
"""


@DOORS
async def test_the_official_client(door: Any) -> None:
    pytest.importorskip("mcp")
    probe = Probe()
    async with door(probe.server, "anyone") as url:
        done = await asyncio.to_thread(run_python, OFFICIAL.replace("sys.argv[1]", repr(url)))
        assert done.stdout == "passed\n", done.stderr


async def test_a_listener_beside_another_loop() -> None:
    """Two doors of one server, on two loops: each call is answered, wherever it came in."""
    probe = Probe()
    async with own(probe.server, "anyone") as url, httpx.AsyncClient(timeout=30) as client:
        from conftest import call as request

        def other() -> str:
            async def ask() -> str:
                return mcpcore._mcpcore.from_json(await probe.server.handle(request("awaits")) or "")["result"][
                    "content"
                ][0]["text"]

            return asyncio.run(ask())

        assert await asyncio.to_thread(other) == "a"
        assert text_of(await client.post(url, **tool("awaits"))) == "a"
