"""An ASGI application over an endpoint: it mounts in Starlette, FastAPI and any ASGI server."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Optional, Union

from . import loops
from ._mcpcore import Authorization, Call, Endpoint, Exchange
from .loops import Post

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .server import Server

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

WANT, HEAD, DATA = 0, 1, 2

# While a function answers within this time nobody watches whether the client hangs up: that would cost as much as the
# answer. What it reports meanwhile is sent then.
PATIENCE = 0.02


class Asgi:
    """The application. Mounted, it takes every path below the mount unless it was given one."""

    def __init__(self, server: Server, options: dict[str, Any]) -> None:
        self._server = server
        self._endpoint: Endpoint = server._engine().endpoint(options)
        server._opened = True

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await _Request(self._server, self._endpoint, scope, receive, send).serve()
        elif scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1000})
        else:
            raise RuntimeError(f"no such scope: {scope['type']!r}")

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
        "_arrived",
        "_exchange",
        "_gone",
        "_head",
        "_post",
        "_receive",
        "_send",
        "_server",
        "_wake",
        "_watcher",
    )

    def __init__(self, server: Server, endpoint: Endpoint, scope: Scope, receive: Receive, send: Send) -> None:
        self._server = server
        self._post: Post = server._post()
        self._receive = receive
        self._send = send
        self._head: Optional[Message] = None
        self._gone = False
        self._wake: Optional[asyncio.Future[None]] = None
        self._watcher: Optional[asyncio.Task[None]] = None
        self._exchange: Exchange
        self._exchange, self._arrived = endpoint.begin(
            scope["method"], _path(scope), scope["headers"], scope.get("client")
        )

    async def serve(self) -> None:
        """Serves the request to its end."""
        try:
            for question in self._arrived:
                self._post.start(question)
            part = self._exchange.poll()
            if part is None:
                # Whoever is to say who asks has not said it yet.
                part = await self._next()
            if part is not None and part[0] == WANT:
                await self._read()
            elif part is not None and not await self._say(part):
                await self._watch()
            if not self._gone:
                await self._finish()
        finally:
            if self._watcher is not None and not self._watcher.done():
                self._watcher.cancel()
            self._exchange.close()

    # ---- the body ----

    async def _read(self) -> None:
        """Reads the body, and lets what it brings be answered."""
        exchange, receive = self._exchange, self._receive
        timer = self._body_timer()
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
                if self._refused():
                    return
        except asyncio.CancelledError:
            if timer is None or not self._late(timer):
                raise
            exchange.tick()
            return
        finally:
            if timer is not None:
                timer.cancel()
        await self._answer(arrived)

    def _body_timer(self) -> Optional[asyncio.TimerHandle]:
        due = self._exchange.next_deadline()
        task = asyncio.current_task()
        if due is None or task is None:
            return None
        return asyncio.get_running_loop().call_later(due, task.cancel)

    @staticmethod
    def _late(timer: asyncio.TimerHandle) -> bool:
        """Whether it was the timer that cancelled us."""
        late = asyncio.get_running_loop().time() >= timer.when() and not timer.cancelled()
        if late:
            _uncancel()
        return late

    def _refused(self) -> bool:
        """Whether the answer is there although the body is not."""
        part = self._exchange.poll()
        if part is None:
            return False
        self._head = _head(part) if part[0] == HEAD else None
        return True

    # ---- calls ----

    async def _answer(self, arrived: list[Union[Call, Authorization]]) -> None:
        """Answers a call in this very task, which costs no other; the rest elsewhere."""
        only = arrived[0] if len(arrived) == 1 else None
        if type(only) is not Call or only._threaded:
            for event in arrived:
                self._post.start(event)
            return
        loop = asyncio.get_running_loop()
        tasks, number = self._post._tasks, only.number
        task = asyncio.current_task()
        if task is not None:
            tasks[number] = task
        timer = loop.call_later(PATIENCE, self._begin_watch)
        try:
            await loops.run(self._server, only)
        except asyncio.CancelledError:
            if only.cancelled is None:
                raise
            # The engine ended the call: its time was over, or the client is gone.
            _uncancel()
        finally:
            timer.cancel()
            tasks.pop(number, None)

    # ---- parts ----

    async def _say(self, part: tuple[Any, ...]) -> bool:
        """Sends a part. True at the end."""
        kind = part[0]
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

    async def _finish(self) -> None:
        """Sends what is there; watches if that is not the end."""
        if self._watcher is not None:
            await self._watcher
            return
        while True:
            part = self._exchange.poll()
            if part is None:
                await self._watch()
                return
            if await self._say(part):
                return

    def _begin_watch(self) -> None:
        self._watcher = asyncio.get_running_loop().create_task(self._watch())

    def _told(self, _: object = None) -> None:
        wake = self._wake
        if wake is not None and not wake.done():
            wake.set_result(None)

    async def _next(self) -> Optional[tuple[Any, ...]]:
        """The next part, before the body was read; `None` if the client hung up."""
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

    async def _watch(self) -> None:
        """Sends parts as they come until the end, or until the client hangs up."""
        loop = asyncio.get_running_loop()
        hangup = asyncio.ensure_future(self._receive())
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


def _uncancel() -> None:
    """Takes back that this task was cancelled, where Python counts it."""
    task = asyncio.current_task()
    if task is not None and hasattr(task, "uncancel"):
        task.uncancel()
