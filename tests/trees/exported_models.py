"""Fitted models of random trees of all kinds, with names that are hard to quote, and rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from kinds import random_trees

from retree import (
    BaggingTreesClassifier,
    C45Classifier,
    CartClassifier,
    CartRegressor,
    FittedForestClassifier,
)
from retree.forests.fitted import VOTES
from retree.forests.forest import Forest

NAMES = ['wi"dth', "hei'ght?", "Fárbe \\n 色"]
LEVELS = ['re"d', "gr'een", "blå %s ?? 😀", "a\\tb\nc"]
CLASSES = sorted(["o'ak", 'e"lm', "ещё"])
SEEN = dict.fromkeys(NAMES[:2]) | {NAMES[2]: LEVELS}

# Each example compiles or runs a program; other processes slow that down at times.
examples = settings(
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def fitted(estimator, **attributes):
    """Return an estimator with the attributes of one that was fitted to the rows here."""
    known = {
        "classes_": np.array(CLASSES),
        "categories_": [None, None, pd.Index(LEVELS)],
        "n_features_in_": len(NAMES),
        "feature_names_in_": np.array(NAMES, object),
    }
    for name, value in (known | attributes).items():
        setattr(estimator, name, value)
    return estimator


def tree_model(tree, *, divide):
    """Return a classifier of one tree that divides rows with missing values, or does not."""
    return fitted(C45Classifier() if divide else CartClassifier(), tree_=tree)


@st.composite
def tree_models(draw):
    return tree_model(draw(random_trees()), divide=draw(st.booleans()))


@st.composite
def forest_models(draw, most_trees=3, votes=VOTES):
    trees = draw(st.lists(random_trees(9), min_size=1, max_size=most_trees))
    weight = st.sampled_from([0.0, 1.0, 0.3, 2.25])
    weights = np.array([draw(weight) for _ in trees])
    vote = draw(st.sampled_from(votes))
    if vote == "weighted_shares" and not weights.any():
        weights[0] = 1.0
    forest = Forest(tuple(trees), weights, draw(st.booleans()), exact_votes=draw(st.booleans()))
    model = draw(st.sampled_from([BaggingTreesClassifier, FittedForestClassifier]))
    return fitted(model(vote=vote), forest_=forest)


def rows(n=40, *, missing=0.2, seed=0):
    """Return rows with values on thresholds, missing values and a level that nobody knows."""
    rng = np.random.default_rng(seed)
    numbers = rng.integers(-1, 9, (n, 2)) / 2 + rng.choice([0.0, 1e-16, 0.1], (n, 2))
    numbers[rng.random((n, 2)) < missing] = np.nan
    colours = rng.choice(np.array([*LEVELS, "purple"], object), n)
    colours[rng.random(n) < missing] = None
    return pd.DataFrame({NAMES[0]: numbers[:, 0], NAMES[1]: numbers[:, 1], NAMES[2]: colours})


def mixed_data(n=150, *, seed=0, missing=0.1):
    """Return rows and labels with quotes in them, to grow a tree on."""
    X = rows(n, missing=missing, seed=seed)
    X[NAMES[2]] = X[NAMES[2]].where(X[NAMES[2]] != "purple")
    X[NAMES[2]] = pd.Categorical(X[NAMES[2]], categories=LEVELS)
    rng = np.random.default_rng(seed)
    score = X[NAMES[0]].fillna(1) + 2 * X[NAMES[2]].cat.codes + rng.normal(size=n)
    return X, np.array(CLASSES)[np.digitize(score, [1.5, 4.0])]


def regression_model():
    X, _ = mixed_data()
    y = X[NAMES[0]].fillna(0.3) ** 2 + X[NAMES[2]].cat.codes / 3
    return CartRegressor(max_depth=5).fit(X, y)


def assert_same_bits(found, expected):
    """Raise unless two arrays of doubles are equal bit by bit."""
    found = np.asarray(found, np.float64)
    assert found.shape == expected.shape
    np.testing.assert_array_equal(found.view(np.int64), np.ascontiguousarray(expected).view("i8"))
