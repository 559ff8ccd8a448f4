from __future__ import annotations

import sys
import time

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracle_cart import GAINS, Rule, candidates, check_tree, gain
from problems import assert_same_tree, examples
from real_sets import read_set
from sklearn.datasets import load_iris
from sklearn.utils.estimator_checks import parametrize_with_checks

from retree import CartClassifier, CartRegressor
from retree.trees.cart.base_cart import OF_CLASSES as CRITERIA
from retree.trees.cart.base_cart import grow_classes
from retree.trees.decreases import impurity_decreases
from retree.trees.mixed import Sample


@parametrize_with_checks(
    [
        CartClassifier(),
        CartClassifier(
            criterion="twoing", pruning="cost_complexity", pruning_params={"alpha": 0.01}
        ),
        CartRegressor(),
        CartRegressor(pruning="cost_complexity", pruning_params={"alpha": 0.01}),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@st.composite
def tables(draw, kinds=(-1, -2, 2, 3, 5), n_targets=4):
    """Draw X with level codes and NaN, targets, weights and the numbers of levels.

    A numeric column has -1 instead, or -2 if it has two values only.
    """
    n = draw(st.integers(2, 24))
    n_levels = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=3))
    missing = draw(st.sampled_from([0.0, 0.0, 0.2]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_values = [9 if k == -1 else abs(k) for k in n_levels]
    X = np.column_stack([rng.integers(0, k, n) for k in n_values]).astype(float)
    X[rng.random(X.shape) < missing] = np.nan
    y = rng.integers(0, draw(st.integers(2, n_targets)), n)
    weights = draw(st.sampled_from([[1.0], [1.0, 2.0, 3.0], [0.25, 0.5, 1.75]]))
    return X, y, rng.choice(weights, n), n_levels


def as_frame(X, n_levels):
    """Return a DataFrame whose nominal columns have all their levels."""
    frame = pd.DataFrame(X)
    for j, k in enumerate(n_levels):
        if k > 0:
            frame[j] = frame[j].astype(pd.CategoricalDtype(np.arange(k, dtype=float)))
    return frame


def limits(least):
    """Draw the parameters that stop growing."""
    return st.fixed_dictionaries(
        {
            "max_depth": st.sampled_from([None, None, 1, 3]),
            "min_samples_split": st.sampled_from([2, 2, 6]),
            "min_samples_leaf": st.integers(1, least),
            "min_impurity_decrease": st.sampled_from([0.0, 0.0, 0.013]),
        }
    )


def rule_of(criterion, params):
    depth = np.inf if params["max_depth"] is None else params["max_depth"]
    return Rule(criterion, **params | {"max_depth": depth})


@examples
@given(tables(), st.sampled_from(CRITERIA), limits(1), st.sampled_from([1.0, 1.0, 0.71]))
def test_classification_trees_are_those_of_the_definitions(table, criterion, params, share):
    X, y, w, n_levels = table
    y = np.unique(y, return_inverse=True)[1]
    params["max_class_share"] = share
    tree = CartClassifier(criterion=criterion, **params).fit(as_frame(X, n_levels), y, w).tree_
    check_tree(tree, X, y, w, n_levels, rule_of(criterion, params))


@examples
@given(tables(kinds=[-1, -2]), st.sampled_from(CRITERIA), limits(4))
def test_thresholds_leave_enough_rows(table, criterion, params):
    X, y, w, n_levels = table
    y = np.unique(y, return_inverse=True)[1]
    tree = CartClassifier(criterion=criterion, **params).fit(X, y, w).tree_
    check_tree(tree, X, y, w, n_levels, rule_of(criterion, params))


@examples
@given(tables(n_targets=8), limits(1))
def test_regression_trees_are_those_of_the_definitions(table, params):
    X, y, w, n_levels = table
    tree = CartRegressor(**params).fit(as_frame(X, n_levels), y / 4, w).tree_
    check_tree(tree, X, y / 4, w, n_levels, rule_of("squared_error", params))


@settings(examples, max_examples=20)
@given(tables(kinds=[-1, -2], n_targets=8), limits(4))
def test_regression_thresholds_leave_enough_rows(table, params):
    X, y, w, n_levels = table
    tree = CartRegressor(**params).fit(X, y / 4, w).tree_
    check_tree(tree, X, y / 4, w, n_levels, rule_of("squared_error", params))


def assert_rows_end_where_they_were_counted(model, X, w):
    leaves = model.apply(X)
    reached = np.bincount(leaves, w, model.tree_.node_count)
    ends = model.tree_.is_leaf
    np.testing.assert_allclose(reached[ends], model.tree_.weight[ends])
    assert not reached[~ends].any()


@examples
@given(
    tables(), st.sampled_from([*(CartClassifier(criterion=c) for c in CRITERIA), CartRegressor()])
)
def test_training_rows_end_where_they_were_counted(table, model):
    X, y, w, n_levels = table
    frame = as_frame(X, n_levels)
    assert_rows_end_where_they_were_counted(model.fit(frame, y, w), frame, w)


@pytest.mark.parametrize(
    "name", ["horse_colic", "hepatitis", "audiology", "soybean", "credit_approval", "autos"]
)
def test_mixed_real_sets(name):
    X, y = read_set(name)
    for criterion in CRITERIA:
        model = CartClassifier(criterion=criterion).fit(X, y)
        assert_rows_end_where_they_were_counted(model, X, np.ones(len(y)))
        assert model.score(X, y) > 0.95
        options = {"pruning": "cost_complexity", "pruning_params": {"alpha": 0.02}}
        pruned = CartClassifier(criterion=criterion, **options).fit(X, y)
        assert pruned.get_n_leaves() < model.get_n_leaves()


def gain_of_root(model, X, y, w, n_levels, criterion):
    """Return the gain of the root's subset, and the greatest of all subsets."""
    found = candidates(X, y, w, n_levels, Rule(criterion))
    tree = model.fit(as_frame(X, n_levels), y, w).tree_
    left = np.isin(X[:, 0], tree.left_levels.levels(tree.subset[0]))
    chosen = [s.gain for s in found if (s.goes_left == left).all()]
    return chosen[0], max(split.gain for split in found)


@examples
@given(st.integers(0, 2**32 - 1), st.integers(3, 5), st.integers(2, 9))
def test_unions_of_classes_contain_the_best_twoing_subset(seed, n_classes, k):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, k, (60, 1)).astype(float), rng.integers(0, n_classes, 60)
    assume(len(np.unique(y)) == n_classes and len(np.unique(X)) > 1)
    model = CartClassifier(criterion="twoing", max_depth=1, max_exact_levels=0)
    found, best = gain_of_root(model, X, y, np.ones(60), [k], "twoing")
    assert found == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("n_classes", [3, 8])
def test_bounded_search_of_subsets_loses_little(criterion, n_classes):
    lost = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X, y = rng.integers(0, 8, (80, 1)).astype(float), rng.integers(0, n_classes, 80)
        y[:n_classes] = np.arange(n_classes)
        model = CartClassifier(criterion=criterion, max_depth=1, max_exact_levels=0)
        found, best = gain_of_root(model, X, y, np.ones(80), [8], criterion)
        assert found <= best + 1e-12
        lost.append(1 - found / best)
    assert np.mean(np.array(lost) < 1e-9) >= 0.9
    assert max(lost) < 0.1


def test_refinement_moves_single_levels():
    # With six classes the cuts follow single classes, which are not always enough.
    improved = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X, y = rng.integers(0, 12, (100, 1)).astype(float), rng.integers(0, 6, 100)
        tree = CartClassifier(max_depth=1).fit(as_frame(X, [12]), y).tree_
        left = tree.left_levels.mask[0][X[:, 0].astype(int)]
        found, cut = gain(y, np.ones(100), left, "gini"), best_cut_of_one_class(X[:, 0], y)
        assert found >= cut - 1e-12
        improved += found > cut + 1e-9
    assert improved > 2


def best_cut_of_one_class(levels, y):
    """Return the greatest gain of the cuts of the levels in the order of a class's share."""
    rule, gains = Rule("gini"), []
    for c in np.unique(y):
        share = {v: (y[levels == v] == c).mean() for v in np.unique(levels)}
        rank = np.unique([share[v] for v in levels], return_inverse=True)[1]
        cuts = candidates(rank[:, None].astype(float), y, np.ones(len(y)), [-1], rule)
        gains += [split.gain for split in cuts]
    return max(gains)


def planted(n_classes, seed=0):
    """Return 1,000 levels, of which the odd ones have the upper half of the classes, with noise."""
    rng = np.random.default_rng(seed)
    level = np.concatenate([np.arange(1000), rng.integers(0, 1000, 19_000)])
    half = n_classes // 2
    y = rng.integers(0, half, 20_000) + half * (level % 2)
    noise = rng.random(20_000) < 0.1
    y[noise] = rng.integers(0, n_classes, noise.sum())
    return level, y


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("n_classes", [2, 4, 8])
def test_a_thousand_levels(criterion, n_classes):
    level, y = planted(n_classes)
    X = pd.DataFrame({"level": pd.Categorical(level, categories=range(1001))})
    model = CartClassifier(criterion=criterion, max_depth=1).fit(X[:99], y[:99])
    start = time.perf_counter()
    tree = model.fit(X, y).tree_
    assert time.perf_counter() - start < 2
    left = tree.left_levels.mask[0]
    even = np.arange(1000) % 2 == 0
    found, expected = (GAINS[criterion](y, np.ones(len(y)), side[level]) for side in (left, even))
    assert found >= expected
    assert left[1000] == (tree.weight[1] >= tree.weight[2])


def test_a_thousand_levels_of_a_regression():
    level, _ = planted(2)
    noise = np.random.default_rng(1).normal(size=len(level))
    X = pd.DataFrame({"level": pd.Categorical(level)})
    tree = CartRegressor(max_depth=1).fit(X, level % 2 * 10 + noise).tree_
    np.testing.assert_array_equal(tree.left_levels.mask[0], np.arange(1000) % 2 == 0)
    deep = CartRegressor().fit(X, level % 7)
    assert (deep.predict(X) == level % 7).all()
    assert deep.get_n_leaves() == 7


def test_missing_and_unseen_values_go_with_the_heavier_child():
    levels = ["b"] * 3 + ["c"] * 5 + [None] * 2
    X = pd.DataFrame({"level": pd.Categorical(levels, categories=["a", "b", "c"])})
    y = np.array([0] * 3 + [1] * 5 + [1, 0])
    tree = CartClassifier(max_depth=1).fit(X, y)
    np.testing.assert_array_equal(tree.tree_.counts, [[4, 6], [3, 0], [1, 6]])
    rows = pd.DataFrame({"level": ["a", "b", "c", None, "unheard of"]})
    np.testing.assert_array_equal(tree.apply(rows), [2, 1, 2, 2, 2])
    np.testing.assert_array_equal(tree.predict(rows), [1, 0, 1, 1, 1])


def test_missing_numbers_go_with_the_heavier_child():
    X = np.array([[1.0], [2.0], [3.0], [8.0], [9.0], [np.nan], [np.nan]])
    y = np.array([0.0, 0.0, 0.0, 5.0, 5.0, 5.0, 2.0])
    model = CartRegressor(max_depth=1).fit(X, y)
    np.testing.assert_array_equal(model.apply(X), [1, 1, 1, 2, 2, 1, 1])
    np.testing.assert_allclose(model.tree_.moments[:, 0], [17 / 7, 7 / 5, 5.0])
    model.fit(X, y, [1, 1, 1, 9, 1, 1, 1])
    np.testing.assert_array_equal(model.apply(X), [1, 1, 1, 2, 2, 2, 2])
    # In a tie they go left.
    model.fit(X, y, [1, 1, 1, 1, 2, 1, 1])
    np.testing.assert_array_equal(model.apply(X), [1, 1, 1, 2, 2, 1, 1])


def test_a_column_with_few_values_gains_by_its_share():
    # The first column is right wherever it has a value, the second in all rows but one.
    y = np.array([0, 0, 0, 0, 0, 1, 1, 1, 1, 1])
    known, almost = y.astype(float), np.array([0, 0, 0, 0, 1, 1, 1, 1, 1, 1])
    X = np.column_stack([np.where(np.arange(10) % 3 == 0, known, np.nan), almost])
    assert CartClassifier().fit(X, y).tree_.feature[0] == 1
    X[:, 0] = np.where(np.arange(10) == 4, np.nan, known)
    assert CartClassifier().fit(X, y).tree_.feature[0] == 0


@pytest.mark.parametrize("noise", [0.0, 0.2, 0.5])
@pytest.mark.parametrize("decimals", [1, 3, 15])
def test_many_rows_of_two_classes_are_split_like_those_of_three(noise, decimals):
    # Of two classes, blocks of entries are left out; a third class without rows changes no gain.
    rng = np.random.default_rng(decimals)
    n = 9000
    X = rng.normal(size=(n, 3)).round(decimals)
    y = ((X[:, 0] + 0.5 * X[:, 1] ** 2 > 0.3) ^ (rng.random(n) < noise)).astype(np.int32)
    rule = CartClassifier(max_depth=6)._rule()
    sample = Sample(X, y, np.ones(n))
    two, three = (grow_classes(sample, np.full(3, -1), k, rule) for k in (2, 3))
    assert two.node_count > 10
    np.testing.assert_array_equal(two.feature, three.feature)
    np.testing.assert_array_equal(two.threshold, three.threshold)

    def purity(is_left: np.ndarray) -> float:
        sides = np.bincount(y[is_left]), np.bincount(y[~is_left])
        return sum((side**2).sum() / side.sum() for side in sides)

    root = purity(X[:, two.feature[0]] <= two.threshold[0])
    cuts = [purity(x <= value) for x in X.T for value in np.unique(x)[:-1][::7]]
    assert root >= max(cuts) - 1e-6


def test_columns_that_say_nothing_are_never_tested():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), rng.integers(0, 3, 60)
    plain = CartClassifier().fit(X, y).tree_
    level = pd.Categorical(["only"] * 60)
    frame = pd.DataFrame({"none": np.nan, "one": 7.0, "a": X[:, 0], "level": level, "b": X[:, 1]})
    frame["no level"] = pd.Categorical([None] * 60, categories=["x", "y"])
    tree = CartClassifier().fit(frame, y).tree_
    np.testing.assert_array_equal(tree.feature, np.array([2, 4, -1])[plain.feature])
    np.testing.assert_array_equal(tree.counts, plain.counts)
    assert CartRegressor().fit(frame[["none", "one", "level"]], y).get_n_leaves() == 1


