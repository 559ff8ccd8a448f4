"""Bayesian comparison of two methods, with a region of practical equivalence (ROPE)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from retree_lab.statistics.paired import complete_pairs

N_SAMPLES = 50_000
# Samples that a processor's cache holds together with their cumulative sums.
_AT_ONCE = 500


@dataclass(frozen=True)
class Posterior:
    """The posterior of ``a - b``."""

    # Probabilities that `a` is greater than `b` by more than the ROPE, that they are within it, and
    # that `a` is smaller; they sum to 1. NaN without enough pairs.
    greater: float
    equivalent: float
    smaller: float
    n_pairs: int  # Pairs used, and pairs left out because a value is NaN
    n_dropped: int


def bayesian_signed_rank_test(
    a: ArrayLike,
    b: ArrayLike,
    rope: float = 0.01,
    prior_strength: float = 0.5,
    n_samples: int = N_SAMPLES,
    seed: int = 0,
) -> Posterior:
    """Return with what probability one method is the better one on most data sets.

    The Bayesian signed-rank test (Benavoli et al. 2014, 2017): the data sets, and a pseudo data
    set of difference 0, have weights from a Dirichlet distribution. In each sample of the weights
    the mean of a random pair of differences (Walsh average) is greater, equivalent or smaller with
    some probability; the most probable of the three wins the sample, and equally probable ones
    share it. Returned are the shares of samples that were won.

    Shapes: `a`, `b` (n_pairs,).
    `a`, `b`: values of the two methods, one for each data set.
    `rope`: largest difference, in units of the values, that counts as none.
    `n_samples`: number of samples; the standard error of a probability is at most 0.0022 with
    50000. Each is used for ``a - b`` and for ``b - a``, both in ascending order.
    `seed`: seed of the samples. The result depends neither on the order of the pairs nor on which
    method comes first.
    """
    if not rope >= 0:
        raise ValueError(f"rope must be at least 0, got {rope}.")
    if not prior_strength > 0 or n_samples < 1:
        raise ValueError(
            f"prior_strength and n_samples must be positive, got {prior_strength}, {n_samples}."
        )
    pairs = complete_pairs(a, b)
    counts = len(pairs.a), pairs.n_dropped
    if not len(pairs.a):
        return Posterior(math.nan, math.nan, math.nan, *counts)
    samples = _draw_weights(len(pairs.a), prior_strength, n_samples, seed)
    # Both ways round, so that neither method has the luck of the draw.
    forward = _won(_region_probabilities(np.sort(pairs.differences), samples, rope))
    backward = _won(_region_probabilities(np.sort(-pairs.differences), samples, rope))
    greater, equivalent, smaller = (
        (f + b) / 2 for f, b in zip(forward, reversed(backward), strict=True)
    )
    return Posterior(greater, equivalent, smaller, *counts)


# A table compares many pairs of methods over the same data sets.
@lru_cache(maxsize=1)
def _draw_weights(
    n_pairs: int, prior_strength: float, n_samples: int, seed: int
) -> NDArray[np.float64]:
    """Return samples of the weights, (n_samples, 1 + n_pairs), the pseudo data set first."""
    weights = np.append(prior_strength, np.ones(n_pairs))
    return np.random.default_rng(seed).dirichlet(weights, n_samples)


def _region_probabilities(
    difference: NDArray[np.float64], samples: NDArray[np.float64], rope: float
) -> NDArray[np.float64]:
    """Return for each sample of weights the probabilities of the regions, (3, n_samples)."""
    difference = np.append(0.0, difference)
    order = np.argsort(difference, kind="stable")
    difference = difference[order]
    sums = difference[:, None] + difference
    # A sum on the border, to rounding, belongs half to the ROPE.
    slack = 1e-12 * max(float(np.abs(sums).max()), rope)
    # Sorted as they are, the partners of a difference that lie below are the first ones, and those
    # above the last ones, so that their weight is a difference of cumulative sums.
    is_below = _step(-sums - 2 * rope, slack)
    is_above = _step(sums - 2 * rope, slack)[::-1, ::-1]
    chunks = []
    for start in range(0, len(samples), _AT_ONCE):
        weights = samples[start : start + _AT_ONCE].T[order]
        below, above = _mass_of_first(weights, is_below), _mass_of_first(weights[::-1], is_above)
        chunks.append((above, 1.0 - above - below, below))
    return np.concatenate(chunks, axis=1)


def _mass_of_first(
    weights: NDArray[np.float64], counted: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the weight of the pairs that count, (n_samples,).

    Shapes: `weights` (n_values, n_samples), `counted` (n_values, n_values).
    `counted`: how much each pair counts: in each row first ones, then halves, then zeros.
    """
    first = np.concatenate([np.zeros((1, weights.shape[1])), np.cumsum(weights, axis=0)])
    whole, half = (counted == 1).sum(axis=1), (counted > 0).sum(axis=1)
    mass: NDArray[np.float64] = (weights * (first[whole] + first[half])).sum(axis=0)
    return mass / 2


def _step(values: NDArray[np.float64], slack: float) -> NDArray[np.float64]:
    """Return 1 for positive values, 0 for negative ones, and a half on the border."""
    return np.heaviside(np.where(np.abs(values) <= slack, 0.0, values), 0.5)


def _won(probabilities: NDArray[np.float64]) -> tuple[float, float, float]:
    """Return the share of samples in which each region is the most probable one."""
    best = probabilities >= probabilities.max(axis=0) - 1e-12
    greater, equivalent, smaller = (best / best.sum(axis=0)).mean(axis=1)
    return float(greater), float(equivalent), float(smaller)
