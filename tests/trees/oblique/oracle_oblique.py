"""Plain definitions of OC1's impurities, and the search of a line by trying every cut."""

from fractions import Fraction
from itertools import pairwise
from math import log2

import numpy as np


def impurity(left, right, criterion):
    """Return the impurity of a test as the paper defines it, from the counts of both sides."""
    left, right = np.asarray(left, float), np.asarray(right, float)
    n_left, n_right = left.sum(), right.sum()
    n = n_left + n_right
    if criterion == "twoing":
        distance = np.abs(left / n_left - right / n_right).sum()
        value = n_left / n * n_right / n * distance**2
        return 1 / value if value > 0 else np.inf
    if criterion == "max_minority":
        return max(n_left - left.max(), n_right - right.max()) / n
    if criterion == "sum_minority":
        return (n_left - left.max() + n_right - right.max()) / n
    of_side = {"gini": gini, "entropy": entropy}[criterion]
    return n_left / n * of_side(left / n_left) + n_right / n * of_side(right / n_right)


def gini(shares):
    return 1 - (shares**2).sum()


def entropy(shares):
    return -sum(p * log2(p) for p in shares if p > 0)


def goodness(left, right, criterion):
    """Return the impurity turned round, so that greater is better, in rows."""
    n = float(sum(left) + sum(right))
    value = impurity(left, right, criterion)
    if criterion == "twoing":
        return n / value
    return n - n * value if criterion == "gini" else -n * value


def cuts(value, direction):
    """Yield all cuts of a line, ascending: the steps just below and above, and who is left.

    Rows are left where value + step * direction <= 0. Numbers are exact.
    """
    v, d = [Fraction(x) for x in value], [Fraction(x) for x in direction]
    steps = sorted({-a / b for a, b in zip(v, d, strict=True) if b != 0})
    for low, high in pairwise(steps):
        step = (low + high) / 2
        yield low, high, np.array([a + step * b <= 0 for a, b in zip(v, d, strict=True)])


def best_cut(value, direction, y, criterion, weight=None):
    """Return goodness and steps of the best cut, the lowest of tied ones; None if there is none."""
    best = None
    for low, high, is_left in cuts(value, direction):
        left, right = (
            np.bincount(y[side], None if weight is None else weight[side], y.max() + 1)
            for side in (is_left, ~is_left)
        )
        if left.sum() == 0 or right.sum() == 0:
            continue
        score = goodness(left, right, criterion)
        if best is None or score > best[0] + 1e-9 * (left.sum() + right.sum()):
            best = score, low, high
    return best
