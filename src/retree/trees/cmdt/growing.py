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

    Parameters
    ----------
    sample : Sample
    n_levels : ndarray of shape (n_features,)
        Number of levels of each categorical column, -1 of a numeric one.
    n_classes : int
    rule : CMDTRule
    rng : RandomState
        Draws the rows of Relief-F if the rule has it look at some of them only.
    scaling : {"minmax", "standard"} or None, default="minmax"
        The unit of numeric columns in a distance.

    Returns
    -------
    Tree
    """
    nominal = n_levels >= 0
    # Grouped first: a sum, and so a standard deviation, hangs on the order of the rows.
    rows, y, _ = grouped_by_class(sample.X, sample.y)
    offset, spread = measure_columns(rows, nominal)
    scale = _units(rows, nominal, spread, scaling)
    rows -= offset
    rows /= scale
    start = np.concatenate(([0], np.cumsum(np.where(nominal, n_levels, 1)))).astype(np.int32)
    draws = rule.n_samples < len(y)
    priority = rng.permutation(len(y)) if draws else np.zeros(len(y), np.int64)
    grown = engine.call(
        "grow_cmdt", rows, y, n_classes, start, nominal, spread / scale, priority, *rule
    )
    return _tree(*grown, start=start, nominal=nominal, offset=offset, scale=scale)


def _units(
    rows: NDArray[np.float64],
    nominal: NDArray[np.bool_],
    spread: NDArray[np.float64],
    scaling: str | None,
) -> NDArray[np.float64]:
    """Return what each column is divided by; `spread` is what it is for a range of 1."""
    if scaling == "minmax":
        return spread
    units = np.ones(len(spread))
    for j in np.flatnonzero(~nominal) if scaling == "standard" else ():
        known = rows[~np.isnan(rows[:, j]), j] / spread[j]
        if len(known) and np.ptp(known) > 0:
            apart = known - sum_of(known) / len(known)
            units[j] = np.sqrt(sum_of(np.square(apart)) / len(known)) * spread[j]
    return units


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
