#!/usr/bin/env python3
"""Writes the fixture documents into the C host's header, one string an item, so that the program is self-contained."""

import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
HEADER = HERE.parent.parent / "ffi" / "examples" / "everything_catalog.h"
KINDS = ["tools", "resources", "resourceTemplates", "prompts"]
# The optional questions: left out when the client did not declare what they need.
OPTIONAL = {"tool:ask_all", "tool:test_input_required_result_capabilities"}
STATELESS = {"tool:ask", "tool:test_input_required_result_elicitation"}
NEEDS = {"elicitation/create": "elicitation", "sampling/createMessage": "sampling", "roots/list": "roots"}


def compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def literal(text: str) -> str:
    """A C string literal. Hexadecimal escapes would run on, so bytes beyond ASCII are octal."""
    out = "".join(
        "\\" + c if c in '"\\' else c if " " <= c <= "~" else "".join(f"\\{b:03o}" for b in c.encode()) for c in text
    )
    return '"' + out.replace("??", "?\\?") + '"'


def rows(name: str, document: dict) -> list[str]:
    out = [f"static const char *const {name}_ITEMS[4][40] = {{"]
    for kind in KINDS:
        out += ["  {"] + [f"    {literal(compact(item))}," for item in document["catalog"][kind]] + ["    NULL},"]
    out += ["};", f"static const char *const {name}_EXTRAS[4] = {{"]
    out += [f"  {literal(compact(document['extras'][kind]))}," for kind in ("tool", "resource", "template", "prompt")]
    out += ["};", f"static const fixture_result {name}_RESULTS[] = {{"]
    out += [f"  {{{literal(key)}, {literal(compact(value))}}}," for key, value in document["results"].items()]
    out += ["  {NULL, NULL}};", f"static const fixture_question {name}_QUESTIONS[] = {{"]
    for key, rounds in document["questions"].items():
        for number, questions in enumerate(rounds, 1):
            for name_of, request in questions.items():
                need = f'"{NEEDS[request["method"]]}"' if key in OPTIONAL else "NULL"
                state = "NULL" if key in STATELESS else f'"round {number}"'
                text = f"{literal(name_of)}, {need}, {state}, {literal(compact(request))}"
                out.append(f"  {{{literal(key)}, {number}, {text}}},")
    return out + ["  {NULL, 0, NULL, NULL, NULL, NULL}};"]


def header() -> str:
    lines = [
        "/* Written by tests/wire/embed.py from tests/wire/catalog; change those. Included by everything.c alone. */"
    ]
    for name in ("fx", "conformance", "ui"):
        document = json.loads((HERE / "catalog" / f"{name}.json").read_text(encoding="utf-8"))
        lines += rows(name.upper(), document)
    return "\n".join(lines) + "\n"


def stale() -> Path | None:
    """The header, if it is not what the documents say."""
    fresh = HEADER.exists() and HEADER.read_text(encoding="utf-8") == header()
    return None if fresh else HEADER


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(f"{HEADER} is stale: run python3 tests/wire/embed.py" if stale() else 0)
    HEADER.write_text(header(), encoding="utf-8")
