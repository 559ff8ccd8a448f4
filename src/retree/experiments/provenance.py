"""On what machine, with what versions, from what commit a run was made."""

from __future__ import annotations

import datetime
import os
import platform
import subprocess
from importlib import metadata
from pathlib import Path
from typing import Any

from retree import paths

PACKAGES = ("retree", "numpy", "scipy", "scikit-learn", "pandas", "joblib")


def now() -> str:
    """Return the time, UTC, as ISO 8601 text to the second."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def provenance() -> dict[str, Any]:
    """Return commit, versions, platform and processor; None where a thing is not known."""
    commit = _git("rev-parse", "HEAD")
    return {
        "commit": commit,
        "dirty": None if commit is None else bool(_git("status", "--porcelain")),
        "python": platform.python_version(),
        **{package: _version(package) for package in PACKAGES},
        "platform": platform.platform(),
        "cpu": processor(),
        "cores": os.cpu_count(),
    }


def machine(cpu: str | None, cores: int | None) -> str:
    """Return what times depend on, as the keys of cells that run alone name it."""
    return f"{cpu}, {cores} cores"


def this_machine() -> str:
    """Return this machine as `machine` names it."""
    return machine(processor(), os.cpu_count())


def processor() -> str | None:
    """Return the name of the processor, None if it is not known."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or None)


def _git(*arguments: str) -> str | None:
    command = ["git", "-C", str(paths.project_dir()), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
