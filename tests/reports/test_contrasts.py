"""Contrasts of methods: as a table of effects and as curves over parameters."""

from __future__ import annotations

import io
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from toy_paper import (
    ABSENT,
    BASE,
    NEW,
    PRINTED,
    cells,
    context_of,
    frame_of,
    make_item,
    toy_experiment,
    toy_paper,
    toy_plan,
)

from retree_lab import reports
from retree_lab.experiments.definition.method import Method
from retree_lab.papers.cmdt import effect_table as contrasts
from retree_lab.papers.cmdt import gains

Groups, find_contrasts = contrasts.Groups, contrasts.find_contrasts

SETS = ("waveform1_R", "waveform0_R", "xor")
THIRD = Method("third", "Third", estimator="structure_purity")
CONTRASTS = {
    "new": {"name": "new", "of": ["new"], "than": ["base"]},
    "both": {"name": "both", "of": ["new", "third"], "than": ["base"]},
}
GROUPS = {key: Groups(c["name"], tuple(c["of"]), tuple(c["than"])) for key, c in CONTRASTS.items()}
CURVES = {
    **{"rows": "cmdt/gains.py:parameter_curves", "figure": "cmdt/gains.py:curves_figure"},
    "options": {"contrasts": CONTRASTS, "published_in": "effects", "axes": {"k": "neighbours"}},
}
EFFECTS = "effects,MEAN,new,accuracy_gain_pct,10,,\neffects,MEAN,both,accuracy_gain_pct,3,,\n"
# New less Base: 10, 4 and 1 points; New and Third less Base: 5, 2 and 0.5 points.
ACCURACIES = {
    "base": (0.70, 0.60, 0.50),
    "new": (0.80, 0.64, 0.51),
    "third": (0.70, 0.60, 0.50),
}


def item(kind="cmdt/effect_table.py:EffectTable", **options):
    options = options or {"contrasts": CONTRASTS}
    return make_item("effects", kind, SETS, (BASE, NEW, THIRD), options)


def effects(experiment, frame):
    return context_of(experiment, toy_plan(item()), frame).comparisons


def results(**changes):
    """Five folds each, of which the middle one is the mean."""
    groups = []
    for method, means in (ACCURACIES | changes).items():
        for dataset, mean in zip(SETS, means, strict=True):
            folds = [mean] * 5
            if not isinstance(mean, str):
                folds = [mean + step for step in (-0.02, -0.01, 0, 0.01, 0.02)]
            groups.append(cells(dataset, method, folds))
    return frame_of(*groups)


@pytest.fixture
def paper(tmp_path):
    paper = toy_paper(tmp_path)
    (tmp_path / "toy.csv").write_text(PRINTED + EFFECTS)
    return replace(paper, items=paper.items | {"effects": {"datasets": list(SETS)}})


def test_groups_are_compared_set_by_set():
    new, both = find_contrasts(item(), GROUPS, results(), "accuracy_pct")
    np.testing.assert_allclose(new.differences, [10, 4, 1])
    np.testing.assert_allclose(both.differences, [5, 2, 0.5])
    assert list(new.differences.index) == list(SETS)
    np.testing.assert_allclose(both.by_fold, [2.5] * 5)


def test_a_set_that_lacks_a_method_is_left_out():
    frame = results(third=(0.7, ABSENT, 0.5))
    new, both = find_contrasts(item(), GROUPS, frame, "accuracy_pct")
    assert len(new.differences) == 3
    assert list(both.differences.index) == ["waveform1_R", "xor"]
    np.testing.assert_allclose(both.by_fold, [2.75] * 5)
    only = frame[frame["method"] != "third"]
    assert [c.name for c in find_contrasts(item(), GROUPS, only, "accuracy_pct")] == ["new"]


def test_means_are_held_against_the_print(tmp_path, paper):
    experiment = toy_experiment(tmp_path, paper, item())
    comparisons = effects(experiment, results())
    new, both = comparisons[:2]
    assert (new.dataset, new.method, new.verdict) == ("MEAN", "new", "differs")
    assert new.reproduced == pytest.approx(5)
    # Off by half a point, the least tolerance.
    assert (both.reproduced, both.verdict) == (pytest.approx(2.5), "agrees")
    assert [c.reproduced for c in comparisons[2:5]] == pytest.approx([10, 4, 1])


def test_a_mean_over_fewer_sets_is_not_judged(tmp_path, paper):
    experiment = toy_experiment(tmp_path, paper, item())
    frame = results(third=(0.7, ABSENT, 0.5))
    both = effects(experiment, frame)[1]
    assert (both.verdict, both.reason) == ("missing", "mean over 2 of 3 data sets")


