"""The penalty of BNM: how far the classes are from the threshold (structure_purity, eq. 7)."""

from __future__ import annotations

import numpy as np

from retree.trees.kernels.jit import jit

PENALTY_NONE, PENALTY_WITHIN, PENALTY_ACROSS = 0, 1, 2


@jit
def _nearest_pair(distances):
    """Return the mean over classes of own distance plus least distance of another class.

    A class that is not there has distance infinity; with fewer than two classes the mean is 0.
    """
    least, second, total = np.inf, np.inf, 0.0
    present = 0
    for d in distances:
        if d < np.inf:
            present += 1
            total += d
            if d < least:
                least, second = d, least
            elif d < second:
                second = d
    if present < 2:
        return 0.0
    # The nearest class meets the second nearest, every other one meets the nearest.
    return (total + (present - 1) * least + second) / present


@jit
def _across(own, other):
    """Return the mean over the classes of `own` of their distance plus the least of another class.

    `other` holds the distances on the far side of the threshold.
    """
    total = 0.0
    present = 0
    for c in range(len(own)):
        if own[c] == np.inf:
            continue
        present += 1
        opposite = np.inf
        for q in range(len(other)):
            if q != c:
                opposite = min(opposite, other[q])
        if opposite < np.inf:
            total += own[c] + opposite
    return total / present if present > 0 else 0.0


@jit
def penalty_of(kind, left, right):
    """Return the penalty of eq. 7.

    Parameters
    ----------
    kind : int
        ``PENALTY_NONE``, ``PENALTY_WITHIN`` or ``PENALTY_ACROSS``.
    left, right : ndarray of shape (n_classes,)
        Distance to the threshold of the nearest row of each class in each child, infinity where the
        class is not there.
    """
    if kind == PENALTY_NONE:
        return 0.0
    if kind == PENALTY_WITHIN:
        return _nearest_pair(left) + _nearest_pair(right)
    return _across(left, right) + _across(right, left)
