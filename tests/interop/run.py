#!/usr/bin/env python3
"""Runs the official clients against a host: Python and TypeScript over stdio and over HTTP, the whole script each, and
those before them, which speak the older revisions; the MCP Inspector's command line over HTTP. Over HTTP all use the same
process. What one host function answers to them is compared. What they need is fetched once, into build/."""

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import urllib.parse
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "wire"))

sys.path.insert(0, str(HERE.parent / "conformance"))

import environment  # noqa: E402 - it lives beside the wire corpus
import run as conformance  # noqa: E402 - it brings the inspector and the Node that it needs

CLIENT = "mcp==2.3.0"
OLDER_CLIENT = "mcp==1.30.0"
FIXTURE = ["--catalog", "fx", "--page", "7"]
SSE_PATH = "/sse"
# What results of 2026-07-28 have besides.
MODERN = ("resultType", "ttlMs", "cacheScope")


def typescript_client(source: Path, folder: str) -> Path:
    """The script in `source`, beside its packages."""
    place = ROOT / "build" / folder
    lock = source / "package-lock.json"
    installed = place / "package-lock.json"
    place.mkdir(parents=True, exist_ok=True)
    if not (place / "node_modules").exists() or installed.read_bytes() != lock.read_bytes():
        for name in ("package.json", "package-lock.json"):
            shutil.copy(source / name, place / name)
        subprocess.run(["npm", "ci", "--silent", "--no-audit", "--no-fund"], cwd=place, check=True)
    shutil.copy(HERE / "script.mjs", place / "script.mjs")
    return Path(shutil.copy(source / "client.mjs", place / "client.mjs"))


def inspect(url: str) -> int:
    """The inspector lists and calls."""
    node = conformance.install()
    inspector = conformance.PLACE / "node_modules" / ".bin" / "mcp-inspector"
    requests = [
        (["--method", "tools/list"], lambda found: "echo" in [tool["name"] for tool in found["tools"]]),
        (["--method", "resources/list"], lambda found: found["resources"][0]["uri"] == "mem://a"),
        (["--method", "prompts/list"], lambda found: "greet" in [prompt["name"] for prompt in found["prompts"]]),
        (
            ["--method", "tools/call", "--tool-name", "echo", "--tool-arg", "text=é🦀"],
            lambda found: found["content"] == [{"type": "text", "text": "é🦀"}],
        ),
    ]
    passed = failed = 0
    for era, words, holds in [(era, *request) for era in ("modern", "legacy") for request in requests]:
        command = [inspector, "--cli", url, "--transport", "http", "--protocol-era", era, *words]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120,
                              env={**os.environ, "PATH": f"{node}{os.pathsep}{os.environ['PATH']}"})
        good = done.returncode == 0 and holds(json.loads(done.stdout))
        passed += good
        failed += not good
        if not good:
            print(f"FAIL inspector {era} {words}: {done.stdout[-500:]}{done.stderr[-500:]}")
    print(f"inspector: {passed} passed, {failed} failed")
    return 1 if failed else 0


def bare(result: dict) -> str:
    """A result without what the revisions say differs."""
    kept = {name: value for name, value in result.items() if name not in MODERN}
    meta = {key: value for key, value in (kept.pop("_meta", None) or {}).items() if not key.startswith("io.modelcontextprotocol/")}
    return json.dumps({**kept, "_meta": meta} if meta else kept, sort_keys=True)


def compare(answers: Path, clients: int) -> int:
    """Whatever a client speaks and however it came, one host function answers it the same."""
    kept: dict[str, dict[str, list[str]]] = {}
    for line in answers.read_text().splitlines():
        name, client, result = json.loads(line)
        kept.setdefault(name, {}).setdefault(bare(result), []).append(client)
    passed = failed = 0
    for name, kinds in kept.items():
        good = len(kinds) == 1 and sum(map(len, kinds.values())) == clients
        passed += good
        failed += not good
        if not good:
            print(f"FAIL both eras, {name}: {kinds}")
    print(f"both eras: {passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--host", default=str(ROOT / "build" / "examples" / "everything"), help="command of the host")
    parser.add_argument("--no-http", action="store_true", help="stdio alone")
    options = parser.parse_args()
    host_words = shlex.split(options.host)
    command = [*host_words, *FIXTURE]
    python = [environment.python_with(CLIENT), HERE / "client.py"]
    node = ["node", typescript_client(HERE / "typescript", "interop")]
    older_python = [environment.python_with(OLDER_CLIENT, place="venv-legacy"), HERE / "legacy" / "client.py"]
    older_node = ["node", typescript_client(HERE / "legacy" / "typescript", "interop-legacy")]
    with tempfile.TemporaryDirectory() as folder:
        answers = Path(folder) / "answers"

        def run(client: list, *words: str) -> int:
            environ = {**os.environ, "MCPCORE_ANSWERS": str(answers), "PYTHONPATH": str(HERE)}
            return subprocess.run([*client, *words], timeout=300, env=environ).returncode

        codes = [run(client, *command) for client in (python, node)]
        codes += [run(client, *host_words) for client in (older_python, older_node)]
        # Over stdio the older Python client asks in two revisions.
        clients = 5
        if not options.no_http:
            with conformance.Host(shlex.join([*command, "--sse", SSE_PATH])) as host:
                codes += [run(client, host.url) for client in (python, node)]
                older = [host.url, urllib.parse.urljoin(host.url, SSE_PATH)]
                codes += [run(client, *older) for client in (older_python, older_node)]
                codes.append(inspect(host.url))
                # Over HTTP too; and the older clients once more, by two endpoints, in Python in a revision without forms.
                clients += 5 + 1
        codes.append(compare(answers, clients))
    return max(codes)


if __name__ == "__main__":
    sys.exit(main())
