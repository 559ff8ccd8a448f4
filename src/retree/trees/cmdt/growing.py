"""Growing a CMDT tree."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from retree import engine
from retree.arithmetic import sum_of
from retree.relief.columns import grouped_by_class, measure_columns
from retree.trees.centres import Centres
from retree.trees.mixed import Sample
from retree.trees.tree import CENTRES, LEAF, Tree


class CMDTRule(NamedTuple):
    """How nodes are split; see the parameters of `CMDTClassifier`."""

    weights: bool
    modes: bool
    metric: int
    gamma: float  # NaN: chosen by the Gini index
    beta: float
    n_neighbors: int
    n_samples: int
    max_rounds: int
    min_parent: int


def grow_cmdt(
    sample: Sample,
    n_levels: NDArray[np.int32],
    n_classes: int,
    rule: CMDTRule,
    rng: RandomState,
    scaling: str | None = "minmax",
) -> Tree:
    """Return the unpruned tree of `sample`, whose weights do not count.

    Shapes: `n_levels` (n_features,).
    `n_levels`: number of levels of each categorical column, -1 of a numeric one.
    `rng`: draws the rows of Relief-F if the rule has it look at some of them only.
    """
    nominal = n_levels >= 0
    offset, spread = measure_columns(sample.X, nominal)
    # A sum, and so a standard deviation, hangs on the order of the rows.
    order, _ = grouped_by_class(sample.X.T, sample.y)
    columns, scale = np.empty(sample.X.shape[::-1]), np.empty(len(nominal))
    for j, values in enumerate(columns):
        values[:] = sample.X[:, j]
        values[:] = values[order]
        scale[j] = spread[j] if scaling == "minmax" else 1.0
        if scaling == "standard" and not nominal[j]:
            scale[j] = _deviation(values, spread[j])
        values -= offset[j]
        values /= scale[j]
    y = sample.y[order]
    del order
    start = np.concatenate(([0], np.cumsum(np.where(nominal, n_levels, 1)))).astype(np.int32)
    draws = rule.n_samples < len(y)
    priority = (rng.permutation(len(y)) if draws else np.zeros(len(y))).astype(np.int32)
    grown = engine.call(
        "grow_cmdt", columns, y, n_classes, start, nominal, spread / scale, priority, rule
    )
    return _tree(*grown, start=start, nominal=nominal, offset=offset, scale=scale)


def _deviation(values: NDArray[np.float64], spread: float) -> float:
    """Return the standard deviation of a numeric column, 1 if it is constant; NaN is missing."""
    known = values[~np.isnan(values)] / spread
    if not len(known) or np.ptp(known) == 0:
        return 1.0
    apart = known - sum_of(known) / len(known)
    return float(np.sqrt(sum_of(np.square(apart)) / len(known)) * spread)


def _tree(
    numbers: NDArray[np.int64],
    gamma: NDArray[np.float64],
    weight: NDArray[np.float64],
    counts: NDArray[np.float64],
    position: NDArray[np.float64],
    **columns: NDArray[Any],
) -> Tree:
    """Return the tree of the engine's records, which stand in depth-first order."""
    parent, first, n_centres, metric = numbers.T
    centres = Centres(
        weight=weight,
        gamma=gamma,
        metric=metric.astype(np.int8),
        first=first.astype(np.int32),
        n_centres=n_centres.astype(np.int32),
        position=position,
        **columns,
    )
    return Tree.from_parents(
        parent,
        n_features=weight.shape[1],
        feature=np.where(n_centres > 0, CENTRES, LEAF).astype(np.int32),
        threshold=np.full(len(n_centres), np.nan),
        counts=counts,
        centres=centres if n_centres.any() else None,
    )
