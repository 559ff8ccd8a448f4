"""OC1's search for an oblique test: climbs from several hyperplanes, and random jumps."""

from __future__ import annotations

import numpy as np

from retree.trees.kernels.jit import jit
from retree.trees.kernels.oblique_bins import make_bench
from retree.trees.kernels.oblique_goodness import TIE
from retree.trees.kernels.oblique_plane import (
    SCORE,
    greatest_goodness,
    make_plane,
    place_plane,
    take_step,
    try_line,
)
from retree.trees.kernels.oc1_climb import climb
from retree.trees.kernels.oc1_random import fill_with_signs, random_unit


@jit
def _corners(z):
    """Return the least and greatest value of each attribute in the cloud."""
    corners = np.empty((len(z) - 1, 2))
    for m in range(len(corners)):
        corners[m] = z[m].min(), z[m].max()
    return corners


@jit
def _draw_plane(weights, corners, rng):
    """Draw coefficients from [-1, 1), and a point of the cloud's box that is on the hyperplane."""
    fill_with_signs(rng, weights)
    weights[-1] = 0.0
    for m in range(len(corners)):
        low, high = corners[m]
        weights[-1] -= weights[m] * (low + random_unit(rng) * (high - low))


@jit
def _jump(cloud, plane, rng, weights, direction, bench):
    """Take the best step in a random direction if it is a gain; return whether it is."""
    fill_with_signs(rng, weights)
    direction[:] = 0.0
    for m in range(len(weights)):
        for i in range(len(direction)):
            direction[i] += weights[m] * cloud.z[m, i]
    mean = np.abs(direction).mean()
    reached, step = try_line(cloud, plane, direction, mean, False, bench)
    if reached == -np.inf:
        return False
    plane.weights[:] += step * weights
    take_step(plane.value, plane.state, direction, step, reached)
    return True


@jit
def _improve(cloud, plane, climbing, target, rng, weights, direction, bench):
    """Climb, and jump from where no coefficient helps until as many jumps in a row have failed."""
    place_plane(cloud, plane, bench)
    climb(cloud, plane, climbing, target, rng, bench)
    n_failed = 0
    while n_failed < climbing.max_jumps and plane.state[SCORE] < target:
        if _jump(cloud, plane, rng, weights, direction, bench):
            climb(cloud, plane, climbing, target, rng, bench)
            n_failed = 0
        else:
            n_failed += 1
    # Anew from the coefficients, without the rounding errors of the steps.
    place_plane(cloud, plane, bench)


@jit
def search_oc1(cloud, start, climbing, rng):
    """Find a hyperplane of great goodness.

    Parameters
    ----------
    cloud : Cloud
    start : ndarray of shape (n_attributes + 1,), float64
        The hyperplane of the first climb; the others are random.
    climbing : Climbing
    rng : ndarray of shape (1,), uint64

    Returns
    -------
    ndarray of shape (n_attributes + 1,)
        Of tied hyperplanes that of the first climb.
    """
    target = greatest_goodness(cloud) - TIE * cloud.n
    plane, bench = make_plane(cloud), make_bench(len(cloud.row), len(cloud.totals))
    weights, direction = np.empty_like(start), np.empty(len(cloud.row))
    corners = _corners(cloud.z)
    plane.weights[:] = start
    best, most = start.copy(), -np.inf
    for r in range(climbing.n_restarts + 1):
        if r > 0:
            _draw_plane(plane.weights, corners, rng)
        _improve(cloud, plane, climbing, target, rng, weights, direction, bench)
        if plane.state[SCORE] > most + TIE * cloud.n:
            best[:], most = plane.weights, plane.state[SCORE]
        if most >= target:
            break
    return best
