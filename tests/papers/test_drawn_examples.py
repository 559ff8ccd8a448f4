"""Figures of examples: the continuity correction, and the tree of Example 1."""

import math

import pytest
from toy_paper import make_item

from retree.errors import RetreeError

NORMAL = "pruning/continuity_correction.py:ContinuityCorrection"
TREE = "forest_thinning/example_tree.py:ExampleTree"
DRAWS = {"trials": 10, "probability": 0.5, "limit": 6}
EXAMPLE = {
    "node": [0.6, 0.4],
    "leaves": [[1.0, 0.0], [0.2, 0.8]],
    "labels": [1, 1, 2],
    "ends": [1, 2, 2],
}


def item_of(kind, options):
    return make_item("figure1", kind, (), (), options)


def test_correction_by_hand():
    # Ten coins: 1 + 10 + 45 + 120 + 210 + 252 + 210 of 1024 ways have at most six heads; the normal
    # distribution has mean 5 and variance 2.5.
    rows = item_of(NORMAL, DRAWS).kind.compare(None).set_index("distribution")["probability"]
    deviations = [(limit - 5) / math.sqrt(2.5) for limit in (6, 6.5)]
    areas = [0.5 + 0.5 * math.erf(z / math.sqrt(2)) for z in deviations]
    assert rows["binomial"] == pytest.approx(848 / 1024)
    assert rows.tolist()[1:] == pytest.approx(areas)
    assert abs(rows.iloc[2] - rows.iloc[0]) < abs(rows.iloc[1] - rows.iloc[0])


def test_correction_is_drawn():
    ((name, figure),) = item_of(NORMAL, DRAWS).kind.draw(None, None)
    (axes,) = figure.axes
    assert name == ""
    assert [line.get_label() for line in axes.lines] == ["normal", "6", "6.5"]
    bars = {round(p.get_x() + 0.5): p.get_height() for p in axes.patches}
    assert bars[5] == pytest.approx(252 / 1024)


@pytest.mark.parametrize("wrong", [{"probability": 1.0}, {"limit": 11}, {"limit": -1}])
def test_impossible_draws(wrong):
    with pytest.raises(RetreeError, match="needs a probability between 0 and 1"):
        item_of(NORMAL, DRAWS | wrong)


def test_tree_names_the_rows_of_each_class():
    kind = item_of(TREE, EXAMPLE).kind
    assert kind.texts() == [
        "v: 0.60, 0.40\nclass 1: x0 x1\nclass 2: x2",
        "v1: 1.00, 0.00\nclass 1: x0",
        "v2: 0.20, 0.80\nclass 1: x1\nclass 2: x2",
    ]
    ((_, figure),) = kind.draw(None, None)
    assert {t.get_text() for t in figure.axes[0].texts} == set(kind.texts())


@pytest.mark.parametrize("wrong", [{"ends": [1, 2]}, {"ends": [1, 2, 3]}])
def test_rows_without_a_leaf(wrong):
    with pytest.raises(RetreeError, match="needs an end for each label, from 1 to 2"):
        item_of(TREE, EXAMPLE | wrong)
