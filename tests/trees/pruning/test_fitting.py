"""grow_pruned and its parameters, and all prunings of trees of real data."""

import numpy as np
import pytest
from oracle_pruning import (
    error_based,
    errors,
    from_scikit_learn,
    least_by_dynamic_programming,
    leaves_of,
    pessimistic,
    reduced_error,
)
from problems import assert_same_tree
from real_sets import read_set
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeRegressor

from retree import C45Classifier
from retree.trees.c45.c45_growing import C45Rule, grow_c45
from retree.trees.mixed import Sample
from retree.trees.pruning.by_errors import prune_error_based, prune_pessimistic, prune_reduced_error
from retree.trees.pruning.cost_complexity import (
    choose_alpha,
    choose_alpha_held_out,
    cost_complexity_path,
    hold_out,
    prune_cost_complexity,
)
from retree.trees.pruning.fitting import PRUNINGS, check_pruning, grow_pruned

RULE = C45Rule(min_cases=1.0, mdl_correction=True)


def grow(sample):
    """Return C4.5's unpruned tree of the sample below."""
    return grow_c45(sample, np.full(4, -1, np.int32), 3, RULE)


def grow_means(sample):
    """Return scikit-learn's regression tree."""
    return from_scikit_learn(DecisionTreeRegressor(random_state=0).fit(sample.X, sample.y))


@pytest.fixture(scope="module")
def sample():
    X, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(0)
    X[rng.random(X.shape) < 0.05] = np.nan
    swapped = rng.random(150) < 0.15
    y[swapped] = rng.integers(0, 3, swapped.sum())
    return Sample(X, y.astype(np.int32), np.ones(150))


def test_without_pruning_the_tree_is_as_grown(sample):
    assert_same_tree(grow_pruned(grow, sample, None), grow(sample))
    assert check_pruning(None, {}) == {}


def test_cost_complexity(sample):
    def grown(params, seed=0):
        return grow_pruned(grow, sample, "cost_complexity", params, seed, divide_missing=True)

    tree = grow(sample)
    assert_same_tree(
        grown({"alpha": 0.01, "risk": "gini"}), prune_cost_complexity(tree, 0.01, "gini")
    )
    options = {"risk": "entropy", "standard_errors": 1.0, "folds": 4}
    alpha = choose_alpha(grow, sample, **options, divide_missing=True, random_state=7).alpha
    assert_same_tree(grown(options, 7), prune_cost_complexity(tree, alpha, "entropy"))
    alpha = choose_alpha(grow, sample, folds=10, divide_missing=True, random_state=0).alpha
    assert_same_tree(grown(None), prune_cost_complexity(tree, alpha))
    assert grown(None).n_leaves < tree.n_leaves


def test_cost_complexity_by_held_out_rows(sample):
    params = {"validation_fraction": 0.1, "standard_errors": 0.5}
    pruned = grow_pruned(grow, sample, "cost_complexity", params, 3, divide_missing=True)
    held = hold_out(sample, 0.1, np.random.RandomState(3))
    assert held.sum() == 15
    tree = grow(sample.take(~held))
    choice = choose_alpha_held_out(
        tree, sample.take(held), standard_errors=0.5, divide_missing=True
    )
    assert_same_tree(pruned, prune_cost_complexity(tree, choice.alpha))
    assert pruned.weight[0] == 135


def test_reduced_error(sample):
    pruned = grow_pruned(grow, sample, "reduced_error", None, 3, divide_missing=True)
    held = hold_out(sample, 1 / 3, np.random.RandomState(3))
    tree = grow(sample.take(~held))
    expected = prune_reduced_error(tree, *sample.take(held)[:3], divide_missing=True)
    assert_same_tree(pruned, expected)
    assert pruned.weight[0] == 100
    half = grow_pruned(grow, sample, "reduced_error", {"fraction": 0.5}, 3)
    assert half.weight[0] == 75


