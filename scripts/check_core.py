"""Check that the estimators need nothing but what retree depends on.

Usage: python check_core.py ARCHIVE, a wheel or a source archive. It is installed into an empty
environment of this Python with its dependencies alone; then every estimator is fitted there, what
needs an extra must say which, and a typed program of a user is checked if mypy is at hand. How much
is installed and how long the import of an estimator takes are printed.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1] / "tests"


def main(archive: Path) -> None:
    """Install the archive and use it."""
    with tempfile.TemporaryDirectory() as scratch:
        environment = Path(scratch) / "environment"
        venv.EnvBuilder(with_pip=True).create(environment)
        folder = environment / ("Scripts" if os.name == "nt" else "bin")
        python = folder / "python"
        before = _megabytes(environment)
        options = ["--quiet", "--disable-pip-version-check"]
        _run(python, "-m", "pip", "install", *options, str(archive.resolve()))
        print(f"Installed: {_megabytes(environment) - before:.0f} MB.", flush=True)
        _run(python, "-I", str(TESTS / "core_program.py"), folder=scratch)
        finished = subprocess.run(
            [folder / "retree", "plan", "item=all"], capture_output=True, text=True
        )
        if finished.returncode != 2 or "retree[lab]" not in finished.stderr:
            raise SystemExit(f"The command does not say what it lacks: {finished.stderr}")
        print(finished.stderr.strip())
        if importlib.util.find_spec("mypy"):
            strict = ["-m", "mypy", "--strict", "--cache-dir", scratch, "--config-file", os.devnull]
            program = ["--python-executable", str(python), str(TESTS / "typed_program.py")]
            _run(Path(sys.executable), *strict, *program)


def _run(python: Path, *arguments: str, folder: str | None = None) -> None:
    subprocess.run([str(python), *arguments], check=True, cwd=folder)


def _megabytes(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


if __name__ == "__main__":
    main(Path(sys.argv[1]))
