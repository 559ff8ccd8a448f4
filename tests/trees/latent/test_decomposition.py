"""The engine's singular value decomposition against LAPACK's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from problems import examples
from scipy import linalg

from retree import engine
from retree.trees.latent.transforms import SVDRotation

NEAR = 1e-13


def decomposed(X, weight=None):
    rows = np.ascontiguousarray(X)
    return engine.call("decompose", rows, np.ones(len(X)) if weight is None else weight)


def check(X, weight):
    """Compare values with LAPACK's; check that the vectors are orthogonal and give X'WX."""
    values, vectors = decomposed(X, weight)
    scaled = X * np.sqrt(weight)[:, None]
    expected = linalg.svdvals(scaled)
    largest = expected.max()
    assert (np.diff(values) <= 0).all()
    np.testing.assert_allclose(values[: len(expected)], expected, rtol=0, atol=NEAR * largest)
    assert (values[len(expected) :] <= NEAR * largest).all()
    kept = values > max(X.shape) * np.finfo(float).eps * largest
    np.testing.assert_allclose(vectors[kept] @ vectors[kept].T, np.eye(kept.sum()), atol=NEAR)
    gram = (vectors.T * values**2) @ vectors
    np.testing.assert_allclose(gram, scaled.T @ scaled, rtol=0, atol=NEAR * largest**2)


@given(
    st.integers(0, 10**6),
    st.sampled_from([1, 2, 7, 8, 9, 127, 128, 129, 300]),
    st.sampled_from([1, 2, 3, 8, 9, 20]),
    st.sampled_from([0, 3, 12]),
)
@examples
def test_values_and_vectors_are_those_of_lapack(seed, n, p, decades):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * 10.0 ** -np.linspace(0, decades, p) @ rng.normal(size=(p, p))
    check(X, rng.choice([0.5, 1.0, 3.0], n))


def test_wide_and_tied():
    rng = np.random.default_rng(0)
    check(rng.normal(size=(400, 120)), np.ones(400))
    check(rng.integers(0, 2, (90, 12)).astype(float), np.ones(90))
    check(np.eye(6)[[2, 1, 3, 0, 5, 4]], np.ones(6))


@pytest.mark.parametrize("scale", [1e-200, 1e150, 1e200])
def test_huge_and_tiny(scale):
    X = np.random.default_rng(0).normal(size=(400, 5))
    values, vectors = decomposed(X * scale)
    expected, same = decomposed(X)
    np.testing.assert_allclose(values / scale, expected, rtol=NEAR)
    np.testing.assert_allclose(vectors, same, atol=NEAR)


def test_rows_of_low_rank_have_as_many_vectors():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 3)) @ rng.normal(size=(3, 7))
    assert SVDRotation().fit(X).components_.shape == (3, 7)
    assert SVDRotation().fit(np.ones((5, 4))).components_.shape == (1, 4)
    assert SVDRotation().fit(np.zeros((5, 4))).components_.shape == (0, 4)


def test_a_weight_is_as_many_rows():
    rng = np.random.default_rng(2)
    X, weight = rng.normal(size=(50, 6)), rng.integers(1, 4, 50)
    values, vectors = decomposed(X, weight.astype(float))
    expected, same = decomposed(np.repeat(X, weight, axis=0))
    np.testing.assert_allclose(values, expected, rtol=NEAR)
    np.testing.assert_allclose(np.abs(vectors), np.abs(same), atol=1e-12)
