"""Example 1 of forest_thinning, worked out from the numbers that the paper gives."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from paper_code import PAPERS
from toy_paper import context_of, make_item, toy_experiment, toy_paper, toy_plan

from retree_lab import reports
from retree_lab.experiments.definition.paper_config import load_paper

# Worked out by hand in the notes on the paper.
AT_V = [0.05, 0.04, 0.04, 0.05, 0.0286, 0.1667, -0.04, -0.0278, -0.0286, -0.04]
AT_LEAVES = [0.25, 0.2, 0.2, 0.25, 0.1429, -0.5, 0.12, 0.0833, 0.0857, 0.12]

FOLDER = PAPERS / "forest_thinning"


@pytest.fixture
def item():
    options = dict(load_paper("forest_thinning").items["example1"])
    kind, caption = options.pop("kind"), options.pop("caption")
    return make_item("example1", kind, (), (), options, caption=caption, home=FOLDER)


def contributions(item):
    return item.kind.compare(SimpleNamespace(item=item))


def is_right(share, label):
    return (share > 0.5) == (label == 1)


def test_all_twenty_contributions(item):
    table = contributions(item)
    np.testing.assert_allclose(table["at_node"], AT_V, atol=5e-5)
    np.testing.assert_allclose(table["at_leaf"], AT_LEAVES, atol=5e-5)


def test_forest_errs_on_x5_not_on_x6(item):
    table = contributions(item)
    assert table.loc[~is_right(table["forest"], table["label"]), "row"].tolist() == ["x5"]
    assert table["case"].str[1].tolist() == ["t"] * 5 + ["f"] + ["t"] * 4


def test_pruned_forest_is_right_on_all_rows(item):
    table = contributions(item)
    for name in ("pruned", "pruned_used", "pruned_printed"):
        assert is_right(table[name], table["label"]).all()


def test_printed_shares_follow_from_half_and_half(item):
    table = contributions(item)
    same = np.isclose(table["pruned_used"], table["pruned_printed"])
    assert table.loc[~same, "row"].tolist() == ["x3"]
    assert not np.isclose(table["pruned"], table["pruned_printed"]).any()


@pytest.mark.parametrize("shares", ["node", "used"])
def test_gain_of_the_example_is_positive(item, shares):
    """FTCG keeps what the example prunes, with either of the shares at v."""
    options = {**item.kind.options, "node": item.kind.options[shares]}
    kind = replace(item.kind, options=options)
    table = contributions(replace(item, kind=kind))
    assert table["at_leaf"].sum() - table["at_node"].sum() > 0.7


def test_the_table_shows_the_gain_and_the_misprint(item, tmp_path):
    paper = replace(toy_paper(tmp_path), items={"example1": {}})
    experiment = toy_experiment(tmp_path, paper, item)
    paths = reports.write_item(context_of(experiment, toy_plan(item), pd.DataFrame()))
    texts = {path.suffix: path.read_text() for path in paths if path.suffix in (".csv", ".md")}
    assert {path.suffix for path in paths} == {".csv", ".md"}
    assert "ConGain(v, F) = +0.7130" in texts[".md"]
    assert "The one printed for x3 does not follow from either." in texts[".md"]
    line = next(line for line in texts[".md"].splitlines() if line.startswith("| x5"))
    assert "+0.1667 | ff | −0.5000" in line
