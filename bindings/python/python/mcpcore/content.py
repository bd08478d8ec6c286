"""What a tool, a resource or a prompt can answer, beyond plain values."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, Literal, Union

    Data = Union[bytes, bytearray, memoryview]


class Absent:
    """Stands for "not given" where None is a value."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = Absent()

_TYPES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".svg": "image/svg+xml",
    ".wav": "audio/wav",
    ".mp3": "audio/mpeg",
    ".ogg": "audio/ogg",
    ".flac": "audio/flac",
    ".m4a": "audio/mp4",
}


def base64(data: Data) -> str:
    """Standard Base64 with padding, on one line."""
    from binascii import b2a_base64

    return b2a_base64(data, newline=False).decode("ascii")


class Content:
    """One block of content."""

    __slots__ = ("annotations", "meta")

    def __init__(self, annotations: Mapping[str, Any] | None = None, meta: Mapping[str, Any] | None = None) -> None:
        self.annotations = annotations
        self.meta = meta

    def block(self) -> dict[str, Any]:
        """The block in the protocol's shape."""
        block = self._block()
        if self.annotations is not None:
            block["annotations"] = dict(self.annotations)
        if self.meta is not None:
            block["_meta"] = dict(self.meta)
        return block

    def _block(self) -> dict[str, Any]:
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


class Text(Content):
    """A text, for annotations; otherwise a `str` does."""

    __slots__ = ("text",)

    def __init__(
        self, text: str, *, annotations: Mapping[str, Any] | None = None, meta: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(annotations, meta)
        self.text = text

    def _block(self) -> dict[str, Any]:
        return {"type": "text", "text": self.text}


class _Media(Content):
    __slots__ = ("data", "mime_type")
    _type = ""
    _default = ""

    def __init__(
        self,
        data: Data | str | os.PathLike[str],
        mime_type: str | None = None,
        *,
        annotations: Mapping[str, Any] | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(annotations, meta)
        if isinstance(data, (str, os.PathLike)):
            path = os.fspath(data)
            mime_type = mime_type or _TYPES.get(os.path.splitext(path)[1].lower())
            with open(path, "rb") as file:
                data = file.read()
        self.data = data
        self.mime_type = mime_type or self._default

    def _block(self) -> dict[str, Any]:
        return {"type": self._type, "data": base64(self.data), "mimeType": self.mime_type}


class Image(_Media):
    """An image: its bytes, or the path of a file."""

    __slots__ = ()
    _type = "image"
    _default = "image/png"


class Audio(_Media):
    """A sound: its bytes, or the path of a file."""

    __slots__ = ()
    _type = "audio"
    _default = "audio/wav"


class ResourceLink(Content):
    """A link to a resource."""

    __slots__ = ("description", "mime_type", "name", "size", "title", "uri")

    def __init__(
        self,
        uri: str,
        name: str | None = None,
        *,
        title: str | None = None,
        description: str | None = None,
        mime_type: str | None = None,
        size: int | None = None,
        annotations: Mapping[str, Any] | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(annotations, meta)
        self.uri = uri
        self.name = name or uri
        self.title = title
        self.description = description
        self.mime_type = mime_type
        self.size = size

    def _block(self) -> dict[str, Any]:
        block = {
            "type": "resource_link",
            "uri": self.uri,
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "mimeType": self.mime_type,
            "size": self.size,
        }
        return {key: value for key, value in block.items() if value is not None}


class EmbeddedResource(Content):
    """The contents of a resource: a text or bytes. A handler of a resource returns it to say the type as well."""

    __slots__ = ("data", "mime_type", "uri")

    def __init__(
        self,
        uri: str,
        data: str | Data,
        mime_type: str | None = None,
        *,
        annotations: Mapping[str, Any] | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(annotations, meta)
        self.uri = uri
        self.data = data
        self.mime_type = mime_type

    def contents(self) -> dict[str, Any]:
        """The contents, as a read answers them."""
        contents: dict[str, Any] = {"uri": self.uri}
        if self.mime_type is not None:
            contents["mimeType"] = self.mime_type
        if isinstance(self.data, str):
            contents["text"] = self.data
        else:
            contents["blob"] = base64(self.data)
        return contents

    def _block(self) -> dict[str, Any]:
        return {"type": "resource", "resource": self.contents()}


class Message:
    """One message of a prompt."""

    __slots__ = ("content", "role")

    def __init__(self, content: str | Content, role: Literal["user", "assistant"] = "user") -> None:
        self.content = content
        self.role = role

    def message(self) -> dict[str, Any]:
        """The message in the protocol's shape."""
        return {"role": self.role, "content": block(self.content)}


class ToolResult:
    """A whole answer of a tool: content, structured content, whether it failed, `_meta`."""

    __slots__ = ("content", "is_error", "meta", "structured")

    def __init__(
        self,
        content: str | Content | Iterable[str | Content] | None = None,
        *,
        structured: Any = ABSENT,
        is_error: bool = False,
        meta: Mapping[str, Any] | None = None,
    ) -> None:
        self.content = content
        self.structured = structured
        self.is_error = is_error
        self.meta = meta

    def result(self) -> dict[str, Any]:
        """The result in the protocol's shape."""
        result: dict[str, Any] = {}
        if self.content is not None:
            result["content"] = blocks(self.content)
        elif self.structured is ABSENT:
            result["content"] = []
        if self.structured is not ABSENT:
            result["structuredContent"] = self.structured
        if self.is_error:
            result["isError"] = True
        if self.meta is not None:
            result["_meta"] = dict(self.meta)
        return result


class RawResult:
    """A whole result as JSON text in the protocol's shape: members, order and numbers go out as they are written."""

    __slots__ = ("json",)

    def __init__(self, json: str | bytes) -> None:
        self.json = json.decode() if isinstance(json, bytes) else json


def block(content: str | Content) -> dict[str, Any]:
    """The block of one piece of content."""
    if isinstance(content, str):
        return {"type": "text", "text": content}
    if isinstance(content, Content):
        return content.block()
    raise TypeError(f"content is a text or a content object, not {type(content).__name__}")


def blocks(content: str | Content | Iterable[str | Content]) -> list[dict[str, Any]]:
    """The blocks of one or several pieces of content."""
    if isinstance(content, (str, Content)):
        return [block(content)]
    return [block(one) for one in content]
