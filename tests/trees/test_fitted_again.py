"""What was fitted before leaves no trace in an estimator that is fitted again."""

import numpy as np
import pandas as pd
import pytest
from every_classifier import EVERY
from sklearn.base import clone
from sklearn.datasets import load_iris

from retree import C45Classifier, from_json

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


@pytest.mark.parametrize("seed", [-1, 2**32, "one"])
def test_a_seed_that_is_none_is_refused_also_where_nothing_is_drawn(seed):
    with pytest.raises(ValueError, match=r"Seed must be|cannot be used to seed"):
        C45Classifier(random_state=seed).fit([[0], [1]] * 9, [0, 1] * 9)
