"""Asking the client: each function returns the answer, or ends this round and asks. The next round runs the handler anew."""

from __future__ import annotations

from .errors import InputRequired

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Generic, TypeVar

    from ._mcpcore import Call

    T = TypeVar("T")
else:
    T = None

    class Generic:
        """Stands for `typing.Generic`, which costs more to import than all the rest."""

        __slots__ = ()

        def __class_getitem__(cls, _: object) -> type:
            return cls


class Elicitation(Generic[T]):
    """What the user answered."""

    __slots__ = ("action", "content")

    def __init__(self, action: str, content: T | None) -> None:
        self.action = action
        """`accept`, `decline` or `cancel`."""
        self.content = content
        """The form's values: a dict, or what the schema's class makes of it. `None` unless accepted."""

    @property
    def accepted(self) -> bool:
        return self.action == "accept"

    def __bool__(self) -> bool:
        return self.action == "accept"

    def __repr__(self) -> str:
        return f"Elicitation({self.action!r}, {self.content!r})"


class Sampling:
    """What the client's model answered."""

    __slots__ = ("raw",)

    def __init__(self, raw: dict[str, Any]) -> None:
        self.raw = raw
        """The whole answer."""

    @property
    def content(self) -> list[dict[str, Any]]:
        """Its content blocks."""
        content = self.raw.get("content", [])
        return content if isinstance(content, list) else [content]

    @property
    def text(self) -> str:
        """Its text blocks, joined."""
        return "".join(block.get("text", "") for block in self.content if block.get("type") == "text")

    @property
    def model(self) -> str | None:
        return self.raw.get("model")

    @property
    def stop_reason(self) -> str | None:
        return self.raw.get("stopReason")

    def __repr__(self) -> str:
        return f"Sampling({self.text!r})"


class Root:
    """A place that the client works in."""

    __slots__ = ("name", "uri")

    def __init__(self, uri: str, name: str | None = None) -> None:
        self.uri = uri
        self.name = name

    def __repr__(self) -> str:
        return f"Root({self.uri!r})"


def _form(schema: Any) -> tuple[dict[str, Any], Any]:
    """The JSON Schema of a form, and what turns its values into an object of the schema's class."""
    if schema is None:
        return {"type": "object", "properties": {}}, None
    if isinstance(schema, dict):
        return schema, None
    from .functions import form

    return form(schema)


def elicit(call: Call, key: str, message: str, schema: Any = None) -> Elicitation[Any]:
    json_schema, convert = _form(schema)
    answer = call._answer(key)
    if answer is None:
        params = {"message": message, "requestedSchema": json_schema}
        raise InputRequired({key: {"method": "elicitation/create", "params": params}})
    content = answer.get("content") if answer.get("action") == "accept" else None
    if convert is not None and content is not None:
        content = convert(content)
    return Elicitation(answer.get("action", "cancel"), content)


def elicit_url(call: Call, key: str, message: str, url: str) -> Elicitation[None]:
    answer = call._answer(key)
    if answer is None:
        params = {"mode": "url", "message": message, "url": url}
        raise InputRequired({key: {"method": "elicitation/create", "params": params}})
    return Elicitation(answer.get("action", "cancel"), None)


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word.title() for word in rest)


def sample(
    call: Call, key: str, messages: str | Sequence[Mapping[str, Any]], max_tokens: int, /, **options: Any
) -> Sampling:
    answer = call._answer(key)
    if answer is None:
        if isinstance(messages, str):
            messages = [{"role": "user", "content": {"type": "text", "text": messages}}]
        params: dict[str, Any] = {"messages": list(messages), "maxTokens": max_tokens}
        params.update((_camel(name), value) for name, value in options.items())
        raise InputRequired({key: {"method": "sampling/createMessage", "params": params}})
    return Sampling(answer)


def roots(call: Call, key: str) -> list[Root]:
    answer = call._answer(key)
    if answer is None:
        raise InputRequired({key: {"method": "roots/list", "params": {}}})
    return [Root(root["uri"], root.get("name")) for root in answer.get("roots", [])]


def require_input(call: Call, requests: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    answers: dict[str, Any] = call.answers
    missing = {key: request for key, request in requests.items() if key not in answers}
    if missing:
        raise InputRequired(missing)
    return {key: answers[key] for key in requests}
