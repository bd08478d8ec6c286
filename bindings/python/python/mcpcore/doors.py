"""The half of a server that is reached: stdio, HTTP, single messages, the test client."""

from __future__ import annotations

from ._mcpcore import Caller
from .errors import CallTimeoutError, InvalidArgumentError
from .serving import run, serve, uses_loop, wants_loop

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, cast

    from typing_extensions import Unpack

    from ._mcpcore import Listener
    from .asgi import Asgi
    from .client import Client
    from .http import Authorize, HttpOptions, ListenOptions, Origins
    from .server import Server
    from .wsgi import Wsgi
else:

    def cast(_: object, value: Any) -> Any:
        return value


class Doors:
    """Ways in."""

    # ---- stdio ----

    def run(self) -> None:
        """Serves standard input and output until the input ends, or Ctrl-C or SIGTERM.

        Call it on the main thread. With `async` functions it owns an event loop; without any there is none. A server
        whose program runs a loop already awaits `serve_stdio()`.
        """
        server = cast("Server", self)
        engine = server._engine()

        def on_loop(signals: list[int]) -> Any:
            return serve(server, engine.serve_stdio, engine.stop, signals=signals)

        run(server, on_loop, engine.serve_stdio, engine.stop)

    async def serve_stdio(self) -> None:
        """Serves standard input and output on the running loop until the input ends."""
        server = cast("Server", self)
        engine = server._engine()
        await serve(server, engine.serve_stdio, engine.stop)

    # ---- HTTP ----

    def run_http(
        self,
        port: int = 8000,
        host: str = "127.0.0.1",
        *,
        authorize: Authorize,
        allowed_origins: Origins,
        path: str = "/mcp",
        ready: Callable[[Listener], object] | None = None,
        **options: Unpack[ListenOptions],
    ) -> None:
        """Serves Streamable HTTP until Ctrl-C or SIGTERM, on the library's own HTTP server.

        `authorize` is a function of an `Authorization` that gives a `Caller` (None keeps the request out, and so does
        raising `Unauthorized` or `Forbidden`), a `Caller` as whom everyone comes in, or "anyone". `allowed_origins` are
        the pages in browsers that may use it: "any", or a list such as `["loopback"]`. `ready` is told the listener.
        """
        server = cast("Server", self)

        listener = None
        if not (wants_loop(server) or uses_loop(authorize)):
            # Nothing waits for a loop, so the listener can be opened before it is known where it is waited for.
            listener = _bind(server, port, host, path, authorize, allowed_origins, options)

        async def on_loop(signals: list[int]) -> None:
            opened = listener or _bind(server, port, host, path, authorize, allowed_origins, options)
            await serve(server, opened.wait, opened.stop, _telling(ready, opened), signals)

        if listener is None:
            run(server, on_loop, None, None)
        else:
            run(server, on_loop, listener.wait, listener.stop, _telling(ready, listener))

    async def serve_http(
        self,
        port: int = 8000,
        host: str = "127.0.0.1",
        *,
        authorize: Authorize,
        allowed_origins: Origins,
        path: str = "/mcp",
        ready: Callable[[Listener], object] | None = None,
        **options: Unpack[ListenOptions],
    ) -> None:
        """As `run_http`, on the running loop, until it is cancelled."""
        server = cast("Server", self)
        listener = _bind(server, port, host, path, authorize, allowed_origins, options)
        try:
            await serve(server, listener.wait, listener.stop, _telling(ready, listener))
        finally:
            listener.stop(0)

    def asgi(
        self, *, authorize: Authorize, allowed_origins: Origins, path: str = "", **options: Unpack[HttpOptions]
    ) -> Asgi:
        """An ASGI application. Without a path it takes every path below where it is mounted.

        See `run_http` for `authorize` and `allowed_origins`. Where the mounting application does not pass the lifespan
        on (Starlette and FastAPI do not), enter the server in its own: `async with server`.
        """
        from .asgi import Asgi
        from .http import options as read

        server = cast("Server", self)
        return Asgi(server, read(server, path, authorize, allowed_origins, options))

    def wsgi(
        self, *, authorize: Authorize, allowed_origins: Origins, path: str = "", **options: Unpack[HttpOptions]
    ) -> Wsgi:
        """A WSGI application, without subscriptions. Older clients get no sessions unless `sessions="kept"`, which needs one
        process. Functions run on the thread of the request, `async` ones on a loop of
        the server's own."""
        from .http import options as read
        from .wsgi import Wsgi

        server = cast("Server", self)
        return Wsgi(server, read(server, path, authorize, allowed_origins, options))

    # ---- single messages ----

    async def handle(self, message: str | bytes, *, caller: Caller | None = None) -> str | None:
        """Serves one message: a text in, the response's text out, or None for a notification.

        Progress and log lines have nowhere to go and are dropped; subscriptions are refused. Without a caller, it is the
        local one, who has all scopes.
        """
        from .loops import begin

        server = cast("Server", self)
        return await begin(server, server._post(), message, caller or Caller.local())

    def handle_sync(
        self, message: str | bytes, *, caller: Caller | None = None, timeout: float | None = None
    ) -> str | None:
        """As `handle`, and waits. Functions run on this thread; `async` ones on the server's loop, or on one of its own.

        After `timeout` seconds the call is cancelled, and `CallTimeoutError` raised.
        """
        server = cast("Server", self)
        pending, calls = server._engine().begin(caller or Caller.local(), message)
        server._opened = True
        if not pending.done:
            _answer_here(server, calls)
            own = pending.timeout
            longest = min((each for each in (own, timeout) if each is not None), default=None)
            try:
                in_time = pending.wait(longest)
            except BaseException:  # Ctrl-C
                pending.cancel()
                raise
            if not in_time:
                if own is not None and own == longest:
                    pending.time_out()
                else:
                    pending.cancel()
                    raise CallTimeoutError("the call was not answered in time")
        response = pending.response
        return None if response is None else response.decode()

    # ---- tests ----

    def client(self, **options: Any) -> Client:
        """A client inside the process, for tests: `async with server.client() as client`. See `Client` for options."""
        from .client import Client

        return Client(cast("Server", self), **options)


def _answer_here(server: Server, calls: list[Any]) -> None:
    """Answers calls on this thread, or lets a loop do it."""
    from . import calls as answering

    for call in calls:
        if call._threaded:
            answering.run(server, call)
            continue
        post = server._home
        loop = None if post is None else post.loop
        if loop is None or not loop.is_running():
            post = server._private_loop().post
            loop = None if post is None else post.loop
        if post is None or loop is None:
            raise InvalidArgumentError("no event loop runs for the server's async functions")
        if _is_running_here(loop):
            call._drop()
            raise InvalidArgumentError("handle_sync would wait for its own event loop: await handle instead")
        loop.call_soon_threadsafe(post.start, call)


def _is_running_here(loop: Any) -> bool:
    import asyncio

    try:
        return asyncio.get_running_loop() is loop
    except RuntimeError:
        return False


def _telling(ready: Callable[[Listener], object] | None, listener: Listener) -> Callable[[], object] | None:
    return None if ready is None else lambda: ready(listener)


def _bind(
    server: Server,
    port: int,
    host: str,
    path: str,
    authorize: Authorize,
    allowed_origins: Origins,
    options: Any,
) -> Listener:
    """Opens the library's own HTTP server."""
    from .http import options as read

    found = read(server, path, authorize, allowed_origins, options)
    if "addresses" not in found:
        found["addresses"] = [
            host if host.startswith("unix:") else f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        ]
    server._opened = True
    return server._engine().listen(found)
