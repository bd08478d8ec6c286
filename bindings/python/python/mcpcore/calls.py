"""From a call to its handler, and from what comes out of it to the answer."""

from __future__ import annotations

import sys

from . import results
from .errors import InputRequired, Rejection, ToolError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ._mcpcore import Call
    from .results import Finish
    from .server import Server


class Handler:
    """A function that answers calls."""

    __slots__ = ("finish", "function", "invoke", "threaded")

    def __init__(
        self, function: Callable[..., Any], invoke: Callable[[Call], Any], finish: Finish, threaded: bool
    ) -> None:
        self.function = function
        self.invoke = invoke
        """Calls the function; gives what it returned, or what is to be awaited for it."""
        self.finish = finish
        """Answers the call with it."""
        self.threaded = threaded
        """Whether it may block, and so runs on a thread."""


_COROUTINE = 0x80 | 0x200  # CO_COROUTINE, CO_ASYNC_GENERATOR of the module `inspect`, which costs more than we do


def is_async(function: Callable[..., Any]) -> bool:
    """Whether a callable is an `async def`, looked at through partials, methods and callable objects."""
    while hasattr(function, "func") and not hasattr(function, "__code__"):
        function = function.func
    marker = getattr(function, "_is_coroutine_mark", None) or getattr(function, "_is_coroutine", None)
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    if code is None:
        method = getattr(type(function), "__call__", None)
        code = getattr(method, "__code__", None)
    return marker is not None or (code is not None and bool(code.co_flags & _COROUTINE))


def pair_handler(dispatch: Callable[[Call], Any]) -> Handler:
    """The handler of an injected `dispatch`."""
    return Handler(dispatch, dispatch, results.raw, not is_async(dispatch))


def traced() -> bool:
    """Whether calls are to be traced; at no cost where nobody has imported OpenTelemetry."""
    if "opentelemetry.trace" not in sys.modules:
        return False
    from . import telemetry

    return telemetry.enabled()


def run(server: Server, call: Call) -> None:
    """Answers a call on this thread."""
    try:
        handler = server._handlers[call._handler]
        if traced():
            from .telemetry import span

            with span(call):
                value = handler.invoke(call)
        else:
            value = handler.invoke(call)
        if hasattr(value, "__await__"):
            server._go_on(call, handler, value)
        else:
            handler.finish(call, value)
    except BaseException as error:  # a thread of ours has nobody above it who could be told
        settle(call, error)


def settle(call: Call, error: BaseException) -> None:
    """Answers a call whose handler raised."""
    try:
        if isinstance(error, InputRequired):
            call._require_input(error.requests)
        elif isinstance(error, ToolError):
            call._fail(str(error) or type(error).__name__)
        elif isinstance(error, Rejection):
            call._reject(error.code, error.message, _data(call, error))
        elif isinstance(error, KeyError) and error.args == (call._handler,):
            call._fault("its function was taken away while it waited")
        else:
            call._fault(details(error))
    except Exception as wrong:  # what was raised cannot be said: a code that is no number, data that is no JSON
        call._fault(details(wrong))


def _data(call: Call, error: Rejection) -> Any:
    if error.data is None and error.code == -32602 and call.kind == "resource":
        return {"uri": call.name}
    return error.data


def details(error: BaseException) -> str:
    """An exception with its traceback, for the log."""
    from traceback import format_exception

    return "".join(format_exception(type(error), error, error.__traceback__)).rstrip()
