"""The half of a server that is reached: stdio, HTTP, single messages, the test client."""

from __future__ import annotations

from ._mcpcore import Caller
from .errors import CallTimeoutError, InvalidArgumentError

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
        _run(server, lambda: _serve(server, engine.serve_stdio, engine.stop, own=True), engine.serve_stdio, engine.stop)

    async def serve_stdio(self) -> None:
        """Serves standard input and output on the running loop until the input ends."""
        server = cast("Server", self)
        engine = server._engine()
        await _serve(server, engine.serve_stdio, engine.stop)

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
        if not (_wants_loop(server) or _is_async(authorize)):
            # Nothing waits for a loop, so the listener can be opened before it is known where it is waited for.
            listener = _bind(server, port, host, path, authorize, allowed_origins, options)

        async def serve() -> None:
            opened = listener or _bind(server, port, host, path, authorize, allowed_origins, options)
            tell = None if ready is None else lambda: ready(opened)
            await _serve(server, opened.wait, opened.stop, tell, own=True)

        if listener is None:
            _run(server, serve, None, None)
        else:
            opened = listener
            _run(server, serve, opened.wait, opened.stop, None if ready is None else lambda: ready(opened))

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
            await _serve(server, listener.wait, listener.stop, None if ready is None else lambda: ready(listener))
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
        """A WSGI application, without subscriptions. Functions run on the thread of the request, `async` ones on a loop of
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
            if not pending.wait(longest):
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


def _wants_loop(server: Server) -> bool:
    if server._middleware or (server._lifespan is not None):
        return True
    return any(not handler.threaded for handler in server._handlers.values())


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


def _is_async(function: Any) -> bool:
    from .calls import is_async

    return callable(function) and is_async(function)


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


def _run(
    server: Server,
    on_loop: Callable[[], Any],
    serve: Callable[[], None] | None,
    stop: Callable[[float], Any] | None,
    ready: Callable[[], object] | None = None,
) -> None:
    """Runs a door on the main thread to its end: on an event loop, or without one where nothing needs it."""
    try:
        if serve is None or stop is None or _wants_loop(server):
            _own_loop()(on_loop())
        else:
            _run_threads(server, serve, stop, ready)
    except KeyboardInterrupt:
        # Before the door was open; there is nothing that a traceback would tell.
        pass
    finally:
        server.close()


def _own_loop() -> Callable[[Any], None]:
    """What runs a coroutine on a loop of our own: uvloop's, if the program has imported it."""
    import sys

    uvloop = sys.modules.get("uvloop")
    if uvloop is not None and hasattr(uvloop, "run"):
        return cast("Callable[[Any], None]", uvloop.run)
    from asyncio import run

    return run


def _run_threads(
    server: Server,
    serve: Callable[[], None],
    stop: Callable[[float], Any],
    ready: Callable[[], object] | None,
) -> None:
    """Runs a door without an event loop: this thread waits, so that signals reach it."""
    from threading import Thread

    server._opened = True
    server._context = _copy_context()
    server._need_threads()
    failed: list[BaseException] = []

    def work() -> None:
        try:
            serve()
        except BaseException as error:  # raised again where it belongs
            failed.append(error)

    door = Thread(target=work, name="mcpcore-door", daemon=True)
    with _Signals(lambda: stop(0)):
        try:
            door.start()
            if ready is not None:
                ready()
            door.join()
        except BaseException:
            stop(0)
            door.join(2)
            raise
    if failed:
        raise failed[0]


def _copy_context() -> Any:
    from contextvars import copy_context

    return copy_context()


class _Signals:
    """Lets Ctrl-C and SIGTERM end a door, on the main thread and where nobody else handles them.

    They do not raise: an exception out of nowhere can be lost in a destructor, and then nobody ends.
    """

    def __init__(self, stop: Callable[[], object]) -> None:
        self._stop = stop
        self._before: list[tuple[int, Any]] = []

    def __enter__(self) -> None:
        import signal
        from threading import current_thread, main_thread

        if current_thread() is not main_thread():
            return
        for number, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGTERM, signal.SIG_DFL)):
            if signal.getsignal(number) == usual:
                self._before.append((number, signal.signal(number, lambda *_: self._stop())))

    def __exit__(self, *error: object) -> None:
        import signal

        for number, before in self._before:
            signal.signal(number, before)


async def _serve(
    server: Server,
    serve: Callable[[], None],
    stop: Callable[[float], Any],
    ready: Callable[[], object] | None = None,
    own: bool = False,
) -> None:
    """Runs a door that blocks on a thread of its own, for the running loop; `own` says that the loop is ours too."""
    import asyncio
    import signal
    from threading import Thread, current_thread, main_thread

    loop = asyncio.get_running_loop()
    post = server._post()
    before = server._home
    server._settle_at(post)
    server._context = _copy_context()
    # Tools that may block can be added later, and whoever says who may come in may block too.
    server._need_threads()
    over: asyncio.Future[None] = loop.create_future()

    def finish(error: BaseException | None) -> None:
        if over.done():
            return
        if error is None:
            over.set_result(None)
        else:
            over.set_exception(error)

    def work() -> None:
        error: BaseException | None = None
        try:
            serve()
        except BaseException as raised:  # told to whoever waits for the door
            error = raised
        if not loop.is_closed():
            try:
                loop.call_soon_threadsafe(finish, error)
            except RuntimeError:
                pass  # the loop was closed meanwhile

    terminated: list[bool] = []
    task = asyncio.current_task()

    def terminate() -> None:
        terminated.append(True)
        if task is not None:
            task.cancel()

    numbers = []
    if current_thread() is main_thread():
        numbers += [signal.SIGINT] if own else []
        numbers += [signal.SIGTERM] if own or signal.getsignal(signal.SIGTERM) == signal.SIG_DFL else []
    await server._enter()
    try:
        for number in numbers:
            loop.add_signal_handler(number, terminate)
        Thread(target=work, name="mcpcore-door", daemon=True).start()
        if ready is not None:
            ready()
        await asyncio.shield(over)
    except asyncio.CancelledError:
        stop(0)
        await asyncio.wait([over], timeout=2)
        if not terminated:
            raise
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)
        await post.settled(1)
        await server._leave()
        if before is not None and before is not post and before.loop is not None:
            server._settle_at(before)
