"""The waveform recognition problem."""

from __future__ import annotations

import numpy as np
from sklearn.utils import check_random_state

from retree.datasets.generators.gaussian import Sample, Seed, rounded

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
    return rounded(X, decimals), y.astype(np.int64)
