"""Jobs that Hydra's launchers start, each launcher in a process of its own."""

import re
import shutil
import sqlite3
import subprocess
import sys

import pytest

from retree import paths
from retree.errors import UnknownNameError
from retree.launch import find_jobs

ITEM = ("item=many", "methods=[c45]")


@pytest.fixture
def launched(tmp_path):
    """Launch jobs on the study of the stress tests; return exit code, output and folder."""
    study = shutil.copytree(paths.project_dir() / "tests" / "stress_study", tmp_path / "trouble")

    def done(launcher, *words):
        own = [f"hydra/launcher={launcher}", f"hydra.sweep.dir={tmp_path / 'jobs'}"]
        command = [sys.executable, "-m", "retree.launch", "-m", *own]
        run = subprocess.run(
            [*command, "-j", "1", "--study", str(study), *words],
            capture_output=True,
            text=True,
            cwd=tmp_path,
        )
        # What a launcher does not show itself it writes into the folder of the jobs.
        logs = [file.read_text() for file in sorted((tmp_path / "jobs").rglob("*_log.out"))]
        return run.returncode, "\n".join([run.stdout, run.stderr, *logs]), study

    return done


@pytest.mark.parametrize("launcher", ["basic", "joblib", "submitit_local"])
def test_jobs_share_a_store_and_compute_no_cell_twice(launched, launcher):
    code, text, study = launched(launcher, *ITEM, "datasets=[iris],[iris,wine_here]")
    assert code == 0, text
    computed = [int(found) for found in re.findall(r"(\d+) cells? computed", text)]
    assert (len(computed), sum(computed)) == (2, 200), text
    with sqlite3.connect(study / "results" / ".store" / "cells.sqlite") as db:
        assert db.execute("SELECT COUNT(*) FROM cells WHERE error IS NULL").fetchone() == (200,)


def test_a_job_that_fails_is_named(launched):
    code, text, _ = launched("basic", "item=troubled", "methods=[dies]")
    assert code == 1
    assert "methods=[dies] ended with exit code 1: its message stands above" in text


def test_what_does_not_exist_is_said_before_anything_is_launched(launched):
    code, text, study = launched("basic", *ITEM, "datasets=[iris],[wine]")
    assert code == 1
    assert text.startswith("\nUnknown dataset 'wine'. Did you mean 'wine_here'?")
    assert not (study.parent / "jobs").exists()


def test_jobs_are_those_of_multirun():
    words = ["-m", "--jobs", "2", "item=table2", "datasets=[iris],[zoo]", "methods=[c45]"]
    assert find_jobs(words) == [
        ["run", "--jobs", "2", "item=table2", f"datasets=[{name}]", "methods=[c45]"]
        for name in ("iris", "zoo")
    ]
    with pytest.raises(UnknownNameError):
        find_jobs(["paper=none,nothing"])
