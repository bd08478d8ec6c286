"""From what a function returned to an answer. What a `dispatch` returns is a result in the protocol's shape already."""

from __future__ import annotations

from .content import Content, EmbeddedResource, Message, RawResult, ToolResult, blocks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ._mcpcore import Call

    Finish = Callable[[Call, Any], object]


def _bytes(value: object) -> bool:
    return isinstance(value, (bytes, bytearray, memoryview))


def raw(call: Call, value: Any) -> object:
    """A result in the protocol's shape; also a text, or bytes of a resource."""
    if type(value) is dict:
        return call._complete(value)
    if isinstance(value, str):
        return call._complete_text(value)
    if _bytes(value):
        return call._complete_blob(value)
    if isinstance(value, RawResult):
        return call._complete_json(value.json)
    if isinstance(value, (Content, ToolResult, Message)) or (value is None and call.kind == "tool"):
        return FINISH[call.kind](call, value)
    if value is None:
        raise TypeError("dispatch returned None: a result is wanted")
    return call._complete(value)


def tool(call: Call, value: Any) -> object:
    """Whatever a tool without an output schema returned."""
    if type(value) is str:
        return call._complete_text(value)
    if value is None:
        return call._complete_json('{"content":[]}')
    if isinstance(value, ToolResult):
        return call._complete(value.result())
    if isinstance(value, RawResult):
        return call._complete_json(value.json)
    if isinstance(value, str):
        return call._complete_text(str(value))
    if isinstance(value, Content):
        return call._complete({"content": [value.block()]})
    if _bytes(value):
        from urllib.parse import quote

        resource = EmbeddedResource("tool://result/" + quote(call.name, safe=""), value, "application/octet-stream")
        return call._complete({"content": [resource.block()]})
    if isinstance(value, (list, tuple)) and any(isinstance(one, Content) for one in value):
        return call._complete({"content": blocks(value)})
    return call._complete_structured(value)


def structured(dump: Callable[[Any], bytes] | None = None) -> Finish:
    """For a tool with an output schema: what is returned is structured content, unless it says otherwise."""

    def finish(call: Call, value: Any) -> object:
        if isinstance(value, (ToolResult, Content, RawResult)):
            return tool(call, value)
        if dump is None:
            return call._complete_structured(value)
        return call._complete_json('{"structuredContent":' + dump(value).decode() + "}")

    return finish


def resource(mime_type: str | None) -> Finish:
    """For a resource: a text, bytes, contents, or anything else as JSON."""

    def finish(call: Call, value: Any) -> object:
        if isinstance(value, str):
            return call._complete_text(value)
        if _bytes(value):
            return call._complete_blob(value, mime_type)
        if isinstance(value, EmbeddedResource):
            return call._complete({"contents": [value.contents()]})
        if isinstance(value, RawResult):
            return call._complete_json(value.json)
        if isinstance(value, (list, tuple)) and value and all(isinstance(one, EmbeddedResource) for one in value):
            return call._complete({"contents": [one.contents() for one in value]})
        if isinstance(value, dict) and isinstance(value.get("contents"), list):
            return call._complete(value)
        if value is None:
            raise TypeError("a resource returned None; raise NotFoundError if there is no such resource")
        from ._mcpcore import to_json

        contents = {"uri": call.name, "mimeType": mime_type or "application/json", "text": to_json(value)}
        return call._complete({"contents": [contents]})

    return finish


def prompt(call: Call, value: Any) -> object:
    """For a prompt: a text, a message, several of them, or a result."""
    if isinstance(value, str):
        return call._complete_text(value)
    if isinstance(value, dict):
        return call._complete(value)
    if isinstance(value, RawResult):
        return call._complete_json(value.json)
    if isinstance(value, (Message, Content)):
        value = [value]
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"a prompt returns a text or messages, not {type(value).__name__}")
    messages = [one if isinstance(one, (Message, dict)) else Message(one) for one in value]
    return call._complete({"messages": [one if isinstance(one, dict) else one.message() for one in messages]})


def completion(call: Call, value: Any) -> object:
    """For a completion: values, or a result."""
    if isinstance(value, dict):
        return call._complete(value if "completion" in value else {"completion": value})
    values = [] if value is None else [str(one) for one in value]
    return call._complete({"completion": {"values": values[:100], "total": len(values), "hasMore": len(values) > 100}})


FINISH: dict[str, Finish] = {
    "tool": tool,
    "resource": resource(None),
    "prompt": prompt,
    "completion": completion,
}
