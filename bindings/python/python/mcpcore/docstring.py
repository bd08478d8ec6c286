"""Reads what a docstring says of a function and of its parameters: Google, NumPy and Sphinx style."""

from __future__ import annotations

import re

_SECTION = re.compile(
    r"^(args|arguments|parameters|params|returns?|yields?|raises|examples?|notes?|attributes|see also|warnings?):?$",
    re.I,
)
_GOOGLE = re.compile(r"^(\*{0,2}\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)$")
_NUMPY = re.compile(r"^(\*{0,2}\w+)\s*(?::.*)?$")
_SPHINX = re.compile(r"^:param\s+(?:[^:]*\s)?(\w+)\s*:\s*(.*)$")


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _heading(lines: list[str], at: int) -> str | None:
    """The section that begins at a line."""
    line = lines[at].strip()
    found = _SECTION.match(line)
    underlined = at + 1 < len(lines) and re.fullmatch(r"\s*-{3,}\s*", lines[at + 1]) is not None
    return found.group(1).lower() if found and (line.endswith(":") or underlined) else None


def parse(text: str | None) -> tuple[str | None, dict[str, str]]:
    """The description, and what is said of each parameter."""
    if not text:
        return None, {}
    from inspect import cleandoc

    lines = cleandoc(text).splitlines()
    parameters: dict[str, list[str]] = {}
    prose: list[str] = []
    section: str | None = None
    base: int | None = None
    current: list[str] | None = None
    at = 0
    while at < len(lines):
        line = lines[at]
        heading = _heading(lines, at)
        sphinx = _SPHINX.match(line.strip())
        if heading is not None:
            section, base, current = heading, None, None
            at += 1 if line.strip().endswith(":") else 2
            continue
        if sphinx is not None:
            section, base = "sphinx", _indent(line)
            current = parameters.setdefault(sphinx.group(1), [])
            current.append(sphinx.group(2))
        elif section is None:
            prose.append(line)
        elif section == "sphinx":
            if line.strip().startswith(":"):
                current = None
            elif current is not None and line.strip():
                current.append(line.strip())
        elif section[:3] in ("arg", "par") and line.strip():
            base = _indent(line) if base is None else base
            found = (_GOOGLE.match(line.strip()) or _NUMPY.match(line.strip())) if _indent(line) <= base else None
            if found is not None:
                current = parameters.setdefault(found.group(1).lstrip("*"), [])
                current.extend(found.groups()[1:])
            elif current is not None:
                current.append(line.strip())
        at += 1
    description = "\n".join(prose).strip() or None
    return description, {name: " ".join(part for part in parts if part).strip() for name, parts in parameters.items()}
