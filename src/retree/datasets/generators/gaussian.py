"""Problems whose classes are normal distributions or mixtures of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

Sample = tuple[NDArray[np.float64], NDArray[np.int64]]
Seed = int | np.random.RandomState | None


def rounded(X: NDArray[np.float64], decimals: int | None) -> NDArray[np.float64]:
    """Return `X` with so many decimals, or as it is."""
    return X if decimals is None else np.round(X, decimals)


_N_FEATURES = 20


def make_gauss_2d(
    n_per_class: int = 2500, decimals: int | None = None, random_state: Seed = None
) -> Sample:
    """Draw two classes of the same centre: class 0 from N(0, I), class 1 from N(0, 4 I).

    The two-dimensional Gaussian problem of the ELENA project; Bayes' rule errs on 26.4 % of the
    rows.

    Parameters
    ----------
    n_per_class : int, default=2500
        Rows of each class.
    decimals : int, optional
        Round to this many decimals.
    random_state : int, RandomState or None

    Returns
    -------
    X : ndarray of shape (2 * n_per_class, 2)
    y : ndarray of shape (2 * n_per_class,)
        All 0, then all 1.
    """
    rng = check_random_state(random_state)
    y = np.repeat([0, 1], n_per_class)
    X = (1 + y)[:, np.newaxis] * rng.normal(size=(2 * n_per_class, 2))
    return rounded(X, decimals), y


def make_gauss_xor(
    n_per_cluster: int = 200,
    separation: float = 1.0,
    scale: float = 0.125,
    decimals: int | None = None,
    random_state: Seed = None,
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
    return rounded(X, decimals), np.repeat([0, 0, 1, 1], n_per_cluster)


def make_twonorm(
    n_samples: int = 7400, decimals: int | None = None, random_state: Seed = None
) -> Sample:
    """Draw from Breiman's twonorm problem (1998, Arcing classifiers).

    The classes are equally likely and have 20 features: class 0 from N(a, I) and class 1 from
    N(-a, I), where every coordinate of a is ``2 / sqrt(20)``. Bayes' rule errs on 2.28 % of the
    rows.

    Parameters
    ----------
    n_samples : int, default=7400
    decimals : int, optional
        Round to this many decimals; the public (DELVE) sample has four.
    random_state : int, RandomState or None

    Returns
    -------
    X : ndarray of shape (n_samples, 20)
    y : ndarray of shape (n_samples,)
        Numbered as in the public sample.
    """
    rng = check_random_state(random_state)
    y = rng.randint(2, size=n_samples).astype(np.int64)
    X = rng.normal(size=(n_samples, _N_FEATURES))
    X += (1 - 2 * y)[:, np.newaxis] * _diagonal(2.0)
    return rounded(X, decimals), y


def make_ringnorm(
    n_samples: int = 7400,
    distance: float = 2.0,
    decimals: int | None = None,
    random_state: Seed = None,
) -> Sample:
    """Draw from Breiman's ringnorm problem (1998, Arcing classifiers).

    The classes are equally likely and have 20 features: class 0 from N(0, 4 I) and class 1 from
    N(a, I), where every coordinate of a is ``distance / sqrt(20)``. Bayes' rule errs on 1.24 % of
    the rows for a distance of 2 and on 1.50 % for a distance of 1.

    Parameters
    ----------
    n_samples : int, default=7400
    distance : float, default=2.0
        Distance of the two centres. The public (DELVE) sample has 2; other implementations
        (mlbench in R) have 1.
    decimals : int, optional
        Round to this many decimals; the public sample has three.
    random_state : int, RandomState or None

    Returns
    -------
    X : ndarray of shape (n_samples, 20)
    y : ndarray of shape (n_samples,)
        Numbered as in the public sample.
    """
    rng = check_random_state(random_state)
    y = rng.randint(2, size=n_samples).astype(np.int64)
    X = rng.normal(size=(n_samples, _N_FEATURES))
    X *= (2 - y)[:, np.newaxis]
    X += y[:, np.newaxis] * _diagonal(distance)
    return rounded(X, decimals), y


def make_threenorm(
    n_samples: int = 7400, decimals: int | None = None, random_state: Seed = None
) -> Sample:
    """Draw from Breiman's threenorm problem (1998, Arcing classifiers).

    The classes are equally likely and have 20 features: class 0 comes from N(a, I) or N(-a, I),
    one as likely as the other, and class 1 from N(b, I). Every coordinate of a is ``2 / sqrt(20)``,
    and b is a with the sign of every second coordinate changed. Bayes' rule errs on 10.5 % of the
    rows.

    Parameters
    ----------
    n_samples : int, default=7400
    decimals : int, optional
        Round to this many decimals.
    random_state : int, RandomState or None

    Returns
    -------
    X : ndarray of shape (n_samples, 20)
    y : ndarray of shape (n_samples,)
    """
    rng = check_random_state(random_state)
    y = rng.randint(2, size=n_samples).astype(np.int64)
    side = rng.choice([-1, 1], size=(n_samples, 1))
    a = _diagonal(2.0)
    b = a * np.resize([1, -1], _N_FEATURES)
    X = rng.normal(size=(n_samples, _N_FEATURES))
    X += np.where(y[:, np.newaxis] == 0, side * a, b)
    return rounded(X, decimals), y


def _diagonal(length: float) -> NDArray[np.float64]:
    """Return the vector of this length whose coordinates are all equal."""
    return np.full(_N_FEATURES, length / np.sqrt(_N_FEATURES))
