"""OC1 and CART-LC as estimators."""

import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from every_classifier import GROWN_OUT
from hypothesis import given
from hypothesis import strategies as st
from oracle_oblique import goodness
from problems import examples, problems
from real_sets import read_set
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.estimator_checks import parametrize_with_checks

from retree import CartLCClassifier, OC1Classifier
from retree.trees.oblique.oblique_base import CRITERIA
from retree.trees.tree import OBLIQUE

SUMMARY = Path(__file__).parents[2] / "reference" / "oc1" / "summary.csv"
EXPECTED = pd.read_csv(SUMMARY).set_index(["dataset", "mode"])
UNPRUNED = {"pruning": None, "min_samples_split": 2, "min_rows_per_feature": 0.0, "max_depth": None}
AXIS_PARALLEL = {"pruning": None, "min_rows_per_feature": 1e9}
METHODS = {
    "oc1": lambda **params: OC1Classifier(**({"n_restarts": 3, "random_state": 0} | params)),
    "cart_lc": lambda **params: CartLCClassifier(**({"random_state": 0} | params)),
}
every_method = pytest.mark.parametrize("method", METHODS)
every_criterion = pytest.mark.parametrize("criterion", CRITERIA)


@st.composite
def models(draw):
    """Draw an unpruned estimator."""
    params = UNPRUNED | {"criterion": draw(st.sampled_from(sorted(CRITERIA)))}
    if draw(st.booleans()):
        return CartLCClassifier(elimination=draw(st.sampled_from([None, 0.2])), **params)
    order = draw(st.sampled_from(["sequential", "best_first", "random"]))
    return OC1Classifier(n_restarts=2, order=order, random_state=draw(st.integers(0, 9)), **params)


def oblique_problem(seed, n=150, n_features=3):
    """Return rows around 0 whose two classes an oblique plane parts but for noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_features))
    score = X @ rng.normal(size=n_features) + 0.2 * rng.normal(size=n)
    return X, (score > np.median(score)).astype(int)


def assert_equal_trees(tree, other, *, units=1.0, offset=0.0, copies=1):
    """Assert that a tree is the other one on attributes ``units * x + offset``, bit by bit."""
    for name in ("children_ptr", "children", "feature"):
        np.testing.assert_array_equal(getattr(tree, name), getattr(other, name), err_msg=name)
    np.testing.assert_array_equal(tree.counts, copies * other.counts)
    normals = other.tests.normals
    np.testing.assert_array_equal(tree.tests.normals, normals)
    moved = units * other.threshold + offset
    for node in np.flatnonzero(other.feature == OBLIQUE):
        moved[node] = units * other.threshold[node] + offset * normals[node].sum()
    np.testing.assert_allclose(tree.threshold, moved, rtol=1e-9, atol=1e-9 * abs(units))


def assert_counts_are_of_the_leaves(model, X, y):
    """Assert that the rows end in the leaves that counted them."""
    tree = model.tree_
    counts = np.zeros_like(tree.counts)
    np.add.at(counts, (tree.apply(X.astype(np.float64)), np.searchsorted(model.classes_, y)), 1)
    np.testing.assert_array_equal(counts[tree.is_leaf], tree.counts[tree.is_leaf])


def root_goodness(model):
    """Return the goodness of the root's test."""
    sides = model.tree_.counts[model.tree_.children_of(0)]
    return goodness(*sides, model.criterion)


