"""The table of what each classifier can do, in docs/estimators.md, is what fitting them shows."""

import runpy
from pathlib import Path

import numpy as np
import pytest
from every_classifier import BINARY, EVERY
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.utils import get_tags

import retree
from retree import C45Classifier

ROOT = Path(__file__).parents[2]
SCRIPT = runpy.run_path(str(ROOT / "scripts" / "declared.py"))
X, Y = load_iris(return_X_y=True)
NAN = np.where(np.arange(X.size).reshape(X.shape) % 7 == 0, np.nan, X)


@pytest.fixture(scope="module")
def table():
    page = (ROOT / "docs" / "estimators.md").read_text()
    rows = [line.strip("|").split("|") for line in page.splitlines()]
    return {r[0].strip(" `"): [v.strip() for v in r[1:]] for r in rows if len(r) == 5}


def test_the_page_has_no_other_estimators(table):
    every = set(EVERY) | BINARY
    assert set(table) - {"estimator", ":--"} == every == set(SCRIPT["classifiers"]())


def test_the_page_says_what_each_estimator_is():
    said = (ROOT / "docs" / "estimators.md").read_text().partition("\n## ")[0]
    estimators = {n for n in retree.__all__ if n.endswith(("Classifier", "Regressor", "Thinner"))}
    # Only the thinners make it.
    assert {n for n in estimators if f"`{n}`" not in said} == {"FittedForestClassifier"}


def refuses_missing(model):
    """Whether the model refuses missing values, by its tag and in a sentence with a remedy."""
    allows = get_tags(model).input_tags.allow_nan
    if allows:
        assert np.isfinite(clone(model).fit(NAN, Y).predict_proba(NAN)).all()
    else:
        remedy = "SimpleImputer, or use C45Classifier or CartClassifier"
        with pytest.raises(ValueError, match=remedy) as error:
            clone(model).fit(NAN, Y)
        fills = "fill_missing" in model.get_params()
        assert ("unless fill_missing is set" in str(error.value)) == fills
    return not allows


@pytest.mark.parametrize("name", EVERY)
def test_missing_values_are_taken_or_refused_with_a_remedy(name):
    model = clone(EVERY[name])
    if refuses_missing(model) and "fill_missing" in model.get_params():
        assert not refuses_missing(model.set_params(fill_missing="mean"))


@pytest.mark.parametrize("name", [n for n in EVERY if "class_weight" in EVERY[n].get_params()])
def test_weights_of_classes_may_be_balanced(name):
    model = clone(EVERY[name]).set_params(class_weight="balanced")
    assert len(model.fit(X, Y).predict(X)) == len(X)


@pytest.mark.parametrize("name", EVERY)
def test_smoothed_probabilities_are_above_zero(name):
    model = clone(EVERY[name])
    names = model.get_params(deep=False)
    if "smoothing" in names:
        model.set_params(smoothing="laplace")
    elif "estimator" in names:
        model.set_params(estimator=C45Classifier(smoothing="laplace"))
        if "vote" in names:
            model.set_params(vote="shares")
    else:
        return
    assert (model.fit(X, Y).predict_proba(X) > 0).all()
