"""The native half. `Call`, `Caller` and `Authorization` are for everybody; the rest is for this package alone."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, TypeVar, final, overload
from weakref import ReferenceType

from .questions import Elicitation, Root, Sampling
from .server import Server

_T = TypeVar("_T")
_Bytes = bytes | bytearray | memoryview
_Level = Literal["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]
_Part = tuple[Any, ...]

__all__ = [
    "Authorization",
    "Call",
    "Caller",
    "Connection",
    "Endpoint",
    "Engine",
    "Exchange",
    "Inbox",
    "Jobs",
    "Listener",
    "Pending",
    "__version__",
    "from_json",
    "to_json",
]

__version__: str

def from_json(text: str | _Bytes) -> Any:
    """Reads one JSON text, strictly: UTF-8, no member twice, at most 128 levels. Integers keep every digit."""

def to_json(value: Any) -> str:
    """Writes a value as compact JSON: what JSON has, and dataclasses, pydantic models, enums, dates, paths, UUIDs,
    decimals and sets."""

@final
class Caller:
    """Who asks. Without a principal: the anonymous caller."""

    def __new__(
        cls,
        principal: str = "",
        *,
        scopes: Sequence[str] | None = None,
        all_scopes: bool = False,
        owner_key: str | None = None,
        catalog_key: str = "",
        claims: dict[str, Any] | None = None,
        expires_at: float | None = None,
    ) -> Caller: ...
    @staticmethod
    def local() -> Caller:
        """The user of this machine, on stdio: principal `local`, with all scopes."""

    @property
    def principal(self) -> str: ...
    @property
    def owner_key(self) -> str: ...
    @property
    def catalog_key(self) -> str: ...
    @property
    def scopes(self) -> list[str]: ...
    @property
    def all_scopes(self) -> bool: ...
    @property
    def claims(self) -> dict[str, Any]:
        """The claims of the credential; empty if there are none."""

    @property
    def expires_at(self) -> float | None:
        """When the credential ends, in seconds since 1970."""

    def has_scope(self, scope: str) -> bool: ...

@final
class Call:
    """One request that a function answers: of a tool, a resource, a prompt or a completion."""

    @property
    def kind(self) -> Literal["tool", "resource", "prompt", "completion"]: ...
    @property
    def number(self) -> int:
        """A number that no other call of this server has."""

    @property
    def name(self) -> str:
        """The tool's or prompt's name, the resource's uri, or for a completion the prompt's name or the template."""

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments, read anew each time. For a completion, `argument` and `context` of the request."""

    @property
    def raw_arguments(self) -> bytes:
        """The arguments as the client wrote them: JSON text."""

    @property
    def meta(self) -> dict[str, Any]:
        """The request's `_meta`."""

    @property
    def raw_meta(self) -> bytes: ...
    @property
    def answers(self) -> dict[str, Any]:
        """All answers of the client so far, by key."""

    @property
    def round(self) -> int:
        """Which round this is; 0 is the first."""

    @property
    def variables(self) -> dict[str, str]:
        """The variables of the uri template that matched."""

    @property
    def template(self) -> str | None:
        """The uri template that matched."""

    @property
    def protocol_version(self) -> str: ...
    @property
    def caller(self) -> Caller: ...
    @property
    def cancelled(self) -> str | None:
        """Why the call ended without its answer, or `None` while it is open."""

    @property
    def server(self) -> Server: ...
    @property
    def shared(self) -> Any:
        """What the server's lifespan gave."""

    @property
    def state(self) -> Any:
        """What was kept in the round before, or has been set since: any JSON. It is sealed, and kept by the client."""

    @state.setter
    def state(self, state: Any) -> None: ...
    def header(self, name: str) -> str | None:
        """A header of the HTTP request, if the door's `call_headers` names it."""

    def client_supports(self, capability: str) -> bool:
        """Whether the client declared a capability: `sampling`, `elicitation.url`, `roots`, `extensions.ID` …"""

    def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        """Reports progress. Dropped unless the client wants it and it grew."""

    def log(self, level: _Level, data: Any, *, logger: str | None = None) -> None:
        """Sends a log line to the client. Dropped below the level that the client asked for."""

    def close_stream(self, retry: float | None = None) -> None:
        """Ends the stream on which the call is to be answered, so that a long call holds no connection: the client comes back
        for the rest after `retry` seconds (without it, after what the door's `retry` says). Does nothing where clients
        cannot come back: in requests of 2026-07-28, in sessions before 2025-11-25, without HTTP."""

    @overload
    def elicit(self, key: str, message: str, schema: Mapping[str, Any] | None = None) -> Elicitation[dict[str, Any]]:
        """Asks the user to fill a form. Returns the answer, or ends this round and asks; the next runs the function anew.

        `schema` is the form: JSON Schema of one flat object, or a class (pydantic model, dataclass, TypedDict).
        """

    @overload
    def elicit(self, key: str, message: str, schema: type[_T]) -> Elicitation[_T]: ...
    def elicit_url(self, key: str, message: str, url: str) -> Elicitation[None]:
        """Asks the user to open a page. Returns whether the user agreed, or ends this round and asks."""

    def sample(
        self, key: str, messages: str | Sequence[Mapping[str, Any]], *, max_tokens: int = 1024, **options: Any
    ) -> Sampling:
        """Asks the client's model. `options` are the request's further members, `system_prompt` for example."""

    def roots(self, key: str = "roots") -> list[Root]:
        """Asks the client for the places that it works in."""

    def require_input(self, requests: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
        """Asks several things at once: requests in the protocol's shape by key. Returns the answers by key."""

    @property
    def _handler(self) -> int: ...
    @property
    def _threaded(self) -> bool: ...
    def _answer(self, key: str) -> Any: ...
    def _complete_text(self, given: str) -> bool: ...
    def _complete_blob(self, data: _Bytes, mime_type: str | None = None) -> bool: ...
    def _complete(self, result: Any) -> bool: ...
    def _complete_json(self, result: str) -> bool: ...
    def _complete_structured(self, content: Any) -> bool: ...
    def _fail(self, message: str) -> bool: ...
    def _fault(self, details: str) -> bool: ...
    def _reject(self, code: int, message: str, data: Any = None) -> bool: ...
    def _require_input(self, requests: Any) -> bool: ...
    def _drop(self) -> bool: ...

@final
class Authorization:
    """A request that wants in: its head and its peer."""

    @property
    def method(self) -> str: ...
    @property
    def path(self) -> str: ...
    @property
    def peer(self) -> str | None:
        """The peer's address; `unix:N` on a Unix socket, N the user id of whoever is there if it is known, else `unix`."""

    @property
    def bearer(self) -> str | None:
        """The token of `Authorization: Bearer TOKEN`."""

    def header(self, name: str) -> str | None:
        """A header, whatever the case of its name; several values are joined with `, `."""

    @property
    def _function(self) -> int: ...
    @property
    def _threaded(self) -> bool: ...
    def _allow(self, caller: Caller) -> None: ...
    def _refuse(
        self,
        status: int,
        scope: str | None,
        error: str | None,
        description: str | None,
        reason: str | None,
    ) -> None: ...
    def _drop(self) -> None: ...

@final
class Inbox:
    def fileno(self) -> int: ...
    def take(self, on_cancel: Callable[[int, str], object]) -> list[Any] | None: ...
    def close(self) -> None: ...

@final
class Jobs:
    def take(self) -> tuple[Any, Any, bool] | None: ...
    def put(self, call: Call, context: Any) -> None: ...
    def more(self) -> bool: ...
    def end(self) -> None: ...

@final
class Pending:
    @property
    def timeout(self) -> float | None: ...
    @property
    def done(self) -> bool: ...
    @property
    def response(self) -> bytes | None: ...
    def wait(self, seconds: float | None = None) -> bool: ...
    def notify(self, inbox: Inbox, function: Callable[[None], object]) -> bool: ...
    def time_out(self) -> None: ...
    def cancel(self) -> None: ...

@final
class Connection:
    def receive(self, data: bytes) -> list[Any]: ...
    def next_deadline(self) -> float | None: ...
    def tick(self) -> None: ...
    def close(self) -> None: ...

@final
class Endpoint:
    def begin(
        self, method: str, path: str, headers: Iterable[tuple[bytes, bytes]], peer: tuple[str, int] | None
    ) -> tuple[Exchange, list[Any]]: ...
    def stop(self) -> None: ...

@final
class Exchange:
    def poll(self) -> _Part | None: ...
    def ready(self) -> bool: ...
    def poll_or_tell(self, inbox: Inbox, function: Callable[[None], object]) -> _Part | None: ...
    def wait(self) -> _Part: ...
    def body(self, chunk: bytes, last: bool) -> list[Any]: ...
    def next_deadline(self) -> float | None: ...
    def tick(self) -> None: ...
    def close(self) -> None: ...

@final
class Listener:
    """The library's own HTTP server."""

    @property
    def port(self) -> int | None: ...
    @property
    def addresses(self) -> list[str]: ...
    def wait(self) -> None: ...
    def stop(self, seconds: float) -> bool:
        """Stops; false if requests in flight had to be cut."""

@final
class Engine:
    def __new__(cls, name: str, version: str, options: dict[str, Any], owner: ReferenceType[Server]) -> Engine: ...
    def build(self) -> None: ...
    def route(self, kind: str, name: str | None, handler: int, threaded: bool, limit: int) -> None: ...
    def unroute(self, kind: str, name: str) -> None: ...
    def jobs(self) -> Jobs: ...
    def inbox(self) -> Inbox: ...
    def set_home(self, inbox: Inbox | None) -> None: ...
    def begin(self, caller: Caller, message: str | _Bytes) -> tuple[Pending, list[Any]]: ...
    def connect(self, caller: Caller, inbox: Inbox, function: Callable[[bytes | None], object]) -> Connection: ...
    def serve_stdio(self) -> None: ...
    def listen(self, options: dict[str, Any]) -> Listener: ...
    def endpoint(self, options: dict[str, Any]) -> Endpoint: ...
    def catalog_changed(self, key: str) -> None: ...
    def resource_updated(self, uri: str) -> None: ...
    def revoke(self, owner_key: str) -> None: ...
    def stop(self, seconds: float) -> bool: ...
    def stats(self) -> str: ...
    def close(self) -> None: ...
