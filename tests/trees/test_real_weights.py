"""Real weights: halves are repeated rows of half the size, and only their shares matter."""

import numpy as np
import pytest
from every_classifier import TREES
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from problems import examples
from sklearn.base import clone

from retree import CartLCClassifier, OC1Classifier, StructurePurityClassifier
from retree.trees.base import NumericTreeClassifier
from retree.trees.row_weights import exact_weights

LIMITS = ("min_samples_leaf", "min_samples_split", "min_rows_per_feature")
PLAIN = {
    name: clone(model).set_params(**({"pruning": None} if "pruning" in model.get_params() else {}))
    for name, model in TREES.items()
    if isinstance(model, NumericTreeClassifier) and name != "ISATClassifier"
}
PLAIN |= {
    f"structure {criterion} {penalty}": StructurePurityClassifier(
        criterion=criterion, k=3, omega2=0.3, penalty=penalty, small_child=small
    )
    for criterion, penalty, small in [
        ("bnm", "within", "leaf"),
        ("bnm", "nearest", "skip"),
        ("csn", "within", "keep"),
        ("bnm+csn", "across", "skip"),
        ("bnm+csn", "none", "keep"),
    ]
}
PLAIN |= {
    f"{cls.__name__} {criterion}": cls(criterion=criterion, pruning=None, **seed)
    for cls, seed in [(OC1Classifier, {"random_state": 0, "n_restarts": 3}), (CartLCClassifier, {})]
    for criterion in ("gini", "entropy", "sum_minority", "max_minority")
}


@st.composite
def rows_in_halves(draw):
    """Draw rows of few or of many values, and weights in halves, of which some are not whole."""
    n = draw(st.integers(4, 24))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    columns = [rng.integers(0, 6, n), rng.integers(0, 2, n), rng.normal(size=n).round(2)]
    y = rng.integers(0, draw(st.integers(2, 3)), n)
    halves = rng.integers(0, 7, n)
    y[:2], halves[:2], columns[2][:2] = [0, 1], [3, 5], [0, 9]
    halves[2:] += halves.mean() < 2  # else the weights are scaled
    return np.column_stack(columns).astype(float), y, halves


@pytest.mark.parametrize("name", PLAIN)
@settings(examples, max_examples=20)
@given(rows_in_halves())
def test_halves_are_rows_of_half_the_size(name, given_rows):
    X, y, halves = given_rows
    weighted = clone(PLAIN[name]).fit(X, y, sample_weight=halves / 2)
    params = PLAIN[name].get_params()
    doubled = {limit: 2 * params[limit] for limit in LIMITS if limit in params}
    rows = np.repeat(np.arange(len(y)), halves)
    repeated = clone(PLAIN[name]).set_params(**doubled).fit(X[rows], y[rows])
    known = np.isin(weighted.classes_, repeated.classes_)
    np.testing.assert_array_equal(weighted.tree_.feature, repeated.tree_.feature)
    np.testing.assert_allclose(weighted.tree_.threshold, repeated.tree_.threshold, atol=1e-9)
    np.testing.assert_array_equal(2 * weighted.tree_.counts[:, known], repeated.tree_.counts)


@pytest.mark.parametrize("name", PLAIN)
def test_what_is_the_same_for_all_changes_nothing(name):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)).round(1), rng.integers(0, 3, 60)
    plain = clone(PLAIN[name]).fit(X, y)
    for weight in (1.0, 0.3):  # of which the mean is 1 after scaling
        same = clone(PLAIN[name]).fit(X, y, sample_weight=np.full(60, weight))
        np.testing.assert_array_equal(same.tree_.threshold, plain.tree_.threshold)
        np.testing.assert_array_equal(same.tree_.counts, plain.tree_.counts)


@pytest.mark.parametrize("name", PLAIN)
def test_neither_order_nor_rows_of_no_weight_matter(name):
    rng = np.random.default_rng(1)
    X, y, weight = rng.normal(size=(80, 3)).round(1), rng.integers(0, 3, 80), rng.random(80) * 3
    weight[::9] = 0
    order = rng.permutation(np.flatnonzero(weight))
    whole = clone(PLAIN[name]).fit(X, y, sample_weight=weight)
    part = clone(PLAIN[name]).fit(X[order], y[order], sample_weight=weight[order])
    np.testing.assert_array_equal(whole.tree_.feature, part.tree_.feature)
    np.testing.assert_array_equal(whole.tree_.counts, part.tree_.counts)


@pytest.mark.parametrize("name", PLAIN)
def test_normalised_weights_are_those_of_mean_1(name):
    rng = np.random.default_rng(2)
    X, y, weight = rng.normal(size=(80, 3)), rng.integers(0, 3, 80), rng.random(80) + 0.1
    mean_1, shares = (
        clone(PLAIN[name]).fit(X, y, sample_weight=weight / by).tree_
        for by in (weight.mean(), weight.sum())
    )
    np.testing.assert_array_equal(mean_1.feature, shares.feature)
    np.testing.assert_allclose(mean_1.counts, shares.counts, rtol=1e-12, atol=1e-12)


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=40), st.randoms())
def test_exact_weights_have_exact_sums(given_weights, random):
    weight = np.array(given_weights)
    assume(weight.sum() >= 1e-100)
    exact = exact_weights(weight)
    assert np.abs(exact - weight).max() <= 2.0**-51 * weight.sum()
    order = np.array(random.sample(range(len(weight)), len(weight)))
    total = exact[order].cumsum()[-1]
    assert total == exact.sum()
    assert total - exact.cumsum()[-1] == 0.0
    whole = np.floor(weight) + 1
    np.testing.assert_array_equal(exact_weights(whole), whole)


def test_too_many_rows_are_refused():
    X, y = np.arange(6.0)[:, None], [0, 0, 1, 1, 0, 1]
    with pytest.raises(ValueError, match="more than 2\\^50: divide them by a constant"):
        StructurePurityClassifier().fit(X, y, sample_weight=np.full(6, 1e16))


def test_the_program_counts_rows():
    X, y = np.arange(12.0).reshape(6, 2), [0, 0, 1, 1, 0, 1]
    for cls in (OC1Classifier, CartLCClassifier):
        with pytest.raises(ValueError, match=r'counts rows, so .* use search="as_written"'):
            cls(search="original").fit(X, y, sample_weight=[1.5, 1, 1, 1, 1, 1])
