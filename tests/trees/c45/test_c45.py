from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracle_c45 import first_test
from real_sets import read_set
from sklearn.ensemble import AdaBoostClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from retree import C45Classifier
from retree.trees.c45.c45_growing import C45Rule, grow_c45
from retree.trees.mixed import Sample
from retree.trees.pruning.by_errors import estimated_errors

REFERENCE = Path(__file__).parents[2] / "reference" / "j48"


def of_j48(name):
    """Return what J48 made of a reference set."""
    with gzip.open(REFERENCE / f"{name}.json.gz") as file:
        return json.load(file)


SETS = sorted(path.name.removesuffix(".json.gz") for path in REFERENCE.glob("*.json.gz"))
MODES = {"pruned": {}, "unpruned": {"pruning": None}}
# The text of very large trees is not kept.
TEXTS = [(name, mode) for name in SETS for mode in MODES if of_j48(name)[mode]["tree"]]
UNGROWN = {"pruning": None, "collapse": False}


@parametrize_with_checks([C45Classifier(), C45Classifier(pruning=None, binary_splits=True)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def rings_in_three(rings):
    """Return abalone's age groups as the reference has them."""
    return pd.cut(rings.astype(int), [0, 8, 10, 99], labels=["young", "middle", "old"]).astype(str)


def reference(name):
    """Return the columns, classes and J48 results of a reference set."""
    X, y = read_set(name)
    return X, (rings_in_three(y) if name == "abalone" else y).to_numpy(), of_j48(name)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", SETS)
def test_folds_are_those_of_j48(name, mode):
    X, y, expected = reference(name)
    fold, predicted = np.array(expected["fold"]), np.empty(len(y), object)
    sizes, leaves = [], []
    for k in range(10):
        model = C45Classifier(**MODES[mode]).fit(X[fold != k], y[fold != k])
        predicted[fold == k] = model.predict(X[fold == k])
        sizes.append(model.tree_.node_count)
        leaves.append(model.get_n_leaves())
    assert sizes == expected[mode]["fold_size"]
    assert leaves == expected[mode]["fold_leaves"]
    classes = np.array(expected["classes"])
    np.testing.assert_array_equal(predicted, classes[expected[mode]["predicted_class_index"]])


@pytest.mark.parametrize(("name", "mode"), TEXTS)
def test_text_is_that_of_j48(name, mode):
    X, y, expected = reference(name)
    columns = [f"a{j}" for j in range(X.shape[1])]
    text = (
        C45Classifier(**MODES[mode]).fit(X.set_axis(columns, axis=1), y).export_text(style="weka")
    )
    heading = f"J48 {mode} tree\n------------------\n\n"
    assert f"{heading}{text}\n" == expected[mode]["tree"]


@st.composite
def tables(draw):
    n = draw(st.integers(4, 40))
    n_levels = draw(st.lists(st.sampled_from([-1, -1, 2, 3, 5, 20]), min_size=1, max_size=4))
    columns = [
        draw(
            st.lists(
                st.integers(0, (k if k > 0 else 9) - 1) | st.just(np.nan), min_size=n, max_size=n
            )
        )
        for k in n_levels
    ]
    y = np.array(draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    weights = draw(st.sampled_from([[1.0], [1.0, 2.0, 3.0], [0.25, 0.7, 1.9]]))
    w = np.array(draw(st.lists(st.sampled_from(weights), min_size=n, max_size=n)))
    assume(len(np.unique(y)) == y.max() + 1)
    return np.array(columns, dtype=float).T, y, w, n_levels


def as_frame(X, n_levels):
    """Return a DataFrame whose nominal columns have all their levels."""
    frame = pd.DataFrame(X)
    for j, k in enumerate(n_levels):
        if k > 0:
            frame[j] = frame[j].astype(pd.CategoricalDtype(np.arange(k, dtype=float)))
    return frame


@given(tables(), st.integers(1, 3), st.booleans())
def test_root_is_the_test_of_best_gain_ratio(table, min_cases, mdl):
    X, y, w, n_levels = table
    model = C45Classifier(min_cases=min_cases, mdl_correction=mdl, max_depth=1, **UNGROWN)
    tree = model.fit(as_frame(X, n_levels), y, w).tree_
    expected = first_test(X, y, w / min(1, w.mean()), n_levels, min_cases, mdl)
    if expected is None:
        assert tree.node_count == 1
        return
    attribute, low = expected
    assert tree.feature[0] == attribute
    values = X[:, attribute]
    # The threshold is the largest value of the training data that is not above the middle.
    above = values[values > low].min() if not np.isnan(low) else np.nan
    assert np.isnan(low) == np.isnan(tree.threshold[0])
    assert np.isnan(low) or low <= tree.threshold[0] < above


@settings(max_examples=20, deadline=None)
@given(tables())
def test_rows_that_count_repeatedly_are_repeated_rows(table):
    X, y, w, n_levels = table
    times = np.ceil(w).astype(np.int32)
    sample = Sample(X, y, times.astype(float), times)
    rest = np.array(n_levels, np.int32), int(y.max()) + 1, C45Rule(2.0, mdl_correction=True)
    counted = grow_c45(sample, *rest)
    rows = np.repeat(np.arange(len(y)), times)
    repeated = grow_c45(Sample(X[rows], y[rows], np.ones(len(rows))), *rest)
    np.testing.assert_array_equal(counted.feature, repeated.feature)
    np.testing.assert_array_equal(counted.threshold, repeated.threshold)
    np.testing.assert_allclose(counted.counts, repeated.counts, atol=1e-9)


def test_a_heavy_row_is_one_row():
    X, y = np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 1])
    assert C45Classifier(**UNGROWN).fit(X, y, [3, 3, 3]).tree_.node_count == 1
    X, y = np.repeat(X, 2, axis=0), np.repeat(y, 2)
    assert C45Classifier(**UNGROWN).fit(X, y).tree_.node_count == 3


def test_weights_that_sum_to_one_grow_the_tree_of_weights_of_one():
    X, y = noisy()
    whole = C45Classifier().fit(X, y).tree_
    shares = C45Classifier().fit(X, y, np.full(len(y), 1 / len(y))).tree_
    np.testing.assert_array_equal(shares.threshold, whole.threshold)
    np.testing.assert_allclose(shares.counts, whole.counts)
    boosted = AdaBoostClassifier(C45Classifier(), n_estimators=5, random_state=0).fit(X, y)
    assert boosted.score(X, y) > C45Classifier().fit(X, y).score(X, y)


@settings(max_examples=20, deadline=None)
@given(tables(), st.booleans())
def test_children_divide_the_weight_of_their_parent(table, binary_splits):
    X, y, w, n_levels = table
    model = C45Classifier(binary_splits=binary_splits, min_cases=1)
    tree = model.fit(as_frame(X, n_levels), y, w).tree_
    np.testing.assert_allclose(tree.counts[0], np.bincount(y, w / min(1, w.mean())))
    for node in np.flatnonzero(~tree.is_leaf):
        children = tree.children_of(node)
        np.testing.assert_allclose(tree.counts[children].sum(axis=0), tree.counts[node], atol=1e-4)
    shares = model.predict_proba(as_frame(X, n_levels))
    np.testing.assert_allclose(shares.sum(axis=1), 1)


def noisy(n=600, missing=0.0, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6)).round(1)
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=n) > 0).astype(int) + (X[:, 3] > 1)
    X[rng.random(X.shape) < missing] = np.nan
    return X, y