@parametrize_with_checks(
    [
        OC1Classifier(),
        OC1Classifier(pruning=None, order="best_first", normalise=False, n_restarts=2),
        CartLCClassifier(),
        CartLCClassifier(pruning=None, elimination=0.2, criterion="entropy"),
    ],
    expected_failed_checks=lambda _: GROWN_OUT,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@given(problems(), models(), st.booleans())
@examples
def test_trees_part_all_rows_that_differ(problem, model, normalise):
    X, y = problem
    model.set_params(normalise=normalise).fit(X, y)
    assert_counts_are_of_the_leaves(model, X, y)
    rows, group = np.unique(X, axis=0, return_inverse=True)
    majority = sum(np.bincount(y[group.ravel() == k]).max() for k in range(len(rows)))
    assert model.score(X, y) == majority / len(y)


@given(problems(), models(), st.randoms(use_true_random=False))
@examples
def test_the_order_of_the_rows_does_not_matter(problem, model, random):
    X, y = problem
    tree = model.fit(X, y).tree_
    order = random.sample(range(len(y)), len(y))
    assert_equal_trees(model.fit(X[order], y[order]).tree_, tree)


@every_method
def test_the_order_of_the_rows_does_not_matter_to_pruning(method):
    X, y = oblique_problem(0)
    order = np.random.default_rng(1).permutation(len(y))
    tree = METHODS[method]().fit(X, y).tree_
    assert_equal_trees(METHODS[method]().fit(X[order], y[order]).tree_, tree)


@given(problems(("continuous", "tied", "pair")), models(), st.integers(-9, 9), st.booleans())
@examples
def test_shifts_and_units_of_attributes_do_not_matter(problem, model, exponent, shifts):
    # Multiples of 1/64 in units of powers of two, so that nothing is rounded.
    X, y = problem
    X = np.round(X * 64) / 64
    if (X[0] == X).all():
        X[0, 0] += 1.0
    units, offset = 2.0**exponent, 1024.0 * shifts
    tree = model.fit(X, y).tree_
    moved = model.fit(units * X + offset, y).tree_
    assert_equal_trees(moved, tree, units=units, offset=offset)


@given(problems(("continuous", "tied")), models())
@examples
def test_every_row_twice_is_the_same_tree(problem, model):
    X, y = problem
    tree = model.fit(X, y).tree_
    twice = model.fit(np.repeat(X, 2, axis=0), np.repeat(y, 2)).tree_
    assert_equal_trees(twice, tree, copies=2)


@given(problems(("continuous", "tied")), models())
@examples
def test_names_of_classes_do_not_matter(problem, model):
    X, y = problem
    tree = model.fit(X, y).tree_
    turned = model.fit(X, y.max() - y).tree_
    np.testing.assert_array_equal(turned.counts, tree.counts[:, ::-1])
    np.testing.assert_allclose(turned.threshold, tree.threshold, rtol=1e-9, atol=1e-9)


@every_method
@every_criterion
def test_root_tests_are_no_worse_than_axis_parallel_ones(method, criterion):
    params = UNPRUNED | {"criterion": criterion, "max_depth": 1}
    gains = []
    for seed in range(20):
        X, y = oblique_problem(seed)
        axis = METHODS[method](**params | {"min_rows_per_feature": 1e9}).fit(X, y)
        assert axis.tree_.has_thresholds_only
        model = METHODS[method](**params, random_state=seed).fit(X, y)
        gains.append(root_goodness(model) - root_goodness(axis))
    assert min(gains) >= -1e-9
    assert np.mean(gains) > 0


@every_method
@pytest.mark.parametrize(("normalise", "centre"), [(True, -5.0), (True, 5.0), (False, 0.0)])
def test_a_plane_is_found_whatever_the_signs(method, normalise, centre):
    for seed in range(5):
        X = np.random.default_rng(seed).uniform(-1, 1, size=(200, 2))
        y = (X.sum(axis=1) > 0).astype(int)
        model = METHODS[method](**UNPRUNED | {"max_depth": 1}, normalise=normalise)
        assert model.fit(X + centre, y).score(X + centre, y) >= 0.95
        assert model.tree_.feature[0] == OBLIQUE


@every_method
def test_small_nodes_get_axis_parallel_tests(method):
    X, y = oblique_problem(3)
    params = UNPRUNED | {"min_rows_per_feature": 10.0, "min_samples_split": 6}
    tree = METHODS[method](**params).fit(X, y).tree_
    assert tree.weight[tree.feature == OBLIQUE].min() > 30
    assert tree.weight[tree.feature != OBLIQUE].max() <= 150
    assert tree.weight[~tree.is_leaf].min() >= 6
    assert METHODS[method](**UNPRUNED | {"max_depth": 2}).fit(X, y).get_depth() == 2


def test_a_seed_names_a_tree():
    X, y = oblique_problem(5, n=300, n_features=6)
    first, again, other = (
        OC1Classifier(pruning=None, n_restarts=2, random_state=seed).fit(X, y).tree_
        for seed in (1, 1, 2)
    )
    assert_equal_trees(again, first)
    assert not np.array_equal(other.threshold, first.threshold)


@every_method
def test_pruning_keeps_a_tenth_aside(method):
    X, y = oblique_problem(6, n=200)
    model = METHODS[method]().fit(X, y)
    assert model.tree_.weight[0] == 180
    full = METHODS[method](pruning_params={"validation_fraction": 0.5}).fit(X, y)
    assert full.tree_.weight[0] == 100
    assert METHODS[method](pruning="ebp").fit(X, y).tree_.weight[0] == 200
    assert METHODS[method](pruning=None).fit(X, y).get_n_leaves() > model.get_n_leaves()


@every_method
@pytest.mark.parametrize("normalise", [True, False])
@pytest.mark.parametrize(
    ("units", "offset"),
    [(1e12, 0.0), (1e-12, 0.0), (1.0, 1e12), (1e300, 0.0), (1e-300, 0.0), (1e307, -8e307)],
)
def test_values_of_any_size(method, normalise, units, offset):
    X, y = oblique_problem(7)
    X = np.round(X * 16) / 16 * units + offset
    model = METHODS[method](**UNPRUNED, normalise=normalise).fit(X, y)
    assert_counts_are_of_the_leaves(model, X, y)
    assert model.score(X, y) >= 0.95


@every_method
def test_attributes_of_unlike_size(method):
    X, y = oblique_problem(8, n=300)
    scaled = X * [1e12, 1.0, 1e-12] + [1e12, 0.0, 0.0]
    model = METHODS[method](**UNPRUNED).fit(scaled, y)
    assert model.score(scaled, y) == 1.0
    assert_counts_are_of_the_leaves(model, scaled, y)
    plain = METHODS[method](**UNPRUNED).fit(X, y)
    assert model.get_n_leaves() <= 1.5 * plain.get_n_leaves()


@every_method
@every_criterion
def test_edges(method, criterion):
    rng = np.random.default_rng(9)
    base, y = rng.normal(size=(40, 2)), rng.integers(0, 3, 40)
    cases = {
        "constant columns": np.column_stack([np.full(40, 3.0), base, np.zeros(40)]),
        "equal columns": np.column_stack([base, base, -base]),
        "sums of columns": np.column_stack([base, base.sum(axis=1), base[:, 0] - base[:, 1]]),
        "more columns than rows": rng.normal(size=(40, 60)),
        "few values": rng.integers(0, 2, size=(40, 8)),
    }
    for name, X in cases.items():
        model = METHODS[method](**UNPRUNED, criterion=criterion).fit(X, y)
        assert_counts_are_of_the_leaves(model, X, y)
        assert model.score(X, y) == 1.0 or name == "few values", name


@every_method
def test_few_rows(method):
    one_each = METHODS[method](**UNPRUNED).fit([[0.0, 1.0], [1.0, 0.0], [2.0, 5.0]], [0, 1, 2])
    assert one_each.score([[0.0, 1.0], [1.0, 0.0], [2.0, 5.0]], [0, 1, 2]) == 1.0
    two = METHODS[method](**UNPRUNED).fit([[0.0, 7.0], [1.0, 7.0]], ["a", "b"])
    assert two.tree_.threshold[0] == 0.5
    np.testing.assert_array_equal(two.predict([[0.5, 0.0], [0.6, 0.0]]), ["a", "b"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert METHODS[method]().fit([[0.0], [1.0]], [0, 1]).get_n_leaves() == 1


@every_method
@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        ({"criterion": "variance"}, ValueError, r"criterion 'variance'.*'twoing', 'gini'"),
        ({"normalise": "yes"}, TypeError, "normalise must be an instance of"),
        ({"min_rows_per_feature": -1.0}, ValueError, "min_rows_per_feature == -1.0"),
        ({"min_samples_split": 1}, ValueError, "min_samples_split == 1, must be >= 2"),
        ({"max_depth": 0}, ValueError, "max_depth == 0, must be >= 1"),
        ({"pruning": "mdl"}, ValueError, "Invalid pruning 'mdl'"),
        ({"pruning_params": {"beta": 1}}, ValueError, "beta"),
    ],
)
def test_wrong_parameters(method, params, error, message):
    X, y = oblique_problem(0, n=20)
    with pytest.raises(error, match=message):
        METHODS[method](**params).fit(X, y)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (OC1Classifier(order="best"), r"order 'best'.*'sequential', 'best_first', 'random'"),
        (OC1Classifier(n_restarts=-1), "n_restarts == -1, must be >= 0"),
        (OC1Classifier(max_jumps=-1), "max_jumps == -1, must be >= 0"),
        (OC1Classifier(stagnation_probability=1.5), "stagnation_probability == 1.5"),
        (CartLCClassifier(max_cycles=0), "max_cycles == 0, must be >= 1"),
        (CartLCClassifier(elimination=0.0), "elimination == 0.0, must be > 0"),
    ],
)
def test_wrong_parameters_of_one_method(model, message):
    X, y = oblique_problem(0, n=20)
    with pytest.raises(ValueError, match=message):
        model.fit(X, y)


