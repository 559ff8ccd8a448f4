"""Where a row goes at a test of a finished tree."""

from __future__ import annotations

import numpy as np

from retree.trees.kernels.centres import nearest_centre
from retree.trees.kernels.jit import jit

_CENTRES = -3


@jit
def branch_of(value, threshold, subset, left_levels):
    """Return the branch that a value takes at a test of one attribute, -1 if it is missing."""
    if np.isnan(value):
        return -1
    if not np.isnan(threshold):
        return 0 if value <= threshold else 1
    if subset >= 0:
        return 0 if left_levels[subset, int(value)] else 1
    return int(value)


@jit
def side_of(row, normal, threshold):
    """Return the side of a hyperplane that a row is on, -1 if a value is missing."""
    total = 0.0
    for j in range(len(row)):
        # A missing value does not matter where its coefficient is zero.
        if normal[j] != 0.0:
            total += normal[j] * row[j]
    if np.isnan(total):
        return -1
    return 0 if total <= threshold else 1


@jit
def branch_at(row, node, tests):
    """Return the branch that a row takes at a test of any kind, -1 if a value is missing."""
    j, threshold = tests.feature[node], tests.threshold[node]
    if j >= 0:
        return branch_of(row[j], threshold, tests.subset[node], tests.left_levels)
    if j == _CENTRES:
        return nearest_centre(row, node, tests.centres)
    return side_of(row, tests.normals[node], threshold)
