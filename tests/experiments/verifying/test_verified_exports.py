"""Which committed cells were verified, and which are drawn at random."""

from __future__ import annotations

import subprocess
from collections import Counter

import pytest

from retree_lab import paths
from retree_lab.experiments.definition.config import load_experiment
from retree_lab.experiments.storing.exports import CELLS, export_folders
from retree_lab.experiments.storing.planned import plan_all
from retree_lab.experiments.storing.store import open_store
from retree_lab.experiments.verifying.verification import draw_cells
from retree_lab.experiments.verifying.verified import FILE, SUMS, note_exports, unverified_exports
from retree_lab.study.composing import compose

RESULTS = paths.project_dir() / "results"


@pytest.fixture
def committed(tmp_path):
    for paper in ("one", "two"):
        (tmp_path / paper).mkdir()
        (tmp_path / paper / CELLS).write_text(f"cells of {paper}")
    (tmp_path / FILE).write_text("{}")
    return tmp_path


def test_where_nothing_was_verified_nothing_is_said(committed):
    assert unverified_exports("one", committed) == []


def test_other_cells_are_named_until_they_are_verified(committed):
    note_exports(["one", "two"], committed)
    assert not any(unverified_exports(name, committed) for name in ("one", "two", ""))
    (committed / "one" / CELLS).write_text("cells of onf")
    (committed / "two" / "provenance.json").write_text("{}")
    assert [CELLS in text for text in unverified_exports("one", committed)] == [True]
    assert "retree verify paper=two" in unverified_exports("two", committed)[0]
    note_exports(["one"], committed)
    assert unverified_exports("one", committed) == []
    assert unverified_exports("two", committed)


def test_an_edited_note_or_a_lost_file_is_named(committed):
    note_exports(["one", "two"], committed)
    (committed / FILE).write_text("{ }")
    (committed / "two" / CELLS).unlink()
    assert FILE in unverified_exports("", committed)[0]
    assert CELLS in unverified_exports("two", committed)[0]


def test_the_checksums_are_what_sha256sum_checks(committed):
    note_exports(["one"], committed)
    command = ["sha256sum", "--check", "--strict", SUMS]
    subprocess.run(command, cwd=committed, check=True, capture_output=True)


@pytest.mark.parametrize("paper", ["", *(folder.name for folder in export_folders(RESULTS))])
def test_the_committed_cells_are_those_that_were_verified(paper):
    assert unverified_exports(paper, RESULTS) == []


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """What some words draw of a paper's cells, and the cells of all."""
    store = tmp_path_factory.mktemp("draws") / "cells.sqlite"
    words = ["paper=landmarkers", "item=all", f"store={store}", f"committed={RESULTS}"]
    planned = plan_all(load_experiment(compose(words)))
    with open_store(planned.experiment) as opened:
        found = {
            (text, seconds): [
                cell.key
                for plan in draw_cells(planned.plans, opened, text, seconds)
                for cell in plan.cells
            ]
            for text in ("a", "b")
            for seconds in (1.0, 10.0)
        }
    return found, {cell.key for plan in planned.plans for cell in plan.every}


def test_a_text_draws_the_same_cells_and_another_others(drawn):
    found, every = drawn
    assert set(found["a", 1.0]) < set(found["a", 10.0]) <= every
    assert set(found["a", 1.0]) != set(found["b", 1.0])
    assert max(Counter(found["a", 10.0]).values()) == 1