def test_pessimistic_and_error_based(sample):
    tree, options = grow(sample), {"z": 1.96, "order": "bottom_up"}
    assert_same_tree(grow_pruned(grow, sample, "pessimistic"), prune_pessimistic(tree))
    assert_same_tree(
        grow_pruned(grow, sample, "pessimistic", options), prune_pessimistic(tree, **options)
    )
    assert_same_tree(grow_pruned(grow, sample, "ebp"), prune_error_based(tree, *sample[:3]))
    options = {"confidence": 0.05, "subtree_raising": False}
    assert_same_tree(
        grow_pruned(grow, sample, "ebp", options), prune_error_based(tree, *sample[:3], **options)
    )


@pytest.mark.parametrize("pruning", PRUNINGS)
def test_seed_decides(pruning, sample):
    first, again = (grow_pruned(grow, sample, pruning, None, 11) for _ in range(2))
    assert_same_tree(first, again)
    rng = np.random.RandomState(11)
    assert_same_tree(grow_pruned(grow, sample, pruning, None, rng), first)


@pytest.mark.parametrize(
    ("pruning", "params"), [("cost_complexity", {"alpha": 0.01}), ("ebp", {}), ("pessimistic", {})]
)
def test_order_of_rows_does_not_matter_where_nothing_is_drawn(pruning, params, sample):
    expected = grow_pruned(grow, sample, pruning, params)
    shuffled = sample.take(np.random.default_rng(1).permutation(150))
    again = grow_pruned(grow, shuffled, pruning, params)
    np.testing.assert_array_equal(again.feature, expected.feature)
    np.testing.assert_array_equal(again.threshold, expected.threshold)
    np.testing.assert_allclose(again.counts, expected.counts, atol=1e-9)


