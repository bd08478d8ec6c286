#!/usr/bin/env python3
"""Runs the official clients against a host: Python and TypeScript over stdio and over HTTP, the whole script each; those
before them, which speak the older revisions, over stdio; the MCP Inspector's command line over HTTP. What they need is
fetched once, into build/."""

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
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
    for words, holds in requests:
        command = [inspector, "--cli", url, "--transport", "http", "--protocol-era", "modern", *words]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120,
                              env={**os.environ, "PATH": f"{node}{os.pathsep}{os.environ['PATH']}"})
        good = done.returncode == 0 and holds(json.loads(done.stdout))
        passed += good
        failed += not good
        if not good:
            print(f"FAIL inspector {words}: {done.stdout[-500:]}{done.stderr[-500:]}")
    print(f"inspector: {passed} passed, {failed} failed")
    return 1 if failed else 0


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
    codes = [subprocess.run([*client, *command], timeout=300).returncode for client in (python, node)]
    codes += [subprocess.run([*client, *host_words], timeout=300).returncode for client in (older_python, older_node)]
    if not options.no_http:
        with conformance.Host(shlex.join(command)) as host:
            codes += [subprocess.run([*client, host.url], timeout=300).returncode for client in (python, node)]
            codes.append(inspect(host.url))
    return max(codes)


if __name__ == "__main__":
    sys.exit(main())
