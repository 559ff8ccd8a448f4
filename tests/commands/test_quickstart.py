from __future__ import annotations

import io

import pytest
from rich.console import Console

from retree import paths
from retree.commands import quickstart
from retree.experiments.definition.config import load_experiment
from retree.experiments.planning.needed_data import load_datasets
from retree.study.available import PRESET, available
from retree.study.composing import compose


@pytest.fixture
def runs(monkeypatch):
    """The number of times that anything was computed."""
    seen = []

    def compute(experiments, screen):
        seen.append(len(experiments))
        return 0, []

    monkeypatch.setattr(quickstart, "_experiments", lambda results, jobs: available("paper"))
    monkeypatch.setattr(quickstart, "_compute_and_render", compute)
    return seen


def run(folder, **what):
    console = Console(file=io.StringIO(), width=200)
    assert quickstart.regenerate(folder, 1, quickstart.Screen(console, **what)) == 0
    return console.file.getvalue()


def test_a_second_run_computes_nothing_and_says_the_same(runs, tmp_path):
    first = run(tmp_path)
    assert "index.html" in first
    assert run(tmp_path).startswith(first)
    assert runs == [len(available("paper"))]


@pytest.mark.parametrize("change", ["sources", "page", "stamp", "tables", "paths"])
def test_anything_that_changed_is_computed_anew(runs, tmp_path, monkeypatch, change):
    run(tmp_path)
    if change == "sources":
        monkeypatch.setattr(quickstart, "_digest", lambda: "other")
    elif change == "page":
        (tmp_path / "index.html").unlink()
    elif change == "stamp":
        (tmp_path / quickstart.STAMP).write_text("{")
    run(tmp_path, **{change: True} if change in ("tables", "paths") else {})
    assert len(runs) == 2


def test_a_failure_is_not_remembered(tmp_path, monkeypatch):
    monkeypatch.setattr(quickstart, "_experiments", lambda results, jobs: [])
    monkeypatch.setattr(quickstart, "_compute_and_render", lambda *_: (1, []))
    assert quickstart.regenerate(tmp_path, 1, quickstart.Screen(Console(file=io.StringIO()))) == 1
    assert not (tmp_path / quickstart.STAMP).exists()


@pytest.mark.parametrize("paper", available("paper"))
def test_every_paper_has_a_part_that_needs_no_server(paper):
    experiment = load_experiment(compose([f"preset={PRESET}{paper}"]))
    assert experiment.paper.name == paper
    assert not set(experiment.sources) & {"openml", "uci"}
    assert not load_datasets(experiment).lost


def test_all_sources_configuration_and_bundled_data_count(monkeypatch):
    folders = []
    monkeypatch.setattr(quickstart, "_tracked", lambda folder: folders.append(folder) or [])
    quickstart._digest()
    project = paths.project_dir()
    assert folders == [project / "src/retree", project / "conf", project / "data/sets"]


def test_without_a_makefile_no_target_is_named(runs, tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "project_dir", lambda: tmp_path)
    last = "\n".join(quickstart._finish(tmp_path, [], 1.0))
    assert "retree run --report item=table2" in last
    assert "make " not in last
