"""MCP servers: the protocol in native code, what they do in Python.

from mcpcore import Server

server = Server("weather", "1.0.0")

@server.tool()
def get_weather(place: str) -> str:
    "Current weather of a place."
    return f"12 °C and dry in {place}"

server.run()
"""

from __future__ import annotations

from ._mcpcore import Authorization, Call, Caller, __version__
from .content import Audio, Content, EmbeddedResource, Image, Message, RawResult, ResourceLink, Text, ToolResult
from .errors import (
    AnsweredError,
    BusyError,
    CallTimeoutError,
    CatalogError,
    ClosedError,
    ConnectionLostError,
    Error,
    Forbidden,
    GoneError,
    InternalError,
    InvalidArgumentError,
    InvalidJsonError,
    MissingExtraError,
    NotFoundError,
    Refusal,
    Rejection,
    ToolError,
    Unauthorized,
)
from .questions import Elicitation, Root, Sampling
from .server import Server

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .client import Client
    from .functions import Header

__all__ = [
    "AnsweredError",
    "Audio",
    "Authorization",
    "BusyError",
    "Call",
    "CallTimeoutError",
    "Caller",
    "CatalogError",
    "Client",
    "ClosedError",
    "ConnectionLostError",
    "Content",
    "Elicitation",
    "EmbeddedResource",
    "Error",
    "Forbidden",
    "GoneError",
    "Header",
    "Image",
    "InternalError",
    "InvalidArgumentError",
    "InvalidJsonError",
    "Message",
    "MissingExtraError",
    "NotFoundError",
    "RawResult",
    "Refusal",
    "Rejection",
    "ResourceLink",
    "Root",
    "Sampling",
    "Server",
    "Text",
    "ToolError",
    "ToolResult",
    "Unauthorized",
    "__version__",
]


def __getattr__(name: str) -> Any:
    # What costs more to import than all the rest is imported when it is asked for.
    if name == "Header":
        from .functions import Header

        return Header
    if name == "Client":
        from .client import Client

        return Client
    raise AttributeError(f"module 'mcpcore' has no attribute {name!r}")
