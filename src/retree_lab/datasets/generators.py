"""Data that needs no download: draws from a formula.

Each function is in the manner of scikit-learn's ``make_*``. Draws come from NumPy's legacy stream,
which is frozen: a seed gives the same sample for ever.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

Sample = tuple[NDArray[np.float64], NDArray[np.int64]]
Seed = int | np.random.RandomState | None


def _rounded(X: NDArray[np.float64], decimals: int | None) -> NDArray[np.float64]:
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
    return _rounded(X, decimals), y


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
    return _rounded(X, decimals), np.repeat([0, 0, 1, 1], n_per_cluster)


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
    return _rounded(X, decimals), y


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
    return _rounded(X, decimals), y


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
    return _rounded(X, decimals), y


def _diagonal(length: float) -> NDArray[np.float64]:
    """Return the vector of this length whose coordinates are all equal."""
    return np.full(_N_FEATURES, length / np.sqrt(_N_FEATURES))


def make_ls10(
    n_samples: int = 2000, decimals: int | None = None, random_state: Seed = None
) -> Sample:
    """Draw from LS10 of Murthy, Kasif & Salzberg (1994): one hyperplane in ten dimensions.

    Parameters
    ----------
    n_samples : int, default=2000
    decimals : int, optional
        Round to this many decimals.
    random_state : int, RandomState or None

    Returns
    -------
    X : ndarray of shape (n_samples, 10)
        Uniform on [0, 1].
    y : ndarray of shape (n_samples,)
        1 where the first five features sum to less than the last five, else 2.
    """
    X = _rounded(check_random_state(random_state).uniform(size=(n_samples, 10)), decimals)
    return X, np.where(X[:, :5].sum(axis=1) < X[:, 5:].sum(axis=1), 1, 2)


# Where the sum of the features changes the class: four parallel lines.
_POL_LINES = (0.325, 0.632, 1.0615, 1.615)


def make_pol(
    n_samples: int = 2000, decimals: int | None = None, random_state: Seed = None
) -> Sample:
    """Draw from POL of Murthy, Kasif & Salzberg (1994): two classes between parallel oblique lines.

    The paper gives no equations. These lines are read off its Figure 5, whose 1,000 points fix each
    within 0.006.

    Parameters
    ----------
    n_samples : int, default=2000
    decimals : int, optional
        Round to this many decimals.
    random_state : int, RandomState or None

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
        Uniform on [0, 1].
    y : ndarray of shape (n_samples,)
        1 and 2 in turns, from the origin on.
    """
    X = _rounded(check_random_state(random_state).uniform(size=(n_samples, 2)), decimals)
    return X, 1 + np.searchsorted(_POL_LINES, X.sum(axis=1)) % 2


def make_rcb(
    n_samples: int = 2000, decimals: int | None = None, random_state: Seed = None
) -> Sample:
    """Draw from RCB of Murthy, Kasif & Salzberg (1994): a rotated checker board of eight classes.

    The paper gives no equations. These lines are those that its Figure 5 draws; they part the 1,000
    points there without an error.

    Parameters
    ----------
    n_samples : int, default=2000
    decimals : int, optional
        Round to this many decimals.
    random_state : int, RandomState or None

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
        Uniform on [0, 1].
    y : ndarray of shape (n_samples,)
        1 to 4 left of the diagonal and 5 to 8 right of it, the two at the bottom before those at
        the top.
    """
    X = _rounded(check_random_state(random_state).uniform(size=(n_samples, 2)), decimals)
    left = X[:, 1] > 1.0676 * X[:, 0] - 0.0003
    top = np.where(left, X @ [1.1437, 1.0] > 1.0018, X.sum(axis=1) > 1.0)
    quarter = 2 * left + top
    slope = np.array([1.2511, 1.0003, 0.7508, 1.0007])[quarter]
    start = np.array([-0.5394, -0.3062, 0.4325, 0.4918])[quarter]
    upper = X[:, 1] > slope * X[:, 0] + start
    return X, np.array([6, 8, 2, 4])[quarter] - upper


# In this order the classes are numbered as in the UCI file.
_WAVE_CENTRES = np.array([7, 15, 11])
_WAVE_PAIRS = np.array([[0, 1], [0, 2], [1, 2]])


def make_waveform(
    n_samples: int = 5000,
    noise_features: int = 0,
    decimals: int | None = None,
    random_state: Seed = None,
) -> Sample:
    """Draw from the waveform problem of Breiman et al. (1984, section 2.6.2).

    A row is ``u * h_i + (1 - u) * h_j`` plus standard normal noise at the points 1 to 21, with u
    uniform on [0, 1]. h_1, h_2, h_3 are triangles of height 6 and half-width 6 around 7, 15, 11;
    the classes 0, 1, 2 mix (h_1, h_2), (h_1, h_3), (h_2, h_3) and are equally likely.
    Bayes' rule errs on 13.3 % of the rows (Breiman et al. say: about 14 %).

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
