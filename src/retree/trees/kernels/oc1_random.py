"""Random numbers whose stream is named by a 64-bit seed (SplitMix64; Steele, Lea, Flood 2014)."""

from __future__ import annotations

import numpy as np

from retree.trees.kernels.jit import jit

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_11, _27, _30, _31 = np.uint64(11), np.uint64(27), np.uint64(30), np.uint64(31)


@jit
def _mixed(x):
    """Return a 64-bit number every bit of which depends on every bit of `x`."""
    x = (x ^ (x >> _30)) * _FIRST
    x = (x ^ (x >> _27)) * _SECOND
    return x ^ (x >> _31)


@jit
def random_unit(rng):
    """Return the next number in [0, 1) of the stream `rng`, an array of one uint64."""
    rng[0] += _STEP
    return float(_mixed(rng[0]) >> _11) * 2.0**-53


@jit
def random_integer(rng, n):
    """Return the next number in range(n)."""
    return min(np.int64(random_unit(rng) * n), n - 1)


@jit
def fill_with_signs(rng, numbers):
    """Set `numbers` to the next numbers in [-1, 1)."""
    for i in range(len(numbers)):
        numbers[i] = 2.0 * random_unit(rng) - 1.0


@jit
def child_seed(seed, side):
    """Return the seed of the left (side 0) or right (side 1) child of the node with a seed."""
    return _mixed(seed + _STEP * np.uint64(side + 1))
