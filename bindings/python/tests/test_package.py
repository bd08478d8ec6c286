"""What is shipped: size, versions, cost of the import, documents."""

from __future__ import annotations

import json
import os
import re
import statistics
import sys
from importlib import metadata
from pathlib import Path

import pytest

from conftest import EXAMPLES, run_python

import mcpcore

PACKAGE = Path(__file__).resolve().parent.parent
ROOT = PACKAGE.parent.parent
README = (PACKAGE / "README.md").read_text(encoding="utf-8")


# Acceptance 7.
def test_the_import_loads_nothing_heavy() -> None:
    done = run_python("import sys, mcpcore; print('\\n'.join(sys.modules))")
    loaded = set(done.stdout.split())
    heavy = {"asyncio", "pydantic", "typing", "inspect", "json", "dataclasses", "logging", "threading", "re", "enum"}
    assert not heavy & loaded, heavy & loaded


# The ratio counts, of processor time in the same run.
def test_the_import_costs_less_than_json_and_asyncio() -> None:
    clock = "import time; t = time.process_time(); import {}; print(time.process_time() - t)"
    costs: dict[str, list[float]] = {"mcpcore": [], "json, asyncio": []}
    for _ in range(7):
        for what, found in costs.items():
            found.append(float(run_python(clock.format(what)).stdout))
    ours, theirs = (statistics.median(found) for found in costs.values())
    print(f"import mcpcore: {ours * 1e3:.1f} ms, import json, asyncio: {theirs * 1e3:.1f} ms")
    assert ours < theirs


def test_one_version() -> None:
    workspace = re.search(r'\[workspace\.package\]\nversion = "([^"]+)"', (ROOT / "Cargo.toml").read_text())
    assert workspace is not None
    assert mcpcore.__version__ == workspace[1]
    header = (ROOT / "include" / "mcpcore.h").read_text()
    parts = [re.search(rf"#define MCP_VERSION_{part} (\d+)", header) for part in ("MAJOR", "MINOR", "PATCH")]
    assert ".".join(part[1] for part in parts if part) == mcpcore.__version__
    if os.environ.get("MCPCORE_WHEEL"):
        assert metadata.version("mcpcore") == mcpcore.__version__


@pytest.mark.skipif("MCPCORE_WHEEL" not in os.environ, reason="no wheel was made: run make test-python")
def test_the_wheel() -> None:
    wheel = Path(os.environ["MCPCORE_WHEEL"])
    print(f"{wheel.name}: {wheel.stat().st_size} bytes")
    assert wheel.stat().st_size < 8 << 20
    assert re.match(r"mcpcore-[\d.]+-cp310-abi3-", wheel.name)
    assert Path(mcpcore.__file__).is_relative_to(sys.prefix), "the tests run the installed package"
    files = {str(file) for file in metadata.files("mcpcore") or []}
    assert {"mcpcore/py.typed", "mcpcore/_mcpcore.pyi", "mcpcore/_mcpcore.abi3.so"} <= files
    assert metadata.metadata("mcpcore")["Requires-Python"] == ">=3.10"


def blocks() -> list[str]:
    return re.findall(r"```python\n(.*?)```", README, re.S)


def test_every_example_of_the_readme_runs(tmp_path: Path) -> None:
    (tmp_path / "weather.py").write_text((EXAMPLES / "weather.py").read_text())
    found = blocks()
    assert len(found) >= 6
    for code in found:
        # A server that would wait for a client is only made.
        done = run_python(code.replace('if __name__ == "__main__":', "if False:"), cwd=tmp_path)
        assert done.returncode == 0, code + done.stderr


def test_examples_stand_in_the_readme() -> None:
    for name in ("weather.py", "fastapi_app.py"):
        assert (EXAMPLES / name).read_text() in blocks(), name


def test_everything_public_is_named() -> None:
    assert sorted(mcpcore.__all__) == mcpcore.__all__
    for name in mcpcore.__all__:
        found = getattr(mcpcore, name)
        assert name == "__version__" or found.__doc__, name
    with pytest.raises(AttributeError):
        mcpcore.nothing  # type: ignore[attr-defined]  # noqa: B018


def test_errors_have_one_root() -> None:
    errors = [value for value in vars(mcpcore.errors).values() if isinstance(value, type)]
    for error in errors:
        assert issubclass(error, mcpcore.Error) or error.__name__ == "InputRequired", error


# A pair needs neither pydantic nor an event loop.
def test_a_pair_without_pydantic_and_asyncio() -> None:
    code = """
import sys
sys.modules["pydantic"] = None
from mcpcore import Server
server = Server("s", "1", catalog={"tools": [{"name": "t"}]}, dispatch=lambda call: "x")
line = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}'
print(server.handle_sync(line))
assert "asyncio" not in sys.modules
"""
    done = run_python(code)
    assert json.loads(done.stdout)["result"]["content"][0]["text"] == "x", done.stderr
