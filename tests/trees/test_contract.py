"""Contracts of estimators: what is declared is the table contracts.csv, and fits do what it says.

The table is typed, from the sources that it names. "-" is where a fact means nothing.
"""

import csv
from dataclasses import fields
from itertools import islice
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from every_classifier import EVERY, TREES
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from retree import AdaBoostM1Classifier, BaggingTreesClassifier, CartRegressor
from retree.forests.members import weka_bags
from retree.trees.base import BaseTree
from retree.trees.declaring import MEANINGS, Contract, Declared, changed, combine

VALUES = {"yes": True, "no": False, "nested": 2}
MODELS = EVERY | TREES | {"CartRegressor": CartRegressor()}
TABLE = {
    row["class"]: {n: VALUES.get(v, v) for n, v in row.items() if n in MEANINGS and v != "-"}
    for row in csv.DictReader(Path(__file__).with_name("contracts.csv").read_text().splitlines())
}
LONE = {name: model for name, model in MODELS.items() if isinstance(model, BaseTree)}

X, Y = load_iris(return_X_y=True)
RANDOM = np.random.default_rng(0)
HOLES = np.where(np.arange(X.size).reshape(X.shape) % 7 == 0, np.nan, X)
NOISE = np.c_[RANDOM.normal(size=(90, 4)), np.arange(90) % 3]
NOISY = RANDOM.integers(0, 2, 90)
MIXED = np.where(RANDOM.random(len(Y)) < 0.2, RANDOM.integers(0, 3, len(Y)), Y)
WEIGHTS, SHUFFLED = RANDOM.uniform(1, 2, len(Y)), RANDOM.permutation(len(Y))
WARD = pd.DataFrame({"ward": pd.Categorical(list("abc") * 30), "age": np.arange(90.0)})
DECIDED = np.array([0, 1, 0] * 30)
# Choices with which growing draws, where it does not by default.
DRAWING = {
    "CMDTClassifier": {"n_samples": 20},
    "CartLCClassifier": {"search": "original", "max_depth": 9},
    "REPTreeClassifier": {"prune": True},
}


def declared(field):
    """Return the classes of which the table says something in a field."""
    return pytest.mark.parametrize("name", [n for n, row in TABLE.items() if field in row])


def plain(name, **params):
    """Return the estimator, unpruned and small."""
    model = clone(MODELS[name])
    off = {"pruning": None, "prune": False}
    off = {k: v for k, v in off.items() if k in model.get_params()}
    return model.set_params(**off | params)


def fits(model, *data):
    """Whether a model takes these data."""
    try:
        clone(model).fit(*data)
    except (TypeError, ValueError):
        return False
    return True


def first_tree(model):
    """Return the tree of a model, or of its first member."""
    return model.forest_.trees[0] if hasattr(model, "forest_") else model.tree_


def shape(tree):
    """Return a tree as it is whatever its weights are multiplied by."""
    return tree.feature.tolist(), np.nan_to_num(tree.threshold).round(9).tolist()


def test_a_class_says_what_differs_from_its_bases():
    class Lower:
        declares = changed(weights="exact", draws=True)

    class Upper(Lower):
        declares = changed(draws=False)

    assert combine(Upper) == Contract(weights="exact", draws=False)
    assert all(MEANINGS.values())


def test_every_class_is_in_the_table():
    assert TABLE.keys() == MODELS.keys()


@pytest.mark.parametrize("name", TABLE)
def test_what_is_declared_is_the_table(name):
    contract = MODELS[name].contract
    assert {n: getattr(contract, n) for n in TABLE[name]} == TABLE[name]


@declared("classes")
def test_classes_are_predicted_or_numbers(name):
    targets = np.array([0, 7] * 3 + [7])
    model = plain(name).fit(np.array([[0.0], [0], [1], [1], [2], [2], [3]]), targets)
    predicted = set(np.ravel(model.predict(np.array([[0.0], [1], [2], [3]]))).tolist())
    assert (predicted <= {0, 7}) == TABLE[name]["classes"]


