"""Stacks of rows of numbers, for walking trees without recursion."""

from __future__ import annotations

import numpy as np

from retree.trees.kernels.jit import jit


@jit
def with_room(stack, top, n):
    """Return `stack`, of which `top` items are used, with room for `n` more."""
    if top + n <= len(stack):
        return stack
    larger = np.empty((2 * len(stack) + n, stack.shape[1]), stack.dtype)
    larger[:top] = stack[:top]
    return larger
