"""Event loops that answer calls. Imported when one is needed."""

from __future__ import annotations

import asyncio
import contextvars
import sys
from typing import Any, Optional
from weakref import ref

from . import calls
from ._mcpcore import Authorization, Call, Inbox
from .calls import Handler

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine

    from .server import Server


async def _value(server: Server, handler: Handler, call: Call) -> Any:
    """What the handler gives for the call, within the middleware and the span."""
    if calls.traced():
        from .telemetry import span

        with span(call):
            return await _chain(server, handler)(call)
    return await _chain(server, handler)(call)


def _chain(server: Server, handler: Handler) -> Callable[[Call], Awaitable[Any]]:
    async def innermost(call: Call) -> Any:
        value = await asyncio.to_thread(handler.invoke, call) if handler.threaded else handler.invoke(call)
        return await value if hasattr(value, "__await__") else value

    step: Callable[[Call], Awaitable[Any]] = innermost
    for middleware in reversed(server._middleware):
        step = _step(middleware, step)
    return step


def _step(middleware: Any, following: Callable[[Call], Awaitable[Any]]) -> Callable[[Call], Awaitable[Any]]:
    async def step(call: Call) -> Any:
        return await middleware(call, following)

    return step


async def run(server: Server, call: Call, tasks: dict[int, asyncio.Task[Any]]) -> None:
    """Answers a call on this loop; `tasks` has its task, if it is one of its own."""
    try:
        handler = server._handlers[call._handler]
        if server._middleware or handler.threaded or calls.traced():
            value = await _value(server, handler, call)
        else:
            value = handler.invoke(call)
            if hasattr(value, "__await__"):
                value = await value
        handler.finish(call, value)
    except (asyncio.CancelledError, GeneratorExit):
        # Cancelled by the client nothing is sent; at the end of the loop the call answers itself.
        call._drop()
        raise
    except KeyboardInterrupt as error:
        calls.settle(call, error)
        raise
    except BaseException as error:
        calls.settle(call, error)
    finally:
        tasks.pop(call.number, None)


async def _go_on(call: Call, handler: Handler, value: Awaitable[Any]) -> None:
    """Answers a call whose function gave something to await."""
    try:
        handler.finish(call, await value)
    except (asyncio.CancelledError, GeneratorExit):
        call._drop()
        raise
    except BaseException as error:
        calls.settle(call, error)


def _task_maker(loop: asyncio.AbstractEventLoop) -> Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]]:
    """What makes tasks of coroutines, begun at once where Python can and the loop makes them as usual."""
    weak = ref(loop)

    def make(coroutine: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        running = weak()
        assert running is not None
        if eager and running.get_task_factory() is None:
            return asyncio.Task(coroutine, loop=running, eager_start=True)  # type: ignore[call-arg,unused-ignore]
        return running.create_task(coroutine)

    eager = sys.version_info >= (3, 12)
    return make


class Post:
    """A server's place on one event loop: calls arrive, many at once, and become tasks."""

    def __init__(self, server: Server, inbox: Inbox, loop: asyncio.AbstractEventLoop) -> None:
        self.inbox = inbox
        self._server = ref(server)
        self._loop = ref(loop)
        self._tasks: dict[int, asyncio.Task[Any]] = {}
        self._questions: set[asyncio.Task[None]] = set()
        self._fd = inbox.fileno()
        self._task = _task_maker(loop)
        loop.add_reader(self._fd, self._drain)

    @property
    def loop(self) -> Optional[asyncio.AbstractEventLoop]:
        """The loop, while it lives."""
        loop = self._loop()
        return None if loop is None or loop.is_closed() else loop

    def _drain(self) -> None:
        events = self.inbox.take(self._cancel)
        if events is None:
            loop = self._loop()
            if loop is not None:
                loop.remove_reader(self._fd)
            return
        for event in events:
            if type(event) is tuple:
                function, arguments = event
                function(*arguments)
            else:
                self.start(event)

    def start(self, call: Call | Authorization) -> None:
        """Begins to answer a call or an authorization, in the current context."""
        server = self._server()
        if server is None:
            call._drop()
        elif type(call) is Authorization:
            self._ask(server, call)
        elif call._threaded:
            server._put(call, contextvars.copy_context())
        else:
            self.spawn(call.number, run(server, call, self._tasks))

    def _ask(self, server: Server, question: Authorization) -> None:
        from .http import ask, ask_on_loop

        if question._threaded:
            # It blocks, and belongs to no call that could be put on a thread of the pool.
            context = contextvars.copy_context()
            asyncio.get_running_loop().run_in_executor(None, context.run, ask, server, question)
        else:
            task = asyncio.get_running_loop().create_task(ask_on_loop(server, question))
            self._questions.add(task)
            task.add_done_callback(self._questions.discard)

    def spawn(self, number: int, coroutine: Coroutine[Any, Any, None]) -> None:
        """Runs a coroutine as the task of a call."""
        task = self._task(coroutine)
        if not task.done():
            self._tasks[number] = task

    def go_on(self, call: Call, handler: Handler, value: Awaitable[Any]) -> None:
        """From any thread: awaits on the loop what a function gave."""
        loop = self.loop
        if loop is None:
            call._fault("the event loop has ended")
            return

        async def answer() -> None:
            try:
                await _go_on(call, handler, value)
            finally:
                self._tasks.pop(call.number, None)

        loop.call_soon_threadsafe(lambda: self.spawn(call.number, answer()))

    def _cancel(self, number: int, reason: str) -> None:
        task = self._tasks.get(number)
        if task is not None:
            task.cancel(reason)

    async def settled(self, seconds: float, only: set[int] | None = None) -> None:
        """Waits until no call (of `only` these numbers) is being answered, at most so long; then cancels the rest."""
        own = asyncio.current_task()
        tasks = [task for number, task in self._tasks.items() if task is not own and (only is None or number in only)]
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=seconds)
            for task in late:
                task.cancel()
            if late:
                await asyncio.wait(late, timeout=1)

    def close(self) -> None:
        """Leaves the loop. On its thread."""
        loop = self.loop
        if loop is not None:
            loop.remove_reader(self._fd)
        self.inbox.close()


