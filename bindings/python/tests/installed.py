"""Installs a wheel into an empty environment and runs the README's first program there: installed.py WHEEL."""

import json
import os
import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

README = Path(__file__).resolve().parent.parent / "README.md"
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}


def main() -> int:
    wheel = Path(sys.argv[1]).resolve()
    (program,) = (
        code for code in re.findall(r"```python\n(.*?)```", README.read_text(), re.S) if "A first server" in code
    )
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        venv.create(place / "venv", with_pip=True)
        python = place / "venv" / "bin" / "python"
        # Neither cargo nor the source is in reach.
        environment = {"PATH": f"{python.parent}:/usr/bin:/bin", "HOME": os.environ.get("HOME", folder)}
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", f"{wheel}[pydantic]"]
        subprocess.run(pip, check=True, env={**os.environ, **environment}, cwd=folder)
        (place / "weather.py").write_text(program)
        lines = [
            {"method": "tools/list", "params": {}},
            {"method": "tools/call", "params": {"name": "get_weather", "arguments": {"place": "Oslo"}}},
        ]
        sent = "".join(
            json.dumps({"jsonrpc": "2.0", "id": number, **line, "params": {**line["params"], "_meta": META}}) + "\n"
            for number, line in enumerate(lines)
        )
        done = subprocess.run(
            [python, "weather.py"], input=sent, capture_output=True, text=True, cwd=folder, env=environment, timeout=60
        )
    checks = [done.returncode == 0, "get_weather" in done.stdout, "-3 °C and snow" in done.stdout]
    if not all(checks):
        print(done.stdout, done.stderr, sep="\n")
    print(f"wheel: {sum(checks)} passed, {len(checks) - sum(checks)} failed")
    return 0 if all(checks) else 1


if __name__ == "__main__":
    sys.exit(main())
