"""The oracle itself, on examples worked out by hand."""

import math

import numpy as np
import pytest
from oracle_check import check_tree
from oracle_structure_purity import (
    Rule,
    acceptable,
    best_split,
    bnm,
    candidates,
    csn,
    purity,
    score_candidates,
)

# G of the thresholds 0, 1, 2 is 2/3, 1/2, 2/3; CSN is 1/6, 0, 1/6.
SYMMETRIC_X = np.array([[0.0], [1.0], [2.0], [3.0]])
SYMMETRIC_Y = np.array([0, 1, 1, 0])


def test_purity():
    assert purity(np.array([0, 0, 1]), np.array([1])) == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("threshold", "none", "within", "across"),
    [
        (0.0, 0.25, 0.25 - 0.75, 0.25 - 0.375),
        (1.0, 0.40625, 0.40625 - 1.25, 0.40625 - 1.25),
        (2.0, 0.5625, 0.5625 - 0.25, 0.5625 - 0.75),
    ],
)
def test_bnm_of_two_classes(threshold, none, within, across):
    X = np.array([[0.0, 7.0], [1.0, 7.0], [2.0, 7.0], [4.0, 7.0]])
    y = np.array([0, 1, 0, 1])
    assert bnm(X, y, 0, threshold, "none") == pytest.approx(none)
    assert bnm(X, y, 0, threshold, "within") == pytest.approx(within)
    assert bnm(X, y, 0, threshold, "across") == pytest.approx(across)


def test_bnm_of_three_classes():
    X = np.arange(5.0)[:, None]
    y = np.array([0, 1, 2, 0, 1])
    assert bnm(X, y, 0, 2.0, "within") == pytest.approx(0.5625 - (1 / 3 + 0.75))
    assert bnm(X, y, 0, 2.0, "across") == pytest.approx(0.5625 - (1.75 / 3 + 0.375))


def test_bnm_measures_the_margin_in_all_attributes():
    X = np.array([[0.0, 10.0], [1.0, 10.0], [2.0, 20.0], [4.0, 30.0]])
    y = np.array([0, 1, 0, 1])
    assert bnm(X, y, 0, 1.0, "none") == pytest.approx(0.40625 + (0.25 + 1.0) / 2)


def test_bnm_by_euclidean_distance():
    X, y = np.array([[0.0], [1.0], [2.0], [4.0]]), np.array([0, 1, 0, 1])
    assert bnm(X, y, 0, 1.0, "none", "euclidean") == pytest.approx((0.5 + 0.75) / 2)
    assert bnm(X, y, 0, 1.0, "within", "euclidean") == pytest.approx((0.5 + 0.75) / 2 - 1.25)


def test_bnm_without_a_shared_class_is_the_penalty_alone():
    X = np.array([[0.0], [1.0], [4.0]])
    y = np.array([0, 0, 1])
    assert bnm(X, y, 0, 1.0, "within") == 0.0
    assert bnm(X, y, 0, 1.0, "across") == pytest.approx(-1.5)


def test_csn_scales_by_child_or_parent():
    X = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 1.0], [10.0, 4.0], [12.0, 4.0]])
    y = np.array([0, 0, 1, 1, 1])
    left = np.array([True, True, True, False, False])
    assert csn(X, y, left, "child") == pytest.approx(0.6 * 0.08)
    assert csn(X, y, left, "parent") == pytest.approx(0.6 * 2 / 45)


def test_csn_is_infinite_where_the_centroids_coincide():
    X = np.array([[0.0], [1.0], [2.0], [5.0]])
    assert csn(X, np.array([0, 1, 0, 1]), X[:, 0] <= 2) == math.inf


def test_csn_of_three_classes():
    X = np.array([[0.0], [1.0], [2.0], [4.0], [9.0]])
    y = np.array([0, 0, 1, 2, 2])
    left = X[:, 0] <= 4
    one_vs_rest = 0.625**2 + (1 / 12) ** 2 + 0.75**2
    assert csn(X, y, left) == pytest.approx(0.8 * 0.03125 / one_vs_rest)
    single = np.array([[1], [-1], [0]])
    assert csn(X, y, left, code_matrix=single) == pytest.approx(0.8 * 2 / 9)
    empty_side = np.array([[0], [0], [1]])
    assert csn(X, y, left, code_matrix=empty_side) == math.inf


def test_candidates_leave_out_the_largest_value():
    X = np.array([[1.0, 5.0, 1.0], [1.0, 5.0, 0.0], [3.0, 5.0, 0.0], [2.0, 5.0, 1.0]])
    assert candidates(X) == [(0, 1.0), (0, 2.0), (2, 0.0)]


def test_ties_fall_to_the_lowest_feature_and_threshold():
    X = np.hstack([np.ones((4, 1)), SYMMETRIC_X, SYMMETRIC_X])
    assert best_split(X, SYMMETRIC_Y, min_samples_leaf=1) == (1, 0.0)


def test_small_child_makes_a_leaf_or_is_skipped():
    assert best_split(SYMMETRIC_X, SYMMETRIC_Y, small_child="leaf") is None
    assert best_split(SYMMETRIC_X, SYMMETRIC_Y, small_child="skip") == (0, 1.0)
    assert best_split(SYMMETRIC_X, SYMMETRIC_Y, small_child="skip", min_samples_leaf=3) is None


