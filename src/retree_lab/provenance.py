"""With what code, versions and kernels, on what machine, from what commit a run was made."""

from __future__ import annotations

import datetime
import hashlib
import importlib
import os
import platform
import subprocess
from collections.abc import Mapping
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from numpy.lib import introspect
from threadpoolctl import threadpool_info

import retree
from retree import __version__
from retree.engine import sources as engine_sources
from retree_lab import paths

PACKAGES = ("numpy", "scipy", "scikit-learn", "pandas", "joblib")
# Of a machine and its libraries, what the last bits of a number may come from.
BITS = {"cpu": "", "blas": "", "simd": "numpy's loops for "} | {
    name: f"{name} " for name in ("numpy", "scipy", "scikit-learn", "retree")
}
DIGITS = 12
NOT_NOTED = {"cpu": "processor", "blas": "BLAS kernel", "simd": "numpy's loops"}


def now() -> str:
    """Return the time, UTC, as ISO 8601 text to the second."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def commit_date() -> str | None:
    """Return the day of the present commit, None if it is not known."""
    return _git("show", "--no-patch", "--format=%cs", "HEAD")


def provenance() -> dict[str, Any]:
    """Return commit, code, versions and processor; None where a thing is not known."""
    return {**commit_state(), **environment()}


def commit_state() -> dict[str, Any]:
    """Return the present commit, and whether there are changes after it; None if unknown."""
    commit = _git("rev-parse", "HEAD")
    dirty = None if commit is None else bool(_git("status", "--porcelain"))
    return {"commit": commit, "dirty": dirty}


def environment() -> dict[str, Any]:
    """Return the hash of the code, versions, platform and processor of this process."""
    return {
        "code": code_hash(),
        "python": platform.python_version(),
        "retree": __version__,
        **{package: _version(package) for package in PACKAGES},
        "platform": platform.platform(),
        "cpu": processor(),
        "cores": os.cpu_count(),
        **kernels(),
    }


@cache
def code_hash() -> str:
    """Return a hash of both packages' Python files, and of the sources of the compiled engine."""
    digest = hashlib.sha256(repr(sorted(engine_sources().items())).encode())
    for package in (Path(retree.__file__).parent, Path(__file__).parent):
        for path in sorted(package.rglob("*.py")):
            name = path.relative_to(package.parent).as_posix()
            digest.update(f"\0{name}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:DIGITS]


def kernels() -> dict[str, str | None]:
    """Return which kernels the libraries chose on this processor; None where that is not known.

    Processors of one name may get different ones. ``blas`` names each BLAS with its version and
    core type, ``simd`` the instructions that numpy's logarithm is made of.
    """
    # A BLAS is known once it is loaded.
    importlib.import_module("scipy.linalg")
    names = ("internal_api", "version", "architecture")
    chosen = {
        " ".join(str(library[name]) for name in names if library.get(name))
        for library in threadpool_info()
        if library["user_api"] == "blas"
    }
    loops = introspect.opt_func_info(func_name="^log$", signature="float64")
    simd = next((loop["current"] for loop in loops.get("log", {}).values()), None)
    return {"blas": ", ".join(sorted(chosen)) or None, "simd": simd}


def bits_text(run: Mapping[str, Any]) -> str:
    """Describe the platform that a run's last bits may depend on; the run is as in `provenance`.

    Facts that the run did not record are listed last.
    """
    facts = [f"{label}{run[name]}" for name, label in BITS.items() if run.get(name)]
    unknown = [NOT_NOTED.get(name, name) for name in BITS if not run.get(name)]
    return ", ".join(facts) + (f" (not noted: {', '.join(unknown)})" if unknown else "")


def machine(cpu: str | None, cores: int | None) -> str:
    """Return the machine that times depend on, as the keys of timed cells name it."""
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
    # The environment of an installed retree may lie in a repository of the user.
    if not paths.is_checkout():
        return None
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
