"""What the numbers of segments of the children say of a split; less is better."""

from __future__ import annotations

import numpy as np

from retree.trees.kernels.jit import jit
from retree.trees.kernels.ranking import rounded


@jit
def expected_segments(segments, n_left, n):
    """Return eq. 2, the segments of the children weighted by their rows, times the rows `n`.

    The product is a whole number, so equal scores are equal.
    """
    return np.float64(segments[0] * n_left + segments[1] * (n - n_left))


@jit
def total_segments(segments):
    """Return the segments of both children less their ratio (eq. 4).

    The ratio, of the fewer to the more, is in (0, 1]: it decides between equal sums alone.
    """
    ratio = min(segments[0], segments[1]) / max(segments[0], segments[1])
    return segments[0] + segments[1] - ratio


@jit
def blend(score, expected, alpha, by_range):
    """Return minus the weighted sum of frequency and segments (eq. 3) of some candidates.

    Parameters
    ----------
    score : ndarray of shape (n,)
        1 + gain ratio.
    expected : ndarray of shape (n,)
        That of `expected_segments`.
    alpha : float
        Weight of the gain ratio.
    by_range : bool
        Normalise the expected segments E by (max - E) / (max - min), not by min / E.
    """
    least, most = expected.min(), expected.max()
    blended = np.empty(len(score))
    for i in range(len(score)):
        if by_range:
            share = (most - expected[i]) / (most - least) if most > least else 1.0
        else:
            share = least / expected[i]
        blended[i] = -rounded(alpha * (score[i] - 1.0) + (1.0 - alpha) * share)
    return blended
