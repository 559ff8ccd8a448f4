"""A hyperplane in the cloud of a node, and steps along a line of its coefficients."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retree.trees.kernels.jit import jit
from retree.trees.kernels.oblique_goodness import TIE, goodness
from retree.trees.kernels.oblique_line import search_line

SCORE, SPREAD = 0, 1
_SAMPLE = 64
_LARGEST_STEP = 1e100


class Plane(NamedTuple):
    """Coefficients, the constant term last, and what the rows have under them."""

    weights: np.ndarray  # (n_attributes + 1,) float64
    value: np.ndarray  # (n,) float64, weights @ z; at most 0 on the left
    state: np.ndarray  # (2,) float64: goodness, and about the mean of abs(value)


@jit
def make_plane(cloud):
    """Return a hyperplane without coefficients."""
    n_weights, n = cloud.z.shape
    return Plane(np.zeros(n_weights), np.empty(n), np.zeros(2))


@jit
def _goodness_after(first, totals, n, criterion, table, value, direction, step, counts):
    """Return the goodness of a hyperplane after a step; `counts` is scratch."""
    n_left = 0
    for c in range(len(totals)):
        n_class = 0
        for i in range(first[c], first[c + 1]):
            n_class += value[i] + step * direction[i] <= 0.0
        counts[0, c] = n_class
        n_left += n_class
    return goodness(counts[0], float(n_left), totals, n, criterion, table)


@jit
def _spread(value):
    """Return about the mean of the absolute values, from a sample of them."""
    stride = 1 + len(value) // _SAMPLE
    total = 0.0
    for i in range(0, len(value), stride):
        total += abs(value[i])
    return total * stride / len(value)


@jit
def place_plane(cloud, plane, bench):
    """Scale the coefficients to at most 1 and compute everything else from them."""
    weights, value, z = plane.weights, plane.value, cloud.z
    weights /= np.abs(weights).max()
    value[:] = weights[-1]
    for m in range(len(weights) - 1):
        if weights[m] != 0.0:
            for i in range(len(value)):
                value[i] += weights[m] * z[m, i]
    plane.state[SCORE] = _goodness_after(
        cloud.first, cloud.totals, cloud.n, cloud.criterion, cloud.table, value, value, 0.0,
        bench.counts,
    )  # fmt: skip
    plane.state[SPREAD] = _spread(value)


@jit
def try_line(cloud, plane, direction, mean, stagnant, bench):
    """Find the best step along a line.

    Parameters
    ----------
    cloud : Cloud
    plane : Plane
    direction : ndarray of shape (n,)
        What the rows have in the direction.
    mean : float
        About the mean of its absolute values.
    stagnant : bool
        Whether a step to a hyperplane that is only as good as this one counts.
    bench : Bench

    Returns
    -------
    float
        The goodness after the step, -inf if there is none that counts.
    float
        The step, to the middle between the two rows of the best cut.
    """
    value, state = plane.value, plane.state
    slack, score = TIE * cloud.n, state[SCORE]
    bar = score - slack if stagnant else score + slack
    width = max(state[SPREAD], 1.0 / _LARGEST_STEP) / max(mean, 1.0 / _LARGEST_STEP)
    cut = search_line(cloud, value, direction, width, bar, bench)
    if cut.below < 0:
        return -np.inf, 0.0
    low = -value[cut.below] / direction[cut.below]
    high = -value[cut.above] / direction[cut.above]
    step = 0.5 * low + 0.5 * high
    # Rounding may put rows on the other side, so what counts is the hyperplane as it will be.
    reached = _goodness_after(
        cloud.first, cloud.totals, cloud.n, cloud.criterion, cloud.table, value, direction, step,
        bench.counts,
    )  # fmt: skip
    if reached < bar or not abs(step) <= _LARGEST_STEP:
        return -np.inf, 0.0
    return reached, step


@jit
def take_step(value, state, direction, step, score):
    """Move the rows' values; the coefficients are the caller's."""
    for i in range(len(value)):
        value[i] += step * direction[i]
    state[SCORE] = score
    state[SPREAD] = _spread(value)


@jit
def greatest_goodness(cloud):
    """Return what no hyperplane exceeds: of two classes their perfect separation."""
    if len(cloud.totals) != 2:
        return np.inf
    left = np.array([cloud.totals[0], 0.0])
    return goodness(left, left[0], cloud.totals, cloud.n, cloud.criterion, cloud.table)
