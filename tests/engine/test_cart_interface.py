"""The engine's growing function with any arguments: a tree or a ValueError, never a crash."""

from __future__ import annotations

import signal
from contextlib import suppress

import numpy as np
import pandas as pd
import pytest
from call_by_name import call_by_name
from hypothesis import given
from hypothesis import strategies as st
from problems import examples

from retree import CartClassifier
from retree.trees.mixed import Sample
from retree.trees.weighted_columns import make_weighted_columns

ODD = (np.nan, np.inf, -np.inf, -0.0, 5e-324, 1.7e308)
NAMES = ("X", "y", "weight", "rows", "entries", "codes", "n_levels", "n_classes",
         "total", "target", "criterion", "max_depth", "min_samples_split", "min_samples_leaf",
         "min_weight_fraction_leaf", "min_impurity_decrease", "max_class_share",
         "max_exact_levels", "n_threads")  # fmt: skip


@st.composite
def arguments(draw):
    """Draw what Python hands over, of small data with odd values."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, criterion = draw(st.integers(1, 30)), draw(st.integers(0, 3))
    n_levels = np.array(draw(st.lists(st.sampled_from([-1, -1, 1, 3, 9]), max_size=4)), np.int32)
    X = np.empty((n, len(n_levels)))
    for column, k in zip(X.T, n_levels, strict=True):
        column[:] = rng.integers(0, k, n) if k > 0 else rng.integers(-3, 3, n) / 2
        is_odd = rng.random(n) < draw(st.sampled_from([0.0, 0.3]))
        column[is_odd] = rng.choice(ODD[:1] if k > 0 else ODD, is_odd.sum())
    n_classes = 1 if criterion == 3 else draw(st.integers(1, 5))
    y = rng.integers(0, n_classes, n).astype(np.int32)
    weight = rng.choice(draw(st.sampled_from([[1.0], [1.0, 3.0], [0.3, 1e-9, 1e300]])), n)
    columns = make_weighted_columns(Sample(X, y, weight), n_levels, n_classes)
    limits = draw(st.integers(0, 40)), 2, draw(st.integers(1, 3)), draw(st.sampled_from([0.0, 0.2]))
    rule = criterion, *limits, 0.0, 1.0, 5, 2
    return dict(zip(NAMES, (*columns.arguments, rng.uniform(-1, 1, n), *rule), strict=True))


def check_records(records, given_arguments):
    parent, feature, subset, threshold, sums, left_levels = records
    n_nodes, inner = len(parent), feature >= 0
    assert (parent[1:] >= 0).all()
    assert (parent[1:] < np.arange(1, n_nodes)).all()
    assert (np.bincount(parent[1:], minlength=n_nodes) == 2 * inner).all()
    assert (feature < given_arguments["X"].shape[1]).all()
    assert (np.isnan(threshold) == (~inner | (subset >= 0))).all()
    assert len(sums) == n_nodes
    assert (subset < len(left_levels)).all()


@examples
@given(arguments())
def test_arguments_of_odd_values_give_a_tree(given_arguments):
    check_records(call_by_name("cart_grow", "cart", given_arguments), given_arguments)


@examples
@given(arguments(), st.sampled_from(NAMES), st.data())
def test_a_wrong_argument_is_refused_or_gives_a_tree(given_arguments, name, data):
    value = given_arguments[name]
    rng = np.random.default_rng(0)
    if not isinstance(value, np.ndarray):
        wrong = data.draw(st.sampled_from([-1, 0, 1, 7, 100, 2**62]))
        if name == "n_classes":  # one result for each of many classes would only take memory
            wrong = min(wrong, 100)
    else:
        ways = ["empty", "longer", "flat", "type", "noise"]
        wrong = {
            "empty": lambda: value[:0],
            "longer": lambda: np.concatenate([value, value]),
            "flat": lambda: np.ascontiguousarray(value.reshape(-1, 1)),
            "type": lambda: np.zeros(value.shape, np.int8),
            "noise": lambda: rng.integers(0, 99, value.shape).astype(value.dtype),
        }[data.draw(st.sampled_from(ways))]()
    changed = given_arguments | {name: wrong}
    with suppress(ValueError):
        parent, *_ = call_by_name("cart_grow", "cart", changed)
        assert parent[0] == -1


def test_many_levels_and_classes():
    rng = np.random.default_rng(0)
    level, y = rng.permutation(100_000), rng.integers(0, 2, 100_000)
    X = pd.DataFrame({"level": pd.Categorical(level)})
    assert CartClassifier(max_depth=1).fit(X, y).score(X, y) == 1.0


def test_ctrl_c_ends_growing():
    rng = np.random.default_rng(0)
    level, y = rng.integers(0, 20, 4000), rng.integers(0, 30, 4000)
    X = pd.DataFrame({"level": pd.Categorical(level)})

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        # A Gray code of half a million subsets.
        with pytest.raises(KeyboardInterrupt):
            CartClassifier(max_exact_levels=20).fit(X, y)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
