"""Trees by structure and purity, node by node against the slow reference."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle_check import check_tree
from problems import (
    assert_same_tree,
    code_matrices,
    examples,
    max_depths,
    parameters,
    problems,
    split_of,
)
from scipy.stats import wilcoxon
from sklearn.base import clone

from retree import StructurePurityClassifier
from retree_lab.datasets import load, make_gauss_xor

BINNED_ROWS = 2048  # as in src/engine/structure/bins.hpp


@settings(examples, max_examples=100)
@given(problem=problems(), params=parameters(), max_depth=max_depths, strict=st.booleans())
def test_every_node_is_what_the_algorithm_makes_of_its_rows(problem, params, max_depth, strict):
    X, y = problem
    model = StructurePurityClassifier(**params, max_depth=max_depth).fit(X, y)
    # Without purity a score may be a rounding error of 0, and ties of zeros fall anyhow.
    strict = strict and params["omega1"] > 0
    check_tree(split_of(model.tree_), X, y, max_depth=max_depth, strict=strict, **params)


@examples
@given(problem=problems(), params=parameters(), seed=st.integers(0, 999))
def test_a_row_of_weight_one_and_a_half_is_three_rows_of_half_the_size(problem, params, seed):
    X, y = problem
    times = np.random.default_rng(seed).integers(2, 5, len(y))
    model = StructurePurityClassifier(**params).fit(X, y, sample_weight=times / 2)
    rows = np.repeat(np.arange(len(y)), times)
    params["min_samples_leaf"] *= 2
    check_tree(split_of(model.tree_), X[rows], y[rows], **params)


@pytest.mark.parametrize("bnm_distance", ["squared", "euclidean"])
@pytest.mark.parametrize("penalty", ["within", "across"])
def test_bounds_of_large_nodes_hold_for_weights(bnm_distance, penalty):
    rng = np.random.default_rng(3)
    n = BINNED_ROWS + 100
    X = np.column_stack([rng.normal(size=(n, 3)), rng.integers(0, 2, n), rng.integers(0, 9, n)])
    y, times = ((X[:, 0] > 0.3) ^ (rng.random(n) < 0.3)) + (X[:, 4] > 6), rng.integers(1, 9, n)
    params = {"criterion": "bnm", "omega2": 2.0, "penalty": penalty, "bnm_distance": bnm_distance}
    model = StructurePurityClassifier(**params, max_depth=2)
    rows = np.repeat(np.arange(n), times)
    weighted = clone(model).fit(X, y, sample_weight=times / 4).tree_
    repeated = model.set_params(min_samples_leaf=8).fit(X[rows], y[rows]).tree_
    np.testing.assert_array_equal(weighted.threshold, repeated.threshold)
    np.testing.assert_array_equal(4 * weighted.counts, repeated.counts)


@examples
@given(data=st.data(), problem=problems(), params=parameters(("csn", "bnm+csn")))
def test_custom_code_matrix(data, problem, params):
    X, y = problem
    params["code_matrix"] = data.draw(code_matrices(len(np.unique(y))))
    model = StructurePurityClassifier(**params).fit(X, y)
    check_tree(split_of(model.tree_), X, y, **params)


@examples
@given(
    problem=problems(most_rows=60),
    params=parameters(),
    points=st.lists(
        st.fixed_dictionaries(
            {},
            optional={"k": st.integers(1, 9), "omega2": st.sampled_from([0.0, 0.02, 0.1, 1.0])},
        ),
        min_size=1,
        max_size=6,
    ),
)
def test_grid_gives_the_trees_of_single_fits(problem, params, points):
    X, y = problem
    base = StructurePurityClassifier(**params)
    grid = base.fit_grid(X, y, points)
    assert not hasattr(base, "tree_")
    assert len(grid) == len(points)
    for point, model in zip(points, grid, strict=True):
        single = StructurePurityClassifier(**{**params, **point}).fit(X, y)
        assert model.get_params() == single.get_params()
        assert_same_tree(model.tree_, single.tree_)
        np.testing.assert_array_equal(model.predict_proba(X), single.predict_proba(X))


def test_coincident_rows_of_a_class_have_no_scatter():
    # Splitting either column between its two middle values leaves children without scatter: a tie.
    X = np.array([[7.0, 0.7], [5.0, 0.1], [4.0, -0.5], [2.0, 0.4]])
    y = np.array([0, 1, 1, 0])
    params = {"criterion": "csn", "k": 2, "small_child": "skip", "csn_ties": "feature"}
    for times in (1, 3, 5, 6, 7):
        rows, labels = np.repeat(X, times, axis=0), np.repeat(y, times)
        model = StructurePurityClassifier(**params, min_samples_leaf=2 * times).fit(rows, labels)
        assert model.tree_.feature[0] == 0
        check_tree(
            split_of(model.tree_), rows, labels, strict=True, min_samples_leaf=2 * times, **params
        )


@pytest.mark.parametrize(("csn_ties", "feature"), [("rank", 1), ("feature", 0)])
def test_ties_of_csn(csn_ties, feature):
    # The first column leaves children of one row of each class, the second one pure children: both
    # have a CSN of 0.
    X, y = np.array([[0, 0], [1, 0], [0, 1], [1, 1]]), np.array([0, 0, 1, 1])
    model = StructurePurityClassifier(criterion="csn", csn_ties=csn_ties, min_samples_leaf=1)
    assert model.fit(X, y).tree_.feature[0] == feature


def test_structure_solves_xor_with_three_splits():
    X, y = load("xor")
    model = StructurePurityClassifier(criterion="bnm+csn").fit(X, y)
    assert (model.get_depth(), model.get_n_leaves()) == (2, 4)
    # The penalty draws cuts to the edge of a blob: two of its rows end on the other side.
    assert model.score(X, y) == 0.9975
    for criterion in ("gini", "bnm", "csn"):
        other = StructurePurityClassifier(criterion=criterion).fit(X, y)
        assert other.get_n_leaves() > 4
    assert StructurePurityClassifier(criterion="gini", max_depth=2).fit(X, y).score(X, y) < 0.75


@pytest.mark.parametrize("criterion", ["bnm", "csn"])
def test_structure_alone_makes_trees_of_xor_smaller(criterion):
    draws = [make_gauss_xor(decimals=3, random_state=seed) for seed in range(100)]
    leaves = {
        name: [StructurePurityClassifier(criterion=name).fit(*d).get_n_leaves() for d in draws]
        for name in (criterion, "gini")
    }
    assert np.mean(leaves[criterion]) < np.mean(leaves["gini"])
    assert wilcoxon(leaves[criterion], leaves["gini"], alternative="less").pvalue < 0.001


@pytest.mark.parametrize("omega2", [0.02, 2.0])
@pytest.mark.parametrize("bnm_distance", ["squared", "euclidean"])
def test_bounds_from_bins_pass_over_no_better_split(bnm_distance, omega2):
    # Bins serve nodes of more rows than the oracle could look at value by value.
    rng = np.random.default_rng(3)
    n = BINNED_ROWS + 100
    X = np.column_stack(
        [
            rng.integers(0, 12, n) / 4,
            np.round(rng.standard_cauchy(n), 0).clip(-40, 40),
            rng.integers(0, 2, n),
            rng.integers(0, 9, n) ** 3,
        ]
    )
    y = ((X[:, 0] > 1.5) ^ (rng.random(n) < 0.3)).astype(int) + (X[:, 3] > 300)
    params = {"criterion": "bnm+csn", "k": 6, "omega2": omega2, "bnm_distance": bnm_distance}
    model = StructurePurityClassifier(**params, max_depth=1).fit(X, y)
    check_tree(split_of(model.tree_), X, y, max_depth=1, strict=True, **params)
