"""Fuzz of the engine's clustering, Relief-F and CMDT: a sound result or a ValueError."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from retree import engine
from retree.trees.cmdt.cmdt import CMDTRule

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


@st.composite
def tables(draw):
    """Draw sound rows of numbers in [0, 1] and of levels, some missing; what is nominal; slots."""
    n, rng = draw(st.integers(1, 12)), np.random.default_rng(draw(st.integers(0, 10**6)))
    n_levels = np.array(draw(st.lists(st.integers(0, 3), min_size=1, max_size=4)))
    nominal = n_levels > 0
    X = np.where(
        nominal, rng.integers(0, np.maximum(n_levels, 1), (n, len(nominal))), rng.random(n)[:, None]
    )
    X[rng.random(X.shape) < draw(st.sampled_from([0.0, 0.3]))] = np.nan
    start = np.concatenate(([0], np.cumsum(np.maximum(n_levels, 1)))).astype(np.int32)
    return X, nominal, start


@given(rows, flags, slots, codes, st.integers(0, 3))
@settings(deadline=None)
def test_clustering_of_anything(X, nominal, start, labels, n_centres):
    nominal = np.array(nominal[: X.shape[1]], bool)
    labels = np.array(labels[: len(X)], np.int32)
    positions = np.zeros((n_centres, max(start[-1] if len(start) else 0, 0)))
    attempt("find_centres", by_column(X), labels, start, nominal, True, positions)
    weight = np.ones(X.shape[1])
    found = attempt(
        "cluster", by_column(X), positions, weight, 0.5, 1, start, nominal, False, 3, labels
    )
    if found is not None:
        assert labels.max(initial=-1) < max(len(found[0]), 1)


@given(tables(), st.integers(1, 3), st.booleans(), st.integers(0, 2), st.integers(0, 5))
@settings(deadline=None)
def test_clusters_of_sound_rows(table, n_centres, modes, metric, max_rounds):
    X, nominal, start = table
    labels = np.arange(len(X), dtype=np.int32) % n_centres
    positions = np.zeros((n_centres, start[-1]))
    engine.call("find_centres", by_column(X), labels, start, nominal, modes, positions)
    known = positions[np.isfinite(positions)]
    assert ((known >= 0) & (known <= 1)).all()
    space = np.ones(X.shape[1]), 0.5, metric, start, nominal, modes
    centres, cost, _ = engine.call(
        "cluster", by_column(X), np.nan_to_num(positions), *space, max_rounds, labels
    )
    assert len(centres) <= n_centres
    assert cost[0] >= 0
    np.testing.assert_array_equal(labels == -1, np.isnan(X).all(axis=1))
    assert (labels < len(centres)).all()


@given(rows, flags, codes, st.lists(st.integers(-1, 7), max_size=4), st.integers(-1, 9))
@settings(deadline=None)
def test_relief_of_anything(X, nominal, labels, sampled, n_neighbors):
    nominal = np.array(nominal[: X.shape[1]], bool)
    counts = np.bincount(np.maximum(np.array(labels[: len(X)], int), 0), minlength=1)
    start = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    weights = np.full(X.shape[1], 9.0)
    drawn = np.array(sampled, np.int32)
    found = attempt("relief_weights", by_column(X), nominal, start, drawn, n_neighbors, weights)
    assert found == () or (weights == 9.0).all()  # a refused call leaves the weights alone


@given(tables(), st.integers(2, 3), st.integers(1, 5))
@settings(deadline=None)
def test_weights_of_sound_rows(table, n_classes, n_neighbors):
    X, nominal, _ = table
    start = np.linspace(0, len(X), n_classes + 1).astype(np.int64)
    weights = np.empty(X.shape[1])
    drawn = np.arange(len(X), dtype=np.int32)
    engine.call("relief_weights", by_column(X), nominal, start, drawn, n_neighbors, weights)
    assert (np.abs(weights) <= 1 + 1e-9).all()
    constant = np.ptp(X, axis=0) == 0
    assert (weights[constant] == 0).all()


@given(rows, flags, slots, codes, st.integers(0, 3), st.integers(-1, 9))
@settings(deadline=None)
def test_cmdt_of_anything(X, nominal, start, labels, n_classes, number):
    nominal = np.array(nominal[: X.shape[1]], bool)
    y = np.sort(np.array(labels[: len(X)], np.int32))
    check_cmdt(X, y, n_classes, start, nominal, number)


@given(tables(), st.integers(1, 3), st.integers(1, 9))
@settings(deadline=None)
def test_cmdt_of_sound_rows(table, n_classes, number):
    X, nominal, start = table
    y = np.sort(np.arange(len(X), dtype=np.int32) % n_classes)
    assert check_cmdt(X, y, n_classes, start, nominal, number) is not None


def by_column(X):
    return np.ascontiguousarray(X.T)


def check_cmdt(X, y, n_classes, start, nominal, n_neighbors):
    """Return the arrays of a tree, which must fit together; None if the engine refuses it."""
    spread, priority = np.ones(X.shape[1]), np.arange(len(X), dtype=np.int32)
    columns = by_column(X)
    rule = CMDTRule(True, False, 1, np.nan, 0.2, n_neighbors, 4, 3, 2)
    grown = attempt("grow_cmdt", columns, y, n_classes, start, nominal, spread, priority, rule)
    if grown is not None:
        nodes, _, weight, counts, positions = grown
        assert counts[0].sum() == len(X)
        assert (nodes[1:, 0] < np.arange(1, len(nodes))).all()
        assert nodes[:, 2].sum() == len(positions) == len(nodes) - 1
        assert (weight >= 0).all()
        for node in np.flatnonzero(nodes[:, 2]):
            np.testing.assert_array_equal(counts[nodes[:, 0] == node].sum(axis=0), counts[node])
    return grown