def test_rows_of_weight_zero_are_left_out():
    rng = np.random.default_rng(0)
    X, y, w = rng.normal(size=(60, 3)), rng.integers(0, 3, 60), np.arange(60) % 3 / 2
    kept = w > 0
    for model in (CartClassifier(), CartRegressor()):
        tree = model.fit(X, y, w).tree_
        assert_same_tree(model.fit(X[kept], y[kept], w[kept]).tree_, tree)
    with pytest.raises(ValueError, match="at least one row needs a weight"):
        CartRegressor().fit(X, y, np.zeros(60))


def test_weights_far_apart():
    # A child must have a part of its node's weight that floating-point sums can see.
    X, y = np.arange(8.0)[:, None], np.array([0, 1] * 4)
    w = np.array([1e-12, 1e-12, 1e-12, 1e-12, 1e12, 1e12, 1e12, 1e12])
    tree = CartClassifier().fit(X, y, w).tree_
    assert tree.n_leaves == 4
    np.testing.assert_array_equal(tree.threshold[tree.threshold < 4.0], [])
    tiny = CartClassifier().fit(X, y, w[:1].repeat(8)).tree_
    assert tiny.n_leaves == 8


def test_one_class_is_a_leaf():
    model = CartClassifier().fit([[0.0], [1.0]], ["a", "a"])
    assert model.get_n_leaves() == 1
    np.testing.assert_array_equal(model.predict([[5.0]]), ["a"])


