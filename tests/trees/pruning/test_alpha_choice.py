"""The choice of alpha against cutting every tree at every alpha, and the folds it rests on."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle_pruning import (
    from_scikit_learn,
    leaves_of,
    loss,
    passing,
    predicted,
    random_rows,
    random_tree,
)
from problems import examples
from sklearn.datasets import load_diabetes, load_iris
from sklearn.tree import DecisionTreeRegressor

from retree.trees.c45.c45_growing import C45Rule, grow_c45
from retree.trees.mixed import Sample
from retree.trees.pruning import cost_complexity
from retree.trees.pruning.cost_complexity import (
    choose_alpha,
    choose_alpha_held_out,
    cost_complexity_path,
    deal_folds,
    hold_out,
)

RULE = C45Rule(min_cases=1.0, mdl_correction=True)
seeds = st.integers(0, 2**32 - 1)


def grow_classes(sample):
    """Return C4.5's unpruned tree of rows of three numbers and three classes."""
    return grow_c45(sample, np.full(sample.X.shape[1], -1, np.int32), 3, RULE)


def grow_means(sample):
    """Return scikit-learn's regression tree."""
    model = DecisionTreeRegressor(random_state=0)
    return from_scikit_learn(model.fit(sample.X, sample.y, sample.weight))


def noisy(n=120, seed=0, missing=0.0, regression=False):
    """Return rows whose target depends on two numbers."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)).round(1)
    target = X[:, 0] + X[:, 1] * X[:, 2] + 0.7 * rng.normal(size=n)
    X[rng.random(X.shape) < missing] = np.nan
    y = target if regression else np.digitize(target, [-0.7, 0.7]).astype(np.int32)
    return Sample(X, y, rng.choice([1.0, 1.0, 2.0, 0.5], n))


def losses_of(tree, sample, divide):
    """Return the loss of each row; with `divide` the sum of those of its parts."""
    if not divide:
        guesses = np.array([predicted(tree, leaf) for leaf in tree.apply(sample.X)])
        return (sample.y - guesses) ** 2 if tree.moments is not None else sample.y != guesses
    found = []
    for i in range(len(sample.y)):
        passed = passing(tree, Sample(*(a[i : i + 1] for a in sample[:2]), np.ones(1)), divide)
        found.append(sum(loss(tree, leaf, passed[leaf]) for leaf in np.flatnonzero(tree.is_leaf)))
    return np.array(found, float)


def by_cutting(grow, sample, fold, risk, divide):
    """Return the losses of all rows, a line for each subtree of the tree of all rows."""
    alphas = cost_complexity_path(grow(sample), risk).alphas
    judged_at = [*np.sqrt(alphas[1:] * alphas[:-1]), np.inf]
    losses = np.zeros((len(alphas), len(fold)))
    for k in np.unique(fold):
        tree = grow(sample.take(fold != k))
        path = cost_complexity_path(tree, risk)
        for line, alpha in zip(losses, judged_at, strict=True):
            line[fold == k] = losses_of(
                tree.cut(path.node_alphas <= alpha), sample.take(fold == k), divide
            )
    return losses


CASES = {
    "errors": (grow_classes, {}, "errors", False),
    "gini": (grow_classes, {}, "gini", False),
    "missing": (grow_classes, {"missing": 0.1}, "errors", False),
    "divided": (grow_classes, {"missing": 0.1}, "errors", True),
    "regression": (grow_means, {"regression": True}, "squared_error", False),
}


@pytest.mark.parametrize("case", CASES)
def test_errors_are_those_of_trees_cut_at_every_alpha(case):
    grow, options, risk, divide = CASES[case]
    sample = noisy(**options)
    choice = choose_alpha(grow, sample, risk=risk, folds=5, divide_missing=divide, random_state=3)
    fold = deal_folds(sample, 5, np.random.RandomState(3))
    losses = by_cutting(grow, sample, fold, risk, divide)
    means = losses @ sample.weight / sample.weight.sum()
    np.testing.assert_allclose(choice.errors, means, rtol=1e-12)
    n = sample.weight.sum() ** 2 / (sample.weight**2).sum()
    if divide:  # a part counts as an error of its weight
        variances = means * (1 - means)
    else:
        variances = (losses - means[:, None]) ** 2 @ sample.weight / sample.weight.sum()
    np.testing.assert_allclose(choice.standard_errors, np.sqrt(variances / n), rtol=1e-9)
    assert choice.alpha == choice.path.alphas[max(np.flatnonzero(means <= means.min() + 1e-12))]


def test_standard_errors_are_those_of_the_book():
    X, y = load_iris(return_X_y=True)
    sample = Sample(X, y.astype(np.int32), np.ones(150))
    choice = choose_alpha(grow_classes, sample, random_state=0)
    rate = choice.errors
    np.testing.assert_allclose(choice.standard_errors, np.sqrt(rate * (1 - rate) / 150))
    X, y = load_diabetes(return_X_y=True)
    sample = Sample(X, y, np.ones(len(y)))
    choice = choose_alpha(grow_means, sample, folds=3, random_state=0)
    variance = y.var()
    assert choice.errors[-1] == pytest.approx(variance, rel=0.02)
    assert choice.standard_errors[-1] == pytest.approx(
        np.std((y - y.mean()) ** 2) / np.sqrt(len(y)), rel=0.02
    )


def test_rule_of_one_standard_error():
    leaves_saved = 0
    for seed in range(5):
        sample = noisy(seed=seed)
        least = choose_alpha(grow_classes, sample, random_state=0)
        one = choose_alpha(grow_classes, sample, standard_errors=1.0, random_state=0)
        np.testing.assert_array_equal(least.errors, one.errors)
        limit = least.errors[least.chosen] + least.standard_errors[least.chosen]
        assert one.alpha == max(one.path.alphas[one.errors <= limit])
        leaves_saved += least.path.n_leaves[least.chosen] - one.path.n_leaves[one.chosen]
    assert leaves_saved > 0


def test_tree_that_is_grown_already_is_not_grown_again():
    sample, grown = noisy(), []

    def grow(part):
        grown.append(len(part.y))
        return grow_classes(part)

    tree = grow_classes(sample)
    given_tree = choose_alpha(grow, sample, tree=tree, folds=4, random_state=1)
    assert grown == [90, 90, 90, 90]
    assert choose_alpha(grow, sample, folds=4, random_state=1).alpha == given_tree.alpha
    assert grown[4] == 120
    grown.clear()
    leaf = choose_alpha(grow, sample, tree=tree.cut([0]), random_state=1)
    assert (leaf.alpha, leaf.chosen, grown) == (0.0, 0, [])


def test_same_seed_same_alpha():
    sample, rng = noisy(), np.random.RandomState(5)
    first, again = (choose_alpha(grow_classes, sample, random_state=5).errors for _ in range(2))
    np.testing.assert_array_equal(first, again)
    first = choose_alpha(grow_classes, sample, random_state=rng).errors
    np.testing.assert_array_equal(first, again)
    assert (choose_alpha(grow_classes, sample, random_state=rng).errors != again).any()


def test_order_of_rows_and_names_of_classes_do_not_matter_in_the_same_folds(monkeypatch):
    sample = noisy()
    fold = np.arange(len(sample.y)) % 7
    with_fold = Sample(np.column_stack([sample.X, fold]), sample.y, sample.weight)
    monkeypatch.setattr(cost_complexity, "deal_folds", lambda s, n, rng: s.X[:, 3].astype(int))

    def grow(part):
        tree = grow_classes(Sample(part.X[:, :3].copy(), part.y, part.weight))
        return replace(tree, n_features=4)

    expected = choose_alpha(grow, with_fold)
    shuffled = choose_alpha(grow, with_fold.take(np.random.default_rng(0).permutation(120)))
    np.testing.assert_allclose(shuffled.errors, expected.errors, rtol=1e-12)
    assert shuffled.alpha == pytest.approx(expected.alpha, rel=1e-12)
    renamed = choose_alpha(grow, with_fold._replace(y=np.array([2, 0, 1], np.int32)[sample.y]))
    np.testing.assert_allclose(renamed.path.alphas, expected.path.alphas, rtol=1e-12)
    # Names decide only where classes tie.
    np.testing.assert_allclose(renamed.errors, expected.errors, atol=2 / len(sample.y))


@examples
@given(seeds, st.booleans(), st.booleans(), st.sampled_from([0.0, 1.0]))
def test_choice_by_held_out_rows(seed, regression, divide, standard_errors):
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, regression=regression)
    sample = random_rows(rng, 30, missing=0.2, regression=regression)
    choice = choose_alpha_held_out(
        tree, sample, standard_errors=standard_errors, divide_missing=divide
    )
    path, rows = choice.path, passing(tree, sample, divide)
    cuts = [tree.cut(path.node_alphas <= alpha) for alpha in path.alphas]
    sums = [sum(loss(tree, leaf, rows[leaf]) for leaf in leaves_of(tree, cut)) for cut in cuts]
    np.testing.assert_allclose(choice.errors, np.array(sums) / sample.weight.sum(), atol=1e-12)
    best = max(np.flatnonzero(choice.errors <= min(choice.errors) + 1e-12))
    limit = choice.errors[best] + standard_errors * choice.standard_errors[best]
    assert choice.alpha == max(path.alphas[choice.errors <= limit + 1e-12])


@st.composite
def strata(draw):
    y = draw(st.lists(st.integers(0, 4), min_size=2, max_size=60))
    kind = draw(st.sampled_from([np.int32, np.float64]))
    return Sample(np.zeros((len(y), 1)), np.array(y, kind), np.ones(len(y)))


@given(strata(), st.integers(2, 10), seeds)
def test_folds_differ_by_one_row_at_most(sample, folds, seed):
    fold = deal_folds(sample, folds, np.random.RandomState(seed))
    is_class = sample.y.dtype == np.int32
    for part in [fold, *(fold[sample.y == c] for c in np.unique(sample.y) if is_class)]:
        assert np.ptp(np.bincount(part, minlength=folds)) <= 1
    again = deal_folds(sample, folds, np.random.RandomState(seed))
    np.testing.assert_array_equal(fold, again)


@given(strata(), st.floats(0.01, 0.99), seeds)
def test_held_out_rows_are_a_share_of_every_class(sample, fraction, seed):
    mask = hold_out(sample, fraction, np.random.RandomState(seed))
    n = len(mask)
    assert mask.sum() == min(max(round(fraction * n), 1), n - 1)
    for c in np.unique(sample.y) if sample.y.dtype == np.int32 else []:
        share = (sample.y == c).sum() * mask.sum() / n
        assert abs(mask[sample.y == c].sum() - share) < 1
    np.testing.assert_array_equal(mask, hold_out(sample, fraction, np.random.RandomState(seed)))


def test_every_row_is_held_out_by_some_seed():
    sample = noisy(n=20)
    held = [hold_out(sample, 0.25, np.random.RandomState(seed)) for seed in range(60)]
    assert np.any(held, axis=0).all()
    with pytest.raises(ValueError, match="n_samples=1"):
        hold_out(sample.take([0]), 0.5, np.random.RandomState(0))


@pytest.mark.parametrize("options", [{"folds": 1}, {"standard_errors": -1.0}, {"risk": "mae"}])
def test_wrong_parameters_are_rejected(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        choose_alpha(grow_classes, noisy(), **options)
