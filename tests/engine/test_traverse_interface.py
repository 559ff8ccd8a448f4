"""Fuzz of the engine's ways down a tree: a result or a ValueError, whatever the numbers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from kinds import MIXED, NEAREST

from retree import engine
from retree.trees.tree import Tree, majority_class

numbers = st.floats(allow_nan=True, allow_infinity=True) | st.integers(-2, 9).map(float)
rows = npst.arrays(float, st.tuples(st.integers(0, 5), st.integers(1, 4)), elements=numbers)
small = st.lists(st.integers(-4, 6), min_size=0, max_size=8)


@given(rows, st.sampled_from([MIXED, NEAREST]), st.booleans())
@settings(deadline=None)
def test_any_rows(X, tree, divide):
    try:
        leaves = tree.apply(X)
        values = tree.predicted(X, divide_missing=divide)
        codes = tree.predicted_codes(X, divide_missing=divide)
    except ValueError:
        return
    assert tree.is_leaf[leaves].all()
    assert np.isfinite(values).all()
    np.testing.assert_array_equal(codes, majority_class(values))


@given(small, small, small)
@settings(deadline=None)
def test_any_tree(pointer, children, feature):
    try:
        tree = Tree(
            n_features=2,
            children_ptr=np.array(pointer, np.int32),
            children=np.array(children, np.int32),
            feature=np.array(feature, np.int32),
            threshold=np.zeros(len(feature)),
            counts=np.ones((len(feature), 2)),
        )
    except ValueError:
        return
    assert tree.is_leaf[tree.apply(np.zeros((1, 2)))].all()


lengths = st.sampled_from([0, 0, 0, 1, -1])


@given(st.lists(st.sampled_from([-1, -1, 0, 0, 1, 2, 3, -2]), max_size=12), lengths, lengths)
def test_any_parents(parents, more, fewer):
    n_trees = parents.count(-1)
    pointer = np.empty(max(len(parents) + n_trees + more, 0), np.int32)
    children = np.empty(max(len(parents) - n_trees + fewer, 0), np.int32)
    try:
        engine.call("link_children", np.array(parents, np.int32), pointer, children)
    except ValueError:
        return
    starts = np.flatnonzero(np.array(parents) == -1)
    for tree in np.split(np.array(parents), starts[1:]):
        ends, pointer = pointer[: len(tree) + 1], pointer[len(tree) + 1 :]
        own, children = children[: len(tree) - 1], children[len(tree) - 1 :]
        for node in range(len(tree)):
            linked = own[ends[node] : ends[node + 1]]
            np.testing.assert_array_equal(linked, np.flatnonzero(tree == node))


@pytest.mark.parametrize("array", [np.zeros((2, 3), np.float32), np.zeros(3), np.zeros((3, 2)).T])
def test_arrays_of_another_kind_are_refused(array):
    with pytest.raises(ValueError, match="The engine"):
        engine.call("apply_tests", array, MIXED.views, MIXED.weight, np.empty(2, np.int32))
