"""Figures of examples: the continuity correction, and the tree of Example 1."""

import math
import runpy
from pathlib import Path

import pytest
from toy_paper import make_item

from retree.errors import RetreeError

EXAMPLES = Path(__file__).parents[2] / "examples"
TREE = "forest_thinning/example.py:ContributionExample"
EXAMPLE = {
    "trees": 10,
    "node": [0.6, 0.4],
    "leaves": [[1.0, 0.0], [0.2, 0.8]],
    "labels": [1, 1, 2],
    "ends": [1, 2, 2],
    **{"forest": [0.6, 0.6, 0.4], "pruned": [0.6, 0.6, 0.4], "used": [0.6, 0.4]},
}


def item_of(options):
    return make_item("figure1", TREE, (), (), options)


def test_correction_by_hand(monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "agg")
    example = runpy.run_path(str(EXAMPLES / "plot_continuity_correction.py"))
    n, limit, mass = example["trials"], example["limit"], example["mass"]
    ways = list(example["ways"].values())
    deviations = [(x - n / 2) / math.sqrt(n / 4) for x in (limit, limit + 0.5)]
    assert mass[limit] == pytest.approx(math.comb(n, limit) / 2**n)
    assert ways[0] == pytest.approx(sum(math.comb(n, k) for k in range(limit + 1)) / 2**n)
    assert ways[1:] == pytest.approx([0.5 + 0.5 * math.erf(z / math.sqrt(2)) for z in deviations])
    assert abs(ways[2] - ways[0]) < abs(ways[1] - ways[0])


def test_tree_names_the_rows_of_each_class():
    kind = item_of(EXAMPLE).kind
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
        item_of(EXAMPLE | wrong)
