"""The rotations and components that make latent attributes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from latent_problems import blobs
from problems import examples
from sklearn.decomposition import PCA, FastICA

from retree.trees.latent.transforms import IndependentComponents, SVDRotation

seeds = st.integers(0, 2**32 - 1)


@examples
@given(seeds, st.integers(1, 6), st.integers(1, 30))
def test_rotation_makes_orthogonal_latent_attributes(seed, m, n):
    X = np.random.default_rng(seed).normal(size=(n, m)) + 1
    model = SVDRotation().fit(X)
    U, rank = model.components_.T, min(n, m)
    np.testing.assert_allclose(U.T @ U, np.eye(rank), atol=1e-12)
    Y = U.T @ X.T
    np.testing.assert_allclose(Y @ Y.T, np.diag(model.singular_values_**2), atol=1e-9)
    np.testing.assert_allclose(model.singular_values_, np.linalg.svd(X.T)[1], rtol=1e-9)
    assert (U.max(axis=0) == np.abs(U).max(axis=0)).all()
    np.testing.assert_allclose(model.transform(X), Y.T, atol=1e-12)


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_latent_attributes_beyond_the_rank_are_left_out(scale):
    X, _ = blobs(0, m=2)
    X = scale * np.column_stack((X, X.sum(axis=1), np.zeros(len(X)), X[:, 0]))
    model = SVDRotation().fit(X)
    assert model.components_.shape == (2, 5)
    assert (model.components_[:, 3] == 0).all()


def test_weights_are_repetitions():
    X, _ = blobs(1, n=20)
    weight = np.arange(20) % 4
    for center in (False, True):
        weighted = SVDRotation(center=center).fit(X, sample_weight=weight)
        repeated = SVDRotation(center=center).fit(np.repeat(X, weight, axis=0))
        np.testing.assert_allclose(weighted.components_, repeated.components_, atol=1e-12)
        np.testing.assert_allclose(weighted.singular_values_, repeated.singular_values_)


def test_centred_rotation_is_pca():
    X, _ = blobs(2)
    ours, theirs = SVDRotation(center=True).fit(X), PCA().fit(X)
    np.testing.assert_allclose(np.abs(ours.components_), np.abs(theirs.components_), atol=1e-12)
    np.testing.assert_allclose(ours.singular_values_, theirs.singular_values_)


def test_sign_of_tied_coefficients_is_that_of_the_first():
    X = np.array([[2.0, 2.0], [1.0, -1.0]])
    np.testing.assert_allclose(
        SVDRotation().fit(X).components_, np.sqrt([[0.5, 0.5]] * 2) * [[1, 1], [1, -1]]
    )


def test_independent_components_unmix_sources():
    t = np.linspace(0, 8, 400)
    sources = np.column_stack((np.sin(2 * t), np.sign(np.sin(3 * t))))
    X = sources @ [[1.0, 0.5, 2.0], [0.5, 1.0, 1.0]]
    found = IndependentComponents(random_state=0).fit(X).transform(X)
    assert found.shape == (400, 2)
    correlation = np.abs(np.corrcoef(sources.T, found.T)[:2, 2:])
    np.testing.assert_allclose(np.sort(correlation.max(axis=1)), 1, atol=0.01)


def test_independent_components_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    sources = np.column_stack((rng.uniform(size=600), rng.laplace(size=600), rng.random(600) ** 4))
    X = sources @ rng.normal(size=(3, 3))
    ours = IndependentComponents(random_state=0).fit(X)
    theirs = FastICA(whiten="unit-variance", random_state=0).fit(X)
    np.testing.assert_allclose(ours.transform(X).std(axis=0), 1, atol=1e-9)
    agreement = np.abs(np.corrcoef(ours.transform(X).T, theirs.transform(X).T)[:3, 3:])
    np.testing.assert_allclose(np.sort(agreement.max(axis=0)), 1, atol=1e-3)
    np.testing.assert_allclose(np.sort(agreement.max(axis=1)), 1, atol=1e-3)


def test_components_of_normal_rows_are_white():
    X = np.random.default_rng(5).normal(size=(40, 3)) @ [[1, 2, 0], [0, 1, 3], [1, 0, 1]]
    found = IndependentComponents(random_state=0).fit(X)
    np.testing.assert_allclose(np.cov(found.transform(X).T, bias=True), np.eye(3), atol=1e-12)
    assert 1 <= found.n_iter_ <= 200
