"""Targets whose squares are no doubles."""

import json

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.base import clone

from retree import CartRegressor, from_json

RNG = np.random.default_rng(5)
X = RNG.normal(size=(120, 3))
Y = np.round(4 * X[:, 0] + np.abs(X[:, 1]) + RNG.normal(size=120), 3)
MODELS = [
    CartRegressor(),
    CartRegressor(max_leaf_nodes=7),
    CartRegressor(pruning="reduced_error", random_state=1),
    CartRegressor(pruning="cost_complexity", random_state=1),
    CartRegressor(
        pruning="cost_complexity", pruning_params={"validation_fraction": 0.3}, random_state=1
    ),
]


@pytest.mark.parametrize("model", MODELS)
@given(exponent=st.integers(-1000, 1015))
@example(531)
@example(-564)
def test_a_power_of_two_changes_nothing_but_the_unit(model, exponent):
    near, far = clone(model).fit(X, Y), clone(model).fit(X, np.ldexp(Y, exponent))
    for name in ("feature", "threshold", "children", "counts"):
        np.testing.assert_array_equal(getattr(far.tree_, name), getattr(near.tree_, name))
    np.testing.assert_array_equal(far.predict(X), np.ldexp(near.predict(X), exponent))
    np.testing.assert_array_equal(far.feature_importances_, near.feature_importances_)


@pytest.mark.parametrize("unit", [1e160, 1e300, 1e-170, 1e-300])
def test_importances_and_documents(unit):
    model = CartRegressor().fit(X, Y * unit)
    near = CartRegressor().fit(X, Y)
    np.testing.assert_allclose(model.feature_importances_, near.feature_importances_, rtol=1e-9)
    again = from_json(model.to_json())
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_array_equal(again.feature_importances_, model.feature_importances_)
    assert "standard deviation" in str(model.export_html())


def test_alphas_and_decreases_are_in_squared_units_of_the_target():
    path = CartRegressor().cost_complexity_pruning_path(X, Y).ccp_alphas
    alpha = float(np.sqrt(path[-3] * path[-2]))

    def leaves(exponent, alpha):
        pruned = CartRegressor(pruning="cost_complexity", pruning_params={"alpha": alpha})
        grown = CartRegressor(min_impurity_decrease=alpha)
        y = np.ldexp(Y, exponent)
        return [model.fit(X, y).get_n_leaves() for model in (pruned, grown)]

    near = leaves(0, alpha)
    assert 1 < near[0] < 10
    assert near == leaves(450, float(np.ldexp(alpha, 900)))
    assert leaves(-600, 1.0) == [1, 1]
    assert leaves(600, 1e300) == leaves(0, 1e-50)


def test_a_wrong_alpha_is_refused_in_any_unit():
    model = CartRegressor(pruning="cost_complexity", pruning_params={"alpha": np.inf})
    with pytest.raises(ValueError, match="alpha"):
        model.fit(X, Y * 1e200)


@pytest.mark.parametrize("exponent", [1101, 10**300])
def test_a_document_with_an_exponent_that_no_double_has_is_damaged(exponent):
    document = CartRegressor().fit(X, Y * 1e200).to_dict()
    document["trees"][0]["target_exponent"] = exponent
    with pytest.raises(ValueError, match="cannot be in units"):
        from_json(json.dumps(document))