@declared("categories")
def test_categories_are_named_and_taken_or_neither(name):
    model, expected = plain(name), TABLE[name]["categories"]
    assert ("categorical_features" in model.get_params()) == expected
    assert fits(model, WARD, DECIDED) == expected


@declared("missing")
def test_missing_values_are_taken_and_described_or_neither(name):
    expected = TABLE[name]["missing"]
    assert fits(MODELS[name], HOLES, Y) == expected
    model = MODELS[name]
    if hasattr(model, "parts") and "estimator" in (parts := model.parts()) and name not in LONE:
        assert fits(parts["estimator"], HOLES, Y) == expected
    elif name not in ("CartRegressor", "ThinnedForestClassifier"):
        described, _, _ = type(model).__doc__.partition("Parameters\n")
        described += vars(type(model)).get("fit", test_every_class_is_in_the_table).__doc__ or ""
        words = ("issing", "lack", "NaN where")
        assert any(word in described for word in words) == expected


@declared("divides_missing")
def test_a_row_whose_tested_value_is_missing_is_divided_or_ends_in_one_leaf(name):
    model, nothing = plain(name).fit(X, Y), np.full((1, X.shape[1]), np.nan)
    tree, classifies = model.tree_, hasattr(model, "predict_proba")
    predicted = model.predict_proba(nothing) if classifies else model.predict(nothing)[:, None]
    expected = TABLE[name]["divides_missing"]
    is_in_one_leaf = (np.abs(tree.value[tree.is_leaf] - predicted) < 1e-9).all(axis=1).any()
    assert is_in_one_leaf == (not expected)
    if expected:
        assert np.abs(predicted - tree.value[0]).max() < 1e-9
    if name != "DecisionStumpClassifier":  # it gives such rows a branch of their own
        counts = plain(name).fit(HOLES, Y).tree_.counts
        assert (counts != np.rint(counts)).any() == bool(expected)


def from_below(tree, node=0):
    """Return the shares below a node, each part multiplied from the leaves up."""
    if tree.is_leaf[node]:
        return tree.value[node]
    children = tree.children_of(node)
    parts = tree.weight[children] / tree.weight[children].sum()
    return sum(part * from_below(tree, child) for part, child in zip(parts, children, strict=True))


@pytest.mark.parametrize("name", [n for n in TABLE if TABLE[n].get("divides_missing")])
def test_parts_of_a_row_are_multiplied_from_the_leaves_up_or_from_the_root_down(name):
    model = plain(name).fit(X, MIXED)
    if model.get_depth() > 1:
        (shares,) = model.predict_proba(np.full((1, 4), np.nan))
        is_nested = (shares == from_below(model.tree_)).all()
        assert is_nested == (TABLE[name]["divides_missing"] == 2)


@declared("tests_levels")
def test_levels_are_tested_or_numbers_made_of_them(name):
    coded = {"coding": "one_hot"} if "coding" in MODELS[name].get_params() else {}
    tree = plain(name, **coded).fit(WARD[["ward"]], DECIDED).tree_
    assert np.isnan(tree.threshold).all() == TABLE[name]["tests_levels"]


@declared("weights")
def test_weights_are_as_given_or_of_a_mean_of_1_or_of_exact_sums(name):
    kind, model = TABLE[name]["weights"], plain(name)
    if not fits(model, X, Y, np.full(len(Y), 0.5)):
        assert (kind, name) == ("given", "CMDTClassifier")  # it counts rows
        return
    for labels in (Y, MIXED):
        whole = clone(model).fit(X, labels)
        halves = clone(model).fit(X, labels, np.full(len(Y), 0.5))
        np.testing.assert_array_equal(whole.predict(X), halves.predict(X))
        assert shape(first_tree(whole)) == shape(first_tree(halves))
    assert first_tree(halves).counts[0].sum() == len(Y) / (2 if kind == "given" else 1)
    counts = {
        tuple(first_tree(clone(model).fit(X[o], Y[o], WEIGHTS[o])).counts[0])
        for o in (slice(None), slice(None, None, -1), np.argsort(WEIGHTS))
    }
    if kind != "given":  # CART sorts the rows first
        assert (len(counts) == 1) == (kind == "exact")


