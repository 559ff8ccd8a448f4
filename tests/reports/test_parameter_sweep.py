"""The csv, page and picture of a sweep, whose answers are worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toy_paper import (
    ABSENT,
    cells,
    context_of,
    frame_of,
    toy_experiment,
    toy_item,
    toy_paper,
    toy_plan,
)

from retree_lab.reports.figures import style
from retree_lab.reports.kinds.sweep_figures import Scale
from retree_lab.reports.paper_pages import write_item

GRID = {"k": [2, 3, 30]}
# Test accuracies of three folds by point; k = 30 lacks one.
TEST = {2: [0.50, 0.70, 0.60], 3: [0.90, 0.60, 0.60], 30: [0.9, 0.9, ABSENT]}
# Accuracies of the inner folds: the first two folds choose k = 2, the last one k = 3.
INNER = {2: [0.8, 0.8, 0.5], 3: [0.7, 0.7, 0.6], 30: [0.1, 0.1, 0.1]}


def swept(folder, frame, grid=GRID, **options):
    paper = toy_paper(folder, grid)
    item = replace(toy_item("sweep", **options), home=None)
    experiment = toy_experiment(folder, paper, item)
    return context_of(experiment, toy_plan(item), frame)


@pytest.fixture
def frame():
    outer = [cells("xor", "new", a, i, {"k": k}) for i, (k, a) in enumerate(TEST.items())]
    inner = [
        cells("xor", "new", [a], i, {"k": k}, fold)
        for i, (k, accuracies) in enumerate(INNER.items())
        for fold, a in enumerate(accuracies)
    ]
    return frame_of(*outer, *inner)


def test_each_point_has_its_mean_its_spread_and_its_distance_fold_by_fold(tmp_path, frame):
    rows = swept(tmp_path, frame).rows
    accuracy = rows[rows["metric"] == "accuracy"].set_index("k")
    assert accuracy.loc[2, "reproduced"] == pytest.approx(0.6)
    assert accuracy.loc[2, "reproduced_std"] == pytest.approx(0.1)
    assert accuracy.loc[3, "choice"] == "best_test"
    # In pairs: 0.40, -0.10 and 0.00 behind the best point.
    assert accuracy.loc[2, "behind_best"] == pytest.approx(0.1)
    assert accuracy.loc[2, "behind_best_std"] == pytest.approx(np.std([0.4, -0.1, 0.0], ddof=1))
    # A point that lacks a fold has no mean.
    assert np.isnan(accuracy.loc[30, "reproduced"])
    assert accuracy.loc[30, "n_folds"] == 2


def test_the_choice_of_the_training_rows_stands_beside_the_optimistic_one(tmp_path, frame):
    context = swept(tmp_path, frame)
    accuracy = context.rows[context.rows["metric"] == "accuracy"]
    nested = accuracy[accuracy["choice"] == "nested"]
    assert nested["reproduced"].tolist() == [pytest.approx((0.5 + 0.7 + 0.6) / 3)]
    assert accuracy["nested_folds"].dropna().tolist() == [2, 1, 0]
    # The paper publishes 0.5 of it, in table2.
    assert accuracy["published"].dropna().tolist() == [0.5]
    write_item(context)
    page = (tmp_path / "results" / "toy" / "sweep.md").read_text()
    assert "on the test rows, in 1 of 3 folds" in page
    assert "Chosen inside the training folds: accuracy 0.6000 ± 0.1000, with k=2 (2 of 3" in page
    assert "Published in Table 2: accuracy 0.5000" in page


def test_files_are_the_same_whatever_the_order_of_the_cells(tmp_path, frame):
    def written(rows):
        return {path.name: path.read_bytes() for path in write_item(swept(tmp_path, rows))}

    first = written(frame)
    assert set(first) == {"sweep.csv", "sweep.md", "sweep_xor.svg"}
    assert written(frame.iloc[::-1]) == first


def drawn(tmp_path, frame, grid, **options):
    context = swept(tmp_path, frame, grid, **options)
    with style():
        ((_, figure),) = context.kind.draw(context, context.rows)
        return figure


def two(grid, accuracy=0.5, **metrics):
    points = [{"k": k, "omega2": w} for k in grid["k"] for w in grid["omega2"]]
    return frame_of(
        *(cells("xor", "new", [accuracy, 0.7], i, p, **metrics) for i, p in enumerate(points))
    )


def test_two_parameters_are_a_map_whose_cells_are_as_wide_as_their_steps(tmp_path):
    grid = {"k": [2, 3], "omega2": [0.1, 0.2, 0.4]}
    axes = drawn(tmp_path, two(grid), grid, vary=grid, select=["best_test"]).axes[0]
    assert axes.collections[0].get_array().shape == (2, 3)
    left, first, second, right = np.unique(axes.collections[0].get_coordinates()[..., 0])
    assert (left, first, second, right) == pytest.approx((0.05, 0.15, 0.3, 0.5))


def test_a_point_whose_trees_are_roots_is_hatched(tmp_path):
    grid = {"k": [2, 3], "omega2": [0.1, 0.2]}
    figures = [
        drawn(tmp_path, two(grid, leaves=leaves), grid, vary=grid, select=["best_test"])
        for leaves in (1.0, 2.0)
    ]
    hatched = [[p for p in f.axes[0].patches if p.get_hatch()] for f in figures]
    assert [len(patches) for patches in hatched] == [4, 0]


def test_a_sweep_without_results_draws_nothing(tmp_path):
    context = swept(tmp_path, frame_of(cells("xor", "new", [ABSENT], 0, {"k": 2})))
    assert list(context.kind.draw(context, context.rows)) == []
    assert context.document is not None


@pytest.mark.parametrize(
    ("values", "log"),
    [
        ([2, 3, 5, 7, 10, 15, 20, 30], True),
        ([0.01, 0.02], False),
        ([1, 10, 100], True),
        ([0, 10, 100], False),
        ([1, 11, 21, 31], False),
        (["gini", "entropy"], False),
        ([True, False], False),
        ([1, None], False),
    ],
)
def test_an_axis_is_logarithmic_where_that_is_more_even(values, log):
    assert Scale("k", values).is_log == log


@given(st.lists(st.integers(-1000, 1000) | st.floats(0.001, 1000), min_size=2, unique=True))
def test_every_value_lies_in_its_own_cell(values):
    scale = Scale("k", values)
    edges, order = scale.edges()
    assert all(np.diff(edges) >= 0)
    for low, high, i in zip(edges, edges[1:], order, strict=False):
        assert low <= scale.places[i] <= high
    assert set(scale.ticks(0.1)[0]) <= set(scale.places.tolist())
