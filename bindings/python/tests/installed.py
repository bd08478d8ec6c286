"""Installs a wheel into an empty environment and runs the first program of each README there: installed.py WHEEL."""

import json
import os
import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
# Each README, a call of the tool of its first program, and the answer.
FIRST = [
    (PACKAGE / "README.md", {"name": "get_weather", "arguments": {"place": "Oslo"}}, "-3 °C and snow"),
    (PACKAGE.parent.parent / "README.md", {"name": "greet", "arguments": {"name": "Ann"}}, "Hello Ann!"),
]
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}


def first_program(readme: Path) -> str:
    found = re.search(r"```python\n(.*?)```", readme.read_text(encoding="utf-8"), re.S)
    assert found is not None, readme
    return found[1]


def main() -> int:
    wheel = Path(sys.argv[1]).resolve()
    checks = []
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        venv.create(place / "venv", with_pip=True)
        python = place / "venv" / "bin" / "python"
        # Neither cargo nor the source is in reach.
        environment = {"PATH": f"{python.parent}:/usr/bin:/bin", "HOME": os.environ.get("HOME", folder)}
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", f"{wheel}[pydantic]"]
        subprocess.run(pip, check=True, env={**os.environ, **environment}, cwd=folder)
        for readme, call, answer in FIRST:
            (place / "first.py").write_text(first_program(readme), encoding="utf-8")
            lines = [{"method": "tools/list", "params": {}}, {"method": "tools/call", "params": call}]
            sent = "".join(
                json.dumps({"jsonrpc": "2.0", "id": number, **line, "params": {**line["params"], "_meta": META}}) + "\n"
                for number, line in enumerate(lines)
            )
            done = subprocess.run(
                [python, "first.py"],
                input=sent,
                capture_output=True,
                text=True,
                cwd=folder,
                env=environment,
                timeout=60,
            )
            seen = [done.returncode == 0, f'"name":"{call["name"]}"' in done.stdout, answer in done.stdout]
            if not all(seen):
                print(readme, done.stdout, done.stderr, sep="\n")
            checks += seen
    print(f"wheel: {sum(checks)} passed, {len(checks) - sum(checks)} failed")
    return 0 if all(checks) else 1


if __name__ == "__main__":
    sys.exit(main())
