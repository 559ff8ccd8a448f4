"""The multiverse of a toy paper, whose shares and effects are worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from toy_paper import (
    cells,
    context_of,
    frame_of,
    make_item,
    toy_experiment,
    toy_paper,
    toy_plan,
)

from retree_lab.experiments.definition.method import Method
from retree_lab.reports.figures import style

SETS = ["waveform1_R", "waveform0_R"]
PRINTED = """\
table,dataset,method,metric,value,std,marker
table2,waveform1_R,Base,accuracy,0.8000,,
table2,waveform0_R,Base,accuracy,0.7000,,
table2,waveform1_R,New,accuracy,0.8600,,
table2,waveform0_R,New,accuracy,0.7200,,
table3,waveform1_R,Base,leaves,9,,
table3,waveform0_R,Base,leaves,4,,
table3,waveform1_R,New,leaves,4,,
table3,waveform0_R,New,leaves,4,,
"""
GRID = {"k": [2, 3, 4]}


def method(key, name, tune=(), **about):
    return Method(key, name, estimator="cart", tune=tune, about=about)


METHODS = [
    method("base", "Base"),
    method("base_kept", "Base (kept)", stands_for="Base"),
    method("new", "New", ("k",)),
    method("new_kept", "New (kept)", ("k",), stands_for="New"),
]
OPTIONS = {
    "baseline": "Base",
    "shared": ["small"],
    "halved": "k",
    "used_in": "table2",
    "points": {
        "base": {"small": "leaf"},
        "base_kept": {"small": "kept"},
        "new": {"small": "leaf", "ties": "first"},
        "new_kept": {"small": "kept", "ties": "first"},
    },
}


def rows_of(dataset, key, by_k, leaves=4.0):
    """Return five equal folds for each value of k, or of a method without a grid."""
    return [
        row
        for point, (k, accuracy) in enumerate(by_k.items())
        for row in cells(dataset, key, [accuracy] * 5, point, {"k": k} if k else {}, leaves=leaves)
    ]


@pytest.fixture
def context(tmp_path):
    paper = toy_paper(tmp_path, GRID)
    (tmp_path / "toy.csv").write_text(PRINTED)
    own = {"datasets": SETS, "methods": ["base", "new"]}
    paper = replace(paper, errata=(), items={"table2": own, "multiverse": own})
    content = {
        "rows": "retree_lab.reports.multiverse:multiverse",
        "figure": "retree_lab.reports.multiverse:draw_multiverse",
        "select": ["best_test"],
        "metrics": ["accuracy", "leaves"],
        "options": OPTIONS,
        "columns": {"share": "{share:.0%}", "ties": "{ties}", "effect": "{effect:+accuracy}"},
        "tables_by": "method",
        "title": "{method}",
    }
    item = make_item("multiverse", "computed", SETS, METHODS, content)
    frame = frame_of(
        rows_of(SETS[0], "base", {None: 0.80}, leaves=9.0),
        rows_of(SETS[1], "base", {None: 0.70}),
        rows_of(SETS[0], "base_kept", {None: 0.85}, leaves=19.0),
        rows_of(SETS[1], "base_kept", {None: 0.75}, leaves=19.0),
        rows_of(SETS[0], "new", {2: 0.84, 3: 0.86, 4: 0.82}),
        rows_of(SETS[1], "new", {2: 0.71, 3: 0.76, 4: 0.72}),
        rows_of(SETS[0], "new_kept", {2: 0.80, 3: 0.86, 4: 0.80}, leaves=19.0),
        rows_of(SETS[1], "new_kept", {2: 0.70, 3: 0.72, 4: 0.70}, leaves=19.0),
    )
    return context_of(toy_experiment(tmp_path, paper, item), toy_plan(item), frame)


def test_points_have_the_share_that_agrees_and_the_effect(context):
    rows = context.item.kind.compare(context)
    assert len(rows) == 2 + 2 * 3
    own = rows[rows["method"] == "New"].set_index(["small", "grid"])
    # All k: 0.86 and 0.76, of which the second differs. The first and third: 0.84 and 0.72.
    expected = {
        ("leaf", "all"): (0.06, 3 / 4),
        ("leaf", "1st, 3rd, …"): (0.03, 3 / 4),
        ("leaf", "2nd, 4th, …"): (0.06, 3 / 4),
        ("kept", "all"): (-0.01, 2 / 4),
        ("kept", "1st, 3rd, …"): (-0.05, 0 / 4),
        ("kept", "2nd, 4th, …"): (-0.01, 2 / 4),
    }
    for place, (effect, share) in expected.items():
        assert own.loc[place, "effect"] == pytest.approx(effect)
        assert own.loc[place, "share"] == pytest.approx(share)
    assert own["published_effect"].tolist() == pytest.approx([0.04] * 6)
    assert own["published_above"].tolist() == [2] * 6
    assert own.loc[("kept", "all"), ["above_base", "below_base"]].tolist() == [1, 1]
    # (4 + 1) / (9 + 1) and 1 with leaves; 1 and 1 where small children are kept.
    assert own.loc[("leaf", "all"), "ratio"] == pytest.approx(0.5**0.5)
    assert own.loc[("kept", "all"), "ratio"] == pytest.approx(1.0)
    assert own["published_ratio"].tolist() == pytest.approx([0.5**0.5] * 6)


def test_the_point_that_is_used_is_marked(context):
    rows = context.item.kind.compare(context)
    used = rows[rows["used"]]
    assert used[["method", "small"]].to_numpy().tolist() == [["Base", "leaf"], ["New", "leaf"]]
    assert used["grid"].tolist()[1] == "all"


def test_the_page_says_how_far_the_effect_moves(context):
    rows = context.item.kind.compare(context)
    *_, sentence = rows.attrs["notes"]
    assert sentence == (
        "New: over 6 combinations the mean difference (accuracy) lies between −0.0500 and +0.0600 "
        "(published on the same data sets: +0.0400; as retree interprets it +0.0600). It has the "
        "published sign in 3 of 6. Between 0% and 75% of the numbers agree: 75% as retree "
        "interprets it, and more in 0 of the 5 others."
    )
    page = context.item.kind.document(context, rows)
    first, second = page.blocks[:2]
    assert [first.title, second.title] == ["Base", "New"]
    assert first.header == ["share"]  # neither interpretations nor an effect
    assert list(second.header) == ["share", "ties", "effect"]


def test_a_misprint_is_neither_judged_nor_part_of_the_effect(context):
    wrong = {"table": "table2", "dataset": "waveform0_R", "method": "Base", "reason": "A slip."}
    experiment = replace(
        context.experiment, paper=replace(context.experiment.paper, errata=(wrong,))
    )
    rows = context.item.kind.compare(replace(context, experiment=experiment))
    own = rows[(rows["method"] == "New") & rows["used"]]
    assert own[["n_datasets", "effect"]].to_numpy().tolist() == [[1, pytest.approx(0.06)]]
    base = rows[(rows["method"] == "Base") & rows["used"]]
    assert base["n_numbers"].tolist() == [3]


def test_points_are_dots(context):
    rows = context.item.kind.compare(context)
    with style():
        ((_, figure),) = context.item.kind.draw(context, rows)
    (panel,) = figure.axes
    dots = [line for line in panel.lines if line.get_label() in ("small: leaf", "small: kept")]
    assert [len(line.get_xdata()) for line in dots] == [3, 3]
    assert panel.lines[len(dots)].get_xdata()[0] == pytest.approx(0.06)
