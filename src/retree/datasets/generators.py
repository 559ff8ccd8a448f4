"""Generators of artificial data, in the manner of scikit-learn's ``make_*`` functions.

They draw from NumPy's legacy stream, which is frozen: a seed gives the same sample for ever.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state

Sample = tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]

# In this order the classes are numbered as in the UCI file.
_WAVE_CENTRES = np.array([7, 15, 11])
_WAVE_PAIRS = np.array([[0, 1], [0, 2], [1, 2]])


def make_waveform(
    n_samples: int = 5000,
    noise_features: int = 0,
    decimals: int | None = None,
    random_state: int | np.random.RandomState | None = None,
) -> Sample:
    """Draw from the waveform problem of Breiman et al. (1984, section 2.6.2).

    A row is ``u * h_i + (1 - u) * h_j`` plus standard normal noise at the points 1 to 21, with u
    uniform on [0, 1]. h_1, h_2, h_3 are triangles of height 6 and half-width 6 around 7, 15, 11;
    the classes 0, 1, 2 mix (h_1, h_2), (h_1, h_3), (h_2, h_3) and are equally likely.
    Bayes' rule errs on about 14 % of the rows.

    Parameters
    ----------
    n_samples : int, default=5000
    noise_features : int, default=0
        Standard normal columns added at the end (19 in the second version of the problem).
    decimals : int, optional
        Round to this many decimals; the public sample has two.
    random_state : int, RandomState or None

    Returns
    -------
    X : ndarray of shape (n_samples, 21 + noise_features)
    y : ndarray of shape (n_samples,)
    """
    rng = check_random_state(random_state)
    points = np.arange(1, 22)
    waves = np.maximum(6 - np.abs(points - _WAVE_CENTRES[:, np.newaxis]), 0)
    y = rng.randint(3, size=n_samples)
    u = rng.uniform(size=(n_samples, 1))
    first, second = waves[_WAVE_PAIRS[y, 0]], waves[_WAVE_PAIRS[y, 1]]
    X = rng.normal(size=(n_samples, 21 + noise_features))
    X[:, :21] += u * first + (1 - u) * second
    return _rounded(X, decimals), y.astype(np.int64)


def make_gauss_xor(
    n_per_cluster: int = 200,
    separation: float = 1.0,
    scale: float = 0.125,
    decimals: int | None = None,
    random_state: int | np.random.RandomState | None = None,
) -> Sample:
    """Draw four Gaussian blobs in XOR position: opposite corners of a square share a class.

    Parameters
    ----------
    n_per_cluster : int, default=200
        Rows of each blob.
    separation : float, default=1.0
        Side of the square around the origin whose corners are the centres.
    scale : float, default=0.125
        Standard deviation of each coordinate within a blob.
    decimals : int, optional
        Round to this many decimals.
    random_state : int, RandomState or None

    Returns
    -------
    X : ndarray of shape (4 * n_per_cluster, 2)
    y : ndarray of shape (4 * n_per_cluster,)
        0 for the blobs whose coordinates have equal signs, 1 for the others.
    """
    rng = check_random_state(random_state)
    signs = np.array([[-1, -1], [1, 1], [-1, 1], [1, -1]])
    centres = np.repeat(signs * separation / 2, n_per_cluster, axis=0)
    X = centres + rng.normal(scale=scale, size=centres.shape)
    return _rounded(X, decimals), np.repeat([0, 0, 1, 1], n_per_cluster)


def _rounded(X: npt.NDArray[np.float64], decimals: int | None) -> npt.NDArray[np.float64]:
    return X if decimals is None else np.round(X, decimals)
