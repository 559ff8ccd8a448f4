"""The cheap part of ``make same``: what environment variables choose, and repeating calls."""

from __future__ import annotations

import importlib
import shutil
import subprocess

import pytest

from retree import engine
from retree_lab import paths

pytestmark = pytest.mark.slow

SCRIPTS = paths.project_dir() / "scripts"


@pytest.fixture
def same(monkeypatch):
    monkeypatch.syspath_prepend(SCRIPTS)
    module = importlib.import_module("same")
    # Other tests of the same process register toys.
    known = {n: r for n, r in module.golden.ESTIMATORS.items() if not r.target.startswith("toy")}
    monkeypatch.setattr(module.golden, "ESTIMATORS", known)
    return module


def test_an_old_processor_makes_the_same_trees(same):
    """The oldest kernels of OpenBLAS, glibc and numpy, all at once."""
    environment = {}
    for name in ("OPENBLAS_CORETYPE=Prescott", "glibc without FMA", "numpy without AVX2"):
        try:
            environment |= same.ENVIRONMENTS[name]()
        except same.SkippedError as reason:
            pytest.skip(str(reason))
    only = ["c45", "global_svd", "thinned_forest"]
    line, well = same.outcome(lambda: same.recompute(lambda: environment, only))
    assert well, line
    assert "golden fits equal" in line


def test_calls_are_repeated_and_one_bit_is_noticed(same, tmp_path):
    if shutil.which("c++") is None:
        pytest.skip("there is no C++ compiler")
    with same.record.recording(tmp_path):
        same.golden.compute(["cart_lc", "cmdt"])
    calls, library = tmp_path / "calls.bin", engine._folder() / engine._NAME
    include = [f"-I{engine._folder() / 'include'}", f"-I{tmp_path}"]
    what = [
        str(SCRIPTS / "replay.cpp"),
        str(library),
        f"-Wl,-rpath,{library.parent}",
        "-o",
        str(tmp_path / "replay"),
    ]
    subprocess.run(["c++", "-std=c++20", *include, *what], check=True)

    def repeat():
        command = [tmp_path / "replay", calls]
        return subprocess.run(command, capture_output=True, text=True)

    done = repeat()
    assert done.returncode == 0, done.stdout
    n = int(done.stdout.split()[0])
    assert done.stdout == f"{n} of {n} recorded calls of the engine equal\n"
    # The file ends with the values that the last call left, and the number of its results, 0.
    content = bytearray(calls.read_bytes())
    content[-9] ^= 1
    calls.write_bytes(content)
    done = repeat()
    assert done.returncode == 1
    assert f"{n - 1} of {n} recorded calls" in done.stdout


def test_only_what_differs_or_fails_is_not_well(same):
    def done(code, stdout, stderr=""):
        return lambda: subprocess.CompletedProcess([], code, stdout, stderr)

    def skipped():
        raise same.SkippedError("no network")

    assert same.outcome(done(0, "2 of 2 equal\n")) == ("2 of 2 equal", True)
    assert same.outcome(done(1, "a: tree\n1 of 2 equal\n")) == ("1 of 2 equal\na: tree", False)
    assert same.outcome(done(-4, "", "Illegal instruction\n")) == (
        "failed\nIllegal instruction",
        False,
    )
    assert same.outcome(skipped) == ("skipped: no network", True)
