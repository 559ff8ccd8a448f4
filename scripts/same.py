"""Recompute the golden sample under other kernels, compilers and processors: ``make same``.

It prints one line for each combination, and below it what differs. What this machine cannot run is
skipped, with the reason; the exit code is 1 if anything differs, and only then.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

import golden
import record
import set_up
from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__
from threadpoolctl import threadpool_info

ROOT, VENV = Path(__file__).resolve().parents[1], Path(sys.prefix)
BUILD = ROOT / "build" / "same"
# The oldest release that retree takes.
NUMPY = "numpy==2.0.2"
# Kernels of OpenBLAS, and what each needs of the processor.
KERNELS = {"Prescott": "SSE3", "Sandybridge": "AVX", "Haswell": "AVX2", "SkylakeX": "AVX512_SKX"}
AVX512 = [name for name in __cpu_dispatch__ if name.startswith("AVX512") or name == "X86_V4"]
AVX2 = [name for name in __cpu_dispatch__ if name in ("AVX2", "FMA3", "X86_V3")]
Done = subprocess.CompletedProcess[str]


class SkippedError(Exception):
    """A combination that this machine cannot run; the message says why."""


def kernel(name: str) -> dict[str, str]:
    """Choose the kernel of OpenBLAS."""
    _need(KERNELS[name])
    if all(pool["internal_api"] != "openblas" for pool in threadpool_info()):
        raise SkippedError("numpy has no OpenBLAS here")
    return {"OPENBLAS_CORETYPE": name}


def glibc() -> dict[str, str]:
    """Choose the functions of glibc that do without FMA and AVX2."""
    if platform.libc_ver()[0] != "glibc":
        raise SkippedError("the C library is not glibc")
    _need("FMA3")
    # Before glibc 2.33 the names were others; it takes no notice of those that it does not know.
    return {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-AVX2_Usable,-FMA_Usable"}


def numpy_without(features: Sequence[str]) -> dict[str, str]:
    """Choose the loops of numpy that do without some features of the processor."""
    available = [name for name in features if __cpu_features__[name]]
    if not available:
        raise SkippedError("numpy has no such loops for this processor")
    return {"NPY_DISABLE_CPU_FEATURES": " ".join(available)}


def threads(n: int) -> dict[str, str]:
    """Choose the number of threads."""
    return {"OPENBLAS_NUM_THREADS": str(n), "OMP_NUM_THREADS": str(n)}


def other_numpy() -> dict[str, str]:
    """Put another release of numpy before that of the environment."""
    folder = BUILD / NUMPY
    arguments = ["--no-deps", "--target", str(folder), NUMPY]
    _install(NUMPY, lambda: set_up.install(VENV, arguments))
    return {"PYTHONPATH": str(folder)}


def engine(compiler: str, level: str) -> dict[str, str]:
    """Build the engine with another compiler or level of optimisation."""
    command = shutil.which("g++") if compiler == "g++" else _clang()
    if command is None:
        raise SkippedError("there is no g++")
    folder = BUILD / f"{compiler}{level}"
    place = folder / "_engine"
    _build(folder, "install", command, level, f"-DRETREE_PLACE={place}")
    return {"RETREE_ENGINE": str(place)}


ENVIRONMENTS: Mapping[str, Callable[[], dict[str, str]]] = {
    **{f"OPENBLAS_CORETYPE={name}": partial(kernel, name) for name in KERNELS},
    "glibc without FMA": glibc,
    "numpy without AVX-512": partial(numpy_without, AVX512),
    "numpy without AVX2": partial(numpy_without, [*AVX512, *AVX2]),
    "one thread": partial(threads, 1),
    "two threads": partial(threads, 2),
    NUMPY.replace("==", " "): other_numpy,
    **{
        f"engine by {compiler} {level}": partial(engine, compiler, level)
        for compiler in ("g++", "clang")
        for level in ("-O2", "-O3")
    },
}


def recompute(environment: Callable[[], Mapping[str, str]], only: Sequence[str] = ()) -> Done:
    """Recompute the golden sample, or that of `only` some estimators, in an environment."""
    script = [sys.executable, str(ROOT / "scripts" / "golden.py")]
    return _run([*script, *(["--only", *only] if only else [])], {**os.environ, **environment()})


def arm() -> Done:
    """Record the calls of the engine and repeat them on an emulated 64-bit ARM processor."""
    emulator = shutil.which("qemu-aarch64-static")
    if emulator is None:
        raise SkippedError("there is no qemu-aarch64-static (Debian: qemu-user-static)")
    compiler, calls, folder = _clang(), BUILD / "calls", BUILD / "arm"
    with record.recording(calls):
        golden.compute()
    cross = ["-DCMAKE_SYSTEM_NAME=Linux", "-DCMAKE_SYSTEM_PROCESSOR=aarch64"]
    # Of the C libraries that zig has, musl is the one that links statically.
    cross += ["-DCMAKE_CXX_FLAGS=-target aarch64-linux-musl", f"-DRETREE_REPLAY={calls}"]
    _build(folder, "replay", compiler, "-O3", *cross)
    return _run([emulator, str(folder / "replay"), str(calls / "calls.bin")])


def outcome(run: Callable[[], Done]) -> tuple[str, bool]:
    """Return what to print of a combination, and whether it is well."""
    try:
        done = run()
    except SkippedError as reason:
        return f"skipped: {reason}", True
    except subprocess.CalledProcessError as error:
        return f"failed: {error}\n{error.stdout}", False
    *details, line = done.stdout.splitlines() or [*done.stderr.splitlines(), "failed"]
    return "\n".join([line, *details]), done.returncode == 0


def main() -> int:
    """Print one line for each combination, and return the exit code."""
    runs = {name: partial(recompute, environment) for name, environment in ENVIRONMENTS.items()}
    all_well = True
    for name, run in [*runs.items(), ("64-bit ARM", arm)]:
        text, well = outcome(run)
        print(f"{name}: {text}", flush=True)
        all_well &= well
    return int(not all_well)


def _need(feature: str) -> None:
    if not __cpu_features__.get(feature):
        raise SkippedError(f"this processor has no {feature}")


def _install(what: str, action: Callable[[], Any]) -> Any:
    """Install in silence, or say that it cannot be done; return what `action` does."""
    with redirect_stdout(StringIO()), redirect_stderr(sys.stdout):
        try:
            return action()
        except subprocess.CalledProcessError:
            raise SkippedError(f"{what} cannot be installed here") from None


def _clang() -> str:
    return str(_install("clang", lambda: set_up.install_zig(VENV)))


def _build(folder: Path, target: str, compiler: str, level: str, *options: str) -> None:
    """Build a target of the engine in a folder of its own."""
    # CMake and Ninja are those of the environment, or of the machine.
    environment = {**os.environ, "PATH": f"{VENV / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    how = [f"-DCMAKE_CXX_COMPILER={compiler}", f"-DCMAKE_CXX_FLAGS_DEBUG={level}", *options]
    configure = ["cmake", "-S", str(ROOT), "-B", str(folder), "-G", "Ninja"]
    _run([*configure, "-DCMAKE_BUILD_TYPE=Debug", *how], environment).check_returncode()
    _run(["cmake", "--build", str(folder), "--target", target], environment).check_returncode()


def _run(command: Sequence[str], environment: Mapping[str, str] | None = None) -> Done:
    return subprocess.run(command, env=environment, capture_output=True, text=True)


if __name__ == "__main__":
    sys.exit(main())