def regression_sample():
    """Return rows whose target is a noisy step."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    return Sample(X, (X[:, 0] > 0) + 0.3 * rng.normal(size=200), np.ones(200))


@pytest.mark.parametrize(
    ("pruning", "params"),
    [
        ("cost_complexity", {}),
        ("cost_complexity", {"risk": "squared_error", "standard_errors": 1.0}),
        ("cost_complexity", {"validation_fraction": 0.2}),
        ("reduced_error", {}),
    ],
)
def test_regression(pruning, params):
    sample = regression_sample()
    tree = grow_means(sample)
    pruned = grow_pruned(grow_means, sample, pruning, params, 0)
    assert 2 <= pruned.n_leaves < tree.n_leaves / 3
    unseen = np.random.default_rng(1).normal(size=(500, 2))

    def error(fitted):
        return np.mean((fitted.value[fitted.apply(unseen), 0] - (unseen[:, 0] > 0)) ** 2)

    assert error(pruned) < error(tree)


@pytest.mark.parametrize("pruning", ["ebp", "pessimistic"])
def test_pruning_by_errors_is_not_for_regression(pruning):
    with pytest.raises(ValueError, match="a regression has 'cost_complexity' and 'reduced_error'"):
        grow_pruned(lambda sample: pytest.fail("grown"), regression_sample(), pruning)


WRONG = [
    (
        "mdl",
        {},
        "Valid ones are 'cost_complexity', 'ebp', 'pessimistic', 'reduced_error', 'stopping', None",
    ),
    (None, {"alpha": 0.1}, "Without pruning there are no pruning params"),
    ("ebp", {"z": 1.0}, "Valid ones are 'confidence', 'subtree_raising'"),
    ("ebp", {"confidence": 0.6}, "confidence"),
    ("ebp", {"confidence": np.nan}, "confidence"),
    ("ebp", {"confidence": 1e-17}, "confidence == 1e-17, must be >= 1.11"),
    ("pessimistic", {"order": "sideways"}, "Invalid order 'sideways'"),
    ("pessimistic", {"z": -1}, "z == -1"),
    ("reduced_error", {"fraction": 1.0}, "fraction"),
    ("reduced_error", {"fraction": 0}, "fraction"),
    ("reduced_error", {"fraction": 10**400}, "fraction is or contains a whole number above"),
    ("reduced_error", {"fraction": np.nan}, "fraction must be finite"),
    ("cost_complexity", {"alpha": -0.1}, "alpha"),
    ("cost_complexity", {"alpha": np.inf}, "alpha must be finite"),
    ("cost_complexity", {"folds": 1}, "folds"),
    ("cost_complexity", {"validation_fraction": 1.0}, "validation_fraction"),
    ("cost_complexity", {"risk": "squared_error"}, "Invalid risk of a classification tree"),
    ("cost_complexity", {"alpha": 0.1, "folds": 5}, "alpha, validation_fraction and folds"),
    ("cost_complexity", {"validation_fraction": 0.1, "folds": 5}, "Give only one"),
    ("cost_complexity", {"alpha": 0.1, "standard_errors": 1.0}, "standard_errors are only"),
]


@pytest.mark.parametrize(("pruning", "params", "message"), WRONG)
def test_wrong_parameters_are_rejected_before_growing(pruning, params, message, sample):
    with pytest.raises(ValueError, match=message):
        grow_pruned(lambda part: pytest.fail("grown"), sample, pruning, params)


WRONG_TYPES = [
    ("ebp", {"subtree_raising": 1}),
    ("cost_complexity", {"folds": 2.5}),
    ("pessimistic", {"z": None}),
    ("reduced_error", {"fraction": "a"}),
]


def test_wrong_types_are_rejected():
    for pruning, params in WRONG_TYPES:
        with pytest.raises(TypeError, match=next(iter(params))):
            check_pruning(pruning, params)


def test_risk_of_a_regression():
    assert check_pruning("cost_complexity", {"risk": "squared_error"}, regression=True)["risk"]
    with pytest.raises(ValueError, match="Valid ones are 'squared_error'"):
        check_pruning("cost_complexity", {"risk": "gini"}, regression=True)


def unpruned(name):
    """Return C4.5's unpruned tree of a real set and the encoded rows."""
    X, y = read_set(name)
    model = C45Classifier(pruning=None, collapse=False).fit(X, y)
    codes = np.searchsorted(model.classes_, y).astype(np.int32)
    return model.tree_, Sample(model.checked_rows(X), codes, np.ones(len(y)))


@pytest.mark.parametrize(
    "name", ["vote", "breast_cancer", "prnn_fglass", "credit_approval", "soybean"]
)
def test_real_trees(name):
    tree, sample = unpruned(name)
    for z, order in [(1.0, "top_down"), (1.96, "bottom_up")]:
        expected = tuple(sorted(pessimistic(tree, z, order)))
        assert leaves_of(tree, prune_pessimistic(tree, z, order)) == expected
    pruned = prune_error_based(tree, *sample[:3], confidence=0.1, subtree_raising=False)
    assert leaves_of(tree, pruned) == tuple(sorted(error_based(tree, 0.1)[1]))
    some = sample.take(np.random.default_rng(0).random(len(sample.y)) < 0.3)
    for divide in (False, True):
        pruned = prune_reduced_error(tree, *some[:3], divide_missing=divide)
        assert leaves_of(tree, pruned) == reduced_error(tree, some, divide)
    path = cost_complexity_path(tree)
    for k in np.linspace(0, len(path.alphas) - 2, 5).astype(int):
        alpha = (path.alphas[k] + path.alphas[k + 1]) / 2
        assert path.n_leaves[k] == least_by_dynamic_programming(tree, "errors", alpha)
        leaves = leaves_of(tree, prune_cost_complexity(tree, alpha))
        wrong = sum(float(errors(tree, leaf)) for leaf in leaves)
        assert path.risks[k] * tree.weight[0] == pytest.approx(wrong, abs=1e-9)
