"""An ASGI application over an endpoint: it mounts in Starlette, FastAPI and any ASGI server."""

from __future__ import annotations

import asyncio
from asyncio import get_running_loop
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Optional

from . import loops
from ._mcpcore import Call, Endpoint, Exchange
from .loops import Post

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .server import Server

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

WANT, HEAD, DATA, END, WHOLE = range(5)

# While a function answers within this time nobody watches whether the client hangs up: that would cost as much as the
# answer. What it reports meanwhile is sent then.
PATIENCE = 0.02


class Asgi:
    """The application. Mounted, it takes every path below the mount unless it was given one."""

    def __init__(self, server: Server, options: dict[str, Any]) -> None:
        self._server = server
        self._endpoint: Endpoint = server._engine().endpoint(options)
        # Requests that nobody watches yet, on each loop; one timer a loop looks after them all.
        self._young: dict[asyncio.AbstractEventLoop, dict[_Request, float]] = {}
        # When sessions are looked at next, and on which loop.
        self._late: Optional[tuple[asyncio.AbstractEventLoop, asyncio.TimerHandle]] = None
        server._opened = True

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            loop = get_running_loop()
            young = self._young.get(loop)
            if young is None:
                young = self._young[loop] = {}
                loop.call_later(PATIENCE, self._look_after, loop, young)
            request = _Request(self._server, self._endpoint, scope, receive, send)
            young[request] = loop.time()
            try:
                await request.serve()
            finally:
                young.pop(request, None)
        elif scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1000})
        else:
            raise RuntimeError(f"no such scope: {scope['type']!r}")

    def _look_after(self, loop: asyncio.AbstractEventLoop, young: dict[_Request, float]) -> None:
        now = loop.time()
        for request, since in list(young.items()):
            if now - since >= PATIENCE and request.grow_old(now - since):
                del young[request]
        if young:
            loop.call_later(PATIENCE, self._look_after, loop, young)
        else:
            del self._young[loop]
            self._look_at_sessions(loop)

    def _look_at_sessions(self, loop: asyncio.AbstractEventLoop) -> None:
        """Ends sessions whose clients have been away, whether or not another request comes."""
        if self._late is not None and self._late[0] is loop:
            self._late[1].cancel()
        due = self._endpoint.tick()
        self._late = None if due is None else (loop, loop.call_later(due, self._look_at_sessions, loop))

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        try:
            await self._server._enter()
            self._server._settle_at(self._server._post())
        except Exception as error:
            await send({"type": "lifespan.startup.failed", "message": str(error)})
            raise
        await send({"type": "lifespan.startup.complete"})
        await receive()
        self._endpoint.stop()
        try:
            await self._server._post().settled(5)
            await self._server._leave()
        except Exception as error:
            await send({"type": "lifespan.shutdown.failed", "message": str(error)})
            raise
        await send({"type": "lifespan.shutdown.complete"})


def _path(scope: Scope) -> str:
    """The path below the mount."""
    path: str = scope["path"]
    root: str = scope.get("root_path", "")
    if root and path.startswith(root):
        path = path[len(root) :]
    if not path.startswith("/"):
        path = "/" + path
    if path.isascii() and path.isprintable() and " " not in path:
        return path
    from urllib.parse import quote

    return quote(path)


