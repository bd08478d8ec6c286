"""Turns values that JSON does not have into values that it has. The native writer calls it for what it does not know."""

from __future__ import annotations

import sys

from .content import base64

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def _is(value: object, module: str, *names: str) -> bool:
    # Whoever made such a value has imported its module; nobody else needs it.
    loaded = sys.modules.get(module)
    return loaded is not None and any(isinstance(value, getattr(loaded, name)) for name in names)


def plain(value: Any) -> Any:
    """The value, one level plainer."""
    if hasattr(value, "model_dump") and not isinstance(value, type):
        return value.model_dump(mode="json", by_alias=True)
    if hasattr(value, "__dataclass_fields__") and not isinstance(value, type):
        return {name: getattr(value, name) for name in value.__dataclass_fields__}
    if _is(value, "enum", "Enum"):
        return value.value
    if _is(value, "datetime", "date", "time"):
        return value.isoformat()
    if _is(value, "datetime", "timedelta"):
        return value.total_seconds()
    if _is(value, "uuid", "UUID") or _is(value, "pathlib", "PurePath") or _is(value, "decimal", "Decimal"):
        return str(value)
    if isinstance(value, (set, frozenset)):
        return list(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64(value)
    if _is(value, "collections.abc", "Mapping"):
        return dict(value)
    if _is(value, "collections.abc", "Sequence"):
        return list(value)
    raise TypeError(f"JSON has nothing for {type(value).__name__}")