@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_weights_that_are_nearly_one_change_nothing(missing):
    X, y = noisy(missing=missing)
    whole = C45Classifier().fit(X, y).tree_
    nearly = C45Classifier().fit(X, y, np.full(len(y), 1 + 1e-11)).tree_
    np.testing.assert_array_equal(whole.feature, nearly.feature)
    np.testing.assert_array_equal(whole.threshold, nearly.threshold)
    np.testing.assert_allclose(whole.counts, nearly.counts)


def test_missing_value_takes_every_branch_by_weight():
    X = pd.DataFrame({"level": pd.Categorical(["a"] * 6 + ["b"] * 3 + ["c"] * 3)})
    y = np.array([0] * 6 + [1] * 3 + [2] * 3)
    model = C45Classifier().fit(X, y)
    assert model.tree_.node_count == 4
    rows = pd.DataFrame({"level": pd.Categorical([None, "b", "z"])})
    expected = [[0.5, 0.25, 0.25], [0, 1, 0], [0.5, 0.25, 0.25]]
    np.testing.assert_allclose(model.predict_proba(rows), expected)
    np.testing.assert_array_equal(model.predict(rows), [0, 1, 0])
    np.testing.assert_array_equal(model.apply(rows), [1, 2, 1])


def test_branch_without_rows_is_a_leaf_like_its_parent():
    levels = pd.CategoricalDtype(["a", "b", "unused"])
    X = pd.DataFrame({"level": pd.Series(list("aaab" * 5)).astype(levels)})
    y = (X["level"] == "b").to_numpy()
    model = C45Classifier().fit(X, y)
    assert (model.tree_.node_count, model.get_n_leaves()) == (4, 3)
    unused = pd.DataFrame({"level": pd.Series(["unused"]).astype(levels)})
    np.testing.assert_allclose(model.predict_proba(unused), [[0.75, 0.25]])


