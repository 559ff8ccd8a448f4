"""The continuity correction, and Example 1."""

import math
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

from retree.errors import RetreeError
from retree_lab.papers.forest_thinning import steps

EXAMPLES = Path(__file__).parents[2] / "examples"

TREE = {"node": (0.6, 0.4), "leaves": ((1.0, 0.0), (0.2, 0.8))}
EXAMPLE = {
    **{"trees": 10, **TREE, "labels": (1, 1, 2), "ends": (1, 2, 2)},
    **{"forest": (0.6, 0.6, 0.4), "pruned": (0.6, 0.6, 0.4), "used": (0.6, 0.4)},
}


def test_correction_by_hand(monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "agg")
    drawn = runpy.run_path(str(EXAMPLES / "plot_continuity_correction.py"))
    n, limit, mass = drawn["trials"], drawn["limit"], drawn["mass"]
    ways = list(drawn["ways"].values())
    deviations = [(x - n / 2) / math.sqrt(n / 4) for x in (limit, limit + 0.5)]
    assert mass[limit] == pytest.approx(math.comb(n, limit) / 2**n)
    assert ways[0] == pytest.approx(sum(math.comb(n, k) for k in range(limit + 1)) / 2**n)
    assert ways[1:] == pytest.approx([0.5 + 0.5 * math.erf(z / math.sqrt(2)) for z in deviations])
    assert abs(ways[2] - ways[0]) < abs(ways[1] - ways[0])


@pytest.mark.parametrize("wrong", [{"ends": (1, 2)}, {"ends": (1, 2, 3)}])
def test_rows_without_a_leaf(wrong):
    context = SimpleNamespace(item=SimpleNamespace(name="example1"))
    with pytest.raises(RetreeError, match="needs an end for each label, from 1 to 2"):
        steps.contributions(context, **(EXAMPLE | wrong))
