"""Reads the files of the wire corpus and compares messages with what they expect. README.md says what a file may hold."""

import json
import re
from dataclasses import dataclass, field
from pathlib import Path

PREFIX = "io.modelcontextprotocol/"
KEYS = {
    "PV": "protocolVersion",
    "CC": "clientCapabilities",
    "CI": "clientInfo",
    "LL": "logLevel",
    "SI": "serverInfo",
    "SID": "subscriptionId",
}
MACROS = {name: f'"{PREFIX}{key}"' for name, key in KEYS.items()}
MACROS["V"] = MACROS["PV"] + ':"2026-07-28"'
MACROS["M"] = '"_meta":{' + MACROS["V"] + "," + MACROS["CC"] + ":{}}"
MACROS["ME"] = '"_meta":{' + MACROS["SI"] + ':{"name":"everything","version":"1.0.0"}}'
MACROS["R"] = '"resultType":"complete",' + MACROS["ME"]
MACROS["HINTS"] = '"ttlMs":0,"cacheScope":"private"'

CALLS = re.compile(r"\$(REPEAT|TEXT)\(((?:[^()]|\([^()]*\))*)\)")
NAMES = re.compile(r"\$([A-Z][A-Z0-9]*)")
SECTIONS = {"host", "catalog", "client", "server", "refused", "stderr"}


class Fault(Exception):
    """The file is wrong, or what came differs from it."""


@dataclass
class Scenario:
    """One file."""

    path: Path
    prose: str
    shows: list[str]
    flags: list[str]
    marks: list[str]
    session: str
    sections: dict[str, list[str]] = field(default_factory=dict)


def read(path: Path) -> Scenario:
    """Reads one file."""
    sections: dict[str, list[str]] = {}
    current: list[str] = []
    prose = current
    for line in path.read_text(encoding="utf-8").split("\n"):
        head = re.fullmatch(r"-- (\w+) --", line)
        if head:
            if head[1] not in SECTIONS or head[1] in sections:
                raise Fault(f"{path}: section {head[1]} is unknown or stands twice")
            current = sections.setdefault(head[1], [])
        elif current is prose or head or line.strip():
            current.append(line)
    text = "\n".join(prose)
    shown = re.search(r"^Shows: (.+)$", text, re.MULTILINE)
    if not shown:
        raise Fault(f"{path}: no line 'Shows: …'")
    if ("refused" in sections) == ("server" in sections):
        raise Fault(f"{path}: one of 'server' and 'refused' is needed")
    host = sections.get("host", [])
    marks = [line for line in host if line.startswith("#")]
    session = next((mark.partition(" ")[2] or "modern" for mark in marks if mark.split()[0] == "#session"), "")
    flags = [word for line in host if not line.startswith("#") for word in line.split()]
    return Scenario(path, text, shown[1].split(), flags, marks, session, sections)


def expand(text: str, values: dict[str, str]) -> str:
    """Replaces macros; `values` holds what `#let` took."""

    def call(found: re.Match[str]) -> str:
        if found[1] == "TEXT":
            return '"content":[{"type":"text","text":"' + expand(found[2], values) + '"}]'
        body, _, count = found[2].rpartition(",")
        return body * int(count)

    def name(found: re.Match[str]) -> str:
        value = values.get(found[1], MACROS.get(found[1]))
        if value is None:
            raise Fault(f"${found[1]} is not defined")
        return value

    return NAMES.sub(name, CALLS.sub(call, text))


def shorten(text: str) -> str:
    """Puts macros back, so that a blessed line reads well."""
    for name in ("R", "ME", "V", "PV", "CC", "CI", "LL", "SI", "SID"):
        text = text.replace(MACROS[name], "$" + name)
    return text


def pointer(value: object, path: str) -> object:
    """What a JSON pointer names; a Fault if nothing."""
    for part in path.split("/")[1:]:
        part = part.replace("~1", "/").replace("~0", "~")
        try:
            value = value[int(part)] if isinstance(value, list) else value[part]  # type: ignore[index]
        except (KeyError, IndexError, ValueError, TypeError):
            raise Fault(f"there is no {path} in the answer") from None
    return value


