"""The virtual environments of the tests, in build: made when first needed, and only then ask the package index."""

import subprocess
import venv
from pathlib import Path

BUILD = Path(__file__).resolve().parent.parent.parent / "build"


def python_with(*packages: str, place: str = "venv") -> Path:
    """A Python that has these packages, each named with its version (`mcp==2.3.0`). Versions of one package need places of
    their own."""
    python = BUILD / place / "bin" / "python"
    if not python.exists():
        venv.create(BUILD / place, with_pip=True)
    wanted = dict(package.split("==") for package in packages)
    probe = f"import importlib.metadata as m; assert all(m.version(p) == v for p, v in {wanted!r}.items())"
    if subprocess.run([python, "-c", probe], capture_output=True).returncode:
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *packages], check=True)
    return python