async def begin(server: Server, post: Post, message: Any, caller: Any) -> Optional[str]:
    """Takes one message, and waits for its response."""
    pending, arrived = server._engine().begin(caller, message)
    if not pending.done:
        only = arrived[0] if len(arrived) == 1 else None
        if only is not None and not only._threaded and pending.timeout is None:
            # The caller's own task answers it: no other is needed.
            try:
                await run(server, only, {})
            except asyncio.CancelledError:
                pending.cancel()
                raise
        else:
            for call in arrived:
                post.start(call)
        if not pending.done:
            await _response(post, pending)
    response = pending.response
    return None if response is None else response.decode()


async def _response(post: Post, pending: Any) -> None:
    loop = asyncio.get_running_loop()
    arrived = loop.create_future()

    def tell(_: object) -> None:
        if not arrived.done():
            arrived.set_result(None)

    if not pending.notify(post.inbox, tell):
        return
    timer = None if pending.timeout is None else loop.call_later(pending.timeout, pending.time_out)
    try:
        await arrived
    except asyncio.CancelledError:
        pending.cancel()
        raise
    finally:
        if timer is not None:
            timer.cancel()


class PrivateLoop:
    """A loop on a thread of its own, for doors that have none: `handle_sync` and WSGI."""

    def __init__(self, server: Server) -> None:
        from threading import Event, Thread

        self._server = ref(server)
        self._ready = Event()
        self._error: Optional[BaseException] = None
        self.post: Optional[Post] = None
        self._loop: Optional[asyncio.AbstractEventLoop] = None
        self._end: Optional[asyncio.Event] = None
        self._thread = Thread(target=self._run, name="mcpcore-loop", daemon=True)
        self._thread.start()
        self._ready.wait()
        if self._error is not None:
            raise self._error

    def _run(self) -> None:
        try:
            asyncio.run(self._main())
        except BaseException as error:  # told to whoever waits for the loop
            self._error = error
        finally:
            self._ready.set()

    async def _main(self) -> None:
        server = self._server()
        if server is None:
            return
        self._loop, self._end = asyncio.get_running_loop(), asyncio.Event()
        await server._enter()
        self.post = server._post()
        # A server that nobody uses any more ends its loop, so the loop must not keep it.
        del server
        self._ready.set()
        await self._end.wait()
        server = self._server()
        if server is not None:
            await server._leave()

    @property
    def on_it(self) -> bool:
        """Whether this is the loop's own thread."""
        from threading import current_thread

        return current_thread() is self._thread

    def end(self, wait: bool = True) -> None:
        """Ends the loop; the lifespan is left."""
        loop, end = self._loop, self._end
        if loop is not None and end is not None and not loop.is_closed():
            loop.call_soon_threadsafe(end.set)
            if wait and not self.on_it:
                self._thread.join(5)