@every_method
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_values_that_are_not_finite(method, value):
    X, y = oblique_problem(0, n=20)
    X[3, 1] = value
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        METHODS[method]().fit(X, y)


def test_text_shows_the_combination():
    X, y = oblique_problem(1)
    text = OC1Classifier(**UNPRUNED, random_state=0).fit(X, y).export_text()
    assert "x[0]" in text.splitlines()[0]
    assert "x[1]" in text.splitlines()[0]


def load_set(name):
    """Return rows and labels of a numeric set."""
    X, y = read_set(name.replace("-", "_"))
    return X.to_numpy(float), y.to_numpy().astype(str)


@pytest.mark.parametrize("name", ["vehicle", "diabetes", "sonar"])
def test_unpruned_trees_fit_real_data(name):
    X, y = load_set(name)
    assert OC1Classifier(pruning=None, random_state=0).fit(X, y).score(X, y) >= 0.98
    for method in METHODS.values():
        assert method(**UNPRUNED | {"min_rows_per_feature": 2.0}).fit(X, y).score(X, y) == 1.0


@pytest.mark.parametrize("name", ["iris", "sonar", "balance-scale", "diabetes"])
def test_axis_parallel_trees_have_the_leaves_of_the_original(name):
    X, y = load_set(name)
    expected = EXPECTED.loc[(name, "ap-p0")]
    model = CartLCClassifier(**AXIS_PARALLEL).fit(X, y)
    assert model.get_n_leaves() == expected["full_leaves"]
    # Of tests that tie on diabetes the original takes others, which decide one row.
    off_by = abs(100 * model.score(X, y) - expected["full_train_accuracy_pct"])
    assert off_by <= (100 / len(y) if name == "diabetes" else 0) + 0.005


@pytest.mark.parametrize("mode", ["oc1-p0", "cartlc-p0"])
@pytest.mark.parametrize(
    "name",
    ["iris", "sonar", "balance-scale", "diabetes", pytest.param("vehicle", marks=pytest.mark.slow)],
)
def test_folds_are_like_those_of_the_original(name, mode):
    # The original had one seed; seeds differ by some points and by up to a third of the leaves.
    X, y = load_set(name)
    expected = EXPECTED.loc[(name, mode)]
    method = {"oc1-p0": OC1Classifier, "cartlc-p0": CartLCClassifier}[mode]
    accuracy, leaves = [], []
    for seed in range(3):
        model = method(pruning=None, normalise=False, random_state=seed)
        for train, test in StratifiedKFold(10, shuffle=True, random_state=seed).split(X, y):
            accuracy.append(100 * model.fit(X[train], y[train]).score(X[test], y[test]))
            leaves.append(model.get_n_leaves())
    assert np.mean(accuracy) == pytest.approx(expected["cv10_accuracy_pct"], abs=3)
    assert np.mean(leaves) == pytest.approx(expected["mean_fold_leaves"], rel=0.15)
