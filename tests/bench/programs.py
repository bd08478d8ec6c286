"""Builds what the benches run: ours, and the servers that ours is compared with. Everything goes to build/bench."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = ROOT / "tests" / "bench"
OUT = ROOT / "build" / "bench"
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))


class StepFailed(Exception):
    """A step could not be done; the text says which, and what it said."""


def step(name, command, *, cwd=ROOT, env=None):
    """Runs a command to its end and gives its standard output."""
    print(f"{name} …", file=sys.stderr, flush=True)
    try:
        done = subprocess.run(
            [str(word) for word in command], cwd=cwd, env={**os.environ, **(env or {})}, text=True, capture_output=True
        )
    except OSError as error:
        raise StepFailed(f"{name}: {command[0]} cannot be run: {error}") from error
    if done.returncode != 0:
        tail = (done.stderr or done.stdout).strip().splitlines()[-15:]
        raise StepFailed(f"{name} failed with status {done.returncode}:\n    " + "\n    ".join(tail))
    return done.stdout


def calls():
    """The Rust program of core/benches/calls: cases in process, bare servers, load driver."""
    command = ["cargo", "bench", "--locked", "-p", "mcpcore", "--bench", "calls", "--no-run", "--message-format=json"]
    for line in step("build the Rust benches", command).splitlines():
        message = json.loads(line)
        if message.get("reason") == "compiler-artifact" and message["target"]["name"] == "calls" and message["executable"]:
            return Path(message["executable"])
    raise StepFailed("build the Rust benches: cargo names no program")


def catalog(program, tools):
    """A catalog document with so many tools, as a file."""
    path = OUT / f"catalog-{tools}.json"
    OUT.mkdir(parents=True, exist_ok=True)
    path.write_text(step(f"write a catalog of {tools} tools", [program, "catalog", tools]))
    return path


def echo():
    """Our server in C, a program over the shared library."""
    step("build the C library", ["cargo", "build", "--release", "--locked", "-p", "mcpcore-ffi"])
    OUT.mkdir(parents=True, exist_ok=True)
    library, program = OUT / "libmcpcore.so", OUT / "echo"
    step("strip the C library", ["strip", "-o", library, TARGET / "release" / "libmcpcore.so"])
    soname = re.search(r"SONAME.*\[(.+)\]", step("read its name", ["readelf", "-d", library]))
    link = OUT / soname[1]
    if not link.is_symlink():
        link.symlink_to(library.name)
    flags = ["-std=c11", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{ROOT / 'include'}"]
    libraries = [f"-L{OUT}", "-lmcpcore", f"-Wl,-rpath,{OUT}"]
    step("build the C host", [os.environ.get("CC", "cc"), *flags, HERE / "echo.c", *libraries, "-o", program])
    return [program]


def python(form):
    """The official Python SDK in a virtual environment of its own."""
    home = OUT / "python"
    interpreter = home / "bin" / "python"
    wanted = (HERE / "peers" / "python" / "requirements.txt").read_text()
    stamp = home / "installed"
    if not stamp.exists() or stamp.read_text() != wanted:
        step("make the virtual environment", [sys.executable, "-m", "venv", "--clear", home])
        step("install the Python SDK", [interpreter, "-m", "pip", "install", "--quiet", *wanted.split()])
        stamp.write_text(wanted)
    return [interpreter, HERE / "peers" / "python" / f"{form}.py"]


def typescript(form):
    """The official TypeScript SDK, installed from its lock file beside a copy of the servers."""
    home = OUT / "typescript"
    source = HERE / "peers" / "typescript"
    wanted = (source / "package-lock.json").read_text()
    stamp = home / "installed"
    home.mkdir(parents=True, exist_ok=True)
    for name in ["package.json", "package-lock.json", ".npmrc", "door.mjs", "high.mjs", "low.mjs"]:
        shutil.copy(source / name, home / name)
    if not stamp.exists() or stamp.read_text() != wanted:
        step("install the TypeScript SDK", ["npm", "ci", "--no-audit", "--no-fund"], cwd=home)
        stamp.write_text(wanted)
    return ["node", home / f"{form}.mjs"]


def rmcp():
    """The official Rust SDK, a cargo project with its own lock file."""
    source = HERE / "peers" / "rmcp"
    build = OUT / "rmcp"
    step("build the Rust SDK's server", ["cargo", "build", "--release", "--locked"], cwd=source, env={"CARGO_TARGET_DIR": str(build)})
    return [build / "release" / "mcpcore-bench-peer"]
