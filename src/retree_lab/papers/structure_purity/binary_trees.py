"""Growing binary trees in Python: nodes, their splits, the gains of these, and choosing one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from retree.arithmetic import entropies, row_sums
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
from retree.trees.validation import depth_limit, least_number, rows_or_share

TIED = 1e-12


@dataclass(frozen=True, eq=False)
class Node:
    """The training rows of a node, each feature's in ascending order."""

    # All training data, a row for each feature; shape (n_features, n_samples).
    columns: NDArray[np.float64]
    codes: NDArray[np.int32]  # The class of each training row; shape (n_samples,)
    weight: NDArray[np.float64]  # The weight of each training row; shape (n_samples,)
    n_classes: int
    # The rows of the node, sorted by each feature; shape (n_features, n_rows).
    order: NDArray[np.int64]

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """The rows of the node in the order of the data, shape (n_rows,)."""
        return np.sort(self.order[0])

    @cached_property
    def counts(self) -> NDArray[np.float64]:
        """Weight of each class, shape (n_classes,)."""
        return self.counts_of(self.codes, self.n_classes)

    def counts_of(self, codes: NDArray[Any], n_codes: int) -> NDArray[np.float64]:
        """Return the weight of the rows of each of `codes`, which all rows have: (n_codes,)."""
        counts: NDArray[Any] = np.bincount(codes[self.rows], self.weight[self.rows], n_codes)
        return counts

    @cached_property
    def _sorted(self) -> NDArray[np.float64]:
        return np.take_along_axis(self.columns, self.order, axis=1)

    @cached_property
    def _places(self) -> tuple[NDArray[np.int64], ...]:
        """Feature and place of the last left row of each split."""
        return np.nonzero(self._sorted[:, :-1] < self._sorted[:, 1:])

    @property
    def feature(self) -> NDArray[np.int64]:
        """Feature of each split, shape (n_splits,), ascending."""
        return self._places[0]

    @property
    def threshold(self) -> NDArray[np.float64]:
        """Greatest left value of each split, shape (n_splits,), ascending for each feature."""
        return self._sorted[self._places]

    @cached_property
    def left(self) -> NDArray[np.float64]:
        """Weight of each class in the left child, shape (n_splits, n_classes)."""
        return self.left_counts(self.codes, self.n_classes)

    @property
    def right(self) -> NDArray[np.float64]:
        """Weight of each class in the right child, shape (n_splits, n_classes)."""
        return self.counts - self.left

    def left_counts(self, codes: NDArray[Any], n_codes: int) -> NDArray[np.float64]:
        """Return the left weight of each of `codes`, which all rows have: (n_splits, n_codes)."""
        ordered, weight = codes[self.order], self.weight[self.order]
        weights = (np.where(ordered == code, weight, 0.0) for code in range(n_codes))
        return np.stack([part.cumsum(axis=1)[self._places] for part in weights], axis=1)

    @cached_property
    def scaled(self) -> NDArray[np.float64]:
        """The rows with every feature scaled to [0, 1], constant ones 0: (n_features, n_rows)."""
        values = self.columns[:, self.rows] / 2  # halves, whose differences cannot overflow
        low = values.min(axis=1, keepdims=True)
        width = values.max(axis=1, keepdims=True) - low
        return (values - low) / np.where(width > 0, width, 1.0)


Choose = Callable[[Node], "int | None"]  # the number of a split, None for a leaf


class Grown(NamedTuple):
    """Nodes in depth-first order, left child first."""

    parents: NDArray[np.int64]  # -1 for the root
    feature: NDArray[np.int32]
    threshold: NDArray[np.float64]
    rows: list[NDArray[np.int64]]  # of each node


def first_best(scores: NDArray[np.float64], least: float = 0.0) -> int | None:
    """Return the first of the highest `scores`, None unless they exceed `least`.

    Scores that differ by less than 1e-12 are tied.
    """
    if not len(scores) or not (best := scores.max()) > least + TIED:
        return None
    return int(np.argmax(scores >= best - TIED))