class _Request:
    """One HTTP request."""

    __slots__ = (
        "_answering",
        "_arrived",
        "_exchange",
        "_gone",
        "_head",
        "_late",
        "_post",
        "_reading",
        "_receive",
        "_send",
        "_server",
        "_task",
        "_wake",
        "_watcher",
    )

    def __init__(self, server: Server, endpoint: Endpoint, scope: Scope, receive: Receive, send: Send) -> None:
        self._server = server
        self._post: Post = server._post()
        self._receive = receive
        self._send = send
        self._head: Optional[Message] = None
        self._gone = self._reading = self._answering = self._late = False
        self._wake: Optional[asyncio.Future[None]] = None
        self._watcher: Optional[asyncio.Task[None]] = None
        self._task = asyncio.current_task()
        self._exchange: Exchange
        self._exchange, self._arrived = endpoint.begin(
            scope["method"], _path(scope), scope["headers"], scope.get("client")
        )

    def grow_old(self, age: float) -> bool:
        """Looks after what takes longer than an instant. False if it is to be looked at again."""
        if self._reading:
            due = self._exchange.next_deadline()
            if due is not None and due <= 0 and self._task is not None:
                self._late = True
                self._task.cancel()
                return True
            return False
        if self._answering and self._watcher is None:
            self._watcher = get_running_loop().create_task(self._watch())
        return self._watcher is not None

    async def serve(self) -> None:
        """Serves the request to its end."""
        exchange = self._exchange
        try:
            for question in self._arrived:
                self._post.start(question)
            part = exchange.poll()
            if part is None:
                # Whoever is to say who asks has not said it yet.
                part = await self._next()
            if part[0] == WANT:
                await self._read()
                if self._gone:
                    return
                if self._watcher is not None:
                    await self._watcher
                    return
                part = exchange.poll()
            while part is not None:
                if await self._say(part):
                    return
                part = exchange.poll()
            await self._watch()
        finally:
            if self._watcher is not None and not self._watcher.done():
                self._watcher.cancel()
            exchange.close()

    # ---- the body ----

    async def _read(self) -> None:
        """Reads the body, and lets what it brings be answered."""
        exchange, receive = self._exchange, self._receive
        self._reading = True
        try:
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    self._gone = True
                    return
                last = not message.get("more_body", False)
                arrived = exchange.body(message.get("body", b""), last)
                if last:
                    break
                if exchange.ready():
                    # It is refused although the body is not here yet.
                    return
        except asyncio.CancelledError:
            if not self._late:
                raise
            _uncancel(self._task)
            exchange.tick()
            return
        finally:
            self._reading = False
        if len(arrived) == 1 and type(arrived[0]) is Call and not arrived[0]._threaded:
            await self._answer(arrived[0])
        else:
            for event in arrived:
                self._post.start(event)

    # ---- calls ----

    async def _answer(self, call: Call) -> None:
        """Answers a call in this very task, which costs no other."""
        tasks = self._post._tasks
        if self._task is not None:
            tasks[call.number] = self._task
        self._answering = True
        try:
            await loops.run(self._server, call, tasks)
        except asyncio.CancelledError:
            if call.cancelled is None:
                raise
            # The engine ended the call: its time was over, or the client is gone.
            _uncancel(self._task)
        finally:
            self._answering = False

    # ---- parts ----

    async def _say(self, part: tuple[Any, ...]) -> bool:
        """Sends a part. True at the end."""
        kind = part[0]
        if kind == WHOLE:
            await self._send(_head(part))
            await self._send({"type": "http.response.body", "body": part[3]})
            return True
        if kind == HEAD:
            self._head = _head(part)
            return False
        if kind == DATA:
            if self._head is not None:
                head, self._head = self._head, None
                await self._send(head)
            await self._send({"type": "http.response.body", "body": part[1], "more_body": not part[2]})
            return bool(part[2])
        if kind == WANT:
            return False
        if self._head is not None:
            head, self._head = self._head, None
            await self._send(head)
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})
        return True

    def _told(self, _: object = None) -> None:
        wake = self._wake
        if wake is not None and not wake.done():
            wake.set_result(None)

    async def _next(self) -> tuple[Any, ...]:
        """The next part, before the body was read."""
        loop = asyncio.get_running_loop()
        while True:
            self._wake = loop.create_future()
            part = self._exchange.poll_or_tell(self._post.inbox, self._told)
            if part is not None:
                return part
            await self._wait(loop)

    async def _wait(self, loop: asyncio.AbstractEventLoop) -> None:
        """Waits until there is news, or something is due."""
        due = self._exchange.next_deadline()
        timer = None if due is None else loop.call_later(due, self._due)
        try:
            assert self._wake is not None
            await self._wake
        finally:
            if timer is not None:
                timer.cancel()

    def _due(self) -> None:
        self._exchange.tick()
        self._told()

    async def _hangup(self) -> None:
        """Waits until the client is gone."""
        while (await self._receive())["type"] != "http.disconnect":
            # Behind the body there is nothing else to come, but a server may say so once more.
            await asyncio.sleep(0.1)

    async def _watch(self) -> None:
        """Sends parts as they come until the end, or until the client hangs up."""
        loop = asyncio.get_running_loop()
        hangup = asyncio.ensure_future(self._hangup())
        hangup.add_done_callback(self._told)
        try:
            while True:
                self._wake = loop.create_future()
                part = self._exchange.poll_or_tell(self._post.inbox, self._told)
                if part is not None:
                    if await self._say(part):
                        return
                elif hangup.done():
                    self._gone = True
                    self._exchange.close()
                    return
                else:
                    await self._wait(loop)
        finally:
            if not hangup.done():
                hangup.cancel()


def _head(part: tuple[Any, ...]) -> Message:
    return {"type": "http.response.start", "status": part[1], "headers": part[2]}


def _uncancel(task: Optional[asyncio.Task[Any]]) -> None:
    """Takes back that a task was cancelled, where Python counts it."""
    if task is not None and hasattr(task, "uncancel"):
        task.uncancel()
