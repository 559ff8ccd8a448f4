"""Tree.cut, the operation by which every pruning makes leaves."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from oracle_pruning import leaves_of, passing, random_rows, random_tree
from problems import examples

from retree.trees.mixed import Sample
from retree.trees.tree import Tree

FIELDS = ("children_ptr", "children", "feature", "threshold", "counts", "subset", "left_levels",
          "normals", "moments")  # fmt: skip


@st.composite
def trees_and_cuts(draw):
    """Draw a tree, a mask of nodes to cut and rows."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    regression = draw(st.booleans())
    tree = random_tree(rng, regression=regression)
    mask = rng.random(tree.node_count) < draw(st.sampled_from([0.1, 0.3, 0.6]))
    return tree, mask, random_rows(rng, 20, missing=0.1, regression=regression)


def assert_same(tree: Tree, other: Tree) -> None:
    for name in FIELDS:
        np.testing.assert_array_equal(getattr(tree, name), getattr(other, name), err_msg=name)


def top(tree, mask):
    """Return for each node the highest cut node on its path from the root, or itself."""
    found = np.arange(tree.node_count)
    for node in range(tree.node_count):
        parent = tree.parents[node]
        if parent >= 0 and (mask[parent] or found[parent] != parent):
            found[node] = found[parent]
    return found


@examples
@given(trees_and_cuts())
def test_rows_end_in_the_highest_cut_node_on_their_path(drawn):
    tree, mask, sample = drawn
    pruned = tree.cut(mask)
    ends = top(tree, mask)[tree.apply(sample.X)]
    leaves = pruned.apply(sample.X)
    np.testing.assert_array_equal(pruned.value[leaves], tree.value[ends])
    np.testing.assert_array_equal(pruned.counts[leaves], tree.counts[ends])
    assert leaves_of(tree, pruned) == tuple(np.unique(top(tree, mask)[tree.is_leaf]))


@examples
@given(trees_and_cuts())
def test_parts_of_rows_end_there_too(drawn):
    tree, mask, sample = drawn
    pruned = tree.cut(mask)
    leaves = list(leaves_of(tree, pruned))
    for i, shares in enumerate(pruned.predicted(sample.X, divide_missing=True)):
        row = Sample(sample.X[i : i + 1], sample.y[i : i + 1], np.ones(1))
        passed = passing(tree, row, divide=True)
        parts = np.array([sum(part for _, part in passed[leaf]) for leaf in leaves])
        np.testing.assert_allclose(shares, parts @ tree.value[leaves], atol=1e-12)


@examples
@given(trees_and_cuts())
def test_fields_are_those_of_the_nodes_that_are_left(drawn):
    tree, mask, _ = drawn
    pruned = tree.cut(mask)
    kept = np.flatnonzero(top(tree, mask) == np.arange(tree.node_count))
    assert pruned.node_count == len(kept)
    np.testing.assert_array_equal(pruned.counts, tree.counts[kept])
    inner = ~pruned.is_leaf
    np.testing.assert_array_equal(pruned.feature[inner], tree.feature[kept][inner])
    np.testing.assert_array_equal(pruned.threshold[inner], tree.threshold[kept][inner])
    assert np.isnan(pruned.threshold[~inner]).all()
    if tree.moments is not None:
        np.testing.assert_array_equal(pruned.moments, tree.moments[kept])
    if tree.normals is not None:
        np.testing.assert_array_equal(pruned.normals[inner], tree.normals[kept][inner])
        assert not pruned.normals[~inner].any()
    asks = [] if tree.subset is None else np.flatnonzero((tree.subset[kept] >= 0) & inner)
    if len(asks) == 0:
        assert pruned.subset is None
        assert pruned.left_levels is None
        return
    np.testing.assert_array_equal(np.flatnonzero(pruned.subset >= 0), asks)
    levels = tree.left_levels.take(tree.subset[kept][asks]).bits
    np.testing.assert_array_equal(pruned.left_levels.take(pruned.subset[asks]).bits, levels)
    assert len(pruned.left_levels.bits) == len(asks)


@examples
@given(trees_and_cuts())
def test_nodes_are_numbered_depth_first(drawn):
    tree, mask, _ = drawn
    pruned = tree.cut(mask)
    expected, pending = [], [0]
    while pending:
        expected.append(pending.pop())
        pending += pruned.children_of(expected[-1])[::-1].tolist()
    assert expected == list(range(pruned.node_count))


@examples
@given(trees_and_cuts())
def test_cutting_at_leaves_or_at_nothing_changes_nothing(drawn):
    tree, mask, _ = drawn
    pruned = tree.cut(mask)
    assert_same(pruned.cut(pruned.is_leaf), pruned)
    assert_same(pruned.cut(np.zeros(pruned.node_count, bool)), pruned)
    assert_same(tree.cut(np.flatnonzero(mask)), pruned)
    assert tree.cut([0]).node_count == 1
