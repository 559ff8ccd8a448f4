"""Explanations of single rows."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kinds import ALL, COLOURS, MIXED, NEAREST, REGRESSION, names_of, random_trees
from real_sets import read_set

from retree import (
    BaggingTreesClassifier,
    C45Classifier,
    CartClassifier,
    CartRegressor,
    CodedCartClassifier,
    OC1Classifier,
)
from retree.trees.export.conditions import HalfSpace, Interval, LevelSet
from retree.trees.export.explained import explain_row, leaf_shares

ROW = st.tuples(
    st.sampled_from([0.0, 1.5, 3.0, np.nan]),
    st.sampled_from([0.5, 2.0, np.nan]),
    st.sampled_from([0.0, 1.0, 2.0, 3.0, np.nan]),
)


def test_a_path_in_words():
    found = explain_row(MIXED, np.array([3.0, 4.0, 2.0]), **names_of(MIXED))
    assert str(found).split("\n") == [
        "Prediction: elm (80 %)",
        "  width > 2.5  (width = 3)",
        "  colour in {red, blue}  (colour = blue)",
        "  -0.5 width + 1 height <= 3  (sum 2.5)",
        "  -> elm: 5 training rows, 21.3 % of all; confidence 80 % (elm: 4, ash: 1)",
    ]
    assert found.conditions[0] == "width > 2.5"
    kinds = [type(step.condition) for step in found.paths[0].steps]
    assert kinds == [Interval, LevelSet, HalfSpace]
    assert found.support == pytest.approx(5 / 23.5)
    assert found.confidence == 0.8


def test_a_row_without_a_value_takes_all_branches():
    found = explain_row(MIXED, np.array([1.0, 0.0, np.nan]), **names_of(MIXED), divide_missing=True)
    assert [(p.prediction, round(p.share * 11, 9)) for p in found.paths] == [
        ("oak", 4), ("elm", 4), ("oak", 3),
    ]  # fmt: skip
    assert "  colour = red  (colour missing: 36.4 % take this branch)" in str(found).split("\n")
    assert found.probabilities["oak"] == pytest.approx(7 / 11)
    assert found.support == pytest.approx((16 + 16 + 9) / 11 / 23.5)


def test_the_heaviest_branch_is_said():
    found = explain_row(MIXED, np.array([1.0, 0.0, np.nan]), **names_of(MIXED))
    (path,) = found.paths
    assert path.share == 1
    assert "colour missing: the heaviest branch" in str(found)


def test_a_mean_and_nearest_centres():
    found = explain_row(REGRESSION, np.array([0.0, 0.5, 3.0]), **names_of(REGRESSION))
    assert str(found).startswith("Prediction: 6.875\n  height > 0.125  (height = 0.5)")
    assert "standard deviation 2" in str(found)
    assert found.confidence is None
    near = explain_row(NEAREST, np.array([1.0, 2.0, 0.0]), **names_of(NEAREST))
    assert "nearest of 3 centres is" in near.conditions[0]


@pytest.mark.parametrize("name", ALL)
def test_html_is_escaped(name):
    names = names_of(ALL[name]) | {"feature_names": ["<b>", "&", "colour"]}
    if names["class_names"]:
        names["class_names"] = ["<i>", "elm", "ash"]
    html = explain_row(ALL[name], np.array([3.0, 4.0, 2.0]), **names)._repr_html_()
    assert "<i>" not in html
    assert "<b>" not in html.replace("<p><b>", "")


@given(random_trees(), ROW, st.booleans())
def test_paths_add_up_to_the_prediction(tree, row, divide):
    # What a sum, or a distance, with a missing value means is not the point here.
    row = np.nan_to_num(row) if tree.normals is not None or tree.centres is not None else row
    row, counts = np.array(row, float), tree.counts + tree.is_leaf[:, None]
    for node in np.flatnonzero(~tree.is_leaf)[::-1]:
        counts[node] = counts[tree.children_of(node)].sum(axis=0)
    tree = replace(tree, counts=counts)
    found = explain_row(tree, row, **names_of(tree), divide_missing=divide)
    assert sum(path.share for path in found.paths) == pytest.approx(1)
    value = sum(path.share * tree.value[path.leaf] for path in found.paths)
    expected = tree.predicted(row[None, :], divide_missing=divide)[0]
    np.testing.assert_allclose(value, expected, atol=1e-12)
    np.testing.assert_allclose(list(found.probabilities.values()), expected)
    for path in found.paths:
        product = np.prod([step.share for step in path.steps])
        assert product == pytest.approx(path.share)


def test_leaves_are_found_in_parts(monkeypatch):
    row = np.array([[np.nan, 0.0, np.nan]])
    whole = leaf_shares(MIXED, row, True)
    monkeypatch.setattr("retree.trees.export.explained._AT_ONCE", 2)
    assert leaf_shares(MIXED, row, True) == whole
    assert len(whole) > 3


@pytest.mark.parametrize(
    "model",
    [
        C45Classifier(),
        C45Classifier(binary_splits=True),
        CartClassifier(max_depth=4),
        CodedCartClassifier(max_depth=4),
        BaggingTreesClassifier(estimator=C45Classifier(), n_estimators=5, random_state=0),
    ],
)
def test_estimators_explain_what_they_predict(model):
    X, y = read_set("horse_colic")
    model.fit(X, y)
    shares, predicted = model.predict_proba(X[:8]), model.predict(X[:8])
    for i in range(8):
        for row in (X.iloc[[i]], X.iloc[i], X.iloc[i].tolist()):
            found = model.explain(row)
            assert found.prediction == predicted[i]
            np.testing.assert_allclose(list(found.probabilities.values()), shares[i])


def test_oblique_trees_and_regressors():
    rng = np.random.RandomState(0)
    X = rng.normal(size=(80, 3))
    y = np.where(X @ [1.0, 1.0, 0.0] > 0, "up", "down")
    model = OC1Classifier(random_state=0).fit(X, y)
    found = model.explain(X[0])
    assert found.prediction == model.predict(X[:1])[0]
    assert any("+" in text for text in found.conditions)
    regressor = CartRegressor(max_depth=3).fit(X, X[:, 0])
    assert regressor.explain(X[0]).prediction == regressor.predict(X[:1])[0]


def test_votes_of_a_forest():
    X, y = read_set("vote")
    model = BaggingTreesClassifier(estimator=C45Classifier(), n_estimators=7, random_state=0).fit(
        X, y
    )
    found = model.explain(X.iloc[[5]])
    labels = [tree.prediction for tree in found.trees]
    assert found.votes == {c: labels.count(c) for c in model.classes_}
    assert sum(found.weights) == pytest.approx(1)
    assert f"{found.votes[found.prediction]} of 7 trees" in str(found)
    assert found._repr_html_().count("<details>") == 7


def test_levels_have_their_names():
    X = pd.DataFrame({"colour": pd.Categorical(COLOURS * 10)})
    y = (X["colour"] == "red").astype(str)
    found = C45Classifier().fit(X, y).explain(["green"])
    assert found.conditions == ["colour = green"]


def test_one_row_is_asked_for():
    model = C45Classifier().fit([[0.0], [1.0]] * 4, [0, 1] * 4)
    with pytest.raises(ValueError, match="Only one row can be explained at a time, got 2"):
        model.explain([[0.0], [1.0]])
    with pytest.raises(ValueError, match="2 features"):
        model.explain([0.0, 1.0])
    with pytest.raises(ValueError, match="one row as a list, an array, a Series or a DataFrame"):
        model.explain({"x[0]": 0.0})
