#!/usr/bin/env python3
"""Runs the official Python and TypeScript clients, and those before them, which speak the older revisions, against a host.
What they need is fetched once, into build/."""

import argparse
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "wire"))

import environment  # noqa: E402 - it lives beside the wire corpus

CLIENT = "mcp==2.3.0"
OLDER_CLIENT = "mcp==1.30.0"


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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--host", default=str(ROOT / "build" / "examples" / "everything"), help="command of the host")
    host = shlex.split(parser.parse_args().host)
    commands = [
        [environment.python_with(CLIENT), HERE / "client.py", *host],
        ["node", typescript_client(HERE / "typescript", "interop"), *host],
        [environment.python_with(OLDER_CLIENT, place="venv-legacy"), HERE / "legacy" / "client.py", *host],
        ["node", typescript_client(HERE / "legacy" / "typescript", "interop-legacy"), *host],
    ]
    return max(subprocess.run(command, timeout=300).returncode for command in commands)


if __name__ == "__main__":
    sys.exit(main())
