"""Smoothed class probabilities, which all trees offer through their parameter `smoothing`.

Let a node have n_c rows (or their weight) of each of K classes, and n in total. The probability of
class c is

- ``n_c / n`` for ``smoothing=None``;
- ``(n_c + 1) / (n + K)`` for "laplace" (Laplace's rule of succession);
- ``(n_c + m * p_c) / (n + m)`` for a number m, where p_c is the share of the class in the root (the
  m-estimate of Cestnik 1990).

A node that no training row reaches has the probabilities of its parent. Pruning uses the unsmoothed
shares. Sample weights count as rows, so weights far below 1 smooth more and weights far above 1
smooth less.

References
----------
Cestnik B. (1990). Estimating probabilities: a crucial task in machine learning. ECAI 9, 147-149.

Provost F., Domingos P. (2003). Tree induction for probability-based ranking. Machine Learning 52,
199-215.
"""

from __future__ import annotations

import math
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

LAPLACE = "laplace"

Smoothing = Literal["laplace"] | float | None


def check_smoothing(name: str, smoothing: Any) -> None:
    """Raise a ValueError unless `smoothing` is None, "laplace" or a finite number of at least 0."""
    if smoothing is None or smoothing == LAPLACE:
        return
    is_number = isinstance(smoothing, Real) and not isinstance(smoothing, bool | np.bool_)
    if not is_number or not 0 <= float(smoothing) < math.inf:
        raise ValueError(
            f"Invalid {name} {smoothing!r}. Valid ones are None, 'laplace', or the m of an "
            "m-estimate, a number of at least 0."
        )


def probabilities(
    counts: NDArray[np.float64], total: NDArray[np.float64], smoothing: Smoothing
) -> NDArray[np.float64]:
    """Return the class probabilities of nodes, shape (node_count, n_classes).

    Shapes: `counts` (node_count, n_classes), `total` (node_count,).
    `counts`: rows of each class in each node, the root first. Nodes without rows get arbitrary
    values.
    """
    if smoothing is None:
        return np.ascontiguousarray(counts / np.where(total > 0, total, 1.0)[:, None])
    more = np.ones(counts.shape[1])
    if smoothing != LAPLACE:
        more = float(smoothing) * counts[0] / math.fsum(counts[0])
    return (counts + more) / np.where(total > 0, total + math.fsum(more), 1.0)[:, None]
