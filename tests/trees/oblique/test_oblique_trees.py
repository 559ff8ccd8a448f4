"""OC1 and CART-LC: the search along a line by brute force, invariances, quality, and hard data."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from search_parts import search_line
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris

from retree import CartLCClassifier, OC1Classifier
from retree.trees.oblique.oblique_base import CRITERIA
from retree.trees.tree import OBLIQUE
from retree_lab.datasets import load, make_waveform

FAMILIES = [OC1Classifier(n_restarts=4, random_state=0), CartLCClassifier(random_state=0)]
UNPRUNED = {"pruning": None, "random_state": 0}


def entropy(counts):
    n = sum(counts)
    return -sum(c / n * math.log2(c / n) for c in counts if c > 0)


def by_definition(criterion, left, right):
    """Return the goodness of a split, from the formulas of the paper's section 3.5."""
    n_left, n_right = sum(left), sum(right)
    n = n_left + n_right
    if criterion == "twoing":
        gap = sum(abs(a / n_left - b / n_right) for a, b in zip(left, right, strict=True))
        return n * (n_left / n) * (n_right / n) * gap**2
    if criterion == "gini":
        sides = (n_left, left), (n_right, right)
        return n - sum(m * (1 - sum((c / m) ** 2 for c in counts)) for m, counts in sides)
    if criterion == "entropy":
        return -(n_left * entropy(left) + n_right * entropy(right))
    minorities = n_left - max(left), n_right - max(right)
    return -sum(minorities) if criterion == "sum_minority" else -max(minorities)


@settings(max_examples=150, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(3, 40),
    n_classes=st.integers(2, 4),
    criterion=st.sampled_from(sorted(CRITERIA)),
    spread=st.sampled_from([2, 9, 1000]),
)
def test_the_best_cut_of_a_line(seed, n, n_classes, criterion, spread):
    rng = np.random.default_rng(seed)
    y = np.sort(np.concatenate((np.arange(n_classes), rng.integers(n_classes, size=n))))
    value = rng.integers(-spread, spread + 1, len(y)).astype(float)
    direction = rng.integers(-3, 4, len(y)).astype(float)
    moving = direction != 0
    assume(moving.any())
    steps = np.unique(-value[moving] / direction[moving])

    def at(step):
        left = value + step * direction <= 0
        counts = [np.bincount(y[side], minlength=n_classes).tolist() for side in (left, ~left)]
        return by_definition(criterion, *counts) if all(map(sum, counts)) else -math.inf

    between = [at((low + high) / 2) for low, high in itertools.pairwise(steps)]
    width = max(np.abs(direction).mean(), 0.5)
    found = search_line(value, direction, y, criterion, width)
    # Beyond the last step of a row there may be one more cut, if rows stand still.
    assert found.goodness >= max(between, default=-math.inf) - 1e-9 * len(y)
    if found.goodness > -math.inf:
        beyond = [at(steps[0] - 1), at(steps[-1] + 1)]
        assert found.goodness <= max([*between, *beyond]) + 1e-9 * len(y)


def twoing_of_root(model, X, y):
    left = model.tree_.apply(X) == model.tree_.children_of(0)[0]
    counts = [np.bincount(y[side], minlength=y.max() + 1).tolist() for side in (left, ~left)]
    return by_definition("twoing", *counts)


@pytest.mark.parametrize("make", [load_iris, load_breast_cancer])
def test_a_root_is_no_worse_than_the_best_axis_parallel_test(make):
    X, y = make(return_X_y=True)
    stump = {"max_depth": 1, "pruning": None}
    best = max(
        by_definition(
            "twoing",
            np.bincount(y[X[:, j] <= t], minlength=3).tolist(),
            np.bincount(y[X[:, j] > t], minlength=3).tolist(),
        )
        for j in range(X.shape[1])
        for t in np.unique(X[:, j])[:-1]
    )
    found = [
        twoing_of_root(OC1Classifier(n_restarts=3, random_state=s, **stump).fit(X, y), X, y)
        for s in range(20)
    ]
    assert min(found) >= best - 1e-9
    assert twoing_of_root(CartLCClassifier(**stump).fit(X, y), X, y) >= best - 1e-9


@pytest.mark.parametrize("model", FAMILIES)
def test_a_slanted_boundary_is_one_test(model):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (300, 2))
    X = X[np.abs(X[:, 0] + 2 * X[:, 1]) > 0.05]
    y = X[:, 0] + 2 * X[:, 1] > 0
    model.set_params(pruning=None).fit(X, y)
    assert model.get_n_leaves() == 2
    assert model.tree_.feature[0] == OBLIQUE
    assert model.score(X, y) == 1.0
    cosine = model.tree_.normals[0] @ [1, 2] / np.linalg.norm(model.tree_.normals[0]) / 5**0.5
    assert abs(cosine) > 0.98


