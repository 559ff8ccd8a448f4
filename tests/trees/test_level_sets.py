"""Sets of levels as bits, against masks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from retree.trees.node_tests import NO_LEVELS, LevelSets
from retree.trees.tree import LEAF, Tree

masks = arrays(np.bool_, array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=20))


def stump(left_levels):
    return Tree.from_parents(
        np.array([-1, 0, 0]),
        n_features=1,
        feature=np.array([0, LEAF, LEAF], np.int32),
        threshold=np.full(3, np.nan),
        counts=np.array([[1.0, 1], [1, 0], [0, 1]]),
        subset=np.array([0, -1, -1], np.int32),
        left_levels=left_levels,
    )


@given(masks)
def test_bits_are_those_of_the_mask(mask):
    sets = LevelSets.of_mask(mask)
    assert sets.bits.shape == (len(mask), -(-mask.shape[1] // 8))
    np.testing.assert_array_equal(sets.mask, mask)
    np.testing.assert_array_equal(np.asarray(sets.take([-1])), mask[-1:])
    assert [sets.levels(i) for i in range(len(mask))] == [np.flatnonzero(m).tolist() for m in mask]


@given(st.lists(st.integers(0, 19)), st.integers(20, 30))
def test_sets_of_one_level(levels, n_levels):
    sets = LevelSets.of_single(np.array(levels, np.int32), n_levels)
    np.testing.assert_array_equal(sets.mask, np.eye(n_levels, dtype=bool)[levels])


@given(masks)
def test_the_engine_sends_each_level_to_its_side(mask):
    tree = stump(mask)
    levels = np.arange(mask.shape[1], dtype=float)[:, None]
    np.testing.assert_array_equal(tree.apply(levels) == 1, mask[0])
    with pytest.raises(ValueError, match="not the code of one of its levels"):
        tree.apply(np.array([[float(mask.shape[1])]]))


@pytest.mark.parametrize("sets", [LevelSets(np.zeros((1, 1), np.uint8), 9), NO_LEVELS])
def test_sets_that_lack_bits_make_no_tree(sets):
    with pytest.raises(ValueError, match=r"a bit for each level|a subset of levels that is not"):
        stump(sets)


def test_nobody_can_change_the_bits():
    with pytest.raises(ValueError, match="read-only"):
        stump(np.array([[True, False]])).left_levels.bits[0, 0] = 0
