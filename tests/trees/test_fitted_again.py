"""What was fitted before leaves no trace in an estimator that is fitted again."""

import numpy as np
import pandas as pd
import pytest
from every_classifier import EVERY
from sklearn.base import clone
from sklearn.datasets import load_iris

from retree import from_json

X, Y = load_iris(return_X_y=True)


@pytest.mark.parametrize("name", EVERY)
def test_names_and_numbers_of_features_are_those_of_the_last_fit(name):
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = clone(EVERY[name]).fit(frame, Y).fit(X[:, :3], Y)
    assert not hasattr(model, "feature_names_in_")
    once = clone(EVERY[name]).fit(X[:, :3], Y)
    assert set(vars(model)) == set(vars(once))
    np.testing.assert_array_equal(model.predict(X[:, :3]), once.predict(X[:, :3]))


@pytest.mark.parametrize("name", [n for n, m in EVERY.items() if "fill_missing" in m.get_params()])
def test_values_that_were_filled_in_are_forgotten(name):
    model = clone(EVERY[name]).set_params(fill_missing="mean").fit(X, Y)
    model.set_params(fill_missing=None).fit(X, Y)
    assert not hasattr(model, "fill_values_")
    again = from_json(model.to_json())
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
