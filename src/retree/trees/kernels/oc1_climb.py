"""OC1's hill climbing: one coefficient at a time, in three orders (Murthy et al., section 3.2)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retree.trees.kernels.jit import jit
from retree.trees.kernels.oblique_goodness import TIE
from retree.trees.kernels.oblique_plane import SCORE, take_step, try_line
from retree.trees.kernels.oc1_random import random_integer, random_unit

SEQUENTIAL, BEST_FIRST, RANDOM = range(3)
_STAGNANT_TRIES = 10
_RANDOM_STEPS = 50


class Climbing(NamedTuple):
    """How OC1 searches."""

    order: int
    n_restarts: int
    max_jumps: int
    stagnation: float


NO_CLIMBING = Climbing(order=SEQUENTIAL, n_restarts=0, max_jumps=0, stagnation=0.0)


@jit
def _may_stagnate(tries, climbing, rng):
    """Whether a step without gain may be taken; a tenth less likely with each one tried."""
    if tries >= _STAGNANT_TRIES:
        return False
    return random_unit(rng) < climbing.stagnation * (1.0 - tries / _STAGNANT_TRIES)


@jit
def _perturb(cloud, plane, m, stagnant, bench):
    """Give a coefficient its best value; return whether it changed and whether that is a gain."""
    before, direction = plane.state[SCORE], cloud.z[m]
    reached, step = try_line(cloud, plane, direction, cloud.mean[m], stagnant, bench)
    if reached == -np.inf:
        return False, False
    plane.weights[m] += step
    take_step(plane.value, plane.state, direction, step, reached)
    return True, reached > before + TIE * cloud.n


@jit
def _climb_in_sequence(cloud, plane, climbing, target, rng, bench):
    """Perturb one coefficient after the other until none of them changes; the constant is first."""
    n_weights = len(plane.weights)
    m, n_unchanged, tries = n_weights - 1, 0, 0
    while n_unchanged < n_weights and plane.state[SCORE] < target:
        stagnant = _may_stagnate(tries, climbing, rng)
        changed, gains = _perturb(cloud, plane, m, stagnant, bench)
        n_unchanged = 0 if changed else n_unchanged + 1
        tries = 0 if gains else tries + 1
        m = m + 1 if m < n_weights - 1 else 0


@jit
def _climb_best_first(cloud, plane, climbing, target, rng, bench):
    """Perturb the coefficient that gains most, the first of tied ones, until it does not change."""
    changed, tries = True, 0
    while changed and plane.state[SCORE] < target:
        stagnant = _may_stagnate(tries, climbing, rng)
        best, most = -1, -np.inf
        for m in range(len(plane.weights)):
            reached, _ = try_line(cloud, plane, cloud.z[m], cloud.mean[m], stagnant, bench)
            if reached > most + TIE * cloud.n:
                best, most = m, reached
        changed = best >= 0
        if changed:
            _, gains = _perturb(cloud, plane, best, stagnant, bench)
            tries = 0 if gains else tries + 1


@jit
def _climb_at_random(cloud, plane, climbing, target, rng, bench):
    """Perturb coefficients that are drawn at random, a fixed number of times."""
    tries = 0
    for _ in range(_RANDOM_STEPS):
        if plane.state[SCORE] >= target:
            break
        m = random_integer(rng, len(plane.weights))
        stagnant = _may_stagnate(tries, climbing, rng)
        _, gains = _perturb(cloud, plane, m, stagnant, bench)
        tries = 0 if gains else tries + 1


@jit
def climb(cloud, plane, climbing, target, rng, bench):
    """Perturb the coefficients of a hyperplane until that no longer helps.

    Parameters
    ----------
    cloud : Cloud
    plane : Plane
    climbing : Climbing
    target : float
        Goodness that cannot be exceeded.
    rng : ndarray of shape (1,), uint64
    bench : Bench
    """
    if climbing.order == SEQUENTIAL:
        _climb_in_sequence(cloud, plane, climbing, target, rng, bench)
    elif climbing.order == BEST_FIRST:
        _climb_best_first(cloud, plane, climbing, target, rng, bench)
    else:
        _climb_at_random(cloud, plane, climbing, target, rng, bench)
