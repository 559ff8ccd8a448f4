"""Make the virtual environment and install retree in it: ``make setup``.

Usage: python set_up.py VENV [--engine | --dev]. With --engine, only build the engine and install
retree, where the packages are there; with --dev, add what developing and testing need.
uv, from PyPI, does the installing where it can be installed itself; it takes a fraction of pip's
time. Every step says what it does and how long it took. This needs nothing but Python and pip.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COMPILERS = ("c++", "g++", "clang++", "cl")
BUILDERS = ("pip", "cmake", "ninja", "packaging", "pathspec", "scikit-build-core")
QUIET = ("--quiet", "--disable-pip-version-check", "--no-warn-script-location")
IMPORTED = ("hydra", "joblib", "matplotlib.pyplot", "pandas", "rich.console", "scipy.stats",
            "sklearn.tree")  # fmt: skip
LOCK, DEV_LOCK = ROOT / "requirements.lock", ROOT / "requirements-dev.lock"
BUILD_LOCK = ROOT / "requirements-build.lock"
# A lock names all that its packages need, with a hash of each archive that may be installed.
LOCKED = ("--require-hashes", "--no-deps", "--requirement")
OLDEST, NEWEST = (3, 11), (3, 14)


def main(venv: Path, what: str = "") -> None:
    """Make or complete the environment `venv`; the interpreter is the one that runs this."""
    if what == "--dev":
        _step("Adding what tests need", lambda: install(venv, [*LOCKED, str(DEV_LOCK)]))
        return
    check_python(sys.version_info[:2])
    if what != "--engine":
        _step(f"Making {venv} with Python {sys.version.split()[0]}", lambda: _make(venv))
        _step("Installing the installer uv", lambda: _install_uv(venv))
        builders = [*LOCKED, str(_locked(venv, *BUILDERS))]
        _step("Installing what builds the engine", lambda: install(venv, builders))
    if "CXX" not in os.environ and not any(map(shutil.which, COMPILERS)):
        name = "Installing a C++ compiler, as this machine has none"
        _step(name, lambda: os.environ.update(CXX=str(install_zig(venv))))
    if what == "--engine":
        _step("Building the engine", lambda: _build(venv))
    else:
        _step("Building the engine, and installing what else retree needs", lambda: _both(venv))


def check_python(version: tuple[int, int]) -> None:
    """Refuse a Python for which retree is not tested."""
    if not OLDEST <= version <= NEWEST:
        oldest, newest, this = (".".join(map(str, v)) for v in (OLDEST, NEWEST, version))
        sys.exit(
            f"retree is tested with Python {oldest} to {newest}, and this is Python {this}: choose"
            f" another, as in make setup PYTHON=python{newest}"
        )


def _step(what: str, action: Callable[[], None]) -> None:
    print(f"{what} …", end=" ", flush=True)
    started = time.monotonic()
    action()
    print(f"{time.monotonic() - started:.0f} s", flush=True)


def _make(venv: Path) -> None:
    # Python takes 5 s to give it a pip; uv installs one in a moment.
    _run([sys.executable, "-m", "venv", "--without-pip", str(venv)])


def _install_uv(venv: Path) -> None:
    for command in (_outer_pip, _pip):
        with suppress(subprocess.CalledProcessError):
            _run([*command(venv), *LOCKED, str(_locked(venv, "uv"))], shows=False)
            return
    print("not available here, pip does the work …", end=" ", flush=True)


def install(venv: Path, arguments: Sequence[str]) -> None:
    """Install with uv, or with pip if uv is not there or fails (say, for a proxy of its own)."""
    python = venv / "bin" / "python"
    uv = venv / "bin" / "uv"
    if uv.exists():
        command = [str(uv), "pip", "install", "--quiet", "--python", str(python), *arguments]
        if subprocess.run(command, env=_environment(venv), capture_output=True).returncode == 0:
            return
        print("uv fails, pip does the work …", end=" ", flush=True)
    _run([*_pip(venv), *arguments])


def _locked(venv: Path, *names: str) -> Path:
    """Write the requirements called `names` of what builds, with their hashes, and return where."""
    entries = re.split(r"\n(?=\S)", BUILD_LOCK.read_text())
    chosen = venv.resolve() / f"{names[0]}.lock"
    chosen.write_text("\n".join(e for e in entries if e.partition("==")[0] in names) + "\n")
    return chosen


def _both(venv: Path) -> None:
    with ThreadPoolExecutor(1) as other:
        rest = other.submit(_install_rest, venv)
        _build(venv)
        rest.result()


def _install_rest(venv: Path) -> None:
    install(venv, [*LOCKED, str(LOCK)])
    # Python compiles what it imports first: here beside the engine, else before the first result.
    _run([str(venv / "bin" / "python"), "-c", f"import {', '.join(IMPORTED)}"])


def _build(venv: Path) -> None:
    """Build the engine and install retree so that it runs from the sources."""
    # CMake and Ninja are those of the environment.
    path = f"{venv.resolve() / 'bin'}{os.pathsep}{os.environ['PATH']}"
    retree = ["--no-deps", "--no-build-isolation", "--editable", str(ROOT)]
    if os.environ.get("CI"):
        retree.append("--config-settings=cmake.define.RETREE_WARNINGS_ARE_ERRORS=ON")
    # Not with uv, which waits while another installs something.
    with _alone(ROOT / "build" / ".lock"):
        _run([*_pip(venv), *retree], env={**os.environ, "PATH": path})


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """Wait until no other build writes to the folder; the system frees the lock of a dead one."""
    lock.parent.mkdir(exist_ok=True)
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def install_zig(venv: Path) -> Path:
    """Install zig and return a command that is its C++ compiler, clang."""
    install(venv, [*LOCKED, str(_locked(venv, "ziglang"))])
    compiler = venv.resolve() / "bin" / "zig-c++"
    # It keeps what it has built for all programs, by itself in the home, which may be readonly.
    compiler.write_text(
        f'#!/bin/sh\nexport ZIG_GLOBAL_CACHE_DIR="{venv.resolve()}/zig"\n'
        f'exec "{venv.resolve()}/bin/python" -m ziglang c++ "$@"\n'
    )
    compiler.chmod(0o755)
    return compiler


def _outer_pip(venv: Path) -> list[str]:
    """Return the command that installs with the pip of this interpreter, which may have none."""
    return [sys.executable, "-m", "pip", "--python", str(venv), "install", *QUIET]


def _pip(venv: Path) -> list[str]:
    """Return the command that installs with the environment's own pip, which is made if need be."""
    python = str(venv / "bin" / "python")
    if not any(venv.glob("lib*/python*/site-packages/pip")):
        _run([python, "-m", "ensurepip", "--default-pip"])
    return [python, "-m", "pip", "install", *QUIET]


def _environment(venv: Path) -> dict[str, str]:
    """Return the environment for uv: the system's certificates, and a cache that can be written."""
    added = {"UV_NATIVE_TLS": "true", "UV_NO_CONFIG": "true"}
    if not os.access(Path.home(), os.W_OK):
        added["UV_CACHE_DIR"] = str(venv.resolve() / "cache-of-uv")
    return {**added, **os.environ}


def _run(
    command: Sequence[str], env: Mapping[str, str] | None = None, *, shows: bool = True
) -> None:
    """Run a command in silence; show what it said only if it fails."""
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env
    )
    if done.returncode:
        if shows:
            print(f"\n{done.stdout}", file=sys.stderr)
        done.check_returncode()


def _stop(number: int, frame: object) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _stop)
    try:
        main(Path(sys.argv[1]), *sys.argv[2:])
    except subprocess.CalledProcessError as error:
        sys.exit(
            f"Set-up failed at: {' '.join(map(str, error.cmd))}\nIts message stands above; check"
            " the network and the C++ compiler (CXX=... chooses one), then run make again."
        )
    except KeyboardInterrupt:
        sys.exit("\nInterrupted: run make again, it goes on with what is missing.")
