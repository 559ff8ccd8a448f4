from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from retree_lab.papers.latent_space.kinds import best_pair

CODES = np.repeat([0, 1, 2], 20)


def table(seed, n_features=4):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(60, n_features)) + rng.normal(size=(3, n_features))[CODES]


def ratio(X):
    """The trace as the sum of the eigenvalues that linear discriminant analysis finds."""
    centred = X - X.mean(axis=0)
    within = sum(np.cov(X[c == CODES].T, bias=True) * 20 for c in range(3))
    between = centred.T @ centred - within
    return np.linalg.eigvals(np.linalg.solve(within, between)).sum().real


@given(st.integers(0, 1000))
def test_it_is_the_best_of_all_pairs(seed):
    X = table(seed)
    ratios = {p: ratio(X[:, list(p)]) for p in itertools.combinations(range(4), 2)}
    best = best_pair(X, CODES)
    assert (best.first, best.second) == max(ratios, key=ratios.__getitem__)
    assert best.scatter_ratio == pytest.approx(max(ratios.values()))


def test_scikit_learn_finds_the_same_ratio():
    X = table(0, n_features=2)
    model = LinearDiscriminantAnalysis(solver="eigen").fit(X, CODES)
    shares = model.explained_variance_ratio_
    found = np.linalg.eigvals(np.linalg.solve(*_scatter(X)))
    assert np.sort(found / found.sum())[::-1] == pytest.approx(shares)
    assert best_pair(X, CODES).scatter_ratio == pytest.approx(found.sum())


def _scatter(X):
    model = LinearDiscriminantAnalysis(store_covariance=True).fit(X, CODES)
    within = model.covariance_ * len(X)
    total = np.cov(X.T, bias=True) * len(X)
    return within, total - within


@given(st.integers(0, 1000), st.sampled_from([0.01, 3.0, 1000.0]))
def test_units_and_order_of_rows_do_not_matter(seed, scale):
    X, order = table(seed), np.random.default_rng(seed).permutation(60)
    best, other = best_pair(X, CODES), best_pair((X * scale + 7)[order], CODES[order])
    assert (other.first, other.second) == (best.first, best.second)
    assert other.scatter_ratio == pytest.approx(best.scatter_ratio)


def test_constant_and_doubled_attributes_make_no_plane():
    x = table(1)[:, :1]
    flat = np.hstack([x, x, np.ones_like(x)])
    assert best_pair(flat, CODES).scatter_ratio == 0
    assert best_pair(np.hstack([flat, table(1)[:, 1:2]]), CODES).second == 3


def test_a_plane_needs_two_attributes():
    with pytest.raises(ValueError, match="X has 1"):
        best_pair(np.zeros((3, 1)), np.array([0, 1, 1]))
