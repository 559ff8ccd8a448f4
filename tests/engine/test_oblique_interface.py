"""The engine's functions for oblique trees refuse what they cannot use, and never crash."""

from types import SimpleNamespace

import engine_parts
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retree import engine
from retree.trees.oblique.oblique_base import OriginalRule

SIZES = st.integers(0, 6)
TIE = 2.0**-37  # of the rows: goodnesses that differ by less are tied
SPECIAL = [0.0, -0.0, 1.0, 1e-320, 1e100, 1e200, 1.7e308, -1.7e308, np.nan, np.inf, -np.inf]
values = st.sampled_from([*SPECIAL, -1.0, 2.0, 3.5, 0.1])
counts = st.integers(0, 4).map(float) | values
whole = st.integers(-1, 5)
real = st.sampled_from([0.0, 0.5, 1.0, -1.0, np.nan, np.inf])


@st.composite
def tables(draw):
    """Draw rows, sometimes of special values, and codes, sometimes too few or negative."""
    n, m = draw(SIZES), draw(SIZES)
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    X = np.round(rng.normal(size=(n, m)), draw(st.integers(0, 2)))
    if X.size and draw(st.booleans()):
        X.flat[draw(st.integers(0, X.size - 1))] = draw(values)
    least = draw(st.sampled_from([0, 0, 0, -1]))
    size = n + draw(st.sampled_from([0, 0, 0, 1]))
    return X, rng.integers(least, 3, size).astype(np.int32)


def call(name, *arguments, to_engine=engine_parts.call):
    """Call the engine and return its answer, None after a refusal, which must be a sentence."""
    refusal = "The engine needs none."
    try:
        return to_engine(name, *arguments)
    except ValueError as error:
        refusal = str(error)
    finally:
        assert refusal.startswith("The engine")
        assert refusal.endswith(".")
    return None


def assert_a_tree_of(found, X, weight, n_classes):
    parent, feature, threshold, counts, normals = found
    assert len(parent) == len(feature) == len(threshold)
    assert counts.shape == (len(parent), n_classes)
    assert counts[0].sum() == weight
    assert normals.shape == ((feature == -2).sum(), X.shape[1])
    np.testing.assert_array_equal(np.isnan(threshold), feature == -1)


@given(tables(), whole, whole, whole, real, st.integers(0, 4), whole, whole, whole, real)
def test_growing_is_a_tree_or_a_sentence(
    table, n_classes, criterion, scaling, share, least, order, n_restarts, n_jumps, stagnation
):
    X, y = table
    rule = SimpleNamespace(
        criterion=criterion,
        scaling=scaling,
        min_rows_per_feature=share,
        min_samples_split=least,
        max_depth=5,
        order=order,
        n_restarts=n_restarts,
        max_jumps=n_jumps,
        stagnation_probability=stagnation,
        max_cycles=n_restarts,
        elimination=stagnation,
    )
    original = OriginalRule(scaling, share, least, 5, order, 3, 2, n_jumps)
    weight = np.resize([1.0, 0.5], len(y))
    data = X, y, weight, n_classes
    for found, total in (
        (call("grow_oc1", *data, rule, 1, to_engine=engine.call), weight.sum()),
        (call("grow_cart_lc", *data, rule, to_engine=engine.call), weight.sum()),
        (call("grow_original", X, y, n_classes, original, 1, to_engine=engine.call), len(X)),
    ):
        if found is not None:
            assert_a_tree_of(found, X, total, n_classes)


@given(tables(), whole, whole, st.lists(values, min_size=0, max_size=7), whole, real)
def test_searches_are_weights_or_a_sentence(table, criterion, m, weights, order, share):
    X, y = table
    start = np.array(weights)
    scaled, climbed, cycled = start.copy(), start.copy(), start.copy()
    step = call("oblique_step", X, y, criterion, m, 1, scaled)
    if step is not None:
        before, reached, size = step[0]
        assert np.abs(scaled).max() == 1.0
        assert reached == -np.inf or (reached >= before - TIE * len(X) and np.isfinite(size))
    for answer, found in [
        (call("search_oc1", X, y, criterion, order, 1, 1, share, 1, climbed), climbed),
        (call("search_cart_lc", X, y, criterion, 3, share, cycled), cycled),
    ]:
        if answer is None:
            np.testing.assert_array_equal(found, start)
        else:
            assert np.isfinite(found).all()
            assert found.any()


@given(tables(), whole, st.lists(values, max_size=6), real, real)
def test_a_cut_is_found_or_a_sentence(table, criterion, direction, width, bar):
    X, y = table
    value = np.ascontiguousarray(X[:, :1])
    directions = np.resize(direction or [1.0], len(X))
    found = call("oblique_cut", value, directions, y, np.ones(len(y)), criterion, width, bar)
    if found is None:
        return
    (goodness,), (below, above) = found
    assert (goodness == -np.inf) == (below == -1) == (above == -1)
    if below >= 0:
        assert goodness >= bar or np.isnan(bar)
        assert -value[below, 0] / directions[below] < -value[above, 0] / directions[above]


def test_no_rows_have_no_cut():
    none = np.zeros(2)
    for criterion in range(1, 5):
        assert (
            engine_parts.call("oblique_goodness", none, none, none, criterion)[0] == -np.inf
        ).all()


def test_parts_of_rows_are_refused():
    part, whole = np.array([0.0, 0.1]), np.array([0.0, 2.0])
    assert call("oblique_goodness", part, part, whole, 1) is None


@given(st.lists(counts, max_size=4), st.lists(counts, max_size=4), whole)
def test_goodness_is_a_number_or_a_sentence(left, totals, criterion):
    found = call("oblique_goodness", np.array(left), np.array(left), np.array(totals), criterion)
    if found is not None:
        goodness, bound = found[0]
        assert np.isnan(bound) if criterion == 0 else goodness <= bound + TIE * sum(totals)


CART_LC = SimpleNamespace(
    criterion=0,
    scaling=0,
    min_rows_per_feature=1.0,
    min_samples_split=2,
    max_depth=5,
    max_cycles=1,
    elimination=0.0,
)


@pytest.mark.parametrize(
    ("X", "y"),
    [
        (np.zeros((3, 2)), np.zeros(2, np.int32)),
        (np.zeros(3), np.zeros(3, np.int32)),
        (np.zeros((3, 2)), np.zeros(3)),
        (np.full((3, 2), np.nan), np.zeros(3, np.int32)),
        (np.zeros((3, 2)), np.full(3, 2, np.int32)),
        (np.zeros((0, 2)), np.zeros(0, np.int32)),
        (np.zeros((3, 0)), np.zeros(3, np.int32)),
    ],
)
def test_wrong_shapes_types_and_values_are_refused(X, y):
    with pytest.raises(ValueError, match="The engine needs"):
        engine.call("grow_cart_lc", X, y, np.ones(len(y)), 2, CART_LC)
    with pytest.raises(ValueError, match="The engine needs"):
        engine.call("grow_original", X, y, 2, OriginalRule(False, 1.0, 2, 5, True, 3), 1)