@pytest.mark.parametrize("columns", [[1], ["b"], [False, True]])
def test_nominal_columns_can_be_named(columns):
    frame = pd.DataFrame({"a": [1.0, 2.0] * 6, "b": ["x", "y", "z"] * 4})
    y = (frame["b"] == "y").to_numpy()
    model = C45Classifier(categorical_features=columns).fit(frame, y)
    assert list(model.categories_[1]) == ["x", "y", "z"]
    assert model.categories_[0] is None
    np.testing.assert_array_equal(model.predict(frame), y)


def test_columns_of_any_type_and_name():
    frame = pd.DataFrame({0: pd.Categorical(list("uvuvvu") * 4), 1: [1, 2, None, 4, 5, 6] * 4})
    frame[1] = frame[1].astype("Int64")
    y = (frame[0] == "v").to_numpy()
    same_index = frame.set_axis([3] * 24)
    model = C45Classifier().fit(frame, y)
    np.testing.assert_array_equal(model.predict(frame), y)
    np.testing.assert_array_equal(C45Classifier().fit(same_index, y).predict(same_index), y)
    array = frame.astype(object).where(frame.notna(), np.nan).to_numpy()
    from_array = C45Classifier(categorical_features=[0]).fit(array, y)
    np.testing.assert_array_equal(from_array.predict(array.tolist()), y)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ("dtype", "Invalid categorical_features 'dtype'"),
        ([7], "between 0 and 5"),
        ([True, False], r"must have shape \(6,\)"),
        (["b"], "X must be a DataFrame"),
    ],
)
def test_wrong_nominal_columns_are_rejected(columns, message):
    X, y = noisy()
    with pytest.raises(ValueError, match=message):
        C45Classifier(categorical_features=columns).fit(X, y)


def test_column_without_values_is_never_tested():
    X, y = noisy()
    plain = C45Classifier().fit(X, y)
    empty = np.column_stack([np.full(len(y), np.nan), X])
    wider = C45Classifier().fit(empty, y)
    np.testing.assert_array_equal(wider.tree_.feature[0], plain.tree_.feature[0] + 1)
    np.testing.assert_array_equal(wider.predict(empty), plain.predict(X))
    assert C45Classifier().fit(empty[:, :1], y).tree_.node_count == 1


def test_rows_of_weight_zero_are_left_out():
    X, y = noisy(missing=0.1)
    w = np.arange(len(y)) % 3
    with_zeros = C45Classifier().fit(X, y, w).tree_
    without = C45Classifier().fit(X[w > 0], y[w > 0], w[w > 0]).tree_
    np.testing.assert_array_equal(with_zeros.feature, without.feature)
    np.testing.assert_array_equal(with_zeros.counts, without.counts)
    with pytest.raises(ValueError, match="at least one row needs a weight"):
        C45Classifier().fit(X, y, np.zeros(len(y)))


def test_a_thousand_levels():
    rng = np.random.default_rng(0)
    level = rng.integers(1000, size=5000)
    X = pd.DataFrame({"level": pd.Categorical(level, categories=range(1000))})
    y = level % 3
    model = C45Classifier(**UNGROWN).fit(X, y)
    assert model.tree_.node_count == 1001
    assert (model.predict(X) == y).all()
    # Beside a column with few levels, one with many does not count in the average gain.
    X["few"] = pd.Categorical(y)
    assert C45Classifier().fit(X, y).tree_.feature[0] == 1


def test_one_class_is_a_leaf():
    model = C45Classifier().fit([[0.0], [1.0]], ["a", "a"])
    assert model.tree_.node_count == 1
    np.testing.assert_array_equal(model.predict([[5.0]]), ["a"])


def test_binary_splits_ask_for_one_level():
    level = np.repeat(np.arange(4), 10)
    X = pd.DataFrame({"level": pd.Categorical(level)})
    model = C45Classifier(binary_splits=True).fit(X, level == 2)
    np.testing.assert_array_equal(model.tree_.subset, [0, -1, -1])
    np.testing.assert_array_equal(model.tree_.left_levels.mask, [[False, False, True, False]])
    np.testing.assert_array_equal(model.predict(X), level == 2)


