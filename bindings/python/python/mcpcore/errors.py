"""What can go wrong, and what a handler raises to say something to the client."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any


class Error(Exception):
    """Anything that this package raises, apart from what is wrong with the types of arguments."""


class InvalidArgumentError(Error, ValueError):
    """A value that the function cannot take; the message names it."""


class InvalidJsonError(Error, ValueError):
    """A text that is not JSON, or JSON of the wrong shape; the message says where."""


class CatalogError(Error, ValueError):
    """The catalog has faults; the message lists every one, a line each."""


class AnsweredError(Error):
    """The call was answered before."""


class GoneError(Error):
    """The call was cancelled, timed out or its connection closed; nothing was sent."""


class ClosedError(Error):
    """The server was stopped, or belongs to the parent of this process."""


class ConnectionLostError(Error, OSError):
    """Reading or writing failed, or the other side is gone."""


class CallTimeoutError(Error, TimeoutError):
    """Nobody answered in time."""


class BusyError(Error):
    """A limit on work in flight was reached."""


class InternalError(Error):
    """A fault of this package."""


class MissingExtraError(Error, ImportError):
    """A part of the package needs another one that is not installed; the message says which."""


class ToolError(Error):
    """Raised by a handler: the model is told the text. Any other exception is masked."""


class Rejection(Error):
    """Raised by a handler: the request is refused with this JSON-RPC error. The test client raises it for one."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data

    def __str__(self) -> str:
        return f"{self.message} ({self.code})"


class NotFoundError(Rejection):
    """Raised by a handler of a resource template: there is no such resource."""

    def __init__(self, message: str = "Resource not found", data: Any = None) -> None:
        super().__init__(-32602, message, data)


class Refusal(Error):
    """Raised by `authorize`: the request is kept out. `reason` is for the log alone; the rest is told to the client."""

    status = 401

    def __init__(
        self,
        description: str | None = None,
        *,
        error: str | None = None,
        scope: Sequence[str] | None = None,
        reason: str | None = None,
    ) -> None:
        super().__init__(reason or description or error or type(self).__name__)
        self.description = description
        self.error = error
        self.scope = [scope] if isinstance(scope, str) else scope
        self.reason = reason


class Unauthorized(Refusal):
    """Raised by `authorize`: who asks is not known (401)."""


class Forbidden(Refusal):
    """Raised by `authorize`: who asks is known and may not (403)."""

    status = 403


class InputRequired(BaseException):
    """Ends a round: the client is asked. Raised by `call.elicit` and its like; a handler lets it pass."""

    def __init__(self, requests: Mapping[str, Any]) -> None:
        super().__init__("the client is asked first")
        self.requests = requests
