"""Runs doors that block, on an event loop or without one, until they end or a signal ends them."""

from __future__ import annotations

import os
from _thread import allocate_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, cast

    from .server import Server
else:

    def cast(_: object, value: Any) -> Any:
        return value


def wants_loop(server: Server) -> bool:
    if server._middleware or (server._lifespan is not None):
        return True
    return any(not handler.threaded for handler in server._handlers.values())


def uses_loop(function: Any) -> bool:
    from .calls import is_async

    return callable(function) and is_async(function)


def run(
    server: Server,
    on_loop: Callable[[list[int]], Any],
    serve: Callable[[], None] | None,
    stop: Callable[[float], Any] | None,
    ready: Callable[[], object] | None = None,
) -> None:
    """Runs a door on the main thread to its end: on an event loop, or without one where nothing needs it. `on_loop` is told
    which signals are to end it."""
    try:
        if serve is None or stop is None or wants_loop(server):
            # A loop of our own takes Ctrl-C for itself: who had it is looked at before.
            _own_loop()(on_loop([number for number, _ in _unhandled()]))
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
    server._keep_context()
    server._need_threads()
    failed: list[BaseException] = []

    def work() -> None:
        try:
            serve()
        except BaseException as error:  # raised again where it belongs
            failed.append(error)

    with _Bell() as bell, _Signals(lambda: stop(0)):
        door = Thread(target=bell.after, args=(work,), name="mcpcore-door", daemon=True)
        try:
            door.start()
            if ready is not None:
                ready()
            while not bell.ended:
                bell.wait()
        except BaseException:
            stop(0)
            door.join(2)
            raise
    if failed:
        raise failed[0]


class _Bell:
    """What the main thread waits for: a signal, or the end of a door.

    A signal only asks that its handler be run when the main thread is back in Python. One that comes right before the
    thread waits for a lock or another thread, or that the system gives to another thread, would not wake it; a byte in a
    pipe does.
    """

    def __init__(self) -> None:
        self.ended = False
        self._bell, self._rope = os.pipe()
        os.set_blocking(self._rope, False)
        self._before: int | None = None
        self._lock = allocate_lock()

    def __enter__(self) -> _Bell:
        import signal

        try:
            self._before = signal.set_wakeup_fd(self._rope, warn_on_full_buffer=False)
        except ValueError:
            pass  # not the main thread, which alone has signals
        return self

    def after(self, work: Callable[[], None]) -> None:
        """Works, then rings."""
        try:
            work()
        finally:
            self.ended = True
            with self._lock:
                if self._rope >= 0:
                    _write(self._rope, b"\0")

    def wait(self) -> None:
        """Waits until it rings; handlers of signals have run then."""
        signals = os.read(self._bell, 64).strip(b"\0")
        if signals and self._before is not None and self._before >= 0:
            # Whoever was told of signals before is told all the same.
            _write(self._before, signals)

    def __exit__(self, *error: object) -> None:
        import signal

        if self._before is not None:
            signal.set_wakeup_fd(self._before)
        with self._lock:
            os.close(self._rope)
            self._rope = -1
        # What came too late to be waited for; with the rope closed, nothing is waited for here.
        self.wait()
        os.close(self._bell)


def _write(descriptor: int, bytes_: bytes) -> None:
    try:
        os.write(descriptor, bytes_)
    except OSError:
        pass  # a full pipe rings already; one that is closed has nobody who waits


def _unhandled() -> list[tuple[int, Any]]:
    """Signals that would end the program and that nobody else handles or ignores, with what is done by now."""
    import signal
    from threading import current_thread, main_thread

    if current_thread() is not main_thread():
        return []
    usual = ((signal.SIGINT, signal.default_int_handler), (signal.SIGTERM, signal.SIG_DFL))
    return [(number, handler) for number, handler in usual if signal.getsignal(number) == handler]


class _Signals:
    """Lets Ctrl-C and SIGTERM end a door, on the main thread and where nobody else handles them.

    They do not raise: an exception out of nowhere can be lost in a destructor, and then nobody ends.
    """

    def __init__(self, stop: Callable[[], object]) -> None:
        self._stop = stop
        self._before: list[tuple[int, Any]] = []

    def __enter__(self) -> None:
        import signal

        for number, handler in _unhandled():
            self._before.append((number, handler))
            signal.signal(number, lambda *_: self._stop())

    def __exit__(self, *error: object) -> None:
        import signal

        for number, before in self._before:
            signal.signal(number, before)


async def serve(
    server: Server,
    work_door: Callable[[], None],
    stop: Callable[[float], Any],
    ready: Callable[[], object] | None = None,
    signals: list[int] | None = None,
) -> None:
    """Runs a door that blocks on a thread of its own, for the running loop. `signals` end it; on a loop of the program's
    own that is SIGTERM, if nobody handles it."""
    import asyncio
    import signal
    from threading import Thread

    loop = asyncio.get_running_loop()
    post = server._post()
    before = server._home
    server._settle_at(post)
    server._keep_context()
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
            work_door()
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

    if signals is None:
        signals = [number for number, _ in _unhandled() if number == signal.SIGTERM]
    await server._enter()
    try:
        for number in signals:
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
        for number in signals:
            loop.remove_signal_handler(number)
        await post.settled(1)
        await server._leave()
        if before is not None and before is not post and before.loop is not None:
            server._settle_at(before)