def test_class_share_stops_growing():
    X, y = np.arange(10.0)[:, None], np.array([0] * 7 + [1] * 3)
    y[2] = 1
    for share, leaves in ((0.6, 1), (0.61, 2), (6 / 7, 2), (0.86, 4), (1.0, 4)):
        assert CartClassifier(max_class_share=share).fit(X, y).get_n_leaves() == leaves


@pytest.mark.parametrize("scale", [1e-300, 1e-30, 1.0, 1e30, 1e300])
@pytest.mark.parametrize("offset", [0.0, 1e3])
def test_targets_of_any_size(scale, offset):
    X, y = np.arange(40.0)[:, None], (np.arange(40) // 10 + offset) * scale
    model = CartRegressor().fit(X, y)
    assert model.get_n_leaves() == 4
    np.testing.assert_allclose(model.predict(X), y, rtol=1e-15)


def test_targets_far_from_zero_lose_no_digits():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 3)), rng.integers(0, 64, 200) / 64
    tree, moved = (CartRegressor(min_samples_leaf=5).fit(X, t).tree_ for t in (y, y + 2.0**40))
    np.testing.assert_array_equal(tree.feature, moved.feature)
    np.testing.assert_array_equal(tree.threshold, moved.threshold)
    np.testing.assert_allclose(tree.moments[:, 1], moved.moments[:, 1], rtol=1e-9, atol=1e-14)


