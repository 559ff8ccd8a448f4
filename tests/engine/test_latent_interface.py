"""The engine's functions for latent trees by plain definitions, and what they refuse."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from problems import examples

from retree import engine
from retree.trees.latent.transforms import project

seeds = st.integers(0, 10**6)
sizes = st.integers(0, 5)


@given(seeds, sizes, sizes, sizes)
@examples
def test_sums_are_added_in_the_order_of_the_features(seed, n, m, k):
    rng = np.random.default_rng(seed)
    X, directions = rng.normal(size=(n, m)), rng.normal(size=(k, m))
    expected = np.zeros((n, k))
    for j in range(m):
        expected += directions[:, j] * X[:, j : j + 1]
    np.testing.assert_array_equal(project(X, directions), expected)


@given(seeds, st.sampled_from([np.nan, np.inf, 0.0, 1.0]))
@examples
def test_keys_are_those_of_the_values(seed, special):
    X = np.random.default_rng(seed).integers(-2, 3, (40, 2)).astype(float)
    X[0, 0] = special
    keys = np.empty(len(X), np.uint64)
    engine.call("hash_rows", np.where(X == 0, -0.0, X), keys)
    for a, key in zip(X, keys, strict=True):
        same = [other for b, other in zip(X, keys, strict=True) if np.array_equal(a, b)]
        assert set(same) <= {key}
    assert len(set(keys)) == len({row.tobytes() for row in X + 0.0})


@given(
    children_ptr=st.lists(st.integers(-1, 5), max_size=4),
    children=st.lists(st.integers(-1, 4), max_size=4),
    feature=st.lists(st.integers(-2, 3), max_size=3),
)
def test_gaps_of_any_tree_are_numbers_or_a_sentence(children_ptr, children, feature):
    X = np.arange(6.0).reshape(3, 2)
    tree = (np.array(part, np.int32) for part in (children_ptr, children, feature))
    threshold, nearest = np.zeros(len(feature)), np.empty((len(feature), 2))
    refusal = ""
    try:
        engine.call("gaps", X, *tree, threshold, nearest)
    except ValueError as error:
        refusal = str(error)
    assert refusal == "" or refusal.startswith("The engine needs")


@pytest.mark.parametrize("shape", [(2,), (3, 2), (2, 2)])
def test_wrong_shapes_are_refused(shape):
    with pytest.raises(ValueError, match="The engine needs"):
        engine.call("project", np.zeros((3, 2)), np.zeros((3, 2)), np.zeros(shape))
