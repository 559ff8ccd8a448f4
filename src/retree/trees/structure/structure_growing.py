"""Growing by two measures: one ranks the candidate splits, another chooses among the best.

The trees of many *points* are grown at once; a point is a setting of the tuned parameters. Trees
share every node on which they agree. Where points choose different splits, each group continues
with a copy of the node's rows. The loops are in ``src/engine/structure``:

- ``columns``: columns with many values are sorted once; columns with two values are kept as bits.
- ``ranking``: the ranked lists: highest score, then lowest feature, then lowest threshold; scores
  are compared after rounding to 37 bits.
- ``purity``, ``frequency``, ``margin``: the measures that rank candidates.
- ``compactness``, ``segments``: the measures that choose among the best.
- ``choose``, ``grow``: a node, and the tree.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from retree import engine
from retree.trees.base import NumericTreeClassifier
from retree.trees.declaring import parameter, parameters
from retree.trees.mixed import Sample
from retree.trees.parameters import (
    WithClassWeight,
    WithDepth,
    WithFilling,
    WithLimits,
    WithSmoothing,
)
from retree.trees.tree import LEAF, Tree
from retree.trees.validation import depth_limit, least_number, one_of, rows_or_share, whole

# What candidates are ranked by, which of the best one is taken, and the penalty of BNM, by the
# numbers of ``src/engine/include/retree/structure.h``.
RANK_BY, TAKE, PENALTY = map(engine.choices, ("rank_by", "take", "penalty"))


@dataclass(frozen=True)
class Rule:
    """When and how a node is split."""

    k: NDArray[np.int64]  # Number of candidates of which each point takes one; shape (n_points,)
    alpha: NDArray[np.float64]  # Weight of the ranking in a blend; shape (n_points,)
    omega2: NDArray[np.float64]  # The weights of BNM, one ranked list for each; shape (n_lists,)
    # Position in `omega2` of each point: points of equal omega2 share a ranked list; shape
    # (n_points,).
    list_of: NDArray[np.int64]
    # The two sides, +1 and -1, of each dichotomy of CSN; shape (n_classes, n_dichotomies).
    codes: NDArray[np.int8]
    min_samples_leaf: int  # A node of no more rows is a leaf; a row counts as its weight says
    # Rows of the smaller child of a candidate, and of the split that is taken; if that has fewer,
    # the node is a leaf. 0 is no limit.
    least_ranked: int
    least_taken: int
    max_depth: int
    rank_by: int = RANK_BY["purity"]
    take: int = TAKE["first"]
    omega1: float = 1.0  # Weight of purity beside BNM
    penalty: int = PENALTY["none"]
    squared: bool = True  # Square the distance of the centroids in BNM
    # Scale the rows of a child for CSN by its own ranges, not by those of the node.
    scale_by_child: bool = True
    along_split: bool = False  # Count segments along the feature of the split alone
    # Of candidates of equal second measure take the one of higher rank, not the one of the lowest
    # feature and threshold.
    rank_breaks_ties: bool = False


def grow(sample: Sample, n_classes: int, rule: Rule) -> list[Tree]:
    """Grow the tree of each point.

    `sample`: finite numbers, class codes in ``range(n_classes)``, and weights whose sums are exact.
    """
    numbers, counts, members = engine.call(
        "structure_grow",
        *sample[:3], n_classes,
        rule.list_of, rule.k, rule.alpha, rule.omega2, rule.codes, rule,
    )  # fmt: skip
    return [
        _binary_tree(numbers, counts, of_point, sample.X) for of_point in members.view(np.bool_).T
    ]


def _binary_tree(
    records: NDArray[np.int64], counts: NDArray[np.float64], members: NDArray[np.bool_], X: Any
) -> Tree:
    """Return the tree of the records in `members`, which are in depth-first order.

    Shapes: `records` (n_records, 3), `counts` (n_records, n_classes), `members` (n_records,).
    `records`: parent, feature (-1 for a leaf), and the row of `X` whose value is the threshold.
    """
    parents, feature, rows = records[members].T
    inner = feature != LEAF
    threshold = np.full(len(rows), np.nan)
    threshold[inner] = X[rows[inner], feature[inner]]
    return Tree.from_parents(
        np.append(-1, (np.cumsum(members) - 1)[parents[1:]]),
        n_features=X.shape[1],
        feature=feature.astype(np.int32),
        threshold=threshold,
        counts=counts[members],
    )


@parameters
class HybridTreeClassifier(
    WithDepth, WithFilling, WithClassWeight, WithSmoothing, WithLimits, NumericTreeClassifier
):
    """Axis-parallel binary tree, in which each split is one of the `k` best by a first measure.

    Candidate thresholds are the feature values themselves (``x <= v``). Subclasses define in
    `_rule` the measure that ranks candidates and the measure that chooses among the best.

    Parameters
    ----------
    k : int
        Number of best candidates, among which a second measure chooses.
    small_child : {"leaf", "skip", "keep"}
        What happens if a split gives a child with fewer than `min_samples_leaf` rows. "leaf"
        follows Algorithm 1 of Du and Chen (2023): the best split is chosen first, and if it has
        such a child, the node becomes a leaf. "skip" never considers such splits, like
        scikit-learn's trees. "keep" splits anyway.
    min_samples_leaf : int or float
        A node with at most this many rows is a leaf. Except with "keep", it is also the minimum
        number of rows of a child. A float in (0, 1) is a fraction of all rows, rounded up.
    """

    k: int = parameter(default=2, check=whole(1))
    small_child: Literal["leaf", "skip", "keep"] = parameter(
        default="keep", check=one_of("leaf", "skip", "keep")
    )
    min_samples_leaf: float = parameter(default=2, check=rows_or_share(1))

    _tunable: ClassVar[tuple[str, ...]] = ("k",)

    def fit_grid(
        self,
        X: ArrayLike,
        y: ArrayLike,
        points: Sequence[Mapping[str, Any]],
        sample_weight: ArrayLike | None = None,
    ) -> list[Self]:
        """Fit a clone with each of `points`; nodes on which their trees agree are computed once.

        Parameters
        ----------
        X, y : array-like
            As in `fit`.
        points : sequence of mappings
            Parameter values that replace the estimator's own: ``k``, and the weight ``omega2`` or
            ``alpha`` if the estimator has one.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            As in `fit`.

        Returns
        -------
        list of estimators
            Fitted clones in the order of `points`, each equal to fitting that clone alone.
        """
        if wrong := {name for point in points for name in point} - set(self._tunable):
            raise ValueError(f"fit_grid can vary only {self._tunable}, not {sorted(wrong)}.")
        if not points:
            return []
        template = clone(self)
        for point in points:
            template.check_parameters(**point)
        sample = template.checked_sample(X, y, sample_weight)
        fitted = []
        for point, tree in zip(points, template._grow(sample, points), strict=True):
            made = copy(template).set_params(**point)
            made.tree_ = made.smoothed(made.trimmed(tree))
            fitted.append(made)
        return fitted

    def grow(self, sample: Sample, rng: Any) -> Tree:
        """Grow the unpruned tree of checked rows."""
        return self._grow(sample, [{}])[0]

    def _grow(self, sample: Sample, points: Sequence[Mapping[str, Any]]) -> list[Tree]:
        """Grow the tree of each point."""
        return grow(sample, len(self.classes_), self._rule(points, sample))

    def _rule(self, points: Sequence[Mapping[str, Any]], sample: Sample) -> Rule:
        """Return the rule that nodes are split by: by default, the highest purity.

        There are fewer candidates than values, so greater limits have no effect.
        """
        n_values, total = sample.X.size, float(sample.weight.sum())
        smallest = least_number("min_samples_leaf", self.min_samples_leaf, total, 1)
        smallest = min(smallest, math.ceil(total))
        return Rule(
            k=np.array([min(p.get("k", self.k), n_values) for p in points], np.int64),
            alpha=np.ones(len(points)),
            omega2=np.zeros(1),
            list_of=np.zeros(len(points), np.int64),
            codes=np.empty((len(self.classes_), 0), np.int8),
            min_samples_leaf=smallest,
            least_ranked=smallest if self.small_child == "skip" else 0,
            least_taken=0 if self.small_child == "keep" else smallest,
            max_depth=min(depth_limit(self.max_depth), n_values),
        )
