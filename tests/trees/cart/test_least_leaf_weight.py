"""The least weight of a leaf, with missing values, categories and weights."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retree import CartClassifier, CartRegressor, CodedCartClassifier


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.05, 0.1, 0.25, 0.5]))
def test_no_leaf_has_less(seed, fraction):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(10, 40))
    X = pd.DataFrame({"n": rng.integers(0, 9, n).astype(float), "m": rng.random(n)})
    X["c"] = pd.Categorical(rng.choice(list("uvwxyz"), n))
    X = X.mask(rng.random(X.shape) < 0.2)
    y, weight = rng.integers(0, 3, n), rng.integers(0, 6, n) / 4
    weight[:2], y[:2] = 1, [0, 1]
    for cls in (CartClassifier, CartRegressor, CodedCartClassifier):
        tree = cls(min_weight_fraction_leaf=fraction).fit(X, y, weight).tree_
        assert (tree.weight >= fraction * weight.sum() * (1 - 1e-9)).all()


@pytest.mark.parametrize("fraction", [-0.1, 0.6, float("nan"), "half"])
def test_bad_fractions_are_refused(fraction):
    with pytest.raises((TypeError, ValueError), match="min_weight_fraction_leaf"):
        CartClassifier(min_weight_fraction_leaf=fraction).fit([[0], [1]], [0, 1])