@pytest.mark.parametrize("model", FAMILIES)
@pytest.mark.parametrize("name", ["vehicle", "diabetes", "sonar"])
def test_unpruned_trees_fit_the_training_rows(model, name):
    X, y = load(name)
    assert model.set_params(pruning=None).fit(X, y).score(X, y) >= 0.98


@pytest.mark.parametrize("model", FAMILIES)
def test_negative_values_are_as_good_as_positive_ones(model):
    X, y = make_waveform(300, decimals=2, random_state=1)
    # Multiples of 2^-6, so that shifting and scaling by powers of two are exact.
    X = np.round(X[:, 5:10] * 64) / 64
    here = model.set_params(**UNPRUNED).fit(X, y).predict(X)
    shifted = model.fit(4 * X - 512, y).predict(4 * X - 512)
    np.testing.assert_array_equal(here, shifted)


@pytest.mark.parametrize("model", FAMILIES)
def test_row_order_and_label_names_do_not_matter(model):
    X, y = make_waveform(250, random_state=2)
    model.set_params(**UNPRUNED).fit(X, y)
    before = model.tree_
    order = np.random.default_rng(0).permutation(len(y))
    after = model.fit(X[order], np.array(["a", "b", "c"])[y[order]]).tree_
    np.testing.assert_array_equal(before.feature, after.feature)
    np.testing.assert_array_equal(before.threshold, after.threshold)
    np.testing.assert_array_equal(before.normals, after.normals)


def test_the_seed_decides():
    X, y = make_waveform(300, random_state=3)

    def normals(seed):
        return OC1Classifier(n_restarts=3, random_state=seed).fit(X, y).tree_.normals

    np.testing.assert_array_equal(normals(1), normals(1))
    assert not np.array_equal(normals(1), normals(2))


@pytest.mark.parametrize("order", ["sequential", "best_first", "random"])
@pytest.mark.parametrize("criterion", sorted(CRITERIA))
def test_every_order_and_impurity_grows_a_tree(order, criterion):
    X, y = make_waveform(200, random_state=4)
    model = OC1Classifier(criterion=criterion, order=order, n_restarts=3, **UNPRUNED).fit(X, y)
    assert model.score(X, y) > 0.9
    assert (model.tree_.feature == OBLIQUE).any()


def test_few_rows_are_tested_on_single_attributes():
    X, y = make_waveform(40, random_state=5)
    for model in FAMILIES:
        model.set_params(**UNPRUNED).fit(X, y)
        assert model.tree_.normals is None
        more = model.set_params(min_rows_per_feature=0.1).fit(X, y)
        assert (more.tree_.feature == OBLIQUE).any()
        model.set_params(min_rows_per_feature=2.0)


def test_elimination_leaves_out_variables():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 6))
    y = X[:, 0] - X[:, 1] + 0.3 * rng.normal(size=400) > 0
    stump = {"max_depth": 1, "pruning": None}
    full = CartLCClassifier(**stump).fit(X, y).tree_.normals[0]
    few = CartLCClassifier(elimination=0.2, **stump).fit(X, y).tree_.normals[0]
    assert (few != 0).sum() < (full != 0).sum()
    assert set(np.flatnonzero(few)) >= {0, 1}


@pytest.mark.parametrize("model", FAMILIES)
@pytest.mark.parametrize(
    "change",
    [
        lambda X: np.column_stack([X, np.ones(len(X))]),  # constant
        lambda X: np.column_stack([X, X]),  # rank-deficient
        lambda X: X * 1e12,
        lambda X: X * 1e-12,
        lambda X: np.repeat(X, 2, axis=0),
    ],
)
def test_hard_columns(model, change):
    X, y = make_waveform(120, random_state=6)
    rows = change(X[:, 4:9])
    labels = np.repeat(y, len(rows) // len(y))
    assert model.set_params(**UNPRUNED).fit(rows, labels).score(rows, labels) > 0.95


@pytest.mark.parametrize("model", FAMILIES)
def test_one_row_a_class_and_more_columns_than_rows(model):
    X = np.random.default_rng(0).normal(size=(3, 8))
    model = clone(model).set_params(min_samples_split=2, **UNPRUNED)
    assert model.fit(X, ["a", "b", "c"]).score(X, ["a", "b", "c"]) == 1.0


@pytest.mark.parametrize(
    "options",
    [{"criterion": "mse"}, {"order": "first"}, {"n_restarts": -1}, {"max_depth": 0}],
)
def test_wrong_oblique_parameters_are_rejected(options):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=next(iter(options))):
        OC1Classifier(**options).fit(X, y)


def test_missing_values_are_rejected():
    with pytest.raises(ValueError, match="NaN"):
        OC1Classifier().fit([[0.0, np.nan], [1.0, 2.0]], [0, 1])