def damage(text: str, how: str) -> str:
    """Damages a JSON string, or leaves it."""
    if not how:
        return text
    inner = json.loads(text)
    if how == "flip":
        middle = len(inner) // 2
        other = "A" if inner[middle] != "A" else "B"
        inner = inner[:middle] + other + inner[middle + 1 :]
    elif how == "cut":
        inner = inner[:-1]
    elif how.startswith("append="):
        inner += how.removeprefix("append=")
    else:
        raise Fault(f"#let knows no {how}")
    return json.dumps(inner)


class Token(str):
    """A number as it is written: 1 and 1.0 differ."""


def load(text: str) -> object:
    """Parses JSON; numbers stay tokens, members stay in order, and no name may repeat."""

    def members(pairs: list[tuple[str, object]]) -> dict[str, object]:
        if len({name for name, _ in pairs}) != len(pairs):
            raise Fault(f"a member name repeats in {text[:200]}")
        return dict(pairs)

    return json.loads(text, parse_int=Token, parse_float=Token, object_pairs_hook=members)


def matches(pattern: object, value: object, loose: bool) -> bool:
    """Whether `value` is what `pattern` describes. `loose`: members in any order, and one star is a wildcard too."""
    if isinstance(pattern, Token) or isinstance(value, Token):
        return pattern in ("*", "**") if not isinstance(pattern, Token) else type(value) is Token and pattern == value
    if isinstance(pattern, str):
        if pattern == "**" or (loose and pattern == "*"):
            return True
        if not isinstance(value, str):
            return False
        star = r"\*\*?" if loose else r"\*\*"
        parts = re.split(star, pattern)
        return re.fullmatch(".*".join(map(re.escape, parts)), value, re.DOTALL) is not None
    if isinstance(pattern, dict):
        if not isinstance(value, dict):
            return False
        rest = pattern.get("...")
        names = [name for name in pattern if name != "..."]
        is_open = rest == "**" or (loose and rest == "*")
        if not is_open and len(names) != len(value):
            return False
        if not loose and names != [name for name in value if name in pattern]:
            return False
        return all(name in value and matches(pattern[name], value[name], loose) for name in names)
    if isinstance(pattern, list):
        return (
            isinstance(value, list)
            and len(pattern) == len(value)
            and all(matches(one, other, loose) for one, other in zip(pattern, value))
        )
    return type(pattern) is type(value) and pattern == value


@dataclass
class Expected:
    """One line of a server section."""

    text: str
    loose: bool = False
    fixed: bool = False
    any_number: bool = False
    group: int = 0

    def fits(self, message: str, values: dict[str, str]) -> bool:
        """Whether `message` is what the line says."""
        wanted = expand(self.text, values)
        if not self.loose and "**" not in wanted:
            return wanted == message
        return matches(load(wanted), load(message), self.loose)

    def blessed(self, message: str) -> str:
        """The line with `message` in its place; what is marked `**` stays."""
        if self.fixed or self.any_number or "$REPEAT" in self.text or len(message) > 6000:
            return self.line()
        try:
            kept = keep(load(expand(self.text, {})), load(message))
        except (Fault, ValueError):
            return shorten(message)
        if kept is None:
            return shorten(message)
        return shorten(write(kept))

    def line(self) -> str:
        """The line as it stands in the file."""
        mark = "~~ " if self.fixed else "~ " if self.loose else ""
        return ("#any " if self.any_number else "") + mark + self.text


def keep(pattern: object, value: object) -> object | None:
    """`value` with the `**` of `pattern` put in; None if there is none."""
    if isinstance(pattern, str) and "**" in pattern:
        return pattern
    if isinstance(pattern, dict) and isinstance(value, dict):
        parts = {name: keep(pattern[name], value[name]) for name in pattern if name in value}
        if pattern.get("...") == "**":
            known = {name: value[name] if parts[name] is None else parts[name] for name in value if name in parts}
            return {**known, "...": "**"}
        if any(part is not None for part in parts.values()):
            return {name: value[name] if parts.get(name) is None else parts[name] for name in value}
    if isinstance(pattern, list) and isinstance(value, list) and len(pattern) == len(value):
        items = [keep(one, other) for one, other in zip(pattern, value)]
        if any(item is not None for item in items):
            return [other if item is None else item for item, other in zip(items, value)]
    return None


