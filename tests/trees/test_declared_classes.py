"""The declared order of classes and levels decides ties, as that of a header does in Weka."""

import copy
import os
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import weka_answers
from every_classifier import EVERY, TREES
from sklearn.base import clone
from weka_answers import LEARNERS, OF_FOLDS, REAL, SEEDS

import retree
from retree import (
    AdaBoostM1Classifier,
    BaggingTreesClassifier,
    C45Classifier,
    C45RulesClassifier,
    OneRClassifier,
    REPTreeClassifier,
)
from retree.forests import EPICSelector, ForestThinner

DECLARED = ["mid", "zero", "none", "ten"]  # "none" has no rows
RNG = np.random.default_rng(3)
X = RNG.integers(0, 4, (60, 3)).astype(float)
CODES = np.where(RNG.random(60) < 0.6, X[:, 0] % 3, RNG.integers(0, 3, 60)).astype(int)
LABELS = np.array(["mid", "zero", "ten"])[CODES]
Y = pd.Series(LABELS).astype(pd.CategoricalDtype(DECLARED))
HALVES = pd.Series(["good", "bad"] * 4).astype(pd.CategoricalDtype(["good", "bad"]))
KEPT = weka_answers.read_answers()
JARS = os.environ.get("WEKA_JARS")


# Where classes tie but for the last bit of a sum over the branches of rows that lack values.
LAST_BIT = {
    ("REPTree -P", 4),
    ("Bagging J48", 36),
    ("RandomSubSpace REPTree", 161),
    ("RandomSubSpace J48", 4),
}
FURTHER_LAST_BIT = {
    *(("REPTree -P", seed) for seed in (1093, 1149)),
    ("Bagging J48", 1033),
    ("RealAdaBoost REPTree", 1099),
}


def differences(learner, theirs):
    """Return the sets on which a learner does not answer as Weka, where that answers.

    Weka's OneR refuses weights and columns without values.
    """
    return {
        (learner, int(seed))
        for seed, own in theirs.items()
        if own[learner] is not None and weka_answers.answer(learner, int(seed)) != own[learner]
    }


@pytest.mark.parametrize("learner", LEARNERS)
def test_small_sets_have_wekas_answers(learner):
    some = {str(seed): KEPT["small"][str(seed)] for seed in SEEDS[1::6]}
    assert not differences(learner, some)


@pytest.mark.slow
@pytest.mark.parametrize("learner", LEARNERS)
def test_all_small_sets_have_wekas_answers(learner):
    assert differences(learner, KEPT["small"]) == {own for own in LAST_BIT if own[0] == learner}


def test_the_small_sets_are_hard_ones():
    sets = [weka_answers.problem(seed) for seed in SEEDS]
    declared = [list(each.y.cat.categories) for each in sets]
    assert sum(own != sorted(own) for own in declared) > len(SEEDS) / 2
    first_is_empty = [own[0] not in set(each.y) for own, each in zip(declared, sets, strict=True)]
    assert sum(first_is_empty) > 10
    assert sum(own is not None for each in KEPT["small"].values() for own in each.values()) > 2900


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.slow] * (n not in REAL[:2])) for n in REAL]
)
def test_real_sets_have_wekas_folds(name):
    for learner in OF_FOLDS:
        assert weka_answers.answer_of_folds(learner, name) == KEPT["folds"][name][learner]


@pytest.mark.slow
@pytest.mark.skipif(JARS is None, reason="WEKA_JARS does not say where Weka's jars are")
def test_further_sets_have_wekas_answers():
    assert JARS is not None
    theirs = weka_answers.ask_weka(JARS, range(1000, 1300))
    assert set().union(*(differences(learner, theirs) for learner in LEARNERS)) == FURTHER_LAST_BIT


@pytest.mark.parametrize("name", EVERY | TREES)
def test_it_grows_what_codes_in_that_order_grow(name):
    model, other = clone((EVERY | TREES)[name]), clone((EVERY | TREES)[name])
    if "code_matrix" in model.get_params():
        matrix = np.array([[1, -1], [-1, 0], [0, 1]])  # of "mid", "zero" and "ten"
        other.set_params(code_matrix=matrix)
        model.set_params(code_matrix=matrix[[0, 2, 1]])
    if "class_names" in model.get_params():
        other.set_params(class_names=DECLARED)
    model.fit(X, Y)
    # Classes without rows count in C4.5.
    other.fit(X, pd.Categorical(np.array([0, 1, 3])[CODES], range(4)))
    assert model.classes_.tolist() == ["mid", "ten", "zero"]
    ordered = np.array(DECLARED)[other.classes_]
    assert getattr(model, "class_order_", ordered).tolist() == ordered.tolist()
    np.testing.assert_array_equal(model.predict(X), np.array(DECLARED)[other.predict(X)])
    if hasattr(model, "predict_proba"):
        shares = other.predict_proba(X)
        np.testing.assert_array_equal(model.predict_proba(X), shares[:, [0, 2, 1]])