def test_the_whole_range_of_floats():
    largest = np.finfo(float).max
    X = np.array([[-largest], [-1.0], [-5e-324], [0.0], [5e-324], [1.0], [largest]])
    y = np.arange(7) % 2
    assert CartClassifier().fit(X, y).score(X, y) == 1.0
    assert CartRegressor().fit(X, y).score(X, y) == 1.0


def test_threshold_is_the_lower_value_where_the_middle_is_the_upper():
    low = 1.0 + 2.0**-52
    high = np.nextafter(low, 2.0)
    assert low / 2 + high / 2 == high
    for model in (CartClassifier(), CartRegressor()):
        tree = model.fit([[low], [high]], [0, 1]).tree_
        assert tree.threshold[0] == low


def test_chains_deeper_than_the_recursion_limit():
    n = 2500
    X, y = np.arange(n, dtype=float)[:, None], np.arange(n) % 2
    for model in (CartClassifier(), CartRegressor()):
        assert model.fit(X, y).get_depth() == n - 1 > 2 * sys.getrecursionlimit()
        assert model.score(X, y) == 1.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"criterion": "misclassification"}, "Valid ones are 'gini', 'entropy', 'twoing'"),
        ({"max_depth": 0}, "max_depth"),
        ({"min_samples_split": 1}, "min_samples_split"),
        ({"min_samples_leaf": 0}, "min_samples_leaf"),
        ({"min_impurity_decrease": -0.1}, "min_impurity_decrease"),
        ({"min_impurity_decrease": np.inf}, "min_impurity_decrease must be finite"),
        ({"max_class_share": 0.0}, "max_class_share"),
        ({"max_exact_levels": 21}, "max_exact_levels"),
        ({"pruning": "none"}, "Invalid pruning"),
    ],
)
def test_wrong_values_are_rejected(options, message):
    with pytest.raises(ValueError, match=message):
        CartClassifier(**options).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("name", ["max_depth", "max_leaf_nodes"])
