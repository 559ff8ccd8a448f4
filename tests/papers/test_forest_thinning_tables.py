"""The tables of forest_thinning that say what was excluded, on made-up folds."""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from retree_lab.experiments.definition.config import load_experiment
from retree_lab.reports.published import Published, published_name
from retree_lab.study.composing import compose

GIVEN = 3  # the point whose folds are made from what is published


def context_of(name, given):
    """Return an item with folds of the published means and deviations at the point `given`."""
    experiment = load_experiment(compose(["paper=forest_thinning", f"item={name}"]))
    (item,) = experiment.items
    published = Published(experiment.paper)
    rows = []
    for method, dataset, point in itertools.product(item.methods, item.datasets, (0, GIVEN)):
        cells = {m: place(published, item, method, dataset, m) for m in ("accuracy_pct", "nodes")}
        spread = np.where(np.arange(100) % 2, 1, -1) * np.sqrt(0.99)
        accuracy, nodes = (c.value + c.std * spread + (point != given) for c in cells.values())
        names = {"dataset": dataset, "method": method.key, "point": point, "params": str(point)}
        folds = {"accuracy": accuracy / 100, "nodes": nodes, "inner": -1, "status": "done"}
        rows.append(pd.DataFrame({**names, **folds}))
    frame = pd.concat(rows)
    frame = frame if item.vary else frame[frame["point"] == 0]
    return SimpleNamespace(item=item, frame=frame, published=published, paper=experiment.paper)


def place(published, item, method, dataset, metric):
    return published.places(published_name(method), metric)[item.label(dataset)][1]


def test_combinations_are_ranked_by_equal_numbers():
    context = context_of("excluded", GIVEN)
    rows = context.item.kind.compare(context)
    assert rows["numbers"].tolist() == [32, 32]
    assert rows["equal"].tolist() == [32, 16]  # the deviations of the other one
    # Point 3 of the grid: the last two parameters vary fastest.
    first = rows.iloc[0][["shares", "pooling", "variant", "inclusive"]].tolist()
    assert first == ["of the training rows", "plain mean", "Algorithm 1 to the letter", "of 0 too"]


def test_numbers_that_weka_does_not_give_stand_beside_ours():
    context = context_of("not_wekas", 0)
    rows = context.item.kind.compare(context).set_index(["dataset", "method", "metric"])
    assert set(rows.index.unique(0)) == {"horse-colic", "pima"}
    found = rows.loc[("pima", "Bagging/pruned", "nodes")]
    assert found["program"] == pytest.approx(2516.08)
    assert found["reproduced"] == pytest.approx(found["published"]) == pytest.approx(2481.65)
    assert rows["tried"].ne("").all()


def test_weka_itself_gives_the_nodes_of_epic():
    rows = context_of("epic", 0)
    rows = rows.item.kind.compare(rows).set_index(["metric", "dataset"])
    nodes = rows.loc["nodes", "program_equal"].to_dict()
    assert nodes.pop("vote") == "mean"  # its deviation is published as 140.6
    assert len(nodes) == 6
    assert set(nodes.values()) == {"mean and deviation"}
    assert set(rows["equal"]) == {
        "mean and deviation"
    }  # the made-up folds are those of the published numbers
    assert rows.loc["accuracy_pct", "program_equal"].ne("").sum() == 1


@pytest.mark.parametrize(("spread", "unit"), [(0.02, 0.01), (0.5, 0.1), (3.0, 1.0)])
def test_chance_of_equal_digits_is_how_often_other_runs_have_them(spread, unit):
    from retree_lab.papers.forest_thinning.worth import chance_of_equal

    rng = np.random.default_rng(0)
    ours, theirs = rng.normal(80, spread, (2, 2000, 10))
    published = np.round(theirs.mean(axis=1) / unit) * unit
    # Whether what is published is also what ours would be published as.
    equal = np.abs(published - ours.mean(axis=1)) <= unit / 2
    centres = np.round(ours.mean(axis=1) / unit) * unit
    chances = [chance_of_equal(pd.Series(o), c, unit) for o, c in zip(ours, centres, strict=True)]
    error = np.sqrt(equal.mean() / len(equal))
    assert abs(np.mean(chances) - equal.mean()) < 3 * error


def test_runs_without_spread_are_equal_or_not():
    from retree_lab.papers.forest_thinning.worth import chance_of_equal

    assert chance_of_equal(pd.Series([80.0] * 10), 80.0, 0.01) == 1
    assert chance_of_equal(pd.Series([80.0] * 10), 80.01, 0.01) == 0
