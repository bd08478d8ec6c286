#!/usr/bin/env python3
"""Runs the official JSON Schema test suite of each dialect against our validator.

The suite comes out of the source package of PyPI's `jsonschema`, which carries it; it is fetched once, into
build/json-schema: a file a dialect, a case a line, with the name of its file.
"""

import hashlib
import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLACE = ROOT / "build" / "json-schema"
PACKAGE = "jsonschema==4.25.1"
DIGEST = "e4a9655ce0da0c0b67a085847e00a3a51449e1157f4f75e9fb5aa545e122eb85"
DIALECTS = {
    "draft4": "draft-04",
    "draft6": "draft-06",
    "draft7": "draft-07",
    "draft2019-09": "2019-09",
    "draft2020-12": "2020-12",
}


def fetch() -> Path:
    PLACE.mkdir(parents=True, exist_ok=True)
    archive = PLACE / f"{PACKAGE.replace('==', '-')}.tar.gz"
    if not archive.exists():
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "--no-deps", "--no-binary", ":all:", "--dest", PLACE, PACKAGE], check=True)
    if hashlib.sha256(archive.read_bytes()).hexdigest() != DIGEST:
        raise SystemExit(f"{archive} is not the package that was meant; remove it and try again")
    return archive


def unpack(archive: Path) -> None:
    cases = {name: [] for name in DIALECTS}
    with tarfile.open(archive) as tar:
        for member in sorted(tar.getnames()):
            # jsonschema-4.25.1/json/tests/DIALECT/FILE.json, FILE perhaps in a folder of its own
            parts = member.split("/", 4)
            if parts[1:3] != ["json", "tests"] or not member.endswith(".json") or parts[3] not in cases:
                continue
            for case in json.load(tar.extractfile(member)):
                cases[parts[3]].append({"file": parts[4].removesuffix(".json"), **case})
    for name, lines in cases.items():
        text = "".join(json.dumps(line, separators=(",", ":"), ensure_ascii=False) + "\n" for line in lines)
        (PLACE / f"{DIALECTS[name]}.jsonl").write_text(text)


def main() -> int:
    unpack(fetch())
    command = [os.environ.get("CARGO", "cargo"), "test", "-q", "-p", "mcpcore", "--lib", "official_suite", "--", "--ignored"]
    return subprocess.run(command, cwd=ROOT, env={**os.environ, "MCP_SCHEMA_SUITE": str(PLACE)}).returncode


if __name__ == "__main__":
    sys.exit(main())
