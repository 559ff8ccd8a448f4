"""Statements of the notes on ID3, C4.5, CART and pruning that no table shows."""

from __future__ import annotations

import numpy as np
import pandas as pd
from oracle_pruning import random_tree
from scipy import stats

from retree import C45Classifier, CartClassifier, ID3Classifier
from retree.trees.pruning.by_errors import prune_pessimistic

ROWS = 120


def telling_and_many_valued():
    """A column that is right nine times in ten, and one of sixty levels that says nothing."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=ROWS)
    telling = np.where(rng.random(ROWS) < 0.9, y, 1 - y)
    levels = np.arange(ROWS) % 60
    X = pd.DataFrame({"telling": telling, "many": levels}).astype("category")
    return X, y


def test_id3_leans_to_attributes_of_many_values():
    X, y = telling_and_many_valued()
    assert ID3Classifier().fit(X, y).tree_.feature[0] == 1


def test_gain_ratio_punishes_attributes_of_many_values():
    X, y = telling_and_many_valued()
    assert C45Classifier(min_cases=1, pruning=None).fit(X, y).tree_.feature[0] == 0


def test_the_smaller_gini_index_is_that_of_purer_children():
    # The first column leaves the classes evenly mixed, the second parts them.
    X = np.array([[0, 0], [1, 0], [0, 1], [1, 1]] * 5, float)
    y = X[:, 1].astype(int)
    tree = CartClassifier().fit(X, y).tree_
    assert tree.feature[0] == 1
    assert tree.n_leaves == 2


def test_c45_cuts_at_a_value_of_the_data():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(80, 3))
    tree = C45Classifier().fit(X, X[:, 0] > X[:, 1]).tree_
    tests = tree.feature >= 0
    assert tests.sum() > 1
    for feature, threshold in zip(tree.feature[tests], tree.threshold[tests], strict=True):
        assert threshold in X[:, feature]


def test_c45_takes_the_threshold_of_greatest_gain():
    rng = np.random.default_rng(4)
    other_by_ratio = 0
    for _ in range(30):
        x, y = np.arange(40.0), (np.arange(40) + rng.normal(0, 12, 40) > 14).astype(int)
        tree = C45Classifier(pruning=None, collapse=False, max_depth=1).fit(x[:, None], y).tree_
        # A branch has at least two rows.
        cuts = np.arange(1, 38)
        gains = [stats.entropy(np.bincount(y)) - _entropy_below(y, cut + 1) for cut in cuts]
        parts = [stats.entropy([cut + 1, 39 - cut]) for cut in cuts]
        assert tree.threshold[0] == cuts[int(np.argmax(np.round(gains, 12)))]
        other_by_ratio += int(np.argmax(gains) != np.argmax(np.divide(gains, parts)))
    assert other_by_ratio > 3


def _entropy_below(y, cut):
    sides = (y[:cut], y[cut:])
    return sum(len(side) * stats.entropy(np.bincount(side)) for side in sides) / len(y)


def test_pessimistic_pruning_from_the_leaves_cuts_more_with_more_standard_errors():
    rng = np.random.default_rng(5)
    trees = [random_tree(rng) for _ in range(200)]
    sizes = np.array(
        [[prune_pessimistic(tree, z, "bottom_up").n_leaves for z in (1.0, 1.96)] for tree in trees]
    )
    assert (sizes[:, 1] <= sizes[:, 0]).all()
    assert (sizes[:, 1] < sizes[:, 0]).any()


def test_no_more_than_1_96_standard_errors_has_a_probability_of_97_5_percent():
    assert round(float(stats.norm.cdf(1.96)), 3) == 0.975


def test_a_correction_of_one_half_brings_the_normal_nearer_to_the_binomial():
    for n, p in ((20, 0.3), (100, 0.6), (400, 0.1)):
        near = stats.norm(n * p, np.sqrt(n * p * (1 - p)))
        counts = np.arange(int(n * p) - 3, int(n * p) + 4)
        exact = stats.binom(n, p).cdf(counts)
        assert (np.abs(near.cdf(counts + 0.5) - exact) < np.abs(near.cdf(counts) - exact)).all()