def write(value: object) -> str:
    """Compact JSON with number tokens as they were."""
    if isinstance(value, Token):
        return str(value)
    if isinstance(value, dict):
        return "{" + ",".join(json.dumps(name, ensure_ascii=False) + ":" + write(item) for name, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(write, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def expectations(lines: list[str]) -> list[Expected]:
    """Reads a server section. Lines with the same group above 0 may come in any order."""
    found: list[Expected] = []
    group = 0
    inside = False
    for line in lines:
        if line == "#unordered":
            group, inside = group + 1, True
        elif line == "#ordered":
            inside = False
        else:
            any_number = line.startswith("#any ")
            text = line.removeprefix("#any ")
            fixed = text.startswith("~~ ")
            loose = fixed or text.startswith("~ ")
            text = text.removeprefix("~~ ").removeprefix("~ ")
            if not text.startswith(("{", "[")):
                raise Fault(f"not a server line: {line[:80]}")
            found.append(Expected(text, loose, fixed, any_number, group if inside else 0))
    return found


def pair(expected: list[Expected], messages: list[str], values: dict[str, str]) -> tuple[list[str | None], list[str]]:
    """Gives each expected line its message (None: it never came), and what came unexpected."""
    free = [line for line in expected if line.any_number]
    rest = [message for message in messages if not any(line.fits(message, values) for line in free)]
    taken: list[str | None] = []
    i = 0
    while i < len(expected):
        line = expected[i]
        if line.any_number:
            taken.append(None)
            i += 1
            continue
        if line.group:
            block = [other for other in expected[i:] if other.group == line.group]
            window = rest[: len(block)]
            for other in block:
                fit = next((message for message in window if other.fits(message, values)), None)
                if fit is not None:
                    window.remove(fit)
                    rest.remove(fit)
                taken.append(fit)
            i += len(block)
            continue
        if rest and line.fits(rest[0], values):
            taken.append(rest.pop(0))
        else:
            later = next((m for m in rest if line.fits(m, values)), None)
            if later is not None and not any(o.fits(rest[0], values) for o in expected[i + 1 :]):
                return taken + [None] * (len(expected) - i), rest
            taken.append(None)
        i += 1
    return taken, rest


FORBIDDEN = set(range(-32099, -31999)) - {-32020, -32021, -32022}


def universal(line: str, session: bool = False) -> str | None:
    """What is wrong with a message whatever the scenario; None if nothing. `session`: it may be of the legacy era.

    BASE-06, BASE-07, BASE-08, BASE-09, BASE-10, BASE-14, BASE-15, BASE-16, BASE-22.
    """
    try:
        message = load(line)
    except ValueError as error:
        return f"not JSON: {error}"
    if re.search(r'"(?:[^"\\]|\\.)*"|(\s)', line) and any(m[1] for m in re.finditer(r'"(?:[^"\\]|\\.)*"|(\s)', line)):
        return "white space outside strings"
    if session and isinstance(message, list):
        return next((wrong for part in message if (wrong := message_fault(part, session))), None)
    return message_fault(message, session)


def bare(result: dict[str, object]) -> bool:
    """LEG-05: a result without its type has none of the other members of the modern era."""
    meta = result.get("_meta")
    identity = isinstance(meta, dict) and PREFIX + "serverInfo" in meta
    return not identity and not {"resultType", "ttlMs", "cacheScope"} & result.keys()


def message_fault(message: object, session: bool) -> str | None:
    """What is wrong with one message."""
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return "not a JSON-RPC 2.0 object"
    if "method" in message:
        return "a request to the client" if "id" in message and not session else None
    if ("result" in message) == ("error" in message):
        return "neither or both of result and error"
    if "result" in message:
        result = message["result"]
        if not isinstance(result, dict):
            return "a result that is no object"
        if result.get("resultType") not in ("complete", "input_required") and not (session and bare(result)):
            return "a result without its resultType"
        return None
    error = message["error"]
    if not isinstance(error, dict) or not isinstance(error.get("code"), Token):
        return "an error without an integer code"
    if int(error["code"]) in FORBIDDEN - ({-32002, -32042} if session else set()):
        return f"the code {error['code']} is not for servers"
    text = error.get("message")
    if not isinstance(text, str) or not text or len(text) >= 200 or "\n" in text:
        return "an error message that is not one short line"
    return None
