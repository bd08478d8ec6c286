"""What the HTTP doors share: their options, and who may come in."""

from __future__ import annotations

from . import _mcpcore
from .calls import details, is_async
from .errors import InvalidArgumentError, Refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from typing import Any, Literal, Optional, Protocol, TypedDict, Union

    from ._mcpcore import Authorization, Caller
    from .server import Server

    Decision = Optional[Caller]
    Authorize = Union[Caller, Literal["anyone"], Callable[[Authorization], Union[Decision, Awaitable[Decision]]]]
    Origins = Union[Literal["any"], Sequence[str]]

    class SessionStore(Protocol):
        """Keeps sessions of older clients outside the process, so that another one can go on with them.

        A session is its id and a text that only this library reads. The functions may block: they run on a thread of the
        library that does nothing else. What they raise goes to the log; the client gets 503 for what could not be loaded,
        or not be saved when it began.
        """

        def save(self, id: str, session: str, ttl: float | None, /) -> object:
            """Keeps the session instead of what was there. It may be forgotten after `ttl` seconds without another save."""

        def load(self, id: str, /) -> str | None:
            """What was saved last, or None."""

        def delete(self, id: str, /) -> object:
            """Forgets the session, if it is there."""

    class HttpOptions(TypedDict, total=False):
        """What every HTTP door takes. Times are in seconds."""

        allowed_hosts: Sequence[str]
        max_body_bytes: int
        body_timeout: float
        byte_budget: int
        max_calls: int
        max_streams: int
        max_stream_time: float
        stream_queue_bytes: int
        keep_alive: float
        reauthorize: float
        reauthorize_on_delivery: bool
        resource_metadata: Mapping[str, Any]
        realm: str
        call_headers: Sequence[str]
        sessions: Literal["kept", "stateless"]
        max_sessions: int
        session_idle: float
        session_replay_bytes: int
        retry: float
        sse_path: str
        session_store: SessionStore

    class ListenOptions(HttpOptions, total=False):
        """What the library's own HTTP server takes besides."""

        addresses: Sequence[str]
        io_threads: int
        max_connections: int
        header_timeout: float
        idle_timeout: float
        drain: float
        unix_principal: bool


_TIMES = {
    "body_timeout": "body_timeout_ms",
    "max_stream_time": "max_stream_ms",
    "keep_alive": "keep_alive_ms",
    "reauthorize": "reauthorize_ms",
    "header_timeout": "header_timeout_ms",
    "idle_timeout": "idle_ms",
    "session_idle": "session_idle_ms",
    "retry": "retry_ms",
    "drain": "drain_ms",
}


def options(
    server: Server, path: str, authorize: Authorize, allowed_origins: Origins, given: Mapping[str, Any]
) -> dict[str, Any]:
    """The native options of a door."""
    found: dict[str, Any] = {"path": path, "allowed_origins": allowed_origins}
    if not isinstance(allowed_origins, str):
        found["allowed_origins"] = list(allowed_origins)
    if isinstance(authorize, _mcpcore.Caller):
        found["authorize"] = authorize
    elif authorize == "anyone":
        found["authorize"] = _mcpcore.Caller()
    elif callable(authorize):
        found["authorize"] = server._add_gatekeeper(authorize)
    else:
        raise InvalidArgumentError(f'authorize: must be a function, a Caller or "anyone", not {authorize!r}')
    for name, value in given.items():
        if value is None:
            continue
        if name in _TIMES:
            found[_TIMES[name]] = round(value * 1000)
        elif name == "session_store":
            found[name] = checked_store(value)
        elif name == "resource_metadata":
            found[name] = _mcpcore.to_json(value)
        elif isinstance(value, (tuple, set, frozenset)):
            found[name] = list(value)
        else:
            found[name] = value
    return found


def checked_store(store: Any) -> SessionStore:
    """The store, if the engine's threads can call its functions."""
    for name in ("save", "load", "delete"):
        function = getattr(store, name, None)
        if not callable(function) or is_async(function):
            raise InvalidArgumentError(f"session_store: {name} must be a function, and no async one")
    found: SessionStore = store
    return found


class Gatekeeper:
    """A function that says who may come in."""

    __slots__ = ("function", "threaded")

    def __init__(self, function: Callable[[Authorization], Any]) -> None:
        self.function = function
        self.threaded = not is_async(function)


def ask(server: Server, question: Authorization) -> None:
    """Answers a question on this thread."""
    try:
        answer = server._gatekeepers[question._function].function(question)
        if hasattr(answer, "__await__"):
            raise TypeError("authorize gave something to await: make it an async def")
        decide(question, answer)
    except BaseException as error:  # whatever it is, the request is not let in
        refuse(server, question, error)


async def ask_on_loop(server: Server, question: Authorization) -> None:
    """Answers a question on this loop."""
    try:
        answer = server._gatekeepers[question._function].function(question)
        decide(question, await answer if hasattr(answer, "__await__") else answer)
    except BaseException as error:
        refuse(server, question, error)
        if not isinstance(error, Exception):
            raise


def decide(question: Authorization, answer: Any) -> None:
    """Tells the engine what the function said."""
    if isinstance(answer, _mcpcore.Caller):
        question._allow(answer)
    elif answer is None:
        question._refuse(401, None, None if question.bearer is None else "invalid_token", None, None)
    elif isinstance(answer, Refusal):
        _refuse(question, answer)
    else:
        raise TypeError(f"authorize gives a Caller or None, not {type(answer).__name__}")


def _refuse(question: Authorization, refusal: Refusal) -> None:
    scope = None if refusal.scope is None else " ".join(refusal.scope)
    question._refuse(refusal.status, scope, refusal.error, refusal.description, refusal.reason)


def refuse(server: Server, question: Authorization, error: BaseException) -> None:
    """Keeps a request out since the function raised."""
    if isinstance(error, Refusal):
        _refuse(question, error)
    else:
        server._log("error", f"authorize failed: {details(error)}")
        question._drop()
