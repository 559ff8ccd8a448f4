"""SCAFF beside the package of its authors, fair-trees, on five sets."""

from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from retree_lab.datasets import load
from retree_lab.papers.structure_purity.scaff import SCAFFClassifier

FILE = Path(__file__).parents[1] / "reference" / "fair_trees" / "trees.csv"
REFERENCE = pd.read_csv(FILE)
# Two features tie in a node of 50 rows, where the package takes one at random.
TIED = ("australian", 0.0)
LIMITS = {"max_depth": 4, "min_samples_leaf": 20}
# By set: the sensitive column, and what is made of it.
SENSITIVE = {
    "adult": ("sex=Male", lambda sex: sex),
    "german": ("personal_status", lambda status: status),
    "australian": ("A1", lambda code: code),
    "diabetes": ("age", lambda age: age > 29),
    "bupa": ("drinks", lambda drinks: np.minimum(drinks // 3, 3)),
}


@cache
def problem(name):
    """Return the features without sensitive ones, class codes and sensitive values."""
    X, y = load(name)
    column, change = SENSITIVE[name]
    left_out = [c for c in X if c.startswith(("sex=", "race=")) or c == column]
    features = X.drop(columns=left_out).to_numpy(float)
    return features, np.unique(y, return_inverse=True)[1], change(X[column]).to_numpy(float)


def parity(scores, groups):
    """Return the strong demographic parity of scores towards the worst group of rows."""
    return 1 - 2 * max(abs(roc_auc_score(group, scores) - 0.5) for group in groups)


def measure(X, y, z, scores, tree_root):
    """Return what the reference file has of a tree: its root, AUC and parity."""
    feature, threshold, leaves = tree_root
    left = 0 if feature < 0 else int((X[:, feature] <= threshold).sum())
    worst = parity(scores, [z == value for value in np.unique(z)])
    return max(feature, -1), left, leaves, roc_auc_score(y, scores), worst


def ours(name, theta):
    X, y, z = problem(name)
    tree = SCAFFClassifier(theta=theta, sensitive=[X.shape[1]], **LIMITS).fit(
        np.column_stack([X, z]), y
    )
    scores = tree.predict_proba(np.column_stack([X, z]))[:, 1]
    root = int(tree.tree_.feature[0]), tree.tree_.threshold[0], tree.get_n_leaves()
    return measure(X, y, z, scores, root)


def rows_of_the_authors():
    """Yield the rows of the reference; most of the largest set, adult, are for the slow tests."""
    for row in REFERENCE.to_dict("records"):
        is_slow = row["dataset"] == "adult" and row["theta"] not in (0.0, 0.6)
        name = f"{row['dataset']}-{row['theta']}"
        yield pytest.param(row, id=name, marks=[pytest.mark.slow] * is_slow)


@pytest.mark.parametrize("row", [*rows_of_the_authors()])
def test_trees_are_those_of_the_authors(row):
    feature, left, leaves, auc, fairness = ours(row["dataset"], row["theta"])
    assert (feature, left) == (row["feature"], row["left"])
    # A last split that gains nothing but rounding is made by the package.
    assert row["leaves"] - 1 <= leaves <= row["leaves"]
    near = 0.02 if (row["dataset"], row["theta"]) == TIED else 1e-6
    assert (auc, fairness) == pytest.approx((row["auc"], row["parity"]), abs=near)


@pytest.mark.parametrize("name", ["german", "diabetes"])
def test_the_reference_file_is_what_the_package_gives(name):
    tree = pytest.importorskip("fair_trees.tree", reason="fair-trees is not installed")
    X, y, z = problem(name)
    for row in REFERENCE[REFERENCE["dataset"] == name].to_dict("records"):
        fitted = tree.FairDecisionTreeClassifier(theta=row["theta"], random_state=0, **LIMITS)
        fitted.fit(X, y, Z=z[:, None])
        scores = fitted.predict_proba(X)[:, 1]
        grown = fitted.tree_
        root = int(grown.feature[0]), grown.threshold[0], fitted.get_n_leaves()
        found = measure(X.astype(np.float32), y, z, scores, root)
        expected = [row[c] for c in ("feature", "left", "leaves", "auc", "parity")]
        assert list(found) == pytest.approx(expected, abs=1e-6)


def test_one_test_tells_the_classes_apart():
    X = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 1], [1, 1, 0], [1, 1, 1]])
    tree = SCAFFClassifier(theta=0.3, sensitive=[2]).fit(X, [0, 0, 0, 1, 1, 1])
    assert tree.get_depth() == 1