@pytest.mark.parametrize("name", EVERY)
def test_the_order_of_other_labels_is_the_sorted_one(name):
    model = clone(EVERY[name]).fit(X, Y).fit(X, LABELS)
    other = clone(EVERY[name]).fit(X, pd.Series(LABELS, dtype="category"))
    assert model.class_order_.tolist() == model.classes_.tolist() == ["mid", "ten", "zero"]
    np.testing.assert_array_equal(model.predict_proba(X), other.predict_proba(X))


@pytest.mark.parametrize(
    "y",
    [HALVES, HALVES.array, pl.Series(HALVES.tolist(), dtype=pl.Enum(["good", "bad"])), [1, 0] * 4],
    ids=["series", "categorical", "polars", "codes"],
)
def test_the_first_declared_class_wins_ties(y):
    y = pd.Categorical(y, [1, 0]) if isinstance(y, list) else y
    for model in (C45Classifier(), OneRClassifier(), REPTreeClassifier(prune=False)):
        model.fit(np.zeros((8, 1)), y)
        assert model.predict([[0.0]]).tolist() == [y[0]]
        assert str(y[0]) in model.export_rules().splitlines()[-1].split()
        assert model.explain([0.0]).prediction == y[0]


def test_names_of_classes_are_in_the_order_of_classes():
    model, rules = C45Classifier(pruning=None).fit(X, Y), C45RulesClassifier().fit(X, Y)
    forest = BaggingTreesClassifier(n_estimators=3, random_state=0).fit(X, Y)
    for own in (model, rules):
        assert own.export_rules(class_names=own.classes_) == own.export_rules()
    assert model.export_text(class_names=["M", "T", "Z"]) == model.export_text().replace(
        "mid", "M"
    ).replace("ten", "T").replace("zero", "Z")
    why = forest.explain(X[0], class_names=["M", "T", "Z"])
    assert list(why.probabilities) == ["M", "Z", "T"]
    assert why.prediction == forest.predict(X[:1])[0][0].upper()


def test_what_is_written_keeps_it():
    model = C45Classifier(max_depth=1).fit(X, Y)
    forest = BaggingTreesClassifier(n_estimators=3, random_state=0).fit(X, Y)
    for own in (model, forest):
        for again in (
            retree.from_json(own.to_json()),
            pickle.loads(pickle.dumps(own)),
            copy.deepcopy(own),
        ):
            assert again.class_order_.tolist() == own.class_order_.tolist()
            np.testing.assert_array_equal(again.predict(X), own.predict(X))
            np.testing.assert_array_equal(again.predict_proba(X), own.predict_proba(X))
        theirs = own.to_sklearn()
        assert theirs.classes_.tolist() == own.classes_.tolist()
        np.testing.assert_allclose(theirs.predict_proba(X), own.predict_proba(X))


def test_forests_that_are_thinned_keep_it():
    by_code = pd.Categorical(np.array([0, 1, 3])[CODES], range(4))
    for maker in (ForestThinner().thin, EPICSelector(n_members=2).select):
        grow = BaggingTreesClassifier(n_estimators=4, random_state=0)
        model = maker(clone(grow).fit(X, Y), X, LABELS)
        other = maker(clone(grow).fit(X, by_code), X, np.asarray(by_code))
        np.testing.assert_array_equal(model.predict(X), np.array(DECLARED)[other.predict(X)])


def test_one_r_predicts_the_first_declared_class_where_nothing_is_known():
    levels = pd.CategoricalDtype(["p", "q", "r"])
    columns = pd.DataFrame({"a": pd.Series(list("pppqqq"), dtype=levels)})
    y = pd.Series(list("bbbccc"), dtype=pd.CategoricalDtype(["z", "b", "c"]))
    unseen = pd.DataFrame({"a": pd.Series(["r"], dtype=levels)})
    bags = BaggingTreesClassifier(
        estimator=OneRClassifier(), n_estimators=5, vote="votes", random_state=0
    )
    boosted = AdaBoostM1Classifier(estimator=OneRClassifier())
    for model in (OneRClassifier(), bags, boosted):
        model.fit(columns, y)
        assert model.classes_.tolist() == ["b", "c", "z"]
        assert model.predict(unseen).tolist() == ["z"]
        np.testing.assert_array_equal(model.predict_proba(unseen), [[0.0, 0.0, 1.0]])
        assert model.fit(columns, y.astype(str)).classes_.tolist() == ["b", "c"]
    assert C45Classifier().fit(columns, y).classes_.tolist() == ["b", "c"]
    mixed = pd.Categorical(["b"] * 6, [0, "b"])
    with pytest.raises(TypeError, match="turn all of them into strings"):
        OneRClassifier().fit(columns, mixed)
