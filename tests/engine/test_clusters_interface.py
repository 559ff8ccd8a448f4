"""Fuzz of the engine's clustering, Relief-F and CMDT: a result or a ValueError."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from retree import engine

numbers = st.floats(allow_nan=True, allow_infinity=True) | st.integers(-1, 3).map(float)
rows = npst.arrays(float, st.tuples(st.integers(0, 6), st.integers(0, 3)), elements=numbers)
flags = st.lists(st.booleans(), min_size=3, max_size=3)
slots = st.lists(st.integers(-1, 4), min_size=0, max_size=4).map(lambda s: np.array(s, np.int32))
codes = st.lists(st.integers(-1, 3), min_size=6, max_size=6)


def attempt(name, *arguments):
    """Return the arrays of a call, None if the engine refuses it."""
    try:
        return engine.call(name, *arguments)
    except ValueError:
        return None


@given(rows, flags, slots, codes, st.integers(0, 3))
@settings(deadline=None)
def test_clusters(X, nominal, start, labels, n_centres):
    nominal = np.array(nominal[: X.shape[1]], bool)
    labels = np.array(labels[: len(X)], np.int32)
    positions = np.zeros((n_centres, max(start[-1] if len(start) else 0, 0)))
    attempt("find_centres", X, labels, start, nominal, True, positions)
    weight = np.ones(X.shape[1])
    found = attempt("cluster", X, positions, weight, 0.5, 1, start, nominal, False, 3, labels)
    if found is not None:
        assert labels.max(initial=-1) < max(len(found[0]), 1)


@given(rows, flags, codes, st.lists(st.integers(-1, 7), max_size=4), st.integers(-1, 9))
@settings(deadline=None)
def test_relief(X, nominal, labels, sampled, n_neighbors):
    nominal = np.array(nominal[: X.shape[1]], bool)
    counts = np.bincount(np.maximum(np.array(labels[: len(X)], int), 0), minlength=1)
    start = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    weights = np.empty(X.shape[1])
    drawn = np.array(sampled, np.int64)
    attempt("relief_weights", X, nominal, start, drawn, n_neighbors, weights)


@given(rows, flags, slots, codes, st.integers(0, 3), st.integers(-1, 9))
@settings(deadline=None)
def test_cmdt(X, nominal, start, labels, n_classes, number):
    nominal = np.array(nominal[: X.shape[1]], bool)
    y = np.sort(np.array(labels[: len(X)], np.int32))
    spread, priority = np.ones(X.shape[1]), np.arange(len(X))
    parameters = (True, False, 1, np.nan, 0.2, number, 4, 3, 2)
    grown = attempt("grow_cmdt", X, y, n_classes, start, nominal, spread, priority, *parameters)
    if grown is not None:
        assert grown[3][0].sum() == len(X)
