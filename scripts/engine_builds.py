"""Builds of the engine in a copy of the sources, for ``make stress`` to kill."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from processes import start

_ROOT = Path(__file__).resolve().parents[1]
_FILES = (
    "CMakeLists.txt",
    "Makefile",
    "README.md",
    "LICENSE",
    "pyproject.toml",
    "requirements.lock",
    "requirements-dev.lock",
    "requirements-build.lock",
)
_FIT = (
    "from sklearn.datasets import load_iris; from retree import CartClassifier; "
    "print(CartClassifier().fit(*load_iris(return_X_y=True)).get_n_leaves())"
)


def copy_of_the_sources(folder: Path) -> Path:
    """Return a folder in which `make engine` builds, with the packages of this environment."""
    ignored = shutil.ignore_patterns("_engine", "__pycache__")
    for name in ("src", "scripts"):
        shutil.copytree(_ROOT / name, folder / name, ignore=ignored)
    for name in _FILES:
        shutil.copy(_ROOT / name, folder)
    subprocess.run([sys.executable, "-m", "venv", str(folder / ".venv")], check=True)
    (site,) = (folder / ".venv").glob("lib/*/site-packages")
    (site / "packages.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    # As if all had been built before the sources changed, and after the packages did.
    ready = folder / ".venv" / ".ready"
    ready.touch()
    os.utime(ready, (1, 1))
    for lock in folder.glob("requirements*.lock"):
        os.utime(lock, (0, 0))
    return folder


def make_engine(folder: Path) -> subprocess.Popen[str]:
    """Start `make engine` with this environment's CMake and Ninja."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return start(["make", "engine"], cwd=folder, env={**os.environ, "PATH": path})


def is_whole(folder: Path, *, built: bool = False) -> bool:
    """Return whether the engine in `folder` grows the right tree or, unless `built`, is missing."""
    env = {**os.environ, "RETREE_ENGINE": str(folder / "src" / "retree" / "_engine")}
    run = subprocess.run([sys.executable, "-c", _FIT], env=env, capture_output=True, text=True)
    if run.returncode == 0:
        return run.stdout.strip() == "9"
    return not built and "run `make" in run.stderr.splitlines()[-1]