@pytest.mark.parametrize("name", ["CartClassifier", "CodedCartClassifier", "CartRegressor"])
def test_cart_scales_no_weights_as_scikit_learn(name):
    theirs = {True: DecisionTreeClassifier, False: DecisionTreeRegressor}[TABLE[name]["classes"]]
    weights = np.full(len(Y), 0.25)
    total = theirs().fit(X, Y, weights).tree_.weighted_n_node_samples[0]
    assert plain(name).fit(X, Y, weights).tree_.counts[0].sum() == total


@declared("knows_first_class")
def test_the_first_declared_class_is_predicted_of_what_no_row_has_or_not(name):
    labels = pd.Categorical(np.where(DECIDED, "yes", "no"), ["absent", "yes", "no"])
    model = clone(MODELS[name]).fit(WARD[["age"]], labels)
    expected = TABLE[name]["knows_first_class"]
    assert ("absent" in model.classes_) == expected
    unseen = pd.DataFrame({"age": [np.nan]})
    if TABLE[name]["missing"] or expected:
        assert model.predict(unseen) == ["absent" if expected else "no"]


@declared("draws")
def test_growing_draws_or_no_seed_matters(name):
    model, trees = plain(name, **DRAWING.get(name, {})), set()
    for seed in range(6):
        given = {"random_state": seed} if "random_state" in model.get_params() else {}
        tree = clone(model).set_params(**given).fit(NOISE, NOISY).tree_
        trees.add(str((tree.feature.tolist(), tree.threshold.tolist(), tree.counts.tolist())))
    assert (len(trees) > 1) == TABLE[name]["draws"]


@declared("in_forests")
def test_forests_grow_it_and_say_so_or_neither(name):
    expected = TABLE[name]["in_forests"]
    with pytest.raises(TypeError, match="forests can grow") as refusal:
        BaggingTreesClassifier(estimator=LogisticRegression()).fit(X, Y)
    assert (f" {name}" in str(refusal.value)) == expected
    assert fits(BaggingTreesClassifier(estimator=MODELS[name], n_estimators=2), X, Y) == expected


@declared("exact_votes")
def test_a_forest_votes_as_its_members_do(name):
    weights, expected = np.array([1.0, 1 + 1e-9]), int(TABLE[name]["exact_votes"])
    nearly_tied = [[0], [0]], [0, 1], weights
    forest = AdaBoostM1Classifier(estimator=plain(name), n_estimators=1).fit(*nearly_tied)
    assert forest.forest_.member_codes(np.zeros((1, 1))).tolist() == [[expected]]
    assert plain(name).fit(*nearly_tied).predict([[0]]).tolist() == [expected]


@declared("keeps_draws")
def test_a_bag_is_its_rows_in_their_order_or_weights(name):
    n, expected, member = len(Y), TABLE[name]["keeps_draws"], plain(name)
    if "prune" in member.get_params():
        member.set_params(prune=True)
    forest = BaggingTreesClassifier(
        estimator=member, n_estimators=1, bags="weka-3.9", random_state=1
    )
    tree = forest.fit(X, MIXED).forest_.trees[0]
    ((drawn, seed),) = islice(weka_bags(np.ones(n), 1, "3.9", seeds=expected), 1)
    if expected:
        member.set_params(random_state=seed)
    alone, turned = (clone(member).fit(X[o], MIXED[o]).tree_ for o in (drawn, drawn[SHUFFLED]))
    assert shape(tree) == shape(alone)
    assert (shape(tree) == shape(turned)) == (not expected)


@pytest.mark.parametrize("name", [n for n in LONE if TABLE[n]["classes"]])
def test_rows_of_one_class_or_all_alike_are_learned(name):
    for rows, labels in ((X, np.ones(len(X))), (np.ones_like(X), np.arange(len(X)) % 3 // 2)):
        assert set(plain(name).fit(rows, labels).predict(rows)) == {labels[0]}


def test_fields_are_all_of_the_table():
    assert {field.name for field in fields(Contract)} <= TABLE["C45Classifier"].keys()
    assert Declared.contract == Contract()
