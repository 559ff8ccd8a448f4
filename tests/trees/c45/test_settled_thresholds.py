"""Thresholds of C4.5 are the largest training values that are not above the middles of gaps."""

import numpy as np
import pytest

from retree import C45Classifier

COLUMNS = {
    "normal": lambda rng, n: rng.normal(size=n),
    "long tail": lambda rng, n: np.exp(8 * rng.normal(size=n)),
    "few values": lambda rng, n: rng.integers(0, 40, n) / 8,
    "close together": lambda rng, n: 1 + rng.integers(0, 40, n) * 1e-4,
    "large": lambda rng, n: rng.normal(size=n) * 1e300,
    "small": lambda rng, n: rng.integers(1, 50, n) * 1e-4 - 1e3,
}


def check_thresholds(tree, X):
    path = {0: np.arange(len(X))}
    for node in np.flatnonzero(~tree.is_leaf):
        rows, column, threshold = path[node], X[:, tree.feature[node]], tree.threshold[node]
        goes_left = column[rows] <= threshold
        below, above = column[rows][goes_left].max(), column[rows][~goes_left].min()
        middle = (below + above) / 2
        assert threshold == column[column <= middle].max(initial=below)
        for child, side in zip(tree.children_of(node), (goes_left, ~goes_left), strict=True):
            path[child] = rows[side]


@pytest.mark.parametrize("kind", COLUMNS)
def test_thresholds_are_the_largest_values_below_the_middles(kind):
    rng = np.random.default_rng(0)
    X = np.column_stack([COLUMNS[kind](rng, 2000), rng.normal(size=2000)])
    y = (rng.random(2000) < 0.3 + 0.4 * (np.argsort(np.argsort(X[:, 0])) % 500 < 250)).astype(int)
    model = C45Classifier(pruning=None, collapse=False, mdl_correction=False).fit(X, y)
    assert (model.tree_.feature == 0).sum() >= 10
    check_thresholds(model.tree_, X)
