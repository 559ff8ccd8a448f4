"""Sample weights at the ends of what numbers can hold: refused, or as good as any."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

import retree

X, y = (part[::3] for part in load_iris(return_X_y=True))
LATENT = ["GlobalSVDTreeClassifier", "LatentSpaceTreeClassifier", "LocalSVDTreeClassifier"]
NAMES = ["C45Classifier", "CartClassifier", "CartRegressor", "CodedCartClassifier", *LATENT]
NAMES += ["ID3Classifier"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("weight", [1e308, 1e99, 5e-324, 1e-103])
def test_the_sum_must_be_moderate(name, weight):
    with pytest.raises(ValueError, match=r"sample weights sum to .* multiply them by a constant"):
        getattr(retree, name)().fit(X, y, sample_weight=np.full(len(y), weight))


@pytest.mark.parametrize("factor", [2.0**320, 2.0**-320])
@pytest.mark.parametrize("pruning", [None, "cost_complexity"])
@pytest.mark.parametrize("criterion", ["gini", "twoing"])
def test_within_the_limits_the_scale_changes_no_bit(criterion, pruning, factor):
    weight = np.random.default_rng(0).integers(1, 4, len(y)) + 0.5
    model = retree.CartClassifier(criterion=criterion, pruning=pruning, random_state=0)
    plain = model.fit(X, y, sample_weight=weight).tree_
    scaled = model.fit(X, y, sample_weight=weight * factor).tree_
    assert plain.node_count > 3
    np.testing.assert_array_equal(scaled.threshold, plain.threshold)
    np.testing.assert_array_equal(scaled.value, plain.value)


@pytest.mark.parametrize("pruning", [None, "cost_complexity"])
@pytest.mark.parametrize("name", ["CartClassifier", "CartRegressor"])
@pytest.mark.parametrize("factor", [2.0**320, 2.0**-320])
def test_within_the_limits_the_scale_does_not_matter(name, pruning, factor):
    weight = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
    plain, scaled = (
        getattr(retree, name)(pruning=pruning, random_state=0).fit(X, y, sample_weight=w)
        for w in (weight, weight * factor)
    )
    np.testing.assert_array_equal(scaled.tree_.threshold, plain.tree_.threshold)
    np.testing.assert_allclose(scaled.tree_.value, plain.tree_.value, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ["C45Classifier", "CartClassifier", "CartRegressor"])
def test_beside_a_common_weight_one_may_be_next_to_nothing(name):
    weight = np.ones(len(y))
    weight[::4] = 5e-324
    model = getattr(retree, name)(pruning="cost_complexity", random_state=0)
    model.fit(X, y, sample_weight=weight)
    assert np.isfinite(model.tree_.value).all()