def test_fractions_are_rejected(name):
    for model in (CartClassifier(**{name: 0.5}), CartRegressor(**{name: 0.5})):
        with pytest.raises(TypeError, match=name):
            model.fit([[0.0], [1.0]], [0, 1])


def test_wrong_criterion_and_pruning_of_a_regressor():
    with pytest.raises(ValueError, match="Valid ones are 'squared_error'"):
        CartRegressor(criterion="gini").fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="classification only"):
        CartRegressor(pruning="ebp").fit([[0.0], [1.0]], [0.0, 1.0])


@pytest.mark.parametrize("pruning", ["cost_complexity", "ebp", "pessimistic", "reduced_error"])
def test_pruning_makes_smaller_trees(pruning):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 4)), rng.integers(0, 3, 300)
    X[:, 0] += y
    full = CartClassifier().fit(X, y)
    pruned = CartClassifier(pruning=pruning, random_state=0).fit(X, y)
    assert 1 < pruned.get_n_leaves() < full.get_n_leaves()
    again = CartClassifier(pruning=pruning, random_state=0).fit(X, y)
    assert_same_tree(pruned.tree_, again.tree_)
    if pruning in ("cost_complexity", "reduced_error"):
        numbers = CartRegressor(pruning=pruning, random_state=0).fit(X, y + X[:, 1])
        assert 1 < numbers.get_n_leaves() < 300


def test_text_of_a_tree():
    X = pd.DataFrame({"colour": pd.Categorical(["red", "green", "blue", "blue"] * 3)})
    text = CartClassifier().fit(X, ["b", "a", "b", "b"] * 3).export_text()
    assert text.splitlines()[0].startswith("colour in {blue, red}: b (")


@pytest.mark.parametrize("criterion", CRITERIA)
def test_nodes_are_kept_in_the_order_of_the_gain_that_grew_them(criterion):
    """A new criterion is ranked by itself, and not by the Gini index."""
    X, y = load_iris(return_X_y=True)
    ones, whole = np.ones(len(y)), CartClassifier(criterion=criterion).fit(X, y)
    passed = whole.decision_path(X).toarray().astype(bool)
    tree, gains = whole.tree_, {}
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        rows, left = passed[:, node], passed[:, tree.children_of(node)[0]]
        gain = GAINS[criterion](y[rows], ones[rows], left[rows])
        gains[node] = round(gain * rows.sum() / len(y), 12)
    np.testing.assert_allclose(
        impurity_decreases(tree, criterion)[list(gains)], list(gains.values()), atol=1e-12
    )
    kept: list[int] = []
    for n_leaves in range(2, tree.n_leaves + 1):
        reached = [n for n in gains if n not in kept and (n == 0 or tree.parents[n] in kept)]
        kept.append(max(reached, key=lambda node: (gains[node], -node)))
        limited = CartClassifier(criterion=criterion, max_leaf_nodes=n_leaves).fit(X, y).tree_
        assert_same_tree(limited, tree.cut([n for n in gains if n not in kept]))
