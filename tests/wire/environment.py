"""The virtual environment of the tests, build/venv: made when first needed, and only then asks the package index."""

import subprocess
import venv
from pathlib import Path

PLACE = Path(__file__).resolve().parent.parent.parent / "build" / "venv"


def python_with(*packages: str) -> Path:
    """A Python that has these packages, each named with its version (`mcp==2.3.0`)."""
    python = PLACE / "bin" / "python"
    if not python.exists():
        venv.create(PLACE, with_pip=True)
    wanted = dict(package.split("==") for package in packages)
    probe = f"import importlib.metadata as m; assert all(m.version(p) == v for p, v in {wanted!r}.items())"
    if subprocess.run([python, "-c", probe], capture_output=True).returncode:
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *packages], check=True)
    return python
