"""Tests for the nearest centre in the shared tree, on a tree written by hand."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from retree.trees.node_tests import EUCLIDEAN, MANHATTAN, Centres
from retree.trees.pruning.by_errors import prune_error_based
from retree.trees.tree import Tree
from retree_lab.experiments.storing.outcomes import pack_tree, unpack_tree

# A numeric column on the scale (x - 10) / 5, and a nominal one with three levels.
#              0: nearest of 3 centres
#   1: leaf    2: nearest of 2 centres    5: leaf
#              3: leaf   4: leaf
BY_HAND = Tree(
    n_features=2,
    children_ptr=np.array([0, 3, 3, 5, 5, 5, 5], np.int32),
    children=np.array([1, 2, 5, 3, 4], np.int32),
    feature=np.array([-3, -1, -3, -1, -1, -1], np.int32),
    threshold=np.full(6, np.nan),
    counts=np.array([[9.0, 8], [4, 0], [3, 6], [3, 1], [0, 5], [2, 2]]),
    centres=Centres(
        weight=np.array([[1, 1], [0, 0], [0.5, 0], [0, 0], [0, 0], [0, 0]]),
        gamma=np.array([0.2, 0, 1, 0, 0, 0]),
        metric=np.array([EUCLIDEAN, 0, MANHATTAN, 0, 0, 0], np.int8),
        first=np.array([0, 3, 3, 5, 5, 5], np.int32),
        n_centres=np.array([3, 0, 2, 0, 0, 0], np.int32),
        position=np.array(
            [
                [0, 1.0, 0, 0],
                [1, 0, 0.5, 0.5],
                [2, 0, 0, 1.0],
                [0.5, 0, 0, 0],
                [1.5, 0, 0, 0],
            ]
        ),
        start=np.array([0, 1, 4], np.int32),
        nominal=np.array([False, True]),
        offset=np.array([10.0, 0]),
        scale=np.array([5.0, 1]),
    ),
)


@pytest.mark.parametrize(
    ("row", "leaf"),
    [
        ([10, 0], 1),  # 0 against 0.2 * 1 + 0.8 * 1
        ([15, 0], 1),  # 0.2 against 0.8
        ([14, 1], 3),  # 0.4 against 0.16 + 0.8, then 0.15 against 0.35
        ([15, 1], 3),  # a tie: the first centre
        ([15.1, 1], 4),
        ([20, 2], 5),
        ([20, np.nan], 5),  # 0.4 and 0.2 against 0
        ([np.nan, 0], 1),
        ([np.nan, 1], 4),  # no value with a weight below: the heaviest branch
        ([np.nan, np.nan], 4),
    ],
)
def test_rows_go_to_the_nearest_centre(row, leaf):
    assert BY_HAND.apply(np.array([row], float)) == [leaf]


def test_a_row_without_values_is_divided():
    shares = BY_HAND.predicted(
        np.array([[np.nan, np.nan], [np.nan, 1], [10, 0]]), divide_missing=True
    )
    np.testing.assert_allclose(shares, [[9 / 17, 8 / 17], [1 / 3, 2 / 3], [1, 0]])


def assert_same(first, second):
    """Check that two trees have the same fields."""
    np.testing.assert_array_equal(first.feature, second.feature)
    np.testing.assert_array_equal(first.counts, second.counts)
    for one, other in zip(first.centres, second.centres, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)


def test_packing_and_pickling_keep_the_centres():
    assert_same(unpack_tree(pack_tree(BY_HAND)), BY_HAND)
    assert_same(pickle.loads(pickle.dumps(BY_HAND)), BY_HAND)


def test_cutting_keeps_the_centres_that_are_left():
    assert_same(BY_HAND.cut([1, 5]), BY_HAND)
    cut = BY_HAND.cut([2])
    assert (cut.node_count, cut.centres.n_centres.tolist()) == (4, [3, 0, 0, 0])
    np.testing.assert_array_equal(cut.centres.position, BY_HAND.centres.position[:3])
    np.testing.assert_array_equal(cut.apply(np.array([[14.0, 1], [20, 2]])), [2, 3])
    assert BY_HAND.cut([0]).centres is None


def test_a_branch_can_be_raised():
    n = 40
    X = np.column_stack([np.r_[np.full(n, 13.0), np.full(n, 17.0)], np.ones(2 * n)])
    y = np.repeat([0, 1], n).astype(np.int32)
    counts = np.array([[n, n], [0, 0], [n, n], [n, 0], [0, n], [0, 0.0]])
    raised = prune_error_based(replace(BY_HAND, counts=counts), X, y, np.ones(2 * n))
    assert (raised.node_count, raised.centres.n_centres.tolist()) == (3, [2, 0, 0])
    np.testing.assert_array_equal(raised.apply(X), 1 + y)
    np.testing.assert_array_equal(raised.counts, [[n, n], [n, 0], [0, n]])
