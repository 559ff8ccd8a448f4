"""A data set in the plane that shows its classes best."""

from __future__ import annotations

import pytest
from toy_paper import cells, context_of, frame_of, make_item, toy_experiment, toy_paper

from retree.errors import RetreeError
from retree_lab import reports
from retree_lab.experiments.planning.plan import Plan
from retree_lab.papers.latent_space import kinds

OPTIONS = {"figure": "latent_space/kinds.py:projection"}
EMPTY = frame_of(cells("xor", "base", [0.5])).iloc[:0]


def rendered(tmp_path, *datasets, **blanks):
    item = make_item("figure3", "computed", datasets, (), OPTIONS)
    experiment = toy_experiment(tmp_path, toy_paper(tmp_path), item)
    paths = reports.write_item(context_of(experiment, Plan(item, [], blanks), EMPTY))
    return {path.name: path.read_bytes() for path in paths}


def test_it_is_drawn_and_does_not_move(tmp_path):
    first = rendered(tmp_path, "waveform1_R")
    assert set(first) == {"figure3.svg"}
    assert rendered(tmp_path, "waveform1_R") == first


def test_the_latent_space_shows_waveform_better(tmp_path, monkeypatch):
    shown = []
    draw = kinds._draw

    def spy(axes, title, rows, codes, names, classes):
        draw(axes, title, rows, codes, names, classes)
        shown.append((axes.get_title(), axes.get_xlabel(), axes.get_ylabel()))

    monkeypatch.setattr(kinds, "_draw", spy)
    rendered(tmp_path, "waveform1_R")
    (original, *attributes), (latent, *components) = shown
    titles = [title.partition("\nscatter ratio ") for title in (original, latent)]
    assert [space for space, _, _ in titles] == ["(a) original space", "(b) latent space"]
    assert float(titles[0][2]) < float(titles[1][2])
    assert [name[0] for name in attributes + components] == ["x", "x", "y", "y"]


def test_a_set_that_cannot_be_had_leaves_no_figure(tmp_path):
    assert rendered(tmp_path, "waveform1_R", waveform1_R="no network") == {}


def test_it_is_of_one_data_set(tmp_path):
    with pytest.raises(RetreeError, match="draws one data set"):
        rendered(tmp_path, "xor", "waveform1_R")
