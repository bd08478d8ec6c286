"""What the tests share: a message maker, a loop a test, and the package as it is installed."""

from __future__ import annotations

import asyncio
import inspect
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parent / "examples"
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
}


def message(method: str, *, number: Any = 1, meta: dict[str, Any] | None = None, **params: Any) -> str:
    """A request as JSON text."""
    return json.dumps(
        {"jsonrpc": "2.0", "id": number, "method": method, "params": {**params, "_meta": {**META, **(meta or {})}}}
    )


def call(name: str, arguments: dict[str, Any] | None = None, **more: Any) -> str:
    """A `tools/call` as JSON text."""
    return message("tools/call", name=name, arguments=arguments or {}, **more)


def text_of(response: str | None) -> str:
    """The text of a tool's result."""
    assert response is not None
    return "".join(block["text"] for block in json.loads(response)["result"]["content"])


def run_python(code: str, *, timeout: float = 60, **more: Any) -> subprocess.CompletedProcess[str]:
    """Runs a program in an interpreter of its own."""
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=timeout, check=False, **more
    )


def pytest_configure() -> None:
    """A shell starts what runs in its background with Ctrl-C ignored, and programs that the tests start would inherit it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_pyfunc_call(pyfuncitem: Any) -> bool | None:
    """An `async def` test runs on a loop of its own; nothing of it may be left behind."""
    if not inspect.iscoroutinefunction(pyfuncitem.function):
        return None
    arguments = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}

    async def run() -> None:
        async with asyncio.timeout(60) if hasattr(asyncio, "timeout") else _unlimited():
            await pyfuncitem.function(**arguments)

    asyncio.run(run())
    return True


class _unlimited:
    async def __aenter__(self) -> None:
        return None

    async def __aexit__(self, *error: object) -> None:
        return None


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """The line that `make ci` counts."""
    passed = len(terminalreporter.stats.get("passed", []))
    failed = len(terminalreporter.stats.get("failed", [])) + len(terminalreporter.stats.get("error", []))
    terminalreporter.write_line(f"python-tests: {passed} passed, {failed} failed".replace("python-tests", "python"))


@pytest.fixture
def logged(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    """The package's own log."""
    caplog.set_level("DEBUG", logger="mcpcore")
    return caplog
