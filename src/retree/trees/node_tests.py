"""Nodes of a tree: their parents and children, and the level sets and centres that they test."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from retree import engine


def frozen(name: str, array: Any, dtype: DTypeLike, ndim: int) -> NDArray[Any]:
    """Return a new C-contiguous array in the memory of a ``bytes`` object.

    The memory is copied unless it already belongs to such an object.
    """
    given = np.asarray(array)
    try:
        values = given.astype(dtype, order="C", casting="equiv", copy=False)
    except TypeError:
        raise ValueError(
            f"The {name} of a tree must be of type {np.dtype(dtype)}, not {given.dtype}."
        ) from None
    if values.ndim != ndim:
        raise ValueError(
            f"The {name} of a tree must have {ndim} dimensions, got shape {values.shape}."
        )
    owner: Any = values.base
    is_frozen = type(values) is np.ndarray and type(owner) is bytes and len(owner) == values.nbytes
    return np.ndarray(values.shape, values.dtype, owner if is_frozen else values.tobytes())


class Nodes:
    """Nodes of a tree with their children, numbered in depth-first order from the root."""

    children_ptr: NDArray[np.int32]
    children: NDArray[np.int32]
    feature: NDArray[np.int32]

    @property
    def node_count(self) -> int:
        """Number of nodes, leaves included."""
        return len(self.feature)

    @property
    def depths(self) -> NDArray[np.int32]:
        """Number of edges between the root and each node, shape (node_count,)."""
        return self._depths_and_parents[0]

    @property
    def parents(self) -> NDArray[np.int32]:
        """Parent of each node, -1 for the root, shape (node_count,)."""
        return self._depths_and_parents[1]

    @cached_property
    def _depths_and_parents(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        depths = np.empty(self.node_count, np.int32)
        parents = np.empty_like(depths)
        engine.call("node_depths", self.children_ptr, self.children, depths, parents)
        return depths, parents

    @property
    def max_depth(self) -> int:
        """Depth of the deepest leaf; 0 for a tree of one leaf."""
        return int(self.depths.max())

    def children_of(self, node: int) -> NDArray[np.int32]:
        """Return the children of `node`, first branch first; empty at a leaf."""
        return self.children[self.children_ptr[node] : self.children_ptr[node + 1]]

    def path_to(self, node: int) -> list[tuple[int, int]]:
        """Return the nodes above `node`, root first, each with the branch that leads to `node`."""
        path = []
        while (parent := int(self.parents[node])) >= 0:
            branch = int(np.flatnonzero(self.children_of(parent) == node)[0])
            path.append((parent, branch))
            node = parent
        return path[::-1]


class LevelSets(NamedTuple):
    """Sets of levels of a categorical feature, one bit per set and level."""

    bits: NDArray[np.uint8]  # (n_sets, n_bytes): level k is bit k % 8 of byte k // 8
    n_levels: int

    @classmethod
    def of_mask(cls, mask: NDArray[np.bool_]) -> LevelSets:
        """Return the sets of a mask of shape (n_sets, n_levels)."""
        return cls(np.packbits(mask, axis=1, bitorder="little"), mask.shape[1])

    @classmethod
    def of_single(cls, levels: NDArray[np.integer[Any]], n_levels: int) -> LevelSets:
        """Return sets of one level each."""
        bits = np.zeros((len(levels), (n_levels + 7) // 8), np.uint8)
        bits[np.arange(len(levels)), levels // 8] = 1 << (levels % 8)
        return cls(bits, n_levels)

    @property
    def mask(self) -> NDArray[np.bool_]:
        """Whether each level is in each set, shape (n_sets, n_levels)."""
        return np.unpackbits(self.bits, axis=1, count=self.n_levels, bitorder="little").view(
            np.bool_
        )

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """Return the `mask`, so that numpy and digests can read the sets."""
        return np.asarray(self.mask, dtype)

    def levels(self, row: int) -> list[int]:
        """Return the levels of a set in ascending order."""
        members: list[int] = self.take([row]).mask[0].nonzero()[0].tolist()
        return members

    def take(self, rows: Any) -> LevelSets:
        """Return some of the sets."""
        return LevelSets(self.bits[rows], self.n_levels)

    def frozen(self) -> LevelSets:
        """Return the sets in read-only memory."""
        return LevelSets(frozen("left_levels", self.bits, "uint8", 2), int(self.n_levels))


NO_LEVELS = LevelSets(np.empty((0, 0), np.uint8), 0)


def keep_used_subsets(
    subset: NDArray[np.integer[Any]], left_levels: LevelSets | None
) -> dict[str, Any]:
    """Return the fields `subset` and `left_levels` of a tree, without sets that no node tests.

    Shapes: `subset` (node_count,).
    `subset`: row of `left_levels` that each node tests, -1 for none.
    """
    used = subset >= 0
    if left_levels is None or not used.any():
        return {"subset": None, "left_levels": None}
    renumbered = np.full(len(subset), -1, np.int32)
    renumbered[used] = np.arange(used.sum())
    return {"subset": renumbered, "left_levels": left_levels.take(subset[used])}


MANHATTAN, EUCLIDEAN, SQEUCLIDEAN = 0, 1, 2


class Centres(NamedTuple):
    """Centres of clusters of rows with numeric and categorical columns, node by node.

    A centre has a slot for each numeric column, with a mean on the column's scale, and a slot for
    each level of a categorical column, with the level's share of the cluster (or 1 for its mode, 0
    for others).
    """

    weight: NDArray[Any]  # (node_count, n_features) float64, of each column in the distance, or 0
    gamma: NDArray[Any]  # (node_count,) float64, part of the numeric columns in the distance
    metric: NDArray[Any]  # (node_count,) int8, how numeric columns are combined, a code from above
    first: NDArray[Any]  # (node_count,) int32, row of `position` with the node's first centre
    n_centres: NDArray[Any]  # (node_count,) int32
    position: NDArray[Any]  # (n_centres, n_slots) float64
    start: NDArray[Any]  # (n_features + 1,) int32, first slot of each column
    nominal: NDArray[Any]  # (n_features,) bool
    offset: NDArray[Any]  # (n_features,) float64, value of a numeric column that is 0 on its scale
    scale: NDArray[Any]  # (n_features,) float64, distance of values that is 1 on its scale

    def frozen(self) -> Centres:
        """Return the centres with read-only arrays."""
        return Centres(
            *(
                frozen(f"{name} of the centres", array, like.dtype, like.ndim)
                for name, array, like in zip(self._fields, self, NO_CENTRES, strict=True)
            )
        )

    def of_nodes(
        self, nodes: NDArray[np.integer[Any]], is_leaf: NDArray[np.bool_]
    ) -> Centres | None:
        """Return the centres of some nodes except leaves, or None if there are none.

        Shapes: `nodes`, `is_leaf` (n_nodes,).
        `nodes`, `is_leaf`: their numbers in this tree, and a mask of those that are leaves now.
        """
        n_centres = np.where(is_leaf, 0, self.n_centres[nodes]).astype(np.int32)
        if not n_centres.any():
            return None
        first = (np.cumsum(n_centres) - n_centres).astype(np.int32)
        places = np.repeat(self.first[nodes] - first, n_centres) + np.arange(n_centres.sum())
        return self._replace(
            weight=np.where(is_leaf[:, None], 0.0, self.weight[nodes]),
            gamma=np.where(is_leaf, 0.0, self.gamma[nodes]),
            metric=self.metric[nodes],
            first=first,
            n_centres=n_centres,
            position=self.position[places],
        )


NO_CENTRES = Centres(
    weight=np.empty((0, 0)),
    gamma=np.empty(0),
    metric=np.empty(0, np.int8),
    first=np.empty(0, np.int32),
    n_centres=np.empty(0, np.int32),
    position=np.empty((0, 0)),
    start=np.zeros(1, np.int32),
    nominal=np.empty(0, np.bool_),
    offset=np.empty(0),
    scale=np.empty(0),
)

# Most trees have no centres, and making these views anew took a fifth of making a tree.
_VIEWS_OF_NONE = tuple(map(engine.view, NO_CENTRES))


class Tests(NamedTuple):
    """The tests of a tree: fields of a `Tree`, with empty arrays for the kinds that it lacks."""

    children_ptr: NDArray[Any]  # (node_count + 1,) int32
    children: NDArray[Any]  # (n_edges,) int32
    feature: NDArray[Any]  # (node_count,) int32
    threshold: NDArray[Any]  # (node_count,) float64
    subset: NDArray[Any]  # (node_count,) int32, -1 where no subset of levels is tested
    left_levels: LevelSets  # or empty
    normals: NDArray[Any]  # (node_count or 0, n_features) float64
    missing_branch: NDArray[Any]  # (node_count or 0,) bool
    centres: Centres  # or empty

    def bundle(self) -> engine.View:
        """Return all arrays as one argument of the engine."""
        *plain, left_levels, normals, missing_branch, centres = self
        n_levels = np.array([left_levels.n_levels])
        last = _VIEWS_OF_NONE if centres is NO_CENTRES else centres
        return engine.bundle(*plain, left_levels.bits, n_levels, normals, missing_branch, *last)

    def of_nodes(
        self, nodes: NDArray[np.integer[Any]], is_leaf: NDArray[np.bool_]
    ) -> dict[str, Any]:
        """Return the fields other than features and thresholds for `Tree.tests_of`."""
        normals = missing_branch = None
        if len(self.normals):
            normals = np.where(is_leaf[:, None], 0.0, self.normals[nodes])
        if len(self.missing_branch):
            missing_branch = self.missing_branch[nodes] & ~is_leaf
        return {
            **keep_used_subsets(np.where(is_leaf, -1, self.subset[nodes]), self.left_levels),
            "normals": normals,
            "missing_branch": missing_branch,
            "centres": None
            if self.centres is NO_CENTRES
            else self.centres.of_nodes(nodes, is_leaf),
        }