# At thresholds 0, 2, 3 of the first labels G is 2/3, 1/2, 2/3 and CSN is 1/6, 0, 0.06; at 0, 2, 3
# of the second G is 2/3, 3/4, 2/3 and CSN at 2 is 0, so that ties at the k-th place cannot win.
@pytest.mark.parametrize(
    ("labels", "k", "expected", "allowed"),
    [
        ([0, 1, 1, 0], 1, 0, [0, 3]),
        ([0, 1, 1, 0], 2, 3, [3]),
        ([0, 1, 1, 0], 9, 2, [2]),
        ([0, 0, 1, 0], 2, 2, [2]),
    ],
)
def test_csn_decides_among_the_k_purest(labels, k, expected, allowed):
    X, y = np.array([[0.0], [2.0], [3.0], [4.0]]), np.array(labels)
    assert best_split(X, y, criterion="csn", k=k, min_samples_leaf=1) == (0, expected)
    rule = Rule(criterion="csn", k=k, min_samples_leaf=1)
    winners = acceptable(score_candidates(X, y, rule), rule)
    assert sorted(s.split[1] for s in winners) == allowed


@pytest.mark.parametrize(("omega2", "threshold"), [(0.12, 1.0), (0.13, 2.0)])
def test_omega2_trades_purity_for_structure(omega2, threshold):
    # G is 3/4 at 1 and 2/3 at 2, BNM is -11/36 at 1 and 13/36 at 2: they balance at omega2 = 1/8.
    y = np.array([0, 0, 1, 0])
    params = {"omega2": omega2, "min_samples_leaf": 1}
    assert best_split(SYMMETRIC_X, y, criterion="bnm", **params) == (0, threshold)
    assert best_split(SYMMETRIC_X, y, criterion="bnm+csn", k=1, **params) == (0, threshold)


def grow(X, y, max_depth=None, **params):
    """Grow a tree by the oracle's choices; return {node: (feature, threshold, left, right)}."""
    tree = {}
    pending = [(0, np.arange(len(y)), 0)]
    n_nodes = 1
    while pending:
        node, rows, depth = pending.pop()
        stopped = len(rows) <= params["min_samples_leaf"] or depth == max_depth
        split = None if stopped or np.ptp(y[rows]) == 0 else best_split(X[rows], y[rows], **params)
        if split:
            left = X[rows, split[0]] <= split[1]
            tree[node] = (*split, n_nodes, n_nodes + 1)
            pending += [(n_nodes, rows[left], depth + 1), (n_nodes + 1, rows[~left], depth + 1)]
            n_nodes += 2
    return tree


@pytest.mark.parametrize("small_child", ["leaf", "skip"])
@pytest.mark.parametrize("criterion", ["gini", "bnm", "csn", "bnm+csn"])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_check_tree_tells_right_from_wrong(criterion, small_child, n_classes):
    rng = np.random.default_rng(n_classes)
    X = np.column_stack(
        [rng.normal(size=40), rng.integers(0, 5, 40), np.full(40, 3.0), rng.integers(0, 2, 40)]
    )
    y = rng.integers(0, n_classes, 40)
    y[X[:, 0] > 0.5] = 0
    params = {"criterion": criterion, "small_child": small_child, "min_samples_leaf": 2, "k": 5}
    tree = grow(X, y, **params)
    assert len(tree) > 1
    check_tree(tree.get, X, y, strict=True, **params)
    check_tree(tree.get, X, y, **params)

    feature, threshold, left, right = tree[0]
    moved = next(t for t in np.unique(X[:, 0])[:-1] if (0, t) != (feature, threshold))
    with pytest.raises(AssertionError, match=r"node 0 .* oracle"):
        check_tree({**tree, 0: (0, moved, left, right)}.get, X, y, **params)
    with pytest.raises(AssertionError, match="is a leaf, but"):
        check_tree({}.get, X, y, **params)
    with pytest.raises(AssertionError, match="no candidate"):
        check_tree({0: (2, 3.0, 1, 2)}.get, X, y, **params)
    with pytest.raises(AssertionError, match="maximal depth is 1"):
        check_tree(tree.get, X, y, max_depth=1, **params)


def test_check_tree_rejects_overgrown_nodes():
    tree = {0: (0, 1.0, 1, 2), 1: (0, 0.0, 3, 4), 2: (0, 2.0, 5, 6)}
    params = {"criterion": "csn", "k": 3}
    check_tree(tree.get, SYMMETRIC_X, SYMMETRIC_Y, min_samples_leaf=1, **params)
    with pytest.raises(AssertionError, match="no more than 2 rows"):
        check_tree(tree.get, SYMMETRIC_X, SYMMETRIC_Y, min_samples_leaf=2, **params)
    with pytest.raises(AssertionError, match="it is pure"):
        check_tree(
            {**tree, 3: (0, 0.0, 7, 8)}.get, SYMMETRIC_X, SYMMETRIC_Y, min_samples_leaf=1, **params
        )
    with pytest.raises(AssertionError, match="too small a child"):
        check_tree({0: (0, 0.0, 1, 2)}.get, SYMMETRIC_X, SYMMETRIC_Y, min_samples_leaf=2)


def test_check_tree_accepts_tied_splits_unless_strict():
    tree = {0: (0, 2.0, 1, 2), 1: (0, 0.0, 3, 4)}
    check_tree(tree.get, SYMMETRIC_X, SYMMETRIC_Y, min_samples_leaf=1)
    with pytest.raises(AssertionError, match="oracle's choice"):
        check_tree(tree.get, SYMMETRIC_X, SYMMETRIC_Y, min_samples_leaf=1, strict=True)
