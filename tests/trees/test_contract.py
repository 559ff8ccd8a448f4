"""What classes declare, beside what a fit does; a flipped switch often changes both alike."""

import numpy as np
import pandas as pd
import pytest
from every_classifier import EVERY, FORESTS, TREES
from sklearn.base import clone, is_classifier
from sklearn.datasets import load_iris

from retree import BaggingTreesClassifier, CartRegressor
from retree.forests.members import Members
from retree.trees.contract import MEANINGS, Contract, changed, combine
from retree.trees.mixed import Sample

X, Y = load_iris(return_X_y=True)
RANDOM = np.random.default_rng(0)
NOISE = np.c_[RANDOM.normal(size=(90, 4)), np.arange(90) % 3]
NOISY = RANDOM.integers(0, 2, 90)
FRAME = pd.DataFrame({"ward": pd.Categorical(list("abc") * 30), "age": np.arange(90.0)})
WARDS = np.array(["no", "yes", "no"] * 30)
SINGLE = {name: model for name, model in TREES.items() if name in EVERY}
MEMBERS = {name: model for name, model in EVERY.items() if type(model) not in FORESTS}


def fits(model, *data):
    """Whether a model takes these data."""
    try:
        clone(model).fit(*data)
    except (TypeError, ValueError):
        return False
    return True


def plain(model):
    """Return the model without pruning, if it has some."""
    return clone(model).set_params(**{k: None for k in ("pruning",) if k in model.get_params()})


def test_a_class_says_what_differs_from_its_bases():
    class Lower:
        declares = changed(weights="exact", draws=True)

    class Upper(Lower):
        declares = changed(draws=False)

    assert combine(Upper) == Contract(weights="exact", draws=False)
    assert all(MEANINGS.values())


@pytest.mark.parametrize("name", EVERY)
def test_classes_are_predicted_or_numbers(name):
    assert is_classifier(EVERY[name]) == EVERY[name].contract.classes
    assert is_classifier(CartRegressor()) == CartRegressor.contract.classes


@pytest.mark.parametrize("name", MEMBERS)
def test_categories_are_taken_or_refused(name):
    model = clone(MEMBERS[name])
    if "coding" in model.get_params():
        model.set_params(coding="one_hot")
        assert fits(model, FRAME, WARDS)
    else:
        assert fits(model, FRAME, WARDS) == model.contract.categories


@pytest.mark.parametrize("name", MEMBERS)
def test_missing_values_are_taken_or_refused(name):
    lacking = np.where(np.arange(X.size).reshape(X.shape) % 7 == 0, np.nan, X)
    assert fits(MEMBERS[name], lacking, Y) == MEMBERS[name].contract.missing


@pytest.mark.parametrize("name", [n for n, m in SINGLE.items() if m.contract.missing])
def test_a_row_whose_tested_value_is_missing_is_divided_or_ends_in_one_leaf(name):
    tree = plain(SINGLE[name]).fit(X, Y)
    nothing = np.full((1, X.shape[1]), np.nan)
    leaves = tree.predict_proba(X)
    ends = (np.abs(leaves - tree.predict_proba(nothing)) < 1e-9).all(axis=1).any()
    assert ends != tree.contract.divides_missing


@pytest.mark.parametrize("name", [n for n, m in SINGLE.items() if m.contract.categories])
def test_levels_are_tested_or_numbers_made_of_them(name):
    model = plain(SINGLE[name]).fit(FRAME[["ward"]], WARDS)
    tests_numbers = np.isfinite(model.tree_.threshold[~model.tree_.is_leaf]).all()
    assert tests_numbers != model.contract.tests_levels


@pytest.mark.parametrize("name", SINGLE)
def test_weights_are_as_given_or_of_a_mean_of_1_or_of_exact_sums(name):
    model = plain(SINGLE[name])
    kind = model.contract.weights
    if not fits(model, X, Y, np.full(len(Y), 0.5)):  # it counts rows
        assert kind == "given"
        return
    halves = clone(model).fit(X, Y, np.full(len(Y), 0.5)).tree_
    if kind == "given" or not model.contract.missing:
        # Of exact ones only their sums show in the tree.
        assert halves.counts[0].sum() in (len(Y) / 2, len(Y))
    if kind == "scaled":
        assert halves.counts[0].sum() == len(Y)


@pytest.mark.parametrize("name", MEMBERS)
def test_the_first_declared_class_is_known_or_not(name):
    declared = pd.Categorical(WARDS, categories=["absent", "yes", "no"])
    model = clone(MEMBERS[name]).fit(FRAME[["age"]], declared)
    assert ("absent" in model.classes_) == model.contract.knows_first_class


@pytest.mark.parametrize("name", MEMBERS)
def test_rows_of_one_class_are_a_leaf_or_refused(name):
    assert fits(MEMBERS[name], X, np.zeros(len(Y))) != MEMBERS[name].contract.needs_choice


def undrawn(model):
    return not (model.contract.draws or model.depends_on_seed)


@pytest.mark.parametrize("name", [n for n, m in SINGLE.items() if undrawn(plain(m))])
def test_no_seed_matters_where_growing_draws_nothing(name):
    model, texts = plain(SINGLE[name]), set()
    for seed in range(4):
        given = {"random_state": seed} if "random_state" in model.get_params() else {}
        texts.add(clone(model).set_params(**given).fit(NOISE, NOISY).export_text())
    assert len(texts) == 1


@pytest.mark.parametrize("name", MEMBERS)
def test_forests_grow_it_or_name_what_they_grow(name):
    model = MEMBERS[name]
    assert (
        fits(BaggingTreesClassifier(estimator=model, n_estimators=2), X, Y)
        == model.contract.in_forests
    )


@pytest.mark.parametrize("name", [n for n, m in MEMBERS.items() if m.contract.in_forests])
def test_a_forest_votes_and_draws_as_its_members_declare(name):
    model = BaggingTreesClassifier(estimator=MEMBERS[name], n_estimators=2).fit(X, Y)
    assert model.forest_.exact_votes == MEMBERS[name].contract.exact_votes
    members = Members(MEMBERS[name], Sample(X, Y, np.ones(len(Y))), 0)
    assert members.keep_draws == MEMBERS[name].contract.keeps_draws
