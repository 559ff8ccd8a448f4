"""Data at the edges of what a tree can be grown from."""

import sys

import numpy as np
import pytest
from oracle_check import check_tree
from problems import CRITERIA, split_of

from retree import StructurePurityClassifier

every_criterion = pytest.mark.parametrize("criterion", CRITERIA)


@every_criterion
def test_two_rows(criterion):
    X, y = np.array([[1.0, 5.0], [1.0, 4.0]]), np.array(["no", "yes"])
    split = StructurePurityClassifier(criterion=criterion, min_samples_leaf=1).fit(X, y)
    np.testing.assert_array_equal(split.tree_.feature, [1, -1, -1])
    assert split.tree_.threshold[0] == 4.0
    np.testing.assert_array_equal(split.predict(X), y)
    leaf = StructurePurityClassifier(criterion=criterion).fit(X, y)
    assert (leaf.get_depth(), leaf.get_n_leaves()) == (0, 1)
    np.testing.assert_array_equal(leaf.predict(X), ["no", "no"])
    np.testing.assert_array_equal(leaf.predict_proba(X), [[0.5, 0.5], [0.5, 0.5]])


@every_criterion
@pytest.mark.parametrize("small_child", ["leaf", "skip"])
def test_no_child_can_be_large_enough(criterion, small_child):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 3)), rng.integers(0, 2, 30)
    for m in (16, 30, 31, 10**9):
        model = StructurePurityClassifier(
            criterion=criterion, min_samples_leaf=m, small_child=small_child
        )
        assert model.fit(X, y).get_n_leaves() == 1


@every_criterion
def test_constant_columns_count_for_nothing(criterion):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(80, 2)), rng.integers(0, 2, 80)
    wider = np.column_stack([np.full(80, 7.0), X[:, 0], np.zeros(80), X[:, 1], np.full(80, -1e300)])
    tree = StructurePurityClassifier(criterion=criterion).fit(X, y).tree_
    other = StructurePurityClassifier(criterion=criterion).fit(wider, y).tree_
    assert tree.node_count > 1
    np.testing.assert_array_equal(other.feature, np.array([1, 3, -1])[tree.feature])
    np.testing.assert_array_equal(other.threshold, tree.threshold)
    np.testing.assert_array_equal(other.counts, tree.counts)


@every_criterion
@pytest.mark.parametrize(
    ("scale", "offset"), [(1e300, 0.0), (1e-300, 0.0), (1.0, 1e12), (1e-3, -1e12), (1e12, 1e12)]
)
def test_units_at_the_edge_of_floats(criterion, scale, offset):
    # Multiples of 1/16, so that an offset of 1e12 leaves differences as they are.
    rng = np.random.default_rng(2)
    X, y = rng.integers(-64, 65, (40, 3)) / 16 * scale + offset, rng.integers(0, 3, 40)
    model = StructurePurityClassifier(criterion=criterion, min_samples_leaf=1).fit(X, y)
    params = {"criterion": criterion, "k": 2, "omega2": 0.02}
    check_tree(split_of(model.tree_), X, y, min_samples_leaf=1, **params)


@every_criterion
def test_the_whole_range_of_floats(criterion):
    largest = np.finfo(float).max
    X = np.array([[-largest], [-1.0], [-5e-324], [0.0], [5e-324], [1.0], [largest]])
    y = np.array([0, 1, 0, 1, 0, 1, 0])
    model = StructurePurityClassifier(criterion=criterion, min_samples_leaf=1).fit(X, y)
    assert model.score(X, y) == 1.0


def test_zeros_of_both_signs_are_one_value():
    X = np.array([[0.0], [-0.0], [0.0], [-0.0], [1.0], [1.0]])
    y = np.array([0, 1, 0, 1, 1, 1])
    model = StructurePurityClassifier(criterion="gini", min_samples_leaf=1).fit(X, y)
    assert model.get_n_leaves() == 2
    np.testing.assert_array_equal(model.apply([[0.0], [-0.0]]), [1, 1])


@every_criterion
def test_two_hundred_classes(criterion):
    rng = np.random.default_rng(3)
    y = np.repeat(np.arange(200), 4)
    X = np.column_stack([y + 0.01 * rng.random(800), rng.normal(size=800)])
    model = StructurePurityClassifier(criterion=criterion, min_samples_leaf=1, omega2=1e-4).fit(
        X, y
    )
    assert model.score(X, y) == 1.0
    assert model.predict_proba(X).shape == (800, 200)
    assert model.export_text()


@every_criterion
def test_one_test(criterion):
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(50, 2)), rng.integers(0, 3, 50)
    model = StructurePurityClassifier(criterion=criterion, max_depth=1, min_samples_leaf=1).fit(
        X, y
    )
    assert (model.get_depth(), model.get_n_leaves()) == (1, 2)


@every_criterion
def test_chains_deeper_than_the_recursion_limit(criterion):
    n = 2 * sys.getrecursionlimit() + 2
    X, y = np.arange(n, dtype=float)[:, None], np.arange(n) % 2
    model = StructurePurityClassifier(criterion=criterion, min_samples_leaf=1).fit(X, y)
    assert model.get_depth() == n - 1 > 2 * sys.getrecursionlimit()
    assert model.score(X, y) == 1.0
    assert model.decision_path(X).sum(axis=1).max() == n
    text = model.export_text()
    assert text.count("\n") == 2 * (n - 1) - 1
    assert len(model.plot(max_depth=20).texts) == 41 + 2
    grid = model.fit_grid(X[:300], y[:300], [{}, {"k": 5}, {"omega2": 0.5}])
    assert [m.get_n_leaves() for m in grid] == [300] * 3
