"""The parameter of a pruning chosen by cross-validation."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from real_sets import read_set
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold, PredefinedSplit
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.estimator_checks import parametrize_with_checks

from retree import (
    C45Classifier,
    CartClassifier,
    CartRegressor,
    OC1Classifier,
    PrunedTreeCV,
)
from retree.trees.mixed import Sample
from retree.trees.pruning.alpha_choice import choose_alpha, deal_folds

X, Y = load_breast_cancer(return_X_y=True)


@parametrize_with_checks(
    [PrunedTreeCV(estimator=C45Classifier(), cv=KFold(2), values=[0.25, 0.01])]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def smallest(losses, n_leaves, standard_errors):
    """Return the position of the chosen tree; `losses` are those of each tree and row."""
    means = losses.mean(axis=1)
    deviations = losses.std(axis=1) / np.sqrt(losses.shape[1])
    limit = (means + standard_errors * deviations)[np.isclose(means, means.min())].min()
    near = [k for k in range(len(means)) if means[k] <= limit + 1e-12]
    return min(near, key=lambda k: (n_leaves[k], -k)), means, deviations


@pytest.mark.parametrize("standard_errors", [0.0, 1.0])
@pytest.mark.parametrize(
    ("own", "theirs", "risk", "data"),
    [
        (CartClassifier, DecisionTreeClassifier, "gini", load_iris),
        (CartRegressor, DecisionTreeRegressor, None, load_diabetes),
    ],
)
def test_alpha_is_that_of_scikit_learn_by_brute_force(own, theirs, risk, data, standard_errors):
    rows, y = data(return_X_y=True)
    rng = np.random.RandomState(0)
    # Of equal splits scikit-learn takes a random one, so there shall be none.
    rows = rows + 1e-3 * rng.normal(size=rows.shape)
    folds = PredefinedSplit(rng.randint(5, size=len(y)))
    sizes = {"max_depth": 4, "min_samples_leaf": 8}
    model = own(**sizes, pruning_params={"risk": risk}, pruning="cost_complexity")
    model = PrunedTreeCV(estimator=model, cv=folds, standard_errors=standard_errors).fit(rows, y)

    found = theirs(**sizes, random_state=0).cost_complexity_pruning_path(rows, y).ccp_alphas
    alphas = found[np.append(np.diff(found) > 1e-9, True)]
    np.testing.assert_allclose(model.path_.values, alphas, atol=1e-9)
    losses = []
    for alpha in [*np.sqrt(alphas[:-1] * alphas[1:]), 1e9]:
        loss = np.empty(len(y))
        for train, test in folds.split():
            tree = theirs(**sizes, random_state=0, ccp_alpha=alpha).fit(rows[train], y[train])
            predicted = tree.predict(rows[test])
            loss[test] = predicted != y[test] if risk else (predicted - y[test]) ** 2
        losses.append(loss)
    leaves = [
        theirs(**sizes, random_state=0, ccp_alpha=a + 1e-9).fit(rows, y).get_n_leaves()
        for a in alphas
    ]
    chosen, means, deviations = smallest(np.array(losses), leaves, standard_errors)
    np.testing.assert_allclose(model.path_.errors, means)
    np.testing.assert_allclose(model.path_.standard_errors, deviations)
    assert model.path_.n_leaves.tolist() == leaves
    assert model.path_.chosen == chosen
    assert model.estimator_.get_n_leaves() == leaves[chosen]


def test_alpha_is_that_of_the_estimator_on_the_same_folds():
    unpruned = CartClassifier(pruning="cost_complexity", pruning_params={"alpha": 0.0})

    def grow(sample):
        return unpruned.fit(sample.X, sample.y, sample.weight).tree_

    weight = np.random.RandomState(1).randint(1, 4, len(Y)).astype(float)
    sample = Sample(X, Y.astype(np.int32), weight)
    expected = choose_alpha(grow, sample, standard_errors=1.0, folds=5, random_state=3)
    fold = deal_folds(sample, 5, np.random.RandomState(3))
    model = PrunedTreeCV(
        estimator=CartClassifier(), pruning="cost_complexity", cv=PredefinedSplit(fold)
    )
    model.fit(X, Y, weight)
    assert model.best_value_ == expected.alpha
    np.testing.assert_allclose(model.path_.errors, expected.errors)
    np.testing.assert_allclose(model.path_.standard_errors, expected.standard_errors)


@pytest.mark.parametrize(
    ("pruning", "parameter", "values", "params"),
    [
        ("ebp", None, [0.5, 0.1, 0.01], "confidence"),
        ("pessimistic", None, [0.0, 1.0, 4.0], "z"),
        ("reduced_error", None, [0.2, 0.4], "fraction"),
        ("stopping", "min_rows", [0.0, 30.0, 90.0], "min_rows"),
        ("stopping", "max_class_share", [1.0, 0.9, 0.7], "max_class_share"),
        ("stopping", None, [0.0, 0.05], "min_gain"),
    ],
)
def test_every_pruning_by_brute_force(pruning, parameter, values, params):
    cv = KFold(4, shuffle=True, random_state=0)
    base = CartClassifier(random_state=5)
    model = PrunedTreeCV(
        estimator=base, pruning=pruning, parameter=parameter, values=values, cv=cv
    ).fit(X, Y)

    def fitted(value, rows):
        one = CartClassifier(random_state=5, pruning=pruning, pruning_params={params: value})
        return one.fit(X[rows], Y[rows])

    losses = []
    for value in values:
        loss = np.empty(len(Y))
        for train, test in cv.split(X):
            loss[test] = fitted(value, train).predict(X[test]) != Y[test]
        losses.append(loss)
    leaves = [fitted(value, slice(None)).get_n_leaves() for value in values]
    chosen, means, _ = smallest(np.array(losses), leaves, 1.0)
    order = [values.index(v) for v in model.path_.values]
    np.testing.assert_allclose(model.path_.errors, means[order])
    assert model.path_.n_leaves.tolist() == [leaves[k] for k in order]
    assert model.best_value_ == values[chosen]
    assert model.estimator_.get_n_leaves() == leaves[chosen]
    assert (np.diff(model.path_.n_leaves) <= 0).all()


def test_categories_and_missing_values():
    frame, y = read_set("vote")
    model = PrunedTreeCV(estimator=C45Classifier(), cv=2, random_state=0).fit(frame, y)
    again = PrunedTreeCV(estimator=C45Classifier(), cv=2, random_state=0).fit(frame, y)
    assert model.path_.parameter == "confidence"
    np.testing.assert_array_equal(model.path_.errors, again.path_.errors)
    assert model.predict(frame).tolist() == model.estimator_.predict(frame).tolist()
    assert model.estimator_.confidence == model.best_value_
    assert model.predict_proba(frame).shape == (len(y), 2)


def test_trees_that_draw_are_the_same_for_each_value():
    rows = X[:120, :3]
    model = PrunedTreeCV(
        estimator=OC1Classifier(n_restarts=1), pruning="pessimistic", cv=3, random_state=0
    )
    path = model.fit(rows, Y[:120]).path_
    assert (np.diff(path.n_leaves) <= 0).all()
    assert path.values.tolist() == sorted(path.values)


@pytest.mark.parametrize("x", ["leaves", "value"])
@pytest.mark.parametrize("pruning", ["cost_complexity", "ebp", "pessimistic", "reduced_error"])
def test_plot(pruning, x):
    path = (
        PrunedTreeCV(estimator=CartClassifier(random_state=0), pruning=pruning, cv=3)
        .fit(X, Y)
        .path_
    )
    ax = path.plot(Figure().add_subplot(), x=x)
    points = ax.lines[0].get_xydata()
    places = path.n_leaves if x == "leaves" else path.values
    np.testing.assert_array_equal(points, np.column_stack([places, path.errors]))
    (mark,) = (line for line in ax.lines if line.get_label().startswith("chosen: "))
    chosen = path.chosen
    assert mark.get_xydata().tolist() == [[places[chosen], path.errors[chosen]]]
    assert ax.get_xlabel() == ("leaves" if x == "leaves" else path.parameter)
    with pytest.raises(ValueError, match="Invalid x 'depth'"):
        path.plot(x="depth")


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (PrunedTreeCV(estimator=LinearRegression()), "LinearRegression has no parameters pruning"),
        (PrunedTreeCV(estimator=CartClassifier()), "not pruned; name a pruning"),
        (PrunedTreeCV(estimator=CartClassifier(), pruning="rep"), "Invalid pruning 'rep'"),
        (
            PrunedTreeCV(estimator=CartClassifier(), pruning="ebp", parameter="z"),
            "Valid ones are 'confidence'",
        ),
        (PrunedTreeCV(estimator=CartClassifier(), pruning="ebp", values=[]), "values is empty"),
        (
            PrunedTreeCV(estimator=CartClassifier(), pruning="ebp", standard_errors=-1.0),
            "standard_errors",
        ),
    ],
)
def test_what_does_not_fit_is_refused(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit(X, Y)
