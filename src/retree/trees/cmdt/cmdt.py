"""CMDT (Liu & Song 2020): multiway nodes that send a row to the nearest of weighted centres."""

from __future__ import annotations

import math
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from retree import engine
from retree.arithmetic import sum_of
from retree.relief import grouped_by_class, measure_columns
from retree.trees.base import BaseTreeClassifier
from retree.trees.declaring import changed, declare, parameter
from retree.trees.decreases import GINI
from retree.trees.mixed import Sample, repeated_rows
from retree.trees.node_tests import EUCLIDEAN, MANHATTAN, Centres
from retree.trees.parameters import Pruning, WithCategories, WithLeaves, WithPruning, WithSmoothing
from retree.trees.tree import CENTRES, LEAF, Tree
from retree.trees.validation import check_flag, none_or, number, one_of, whole


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
    present = values[~np.isnan(values)] / spread
    if not len(present) or np.ptp(present) == 0:
        return 1.0
    apart = present - sum_of(present) / len(present)
    return float(np.sqrt(sum_of(np.square(apart)) / len(present)) * spread)


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


_ALL = np.iinfo(np.int64).max


def _check_gamma(name: str, value: Any) -> None:
    """Raise unless `value` is "gini" or a number in [0, 1]."""
    if not isinstance(value, str):
        number(0, 1)(name, value)
    elif value != "gini":
        raise ValueError(f"Invalid {name} {value!r}. Valid are 'gini' and a number.")


@declare("cmdt")
class CMDTClassifier(WithPruning, WithCategories, WithSmoothing, WithLeaves, BaseTreeClassifier):
    """CMDT: nodes with a child for each cluster, columns weighted by Relief-F.

    A node is split in these steps (Liu & Song 2020, algorithm 1):

    1. Relief-F weighs the columns by the node's rows. Those lighter than `beta` times the heaviest
       are dropped. If no weight is above 0 (1e-12), the node is a leaf.
    2. The centres of the node's classes are the first centres; each row joins the nearest one, the
       class of the first label where distances tie. Centres are moved to the middle of their rows,
       and rows to the nearest centre, until no row changes its cluster; clusters without rows are
       dropped.
    3. Each cluster is a child; if there is one only, the node is a leaf.

    The distance is ``gamma * N + (1 - gamma) * C`` (equation 8), where N is the weighted Euclidean
    distance in the numeric columns (9), on the scale that `scaling` says, and C the weighted sum
    over the categorical ones (14) of 1 minus the value's share in the cluster (13).

    Of the eight splits that the paper compares, number ``weights + 2 * clustering + 4 *
    distributions`` has these three parts; number 7, with all of them, is CMDT. Without `clustering`
    the distance is the plain sum of the weighted differences (4) of the columns, as printed, in
    which numeric columns always have range 1; so they have in Relief-F.

    A missing value (NaN) adds nothing to any distance, and so does a level that was unknown in
    `fit`. A row without a value in any column that is not dropped goes to the largest child. A
    cluster without a value in a column has there the centre of the node. `retree.relief.ReliefF`
    has its own rules.

    Weights of rows must be whole numbers: Relief-F compares a row with its nearest others, and a
    row of weight w has w - 1 others like itself.

    The paper leaves the numbers of neighbours, of drawn rows and of rounds open, and the scale of
    equation 9; the defaults are Kononenko's 10, all of the node, more rounds than the centres need
    to come to rest, and the range of the training rows, as in equation 4. Its
    clusters of iris without weights (table 1) are those of ``max_rounds=0``.

    Parameters
    ----------
    weights : bool
        Whether columns are weighted by Relief-F and light ones dropped; else all weigh 1.
    clustering : bool
        Whether the centres move; else they remain those of the classes.
    distributions : bool
        Whether a centre has the shares of all levels in a categorical column; else it has the mode,
        the first level where there are several.
    beta : float
        Part of the highest weight that a column needs, in [0, 1].
    n_neighbors : int
        Neighbours in each class that Relief-F compares a row with.
    n_samples : int or None
        Rows of a node that Relief-F draws; None is all, in a time that grows as their square.
    max_rounds : int
        Times that the centres of a node are moved at most.
    gamma : "gini" or float
        Part of the numeric columns in the distance, in [0, 1]. "gini" tries 0.1, 0.2, ..., 0.9 at
        each node for the highest decrease of the Gini index, the smallest where these tie. Where
        only columns of one kind have a weight it does not matter; without clustering it is 0.5.
    scaling : {"minmax", "standard"} or None
        The unit of a numeric column in N: its range in the training rows, its standard deviation in
        them, or that of the data.
    min_parent : int
        Rows that a node needs to be split, at least 2.
    random_state : int, RandomState or None
        Draws the rows of Relief-F, if `n_samples` is not None, and those that pruning keeps aside.

    Attributes
    ----------
    tree_ : Tree
        The grown tree; ``tree_.centres`` has weights, gamma and centres of each node.

    References
    ----------
    Liu Z. and Song X. (2020). An applicable multivariate decision tree algorithm for categorical
    attribute data. Journal of Northeastern University (Natural Science) 41, 1521-1527.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from retree.trees.cmdt import CMDTClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> CMDTClassifier().fit(X, y).get_n_leaves()
    3
    """

    weights: bool = parameter(default=True, check=check_flag)
    clustering: bool = parameter(default=True, check=check_flag)
    distributions: bool = parameter(default=True, check=check_flag)
    beta: float = parameter(default=0.2, check=number(0, 1))
    n_neighbors: int = parameter(default=10, check=whole(1))
    n_samples: int | None = parameter(default=None, check=none_or(whole(1)))
    max_rounds: int = parameter(default=100, check=whole(0))
    gamma: str | float = parameter(default="gini", check=_check_gamma)
    scaling: Literal["minmax", "standard"] | None = parameter(
        default="minmax", check=one_of("minmax", "standard", None)
    )
    min_parent: int = parameter(default=5, check=whole(2))
    pruning: Pruning | None = "pessimistic"

    declares = changed(in_forests=True, draws=True)
    impurity = GINI

    def in_rows(self, sample: Sample) -> Sample:
        """Return rows of weight 1, each as often as its weight says."""
        return repeated_rows(sample.with_weight(), self)

    def grow(self, sample: Sample, rng: Any) -> Tree:
        """Return the unpruned tree of checked rows: of all, or of those that pruning leaves."""
        scaling = self.scaling if self.clustering else "minmax"
        return grow_cmdt(sample, self.n_levels, len(self.classes_), self._rule(), rng, scaling)

    def _rule(self) -> CMDTRule:
        """Return the rule of growing; gamma is NaN if the Gini index chooses it."""
        return CMDTRule(
            weights=bool(self.weights),
            modes=not self.distributions,
            metric=EUCLIDEAN if self.clustering else MANHATTAN,
            gamma=math.nan if isinstance(self.gamma, str) else float(self.gamma),
            beta=float(self.beta),
            n_neighbors=int(self.n_neighbors),
            n_samples=_ALL if self.n_samples is None else int(self.n_samples),
            max_rounds=int(self.max_rounds) if self.clustering else 0,
            min_parent=int(self.min_parent),
        )
