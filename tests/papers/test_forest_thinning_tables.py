"""The tables of forest_thinning that say what was excluded, on made-up folds."""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from retree.experiments.definition.config import load_experiment
from retree.reports.published import Published, published_name
from retree.study.composing import compose

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
