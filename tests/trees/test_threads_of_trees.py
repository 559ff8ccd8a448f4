"""A tree that grows on several threads is the tree that grows on one, bit by bit."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config

from retree import C45Classifier, CartClassifier, CartRegressor, ID3Classifier
from retree.trees.cart import CodedCartClassifier
from retree.trees.validation import thread_count

N = 6000  # nodes of fewer than 2^14 entries are searched by one thread, so depth adds nothing
GROWERS = {
    "gini": CartClassifier(max_depth=5),
    "entropy": CartClassifier(criterion="entropy", max_depth=5, min_samples_leaf=5),
    "twoing": CartClassifier(criterion="twoing", max_depth=5),
    "regression": CartRegressor(max_depth=5),
    "one-hot": CodedCartClassifier(max_depth=5),
    "c45": C45Classifier(max_depth=5),
    "c45 binary": C45Classifier(binary_splits=True, pruning=None, max_depth=5),
    "id3": ID3Classifier(max_depth=5),
    "pruned by folds": CartClassifier(pruning="cost_complexity", max_depth=4, random_state=0),
}


def columns(kind: str, rng: np.random.Generator) -> pd.DataFrame:
    """Return ten columns, of which some tie with each other and some are nominal."""
    X = rng.normal(size=(N, 8))
    if kind != "continuous":
        X = np.round(X * 4)
    X[:, 5] = X[:, 1]
    X[:, 6] = -X[:, 2]
    if kind == "missing":
        X[rng.random(X.shape) < 0.1] = np.nan
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(8)])
    for position, k in ((2, 3), (7, 12)):
        codes = rng.integers(-1 if kind == "missing" else 0, k, N)
        levels = [f"level {i}" for i in range(k)]
        frame.insert(position, f"c{k}", pd.Categorical.from_codes(codes, levels))
    return frame


def assert_same(one, other):
    for field in fields(one):
        a, b = getattr(one, field.name), getattr(other, field.name)
        if isinstance(a, np.ndarray):
            assert a.tobytes() == b.tobytes(), field.name
        elif hasattr(a, "bits"):
            assert a.bits.tobytes() == b.bits.tobytes()
        else:
            assert a is b is None or a == b, field.name


@pytest.mark.parametrize("kind", ["continuous", "tied", "missing"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", GROWERS)
def test_threads_change_no_bit(name, kind, weighted):
    rng = np.random.default_rng([len(kind), len(name)])
    X = columns(kind, rng)
    signal = np.nan_to_num(X["x1"]) * np.nan_to_num(X["x3"]) + X["c3"].cat.codes
    y = np.digitize(signal + rng.normal(size=N), [-1, 0, 2])
    weight = rng.choice([0.0, 0.5, 1.0, 3.0], N) if weighted else None
    grower = GROWERS[name]
    one = grower.fit(X, y, weight).tree_
    assert one.node_count > 10
    for n_jobs in (2, 5):
        other = grower.set_params(n_jobs=n_jobs).fit(X, y, weight).tree_
        assert_same(one, other)
    grower.set_params(n_jobs=None)


def test_threads_share_the_rows_of_a_branch_that_might_be_raised():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40_000, 4))
    y = (X.sum(axis=1) + rng.normal(size=len(X)) > 0).astype(int)
    only_cut = C45Classifier(subtree_raising=False).fit(X, y).tree_
    one, *others = (C45Classifier(n_jobs=n_jobs).fit(X, y).tree_ for n_jobs in (None, 2, 5))
    assert 500 < one.node_count < only_cut.node_count
    for other in others:
        assert_same(one, other)


def test_n_jobs_is_as_in_joblib():
    X, y = np.arange(6.0)[:, None], [0, 1, 0, 1, 1, 0]
    for valid in (None, 1, -1, 100):
        CartClassifier(n_jobs=valid).fit(X, y)
    with parallel_config(n_jobs=2):
        assert thread_count(None) == 2
        assert thread_count(3) == 3
    assert thread_count(None) == 1
    with pytest.raises(ValueError, match="n_jobs must not be 0"):
        C45Classifier(n_jobs=0).fit(X, y)
    with pytest.raises(TypeError, match="n_jobs"):
        ID3Classifier(n_jobs="all").fit(X, y)
