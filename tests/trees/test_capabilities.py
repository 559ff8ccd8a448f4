"""The table of what each classifier can do, in docs/estimators.md, is what fitting them shows."""

from pathlib import Path

import numpy as np
import pytest
from every_classifier import EVERY
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.utils import get_tags

from retree import C45Classifier

DOCS = Path(__file__).parents[2] / "docs" / "estimators.md"
X, Y = load_iris(return_X_y=True)
NAN = np.where(np.arange(X.size).reshape(X.shape) % 7 == 0, np.nan, X)


def outcome(model, rows=X, **given):
    """Return the fitted model, or the error."""
    try:
        return clone(model).fit(rows, Y, **given)
    except (TypeError, ValueError) as error:
        return error


def weighs(model):
    halves = outcome(model, sample_weight=np.where(Y == 0, 0.5, 2.0))
    if not isinstance(halves, Exception):
        return "yes"
    return "no" if isinstance(halves, TypeError) else "whole"


def weighs_classes(model):
    if "class_weight" not in model.get_params():
        return "no"
    outcome(model.set_params(class_weight="balanced")).predict(X)
    return "yes"


def lacks_values(model):
    fitted = outcome(model, NAN)
    assert get_tags(model).input_tags.allow_nan != isinstance(fitted, ValueError)
    if isinstance(fitted, ValueError):
        assert "SimpleImputer, or take C45Classifier or CartClassifier" in str(fitted)
        if "fill_missing" not in model.get_params():
            return "no"
        assert "unless fill_missing is set" in str(fitted)
        assert lacks_values(model.set_params(fill_missing="mean")) == "yes"
        return "filled in"
    assert np.isfinite(fitted.predict_proba(NAN)).all()
    return "yes"


def smooths(model):
    inner = "estimator" in model.get_params() and "smoothing" not in model.get_params()
    if not inner and "smoothing" not in model.get_params():
        return "no"
    if inner:
        model.set_params(estimator=C45Classifier(smoothing="laplace"))
        if "vote" in model.get_params():
            model.set_params(vote="shares")
    else:
        model.set_params(smoothing="laplace")
    assert (outcome(model).predict_proba(X) > 0).all()
    return "of members" if inner else "yes"


@pytest.fixture(scope="module")
def table():
    rows = [line.strip("|").split("|") for line in DOCS.read_text().splitlines()]
    return {r[0].strip(" `"): [v.strip() for v in r[1:]] for r in rows if len(r) == 5}


@pytest.mark.parametrize("name", EVERY)
def test_the_page_says_what_it_can_do(name, table):
    found = [do(clone(EVERY[name])) for do in (weighs, weighs_classes, lacks_values, smooths)]
    assert table[name] == found


def test_the_page_has_no_other_estimators(table):
    assert set(table) - {"estimator", ":--"} == set(EVERY)
