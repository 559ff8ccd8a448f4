"""The tree structure, on a tree written by hand and on grown ones."""

import pickle
from itertools import pairwise

import numpy as np
import pytest
from problems import CRITERIA, assert_same_tree
from sklearn.base import clone
from sklearn.datasets import load_iris

from retree import StructurePurityClassifier
from retree.trees.tree import Tree

#         0: x1 <= 2
#    1: x0 <= -1        4: leaf
#  2: leaf  3: leaf
BY_HAND = Tree(
    n_features=2,
    children_ptr=np.array([0, 2, 4, 4, 4, 4], np.int32),
    children=np.array([1, 4, 2, 3], np.int32),
    feature=np.array([1, 0, -1, -1, -1], np.int32),
    threshold=np.array([2.0, -1.0, np.nan, np.nan, np.nan]),
    counts=np.array([[4.0, 4], [4, 1], [3, 0], [1, 1], [0, 3]]),
)


def test_numbers():
    assert (BY_HAND.node_count, BY_HAND.n_leaves, BY_HAND.max_depth) == (5, 3, 2)
    np.testing.assert_array_equal(BY_HAND.depths, [0, 1, 2, 2, 1])
    np.testing.assert_array_equal(BY_HAND.parents, [-1, 0, 1, 1, 0])
    np.testing.assert_array_equal(BY_HAND.is_leaf, [False, False, True, True, True])
    np.testing.assert_array_equal(BY_HAND.value[:2], [[0.5, 0.5], [0.8, 0.2]])


def test_children():
    assert [BY_HAND.children_of(i).tolist() for i in range(5)] == [[1, 4], [2, 3], [], [], []]


def test_paths():
    paths = [[], [(0, 0)], [(0, 0), (1, 0)], [(0, 0), (1, 1)], [(0, 1)]]
    assert [BY_HAND.path_to(i) for i in range(5)] == paths


def test_rows_at_the_threshold_go_to_the_first_child():
    rows = np.array([[-1.0, 2.0], [np.nextafter(-1, 0), 2.0], [-9.0, np.nextafter(2, 3)]])
    np.testing.assert_array_equal(BY_HAND.apply(rows), [2, 3, 4])


def test_single_leaf():
    counts = np.array([[2.0, 1.0]])
    ptr, none = np.zeros(2, np.int32), np.empty(0, np.int32)
    tree = Tree(1, ptr, none, np.array([-1], np.int32), np.array([np.nan]), counts)
    assert (tree.node_count, tree.n_leaves, tree.max_depth) == (1, 1, 0)
    np.testing.assert_array_equal(tree.apply(np.zeros((3, 1))), [0, 0, 0])


@pytest.fixture(params=CRITERIA)
def fitted(request):
    X, y = load_iris(return_X_y=True)
    return StructurePurityClassifier(criterion=request.param).fit(X, y), X, y


def test_grown_trees_are_numbered_depth_first(fitted):
    tree = fitted[0].tree_
    expected, pending = [], [0]
    while pending:
        node = pending.pop()
        expected.append(node)
        pending += tree.children_of(node)[::-1].tolist()
    assert expected == list(range(tree.node_count))
    assert tree.node_count == 2 * tree.n_leaves - 1
    assert np.isnan(tree.threshold[tree.is_leaf]).all()
    assert not np.isnan(tree.threshold[~tree.is_leaf]).any()


def test_counts_are_those_of_the_rows_that_pass(fitted):
    model, X, y = fitted
    passed = model.decision_path(X).T @ np.eye(3)[y]
    np.testing.assert_array_equal(passed, model.tree_.counts)


def test_paths_lead_from_the_root_to_the_leaf(fitted):
    model, X, _ = fitted
    paths, leaves, tree = model.decision_path(X), model.apply(X), model.tree_
    assert paths.shape == (150, tree.node_count)
    assert paths.has_sorted_indices
    for i, row in enumerate(X):
        path = paths[[i]].indices
        assert (path[0], path[-1]) == (0, leaves[i])
        assert tree.is_leaf[leaves[i]]
        for node, following in pairwise(path):
            side = 0 if row[tree.feature[node]] <= tree.threshold[node] else 1
            assert tree.children_of(node)[side] == following


def test_predictions(fitted):
    model, X, _ = fitted
    counts = model.tree_.counts[model.apply(X)]
    shares = model.predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-15)
    np.testing.assert_allclose(shares, counts / counts.sum(axis=1, keepdims=True))
    np.testing.assert_array_equal(model.predict(X), counts.argmax(axis=1))


def test_ties_of_classes_fall_to_the_first_label():
    model = StructurePurityClassifier().fit([[0.0], [1.0]], ["b", "a"])
    assert model.predict([[5.0]]) == ["a"]


def test_pickle(fitted):
    model, X, _ = fitted
    again = pickle.loads(pickle.dumps(model))
    assert_same_tree(again.tree_, model.tree_)
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_clone_has_parameters_only(fitted):
    model, X, y = fitted
    model.set_params(k=7, code_matrix=np.array([[1, 0], [-1, 1], [0, -1]]))
    copy = clone(model)
    assert not hasattr(copy, "tree_")
    assert copy.k == 7
    assert_same_tree(copy.fit(X, y).tree_, model.fit(X, y).tree_)
