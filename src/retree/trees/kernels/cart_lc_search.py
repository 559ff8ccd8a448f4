"""CART-LC's search for an oblique test (Breiman et al., section 5.2; Murthy et al., figure 2)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retree.trees.kernels.jit import jit
from retree.trees.kernels.oblique_bins import make_bench
from retree.trees.kernels.oblique_goodness import TIE
from retree.trees.kernels.oblique_line import search_line
from retree.trees.kernels.oblique_plane import (
    SCORE,
    greatest_goodness,
    make_plane,
    place_plane,
    take_step,
    try_line,
)

_SHIFTS = (-0.25, 0.0, 0.25)


class Cycling(NamedTuple):
    """How CART-LC searches."""

    max_cycles: int
    elimination: float  # beta, 0 for none


NO_CYCLING = Cycling(max_cycles=0, elimination=0.0)


@jit
def _perturb(cloud, plane, m, direction, bench):
    """Take the best step among those along z[m] plus one of three shifts, if it is a gain."""
    most, best, best_shift = -np.inf, 0.0, 0.0
    for shift in _SHIFTS:
        for i in range(len(direction)):
            direction[i] = cloud.z[m, i] + shift
        reached, step = try_line(cloud, plane, direction, cloud.mean[m], False, bench)
        if reached > most + TIE * cloud.n:
            most, best, best_shift = reached, step, shift
    if most > -np.inf:
        for i in range(len(direction)):
            direction[i] = cloud.z[m, i] + best_shift
        plane.weights[m] += best
        plane.weights[-1] += best * best_shift
        take_step(plane.value, plane.state, direction, best, most)


@jit
def _perturb_constant(cloud, plane, stagnant, bench):
    """Take the best step of the constant term, one without gain too if `stagnant`."""
    reached, step = try_line(cloud, plane, cloud.z[-1], 1.0, stagnant, bench)
    if reached > -np.inf:
        plane.weights[-1] += step
        take_step(plane.value, plane.state, cloud.z[-1], step, reached)


@jit
def _cycle(cloud, plane, used, max_cycles, target, direction, bench):
    """Perturb the used attributes in turn, then the constant, until a whole cycle is no gain."""
    for _ in range(max_cycles):
        before = plane.state[SCORE]
        if before >= target:
            break
        for m in np.flatnonzero(used):
            _perturb(cloud, plane, m, direction, bench)
        _perturb_constant(cloud, plane, False, bench)
        if plane.state[SCORE] <= before + TIE * cloud.n:
            break


@jit
def _goodness_without(cloud, plane, m, value, bench):
    """Return the goodness of the best hyperplane that lacks an attribute but differs in no other.

    All constants are tried.
    """
    for i in range(len(value)):
        value[i] = plane.value[i] - plane.weights[m] * cloud.z[m, i]
    width = max(np.abs(value).mean(), 1e-100)
    return search_line(cloud, value, cloud.z[-1], width, -np.inf, bench).goodness


@jit
def _eliminate(cloud, plane, used, beta, value, bench):
    """Drop attributes, the least important first, as long as that costs little.

    The cost of an attribute is the goodness that is lost without it; it is little if it is less
    than `beta` times that of the most important one. Return whether one was dropped.
    """
    any_dropped = False
    while used.sum() > 1:
        attributes = np.flatnonzero(used)
        without = np.empty(len(attributes))
        for k in range(len(attributes)):
            without[k] = _goodness_without(cloud, plane, attributes[k], value, bench)
        cost = plane.state[SCORE] - without
        least = np.argmin(cost)
        if not cost[least] < beta * cost.max():
            break
        used[attributes[least]] = False
        plane.weights[attributes[least]] = 0.0
        place_plane(cloud, plane, bench)
        plane.state[SCORE] = -np.inf
        _perturb_constant(cloud, plane, False, bench)
        any_dropped = True
    return any_dropped


@jit
def search_cart_lc(cloud, start, cycling):
    """Find a hyperplane of great goodness without chance.

    Parameters
    ----------
    cloud : Cloud
    start : ndarray of shape (n_attributes + 1,), float64
        The hyperplane to begin with.
    cycling : Cycling

    Returns
    -------
    ndarray of shape (n_attributes + 1,)
    """
    target = greatest_goodness(cloud) - TIE * cloud.n
    plane, bench = make_plane(cloud), make_bench(len(cloud.row), len(cloud.totals))
    work, used = np.empty(len(cloud.row)), np.ones(len(start) - 1, np.bool_)
    plane.weights[:] = start
    place_plane(cloud, plane, bench)
    _cycle(cloud, plane, used, cycling.max_cycles, target, work, bench)
    if cycling.elimination > 0.0:
        used[:] = plane.weights[:-1] != 0.0
        if _eliminate(cloud, plane, used, cycling.elimination, work, bench):
            _cycle(cloud, plane, used, cycling.max_cycles, target, work, bench)
    return plane.weights
