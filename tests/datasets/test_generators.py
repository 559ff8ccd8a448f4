from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from retree_lab.datasets import (
    load,
    load_dataset,
    make_gauss_xor,
    make_ls10,
    make_pol,
    make_rcb,
    make_waveform,
)


def _triangle(centre: int) -> np.ndarray:
    return np.maximum(6 - np.abs(np.arange(1, 22) - centre), 0)


# As in the UCI file: class 0 mixes the outer triangles.
PAIRS = [(7, 15), (7, 11), (11, 15)]


def test_waveform_moments() -> None:
    X, y = make_waveform(30000, noise_features=2, random_state=1)
    assert X.shape == (30000, 23)
    np.testing.assert_allclose(np.bincount(y) / len(y), 1 / 3, atol=0.01)
    for label, (i, j) in enumerate(PAIRS):
        rows = X[y == label, :21]
        h, g = _triangle(i), _triangle(j)
        np.testing.assert_allclose(rows.mean(axis=0), (h + g) / 2, atol=0.06)
        # u h + (1 - u) g + e has covariance (h - g)(h - g)' / 12 + I.
        covariance = np.outer(h - g, h - g) / 12 + np.eye(21)
        np.testing.assert_allclose(np.cov(rows.T), covariance, atol=0.12)
    np.testing.assert_allclose(X[:, 21:].mean(axis=0), 0, atol=0.03)
    np.testing.assert_allclose(np.cov(X[:, 21:].T), np.eye(2), atol=0.04)


def test_waveform_rounding_changes_nothing_else() -> None:
    exact, _ = make_waveform(50, random_state=3)
    rounded, _ = make_waveform(50, decimals=2, random_state=3)
    np.testing.assert_array_equal(rounded, np.round(exact, 2))


def test_xor_moments_and_labels() -> None:
    X, y = make_gauss_xor(5000, separation=2.0, scale=0.2, random_state=4)
    assert X.shape == (20000, 2)
    np.testing.assert_array_equal(np.bincount(y), [10000, 10000])
    for k, centre in enumerate([(-1, -1), (1, 1), (-1, 1), (1, -1)]):
        blob = slice(5000 * k, 5000 * (k + 1))
        np.testing.assert_allclose(X[blob].mean(axis=0), centre, atol=0.02)
        np.testing.assert_allclose(np.cov(X[blob].T), 0.04 * np.eye(2), atol=0.004)
        assert set(y[blob]) == {int(centre[0] != centre[1])}


@pytest.mark.parametrize("make", [make_waveform, make_gauss_xor, make_ls10, make_pol, make_rcb])
def test_a_seed_is_a_sample(make: object) -> None:
    first, again = make(random_state=5), make(random_state=5)  # type: ignore[operator]
    np.testing.assert_array_equal(first[0], again[0])
    other = make(random_state=np.random.RandomState(6))  # type: ignore[operator]
    assert not np.array_equal(first[0], other[0])


def test_catalogued_xor_is_solved_by_the_signs() -> None:
    X, y = load("xor")
    sign_product = np.sign(X["x1"] * X["x2"])
    assert (np.where(sign_product > 0, "0", "1") == y).all()


def test_xor_is_generated_whatever_is_asked_for() -> None:
    assert load_dataset("xor", sources=["mirror", "openml", "uci"]).source == "generator"


def test_generated_waveform_has_its_own_checksum() -> None:
    dataset = load_dataset("waveform1_R", sources=["generator"])
    assert dataset.source == "generator"
    assert dataset.X.shape == (5000, 21)
    assert set(dataset.y) == {"1", "rest"}
    np.testing.assert_array_equal(dataset.X, dataset.X.round(2))


# Labelled points of the paper's figure, as shares of its sides.
POL = [
    (0.356, 0.448, 1),
    (0.687, 0.067, 1),
    (0.165, 0.533, 1),
    (0.398, 0.835, 2),
    (0.024, 0.583, 2),
]
RCB = [
    *((0.024, 0.583, 1), (0.073, 0.907, 1), (0.356, 0.448, 2), (0.165, 0.386, 2)),
    *((0.322, 0.880, 3), (0.217, 0.880, 3), (0.398, 0.835, 4), (0.297, 0.739, 4)),
    *((0.302, 0.083, 5), (0.308, 0.158, 5), (0.687, 0.067, 6), (0.871, 0.067, 6)),
    *((0.602, 0.582, 7), (0.934, 0.660, 7), (0.892, 0.170, 8), (0.782, 0.270, 8)),
]


@pytest.mark.parametrize(("make", "points"), [(make_pol, POL), (make_rcb, RCB)])
def test_regions_are_those_of_the_papers_figure(make: Any, points: list[Any]) -> None:
    X, y = make(20000, random_state=7)
    for *place, label in points:
        assert y[np.square(X - place).sum(axis=1).argmin()] == label


def test_one_hyperplane_parts_ls10() -> None:
    X, y = make_ls10(500, random_state=8)
    signs = X @ np.repeat([1, -1], 5)
    assert signs[y == 1].max() < 0 <= signs[y == 2].min()
    assert X.min() >= 0
    assert X.max() <= 1
