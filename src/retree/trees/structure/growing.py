"""Growing by a rule: candidates are ranked by one measure, another one takes one of the best.

The trees of many *points*, each a setting of the tuned parameters, are grown at once. They share
every node on which they agree; where points choose different splits, each group goes on with a copy
of the node's rows. The loops stand in ``src/engine/structure``:

- ``columns``: columns of many values are sorted once; those of two values are kept as bits.
- ``ranking``: the ranked lists, and their ties: greatest score, then lowest feature, then lowest
  threshold; scores are compared after rounding to 37 bits.
- ``purity``, ``frequency``, ``margin``: what candidates are ranked by.
- ``compactness``, ``segments``: what takes one of the best.
- ``choose``, ``grow``: a node, and the tree.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from retree import engine
from retree.trees.mixed import Sample
from retree.trees.tree import LEAF, Tree


class RankBy(IntEnum):
    """What candidates are ranked by."""

    PURITY = 0
    MARGIN = 1
    GAIN_RATIO = 2
    HELLINGER = 3


class Take(IntEnum):
    """Which of the best candidates is taken.

    The first one, or the one of least CSN, of least expected segments or of fewest segments in
    total, or of the greatest blend of the ranking with expected segments normalised in either way.
    """

    FIRST = 0
    COMPACT = 1
    EXPECTED = 2
    TOTAL = 3
    BLEND_RANGE = 4
    BLEND_RATIO = 5


class Penalty(IntEnum):
    """The penalty of BNM (structure_purity, eqs. 6 and 7)."""

    NONE = 0
    WITHIN = 1
    ACROSS = 2
    NEAREST = 3


@dataclass(frozen=True)
class Rule:
    """How a node is split and when it is not."""

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
    rank_by: RankBy = RankBy.PURITY
    take: Take = Take.FIRST
    omega1: float = 1.0  # Weight of purity beside BNM
    penalty: Penalty = Penalty.NONE
    squared: bool = True  # Square the distance of the centroids in BNM
    # Scale the rows of a child for CSN by its own ranges, not by those of the node.
    scale_by_child: bool = True
    along_split: bool = False  # Count segments along the feature of the split alone
    # Of candidates of equal second measure take the one of higher rank, not the one of the lowest
    # feature and threshold.
    rank_breaks_ties: bool = False


def grow(sample: Sample, n_classes: int, rule: Rule) -> list[Tree]:
    """Return the tree of each point.

    `sample`: finite numbers, class codes in ``range(n_classes)``, and weights whose sums are exact.
    """
    numbers, counts, members = engine.call(
        "structure_grow",
        *sample[:3], n_classes,
        rule.list_of, rule.k, rule.alpha, rule.omega2, rule.codes, rule,
    )  # fmt: skip
    return trees_from_records(numbers, counts, members.view(np.bool_), sample.X)


_PARENT, _FEATURE, _THRESHOLD_ROW = range(3)


def trees_from_records(
    numbers: NDArray[np.int64],
    counts: NDArray[np.float64],
    members: NDArray[np.bool_],
    X: NDArray[np.float64],
) -> list[Tree]:
    """Return the tree of each point of a grid.

    Shapes: `numbers` (n_records, 3), `counts` (n_records, n_classes), `members` (n_records,
    n_points), `X` (n_samples, n_features).
    `numbers`: of each node: parent, feature (-1 for a leaf), row that has the threshold. Restricted
    to one point, they are its tree in depth-first order.
    `X`: training rows, of which the thresholds are values.
    """
    return [
        _binary_tree(numbers[own], counts[own], np.cumsum(own) - 1, X)
        for own in np.ascontiguousarray(members.T)
    ]


def _binary_tree(
    nodes: NDArray[np.int64],
    counts: NDArray[np.float64],
    new_number: NDArray[np.int64],
    X: NDArray[np.float64],
) -> Tree:
    """Return the tree of the records `nodes`, which stand in depth-first order."""
    feature = nodes[:, _FEATURE]
    inner = feature != LEAF
    parents = np.append(-1, new_number[nodes[1:, _PARENT]])
    threshold = np.full(len(nodes), np.nan)
    threshold[inner] = X[nodes[inner, _THRESHOLD_ROW], feature[inner]]
    return Tree.from_parents(
        parents,
        n_features=X.shape[1],
        feature=feature.astype(np.int32),
        threshold=threshold,
        counts=counts,
    )
