from __future__ import annotations

import io

import pytest
from rich.console import Console

from retree_lab import paths
from retree_lab.commands import quickstart
from retree_lab.experiments.definition.config import load_experiment
from retree_lab.experiments.planning.plan import load_datasets
from retree_lab.study.available import PRESET, available
from retree_lab.study.composing import compose


def test_the_page_is_named_and_a_failure_is_told(tmp_path, monkeypatch):
    console = Console(file=io.StringIO(), width=200)
    for code in (0, 1):
        monkeypatch.setattr(quickstart, "_experiments", lambda results, jobs: [])
        monkeypatch.setattr(quickstart, "_compute_and_render", lambda *_, code=code: (code, []))
        assert quickstart.regenerate(tmp_path, 1, quickstart.Screen(console)) == code
    assert "index.html" in console.file.getvalue()


@pytest.mark.parametrize("paper", available("paper"))
def test_every_paper_has_a_part_that_needs_no_server(paper):
    experiment = load_experiment(compose([f"preset={PRESET}{paper}"]))
    assert experiment.paper.name == paper
    assert not set(experiment.sources) & {"openml", "uci"}
    assert not load_datasets(experiment).lost


def test_without_a_makefile_no_target_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "project_dir", lambda: tmp_path)
    last = "\n".join(quickstart._finish(tmp_path, [], 1.0))
    assert "retree run --report item=table2" in last
    assert "make " not in last
