"""Leaves of one class joined."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from problems import examples, problems

from retree import StructurePurityClassifier
from retree.trees.pruning.limits import join_equal_leaves
from retree.trees.tree import LEAF, Tree


def classes_below(tree, node):
    """Return the classes that the leaves below a node predict."""
    if tree.is_leaf[node]:
        return {int(np.argmax(tree.counts[node]))}
    return set().union(*(classes_below(tree, child) for child in tree.children_of(node)))


def test_joining_goes_as_far_up_as_one_class_does():
    # The root's left side predicts 0 in all three leaves, its right side 0 and 1.
    tree = Tree.from_parents(
        np.array([-1, 0, 1, 1, 3, 3, 0, 6, 6]),
        n_features=1,
        feature=np.array([0, 0, LEAF, 0, LEAF, LEAF, 0, LEAF, LEAF], np.int32),
        threshold=np.array([4, 1, np.nan, 2, np.nan, np.nan, 6, np.nan, np.nan], float),
        counts=np.array(
            [[9, 3], [6, 2], [2, 0], [4, 2], [3, 1], [1, 1], [3, 1], [3, 0], [0, 1]], float
        ),
    )
    joined = join_equal_leaves(tree)
    np.testing.assert_array_equal(joined.feature, [0, LEAF, 0, LEAF, LEAF])
    np.testing.assert_array_equal(joined.counts, tree.counts[[0, 1, 6, 7, 8]])


@given(problems(), st.sampled_from(["gini", "csn"]), st.sampled_from(["leaf", "keep", "skip"]))
@examples
def test_joined_trees_predict_the_same_and_have_no_needless_test(problem, criterion, small_child):
    X, y = problem
    model = StructurePurityClassifier(criterion=criterion, small_child=small_child).fit(X, y)
    joined = StructurePurityClassifier(
        criterion=criterion, small_child=small_child, equal_leaves="join"
    ).fit(X, y)
    np.testing.assert_array_equal(joined.predict(X), model.predict(X))
    tree = joined.tree_
    assert tree.n_leaves <= model.tree_.n_leaves
    for node in np.flatnonzero(~tree.is_leaf):
        assert len(classes_below(tree, node)) > 1