def test_pruning_options_make_smaller_trees():
    X, y = noisy(missing=0.05)

    def size(**options):
        return C45Classifier(**options).fit(X, y).tree_.node_count

    assert size() <= size(subtree_raising=False) < size(pruning=None) <= size(**UNGROWN)
    assert size(confidence=0.01) < size(confidence=0.5)
    assert C45Classifier(max_depth=3, **UNGROWN).fit(X, y).get_depth() == 3


# Upper limits that Quinlan (1993, chapter 4) prints for confidence 0.25.
@pytest.mark.parametrize(
    ("total", "errors", "limit", "tolerance"),
    [(6, 0, 0.206, 5e-4), (9, 0, 0.143, 5e-4), (1, 0, 0.750, 5e-4), (16, 1, 0.157, 5e-3)],
)
def test_error_limits_are_those_of_the_book(total, errors, limit, tolerance):
    estimated = estimated_errors(np.array([[total - errors, errors]], float), confidence=0.25)
    assert estimated[0] / total == pytest.approx(limit, abs=tolerance)


@pytest.mark.parametrize(
    "options",
    [
        {"confidence": 0.6},
        {"confidence": 0.0},
        {"confidence": 1e-17},
        {"confidence": np.nan},
        {"min_cases": 0},
        {"pruning": "cost"},
    ],
)
def test_wrong_parameters_are_rejected(options):
    X, y = noisy()
    with pytest.raises(ValueError, match=next(iter(options))):
        C45Classifier(**options).fit(X, y)


def test_a_smaller_confidence_prunes_more_down_to_the_least_one():
    X, y = noisy()
    leaves = [
        C45Classifier(confidence=c).fit(X, y).get_n_leaves() for c in (0.5, 1e-3, 1e-9, 2.0**-53)
    ]
    assert leaves == sorted(leaves, reverse=True)
    assert leaves[0] > leaves[-1]


PRUNINGS = ["cost_complexity", "pessimistic", "reduced_error"]


@pytest.mark.parametrize("pruning", PRUNINGS)
def test_other_prunings_cut_the_tree_before_collapse(pruning):
    X, y = noisy(missing=0.05)
    full = C45Classifier(**UNGROWN).fit(X, y)
    pruned = C45Classifier(pruning=pruning, random_state=0).fit(X, y)
    uncollapsed = C45Classifier(pruning=pruning, collapse=False, random_state=0).fit(X, y)
    assert 1 < pruned.get_n_leaves() < full.get_n_leaves()
    np.testing.assert_array_equal(pruned.predict_proba(X), uncollapsed.predict_proba(X))


def test_pruning_params_reach_the_pruning():
    X, y = noisy()

    def size(**options):
        return C45Classifier(pruning="pessimistic", **options).fit(X, y).tree_.node_count

    assert size(pruning_params={"z": 3.0}) < size(pruning_params={"z": 0.0})
    with pytest.raises(ValueError, match="itself"):
        C45Classifier(pruning_params={"confidence": 0.1}).fit(X, y)


def test_deep_tree_with_missing_values():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"level": pd.Categorical(rng.integers(150, size=1500))})
    X = X.mask(rng.random(X.shape) < 0.05)
    y = rng.integers(2, size=len(X))
    model = C45Classifier(binary_splits=True, **UNGROWN).fit(X, y)
    assert model.get_depth() > 50
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)


def test_declared_classes_make_the_smallest_side_smaller():
    X = np.arange(40.0)[:, None]
    y = np.where(X[:, 0] < 1, "a", "b")
    model = C45Classifier(pruning=None, min_cases=1)
    # A tenth of 40 rows per class is two with two classes and one with four.
    assert model.fit(X, y).get_n_leaves() == 1
    assert model.fit(X, pd.Categorical(y, [*"abcd"])).tree_.threshold[0] == 0.0
    assert model.classes_.tolist() == ["a", "b"]
    assert model.predict(X[:2]).tolist() == ["a", "b"]


def test_values_may_be_near_more_than_an_entry_can_say():
    n, near, far = 70_000, 18_000, 45_000  # of 20,000 values near each, an entry says 16,383
    value = np.concatenate([np.arange(n), np.repeat([0, near, far], [10, 5, 15])])
    X = np.column_stack([value * 5e-10, np.arange(len(value)) >= n])
    y = (value == 0) & (X[:, 1] == 1)
    tree = C45Classifier(pruning=None).fit(X, y).tree_
    np.testing.assert_array_equal(tree.feature, [1, -1, 0, -1, -1])
    np.testing.assert_array_equal(tree.counts[-2:], [[5, 10], [15, 0]])
