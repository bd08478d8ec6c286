"""The flags of the fixture host, as tests/wire/catalog/fixture.md lists them."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

CATALOGS = Path(__file__).resolve().parents[3] / "tests" / "wire" / "catalog"


class Flags:
    """What the command line says."""

    def __init__(self, words: list[str]) -> None:
        self.document = load("conformance")
        self.catalog_text: str | None = None
        self.without: set[str] = set()
        self.port: int | None = None
        self.door = "own"
        self.http: dict[str, Any] = {}
        self.options: dict[str, Any] = {
            "list_changed": {"tools", "resources", "prompts"},
            "subscribe": True,
            "completions": True,
            "logging": True,
            "state_keys": [],
            "revisions": [],
        }
        while words:
            word = words.pop(0)
            if word in SWITCHES:
                self.options |= SWITCHES[word]
            else:
                self.take(word, words.pop(0))

    def take(self, word: str, given: str) -> None:
        match word:
            case "--catalog":
                self.document = load(given)
            case "--catalog-file":
                self.catalog_text = Path(given).read_text(encoding="utf-8")
            case "--without":
                self.leave_out(given)
            case "--empty":
                self.leave_empty(given)
            case "--instructions":
                self.options["instructions"] = given
            case "--revision":
                self.options["revisions"].append(given)
            case "--state-key":
                self.options["state_keys"].append(base64.b64decode(given))
            case "--http":
                self.port = int(given)
            case "--http-option":
                name, number = given.split("=")
                self.http |= HTTP_NUMBERS[name](int(number))
            case "--sse":
                self.http["sse_path"] = given
            case "--door":
                self.door = given
            case _:
                self.options |= NUMBERS[word](int(given))

    def leave_empty(self, kind: str) -> None:
        self.without |= {kind} | ({"resourceTemplates"} if kind == "resources" else set())

    def leave_out(self, name: str) -> None:
        if name in ("tools", "resources", "prompts"):
            self.leave_empty(name)
            self.options["list_changed"].discard(name)
        if name == "listChanged":
            self.options["list_changed"].clear()
        if name in ("subscribe", "resources"):
            self.options["subscribe"] = False
        if name in ("completions", "logging"):
            self.options[name] = False


def load(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((CATALOGS / f"{name}.json").read_text(encoding="utf-8"))
    return found


NUMBERS: dict[str, Any] = {
    "--page": lambda number: {"page_size": number},
    "--pool": lambda number: {"threads": number},
    "--ttl": lambda number: {"cache_ttl": number / 1000},
    "--max-message": lambda number: {"max_message_bytes": number},
    "--state-ttl": lambda number: {"state_ttl": number / 1000},
    "--call-timeout": lambda number: {"call_timeout": number / 1000},
    "--subscriptions": lambda number: {"max_subscriptions": number},
    "--input-timeout": lambda number: {"input_timeout": number / 1000},
}
HTTP_NUMBERS: dict[str, Any] = {
    "max-body": lambda number: {"max_body_bytes": number},
    "body-timeout": lambda number: {"body_timeout": number / 1000},
    "byte-budget": lambda number: {"byte_budget": number},
    "keep-alive": lambda number: {"keep_alive": number / 1000},
    "max-calls": lambda number: {"max_calls": number},
    "max-streams": lambda number: {"max_streams": number},
    "max-stream": lambda number: {"max_stream_time": number / 1000},
    "stream-queue": lambda number: {"stream_queue_bytes": number},
    "max-sessions": lambda number: {"max_sessions": number},
    "session-idle": lambda number: {"session_idle": number / 1000},
    "session-replay": lambda number: {"session_replay_bytes": number},
    "retry": lambda number: {"retry": number / 1000},
    "threads": lambda number: {"io_threads": number},
    "max-connections": lambda number: {"max_connections": number},
    "header-timeout": lambda number: {"header_timeout": number / 1000},
    "idle": lambda number: {"idle_timeout": number / 1000},
}
SWITCHES: dict[str, dict[str, Any]] = {
    "--stdio": {},
    "--ui": {"extensions": {"io.modelcontextprotocol/ui": {}}},
    "--public": {"cache_scope": "public"},
    "--reject-arguments": {"invalid_arguments": "reject"},
    "--skip-invalid": {"invalid_items": "skip"},
    "--repair": {"repair_arguments": True},
    "--formats": {"check_formats": True},
    "--no-identity": {"identify": False},
    "--quiet": {"answer_parse_errors": False},
    "--no-legacy": {"legacy": False},
}