def render(tmp_path, paper, item, frame):
    experiment = toy_experiment(tmp_path, paper, item)
    paths = reports.write_item(context_of(experiment, toy_plan(item), frame))
    return {path.suffix: path for path in paths}


def test_the_table_of_effects(tmp_path, paper):
    files = render(tmp_path, paper, item(), results())
    assert set(files) == {".csv", ".md", ".svg"}
    text = files[".md"].read_text()
    differences = np.array([10, 4, 1.0])
    reach = stats.t.ppf(0.975, 2) * differences.std(ddof=1) / np.sqrt(3)
    ends = f"[−{reach - 5:.2f}, +{5 + reach:.2f}]"
    d_z = f"{5 / differences.std(ddof=1):.2f}"
    assert f"| new | 5.00 (10.00) ✗ | {ends} | — | {d_z} [" in text
    assert "| 3/0/0 |" in text
    assert "Of 2 published numbers: 1 match, 1 off." in text


def test_repeats_of_the_protocol_judge_a_contrast(tmp_path, paper, monkeypatch):
    # The toy item is whole, and no file describes it.
    monkeypatch.setattr(
        "retree_lab.reports.context.judged_as_whole", lambda judged, *_: list(judged)
    )
    shifts = (-0.01, 0.0, 0.02, 0.03)
    frames = [
        results(new=[mean + shift for mean in ACCURACIES["new"]]).assign(repeat=number)
        for number, shift in enumerate(shifts)
    ]
    frame = pd.concat(frames, ignore_index=True)
    new = effects(toy_experiment(tmp_path, paper, item()), frame)[0]
    values = [5 + 100 * shift for shift in shifts]
    np.testing.assert_allclose(new.runs, values)
    spread = np.std(values, ddof=1) / np.sqrt(4)
    reach = stats.t.ppf(0.975, 3) * spread * np.sqrt(2)
    # Published as a whole number of points.
    np.testing.assert_allclose([new.low, new.high], [6 - reach - 0.5, 6 + reach + 0.5])
    # The interval holds the other published contrast, too.
    assert (new.verdict, new.n_replicates) == ("weak", 1)
    text = render(tmp_path, paper, item(), frame)[".md"].read_text()
    assert "| +4.00 to +8.00 |" in text


def test_no_cell_makes_no_figure(tmp_path, paper):
    files = render(tmp_path, paper, item(), results().iloc[:0])
    assert set(files) == {".csv", ".md"}


def swept(*points):
    groups = []
    for number, (params, shift) in enumerate(points):
        for method, means in ACCURACIES.items():
            for dataset, mean in zip(SETS, means, strict=True):
                value = mean + (shift if method == "new" else 0)
                groups.append(cells(dataset, method, [value] * 5, number, params))
    return frame_of(*groups)


SWEEP = (({"k": 2}, 0.0), ({"k": 3}, 0.03), ({"scaling": None}, 0.06))


def test_curves_are_means_by_parameter_and_value():
    context = SimpleNamespace(item=item(), frame=swept(*SWEEP))
    curves = gains.parameter_curves(context, contrasts=GROUPS)
    table = curves.set_index(["parameter", "value", "name"])["mean"]
    assert table["k", "2", "new"] == pytest.approx(5)
    assert table["k", "3", "new"] == pytest.approx(8)
    assert table["scaling", "none", "new"] == pytest.approx(11)
    assert table["k", "3", "New+Base"] == pytest.approx(65 + 3)
    assert table["k", "3", "Base"] == pytest.approx(60)
    frame = swept(*SWEEP)
    partial = frame[(frame["point"] != 1) | (frame["dataset"] != "xor")]
    context.frame = partial
    assert set(gains.parameter_curves(context, contrasts=GROUPS)["value"]) == {"2", "none"}


def test_the_figure_of_curves(tmp_path, paper):
    curves = item("computed", **CURVES, vary=[p for p, _ in SWEEP])
    files = render(tmp_path, paper, curves, swept(*SWEEP))
    assert set(files) == {".csv", ".svg"}
    table = pd.read_csv(io.StringIO(files[".csv"].read_text()), keep_default_na=False)
    assert list(dict.fromkeys(table["parameter"])) == ["k", "scaling"]
    assert set(table["n_datasets"]) == {3}
    assert (
        files[".svg"].read_bytes()
        == render(tmp_path, paper, curves, swept(*SWEEP))[".svg"].read_bytes()
    )
    assert set(render(tmp_path, paper, curves, results().iloc[:0])) == {".csv"}
