"""The data structure that all families of trees share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retree import engine
from retree.arithmetic import row_sums
from retree.trees.node_tests import (
    NO_CENTRES,
    NO_LEVELS,
    Centres,
    LevelSets,
    Nodes,
    Tests,
    frozen,
)
from retree.trees.smoothing import Smoothing, check_smoothing, probabilities

LEAF = -1
OBLIQUE = -2
CENTRES = -3

# The weight of a row in a leaf that no training row reaches, but that predicts otherwise than the
# node above.
NO_ROWS = 2.0**-900

# In the place of a True that says that rows without a tested value are divided: the values of
# branches are added up, and then multiplied by the part of the row, as in Weka's RandomTree. In
# J48 each leaf's values are multiplied by all parts on the way. The last bits differ.
NESTED: Any = 2

Levels = Sequence[Sequence[Any] | None]

_ARRAYS = {  # field: type and number of dimensions
    "children_ptr": ("int32", 1),
    "children": ("int32", 1),
    "feature": ("int32", 1),
    "threshold": ("float64", 1),
    "counts": ("float64", 2),
    "subset": ("int32", 1),
    "normals": ("float64", 2),
    "moments": ("float64", 2),
    "row_sums": ("float64", 2),
    "missing_branch": ("bool", 1),
}


@dataclass(frozen=True, eq=False)
class Tree(Nodes):
    """A fitted decision tree as flat arrays, nodes numbered in depth-first order from the root.

    A tree is checked when it is created or unpickled: if the arrays do not form a valid tree, a
    ValueError is raised. The arrays are read-only copies; ``dataclasses.replace`` and `cut` return
    a new tree.

    Parameters
    ----------
    n_features : int
        Number of input features.
    children_ptr : ndarray of shape (node_count + 1,), int32
        ``children[children_ptr[i]:children_ptr[i + 1]]`` are the children of node ``i``.
    children : ndarray of shape (n_edges,), int32
        Children of all nodes. Rows go to the first child of a threshold test if
        ``x[feature] <= threshold``, and of an oblique test if ``normals[node] @ x <= threshold``;
        otherwise to the second. In a categorical test, rows with level ``c`` go to child ``c``; if
        the node has a `subset`, rows whose level is in it go to the first child and all others to
        the second. In a test for the nearest of several `centres`, rows go to child ``c`` if the
        node's centre ``c`` is the nearest, or the first of the nearest.
    feature : ndarray of shape (node_count,), int32
        Feature that each node tests; ``LEAF`` (-1) at a leaf, ``OBLIQUE`` (-2) at an oblique test,
        ``CENTRES`` (-3) at a test for the nearest centre.
    threshold : ndarray of shape (node_count,), float64
        Threshold of each test; NaN at leaves, categorical tests and tests for the nearest centre.
    counts : ndarray of shape (node_count, n_classes), float64
        Number (or weight) of the training rows of each class that reach each node; a regression
        tree has a single column for all rows.
    subset : ndarray of shape (node_count,), int32, or None, default=None
        Row of `left_levels` that a binary categorical test uses, -1 elsewhere; None if there is no
        such test.
    left_levels : LevelSets, ndarray of shape (n_subsets, n_levels), bool, or None, default=None
        The levels that each binary categorical test sends to its first child; a mask is converted
        to `LevelSets`.
    normals : ndarray of shape (node_count, n_features), float64, or None, default=None
        Coefficients of the oblique tests, zeros elsewhere; None if there is no such test.
    moments : ndarray of shape (node_count, 2), float64, or None, default=None
        For a regression tree, the mean and the variance of the target in each node.
    target_exponent : int or None, default=None
        If squares of the target do not fit into doubles, the variances in `moments` are those of
        the target divided by ``2 ** target_exponent``.
    centres : Centres or None, default=None
        Centres and distances of the tests for the nearest centre; None if there is no such test.
    row_sums : ndarray of shape (node_count, 2 or 3), float64, or None, default=None
        For a C4.5 tree whose training rows lack values: the weight of each node, and the part of it
        that the test above sends there, both summed row by row as in J48, because the last bits of
        these sums decide ties in boosting. A REPTree divides rows as before it was pruned; its
        third column is the weight of which the second is a part. None means the sums of `counts`.
    missing_branch : ndarray of shape (node_count,), bool, or None, default=None
        Whether the last child of a test of one feature is for the rows that lack the tested value;
        None if no test has such a child.
    held_out : float, default=0.0
        Weight of the training rows that were held out for pruning; `counts` does not include them.
    smoothing : "laplace", float or None, default=None
        How the probabilities in `value` are computed from `counts`, see `retree.trees.smoothing`.
    """

    n_features: int
    children_ptr: NDArray[np.int32]
    children: NDArray[np.int32]
    feature: NDArray[np.int32]
    threshold: NDArray[np.float64]
    counts: NDArray[np.float64]
    subset: NDArray[np.int32] | None = None
    left_levels: LevelSets | None = None
    normals: NDArray[np.float64] | None = None
    moments: NDArray[np.float64] | None = None
    target_exponent: int | None = None
    centres: Centres | None = None
    row_sums: NDArray[np.float64] | None = None
    missing_branch: NDArray[np.bool_] | None = None
    held_out: float = field(default=0.0, compare=False)  # no part of what the tree predicts
    smoothing: Smoothing = None

    def __post_init__(self) -> None:
        for name, (dtype, ndim) in _ARRAYS.items():
            if (array := getattr(self, name)) is not None:
                object.__setattr__(self, name, frozen(name, array, dtype, ndim))
        if isinstance(self.left_levels, np.ndarray):
            mask = frozen("left_levels", self.left_levels, "bool", 2)
            object.__setattr__(self, "left_levels", LevelSets.of_mask(mask))
        for name in ("left_levels", "centres"):
            if (part := getattr(self, name)) is not None:
                object.__setattr__(self, name, part.frozen())
        for name in ("counts", "moments", "row_sums"):  # The engine checks all others.
            array = getattr(self, name)
            if array is not None and len(array) != self.node_count:
                raise ValueError(
                    f"The {name} of a tree of {self.node_count} nodes have {len(array)} rows."
                )
        check_smoothing("smoothing", self.smoothing)
        engine.call("check_tests", self.views)

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields without caches, whose addresses are valid in one process only."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the tree from its fields."""
        Tree.__init__(self, **{each.name: state[each.name] for each in fields(self)})

    @classmethod
    def from_parents(cls, parents: NDArray[np.integer[Any]], **fields: Any) -> Tree:
        """Return the tree with these `parents` of its nodes and all other `fields`.

        `parents`, shape (node_count,), has -1 for the root, which comes first; the children of a
        node are in the order of its branches.
        """
        children_ptr, children = _linked(parents, 1)
        return cls(children_ptr=children_ptr, children=children, **fields)

    @classmethod
    def several(
        cls, parents: NDArray[np.int32], n_features: int, **arrays: NDArray[Any]
    ) -> list[Tree]:
        """Return trees that the engine has grown, from arrays that hold their nodes tree by tree.

        The trees are views of these read-only arrays, which are not checked.
        """
        roots = np.flatnonzero(parents < 0).tolist()
        children_ptr, children = _linked(parents, len(roots))
        trees = []
        for i, (start, end) in enumerate(pairwise([*roots, len(parents)])):
            tree = object.__new__(cls)
            vars(tree).update(
                {name: array[start:end] for name, array in arrays.items()},
                n_features=n_features,
                children_ptr=children_ptr[start + i : end + i + 1],
                children=children[start - i : end - i - 1],
            )
            trees.append(tree)
        return trees

    @classmethod
    def leaf(cls, n_features: int, counts: NDArray[np.float64]) -> Tree:
        """Return a tree of one leaf with `counts`, shape (n_classes,)."""
        return cls.from_parents(
            np.array([-1]),
            n_features=n_features,
            feature=np.array([LEAF], np.int32),
            threshold=np.array([np.nan]),
            counts=counts[None, :],
        )

    @cached_property
    def is_leaf(self) -> NDArray[np.bool_]:
        """Mask of the leaves, shape (node_count,)."""
        return self.feature == LEAF

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int(self.is_leaf.sum())

    @cached_property
    def value(self) -> NDArray[np.float64]:
        """The predictions of all nodes.

        Class shares, smoothed as `smoothing` says, of shape (node_count, n_classes); or means, of
        shape (node_count, 1). Nodes without training rows have their parent's.
        """
        total = self.weight
        if self.moments is not None:
            value = self.moments[:, :1].copy()
        else:
            value = probabilities(self.counts, total, self.smoothing)
        if (total <= 0).any():
            engine.call("inherit_empty", total, self.parents, value)
        return value

    @property
    def variance(self) -> NDArray[np.float64]:
        """Variance of the target in each node, shape (node_count,); may overflow to infinity."""
        assert self.moments is not None
        with np.errstate(over="ignore"):
            return np.ldexp(self.moments[:, 1], 2 * (self.target_exponent or 0))

    @cached_property
    def weight(self) -> NDArray[np.float64]:
        """Number (or weight) of the training rows that reach each node, shape (node_count,)."""
        if self.row_sums is not None:
            return np.ascontiguousarray(self.row_sums[:, 0])
        return row_sums(self.counts)

    @cached_property
    def sent(self) -> NDArray[np.float64]:
        """Weight that the test of its parent sends to each node, shape (node_count,)."""
        return self.weight if self.row_sums is None else np.ascontiguousarray(self.row_sums[:, 1])

    @cached_property
    def known(self) -> NDArray[np.float64]:
        """Weight of which `sent` is a part, at a leaf its own weight, shape (node_count,)."""
        if self.row_sums is None or self.row_sums.shape[1] == 2:
            return self.weight
        return np.ascontiguousarray(self.row_sums[:, 2])

    @cached_property
    def has_thresholds_only(self) -> bool:
        """Whether every test compares one feature with a threshold."""
        return not (np.isnan(self.threshold[~self.is_leaf]).any() or self.normals is not None)

    @cached_property
    def tests(self) -> Tests:
        """The arrays that define the tests, as the engine takes them."""
        none = np.full(self.node_count, -1, np.int32)
        return Tests(
            self.children_ptr,
            self.children,
            self.feature,
            self.threshold,
            frozen("subset", none, "int32", 1) if self.subset is None else self.subset,
            NO_LEVELS if self.left_levels is None else self.left_levels,
            np.empty((0, self.n_features)) if self.normals is None else self.normals,
            np.empty(0, np.bool_) if self.missing_branch is None else self.missing_branch,
            NO_CENTRES if self.centres is None else self.centres,
        )

    @cached_property
    def views(self) -> engine.View:
        """The `tests` as one argument for the engine, which has checked them."""
        return self.tests.bundle()

    @cached_property
    def _predictor(self) -> tuple[engine.View, ...]:
        """Cached arguments of the engine: making them took half the time of predicting one row."""
        return self.views, *map(engine.view, (self.known, self.sent, self.value))

    def is_for_missing(self, node: int, branch: int) -> bool:
        """Return whether a branch of `node` is the one for rows that lack the tested value."""
        has_one = self.missing_branch is not None and self.missing_branch[node]
        return bool(has_one) and branch == len(self.children_of(node)) - 1

    def apply(self, X: NDArray[np.float64]) -> NDArray[np.int32]:
        """Return the leaf that each row of `X`, shape (n_samples, n_features), ends in.

        If the tested value is missing (NaN), a row takes the heaviest branch. In a test for the
        nearest centre it does so if all values with a weight are missing.
        """
        leaves = np.empty(len(X), np.int32)
        engine.call("apply_tests", X, self.views, self.weight, leaves)
        return leaves

    def predicted(self, X: NDArray[np.float64], *, divide_missing: bool) -> NDArray[np.float64]:
        """Return the `value` of the leaf of each row, shape (n_samples, n_classes or 1).

        With `divide_missing`, a row whose tested value is missing (NaN) gets the mean of the values
        of all branches, weighted by the training rows in each; otherwise it gets the value of the
        heaviest branch.
        """
        total = np.zeros((len(X), self.value.shape[1]))
        self.add_predicted(total, X, divide_missing=divide_missing)
        return total

    def add_predicted(
        self,
        total: NDArray[np.float64],
        X: NDArray[np.float64],
        factor: float = 1.0,
        *,
        divide_missing: bool,
    ) -> None:
        """Add `factor` times the result of `predicted` to `total`, which has the same shape."""
        engine.call("add_values", X, *self._predictor, factor, divide_missing, total)

    def predicted_codes(self, X: NDArray[np.float64], *, divide_missing: bool) -> NDArray[np.int64]:
        """Return the `majority_class` of the result of `predicted`, shape (n_samples,)."""
        codes = np.empty(len(X), np.int64)
        engine.call("predict_codes", X, *self._predictor, divide_missing, codes)
        return codes

    def cut(self, nodes: NDArray[Any]) -> Tree:
        """Return the tree with `nodes` turned into leaves, without the nodes below them.

        `nodes` is a mask of shape (node_count,) or holds node numbers; it may include leaves.
        """
        is_cut = np.zeros(self.node_count, np.bool_)
        is_cut[nodes] = True
        below = np.empty(self.node_count, np.bool_)
        engine.call("mark_below", is_cut, self.parents, below)
        kept = np.flatnonzero(~below)
        new_number = np.empty(self.node_count, np.int32)
        new_number[kept] = np.arange(len(kept))
        return Tree.from_parents(
            np.append(-1, new_number[self.parents[kept[1:]]]),
            **self.tests_of(kept, is_cut[kept] | self.is_leaf[kept]),
            counts=self.counts[kept],
            moments=None if self.moments is None else self.moments[kept],
            target_exponent=self.target_exponent,
            row_sums=None if self.row_sums is None else self.row_sums[kept],
            held_out=self.held_out,
            smoothing=self.smoothing,
        )

    def tests_of(
        self, nodes: NDArray[np.integer[Any]], is_leaf: NDArray[np.bool_]
    ) -> dict[str, Any]:
        """Return the fields of a tree whose nodes have the tests of these `nodes`, or are leaves.

        Both arrays have shape (n_nodes,).
        """
        return {
            "n_features": self.n_features,
            "feature": np.where(is_leaf, LEAF, self.feature[nodes]).astype(np.int32),
            "threshold": np.where(is_leaf, np.nan, self.threshold[nodes]),
            **self.tests.of_nodes(nodes, is_leaf),
        }


def _linked(parents: NDArray[Any], n_trees: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return `children_ptr` and `children` of trees whose nodes follow each other."""
    linked = [np.empty(len(parents) + n, np.int32) for n in (n_trees, -n_trees)]
    engine.call("link_children", parents.astype(np.int32, copy=False), *linked)
    children_ptr, children = (frozen("children", array, "int32", 1) for array in linked)
    return children_ptr, children


def majority_class(shares: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the class with the highest share along the last axis, the first one in a tie."""
    codes = np.empty(shares.shape[:-1], np.int64)
    rows = np.ascontiguousarray(shares).reshape(codes.size, shares.shape[-1])
    engine.call("majority", rows, codes.reshape(-1))
    return codes