def shares(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return each row's counts over their sum, shape (n, n_classes)."""
    distribution: NDArray[np.float64] = counts / counts.sum(axis=1, keepdims=True)
    return distribution


def mean_of_children(
    node: Node, left: NDArray[np.float64], right: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the mean of a measure of both children, by their weights, of each split."""
    n_left, n = node.left.sum(axis=1), node.counts.sum()
    mean: NDArray[np.float64] = (n_left * left + (n - n_left) * right) / n
    return mean


def information_gain(node: Node) -> NDArray[np.float64]:
    """Return the decrease of the entropy in bits by each split."""
    left, right = entropies(shares(node.left)), entropies(shares(node.right))
    whole = entropies(shares(node.counts[None, :]))
    gain: NDArray[np.float64] = whole - mean_of_children(node, left, right)
    return gain


def gain_ratio(node: Node) -> NDArray[np.float64]:
    """Return the information gain over the entropy of the sizes of the children."""
    n_left = node.left.sum(axis=1)
    sizes = np.stack([n_left, node.counts.sum() - n_left], axis=1)
    ratio: NDArray[np.float64] = information_gain(node) / entropies(shares(sizes))
    return ratio


def gini_gain(node: Node) -> NDArray[np.float64]:
    """Return the decrease of the Gini impurity by each split."""
    left, right, whole = (
        1 - row_sums(shares(counts) ** 2)
        for counts in (node.left, node.right, node.counts[None, :])
    )
    gain: NDArray[np.float64] = whole - mean_of_children(node, left, right)
    return gain


def share_of_majorities(node: Node) -> NDArray[np.float64]:
    """Return, for each split, the share of the weight in its child's most frequent class."""
    right_of = node.left.max(axis=1, initial=0) + node.right.max(axis=1, initial=0)
    share: NDArray[np.float64] = right_of / node.counts.sum()
    return share


def grow(
    sample: Sample, n_classes: int, choose: Choose, *, max_depth: int, min_samples_split: int
) -> Grown:
    """Split nodes as `choose` says until they are pure, too small or too deep."""
    columns = np.ascontiguousarray(sample.X.T)
    side = np.zeros(len(sample.X), np.bool_)
    pending = [(np.argsort(columns, axis=1, kind="stable"), -1, 0)]
    parents, features, thresholds, rows = [], [], [], []
    while pending:
        order, parent, depth = pending.pop()
        node = Node(columns, sample.y, sample.weight, n_classes, order)
        small = depth >= max_depth or node.counts.sum() < min_samples_split
        final = small or (node.counts > 0).sum() < 2 or not len(node.feature)
        split = None if final else choose(node)
        parents.append(parent)
        rows.append(node.rows)
        features.append(LEAF if split is None else int(node.feature[split]))
        thresholds.append(np.nan if split is None else float(node.threshold[split]))
        if split is None:
            continue
        side[node.rows] = columns[features[-1], node.rows] <= thresholds[-1]
        left = side[order]
        for mask in (~left, left):  # The last one is grown first.
            pending.append((order[mask].reshape(len(order), -1), len(parents) - 1, depth + 1))
    return Grown(
        np.array(parents), np.array(features, np.int32), np.array(thresholds, np.float64), rows
    )


class GrownTreeBase(NumericTreeClassifier):
    """Axis-parallel binary tree whose splits a subclass chooses.

    Candidate thresholds are the feature values themselves (``x <= v``), as in the trees that it is
    compared with.
    """

    min_samples_split: float
    max_depth: int | None

    def grow(self, sample: Sample, rng: Any) -> Tree:
        """Return the tree of checked rows."""
        return self._tree_from(sample, self._grow(sample))

    def _grow(self, sample: Sample) -> Grown:
        """Return the nodes of a tree of these rows."""
        total = sample.weight.sum()
        return grow(
            sample,
            len(self.classes_),
            self._chooser(sample),
            max_depth=depth_limit(self.max_depth),
            min_samples_split=least_number("min_samples_split", self.min_samples_split, total, 2),
        )

    def _tree_from(self, sample: Sample, grown: Grown) -> Tree:
        """Return the tree of nodes whose leaves have the rows of `sample`."""
        n_classes = len(self.classes_)
        counts = np.zeros((len(grown.parents), n_classes))
        for node in np.flatnonzero(grown.feature == LEAF):
            rows = grown.rows[node]
            counts[node] = np.bincount(sample.y[rows], sample.weight[rows], n_classes)
        for child in range(len(counts) - 1, 0, -1):
            counts[grown.parents[child]] += counts[child]
        return Tree.from_parents(
            grown.parents,
            n_features=sample.X.shape[1],
            feature=grown.feature,
            threshold=grown.threshold,
            counts=counts,
        )

    def _chooser(self, sample: Sample) -> Choose:
        """Return the function that chooses a split of training data."""
        return self._choose

    def _choose(self, node: Node) -> int | None:
        """Return the number of a split of a node that has splits; None for a leaf."""
        raise NotImplementedError


@parameters
class GrownTreeClassifier(
    WithDepth, WithFilling, WithClassWeight, WithSmoothing, WithLimits, GrownTreeBase
):
    """Such a tree with class weights, filling of missing values, smoothing and limits.

    Parameters
    ----------
    min_samples_split : int or float
        Minimum number of rows of a node to be split; a float in (0, 1) is a fraction of all rows,
        rounded up.
    """

    min_samples_split: float = parameter(default=3, check=rows_or_share(2))
