"""Centres of clusters, to the nearest of which a test sends a row."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from retree.trees.frozen import frozen

MANHATTAN, EUCLIDEAN, SQEUCLIDEAN = 0, 1, 2


class Centres(NamedTuple):
    """Centres of clusters of rows with numeric and categorical columns, node after node.

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
        """Return the centres with arrays that nobody can change."""
        return Centres(
            *(
                frozen(f"{name} of the centres", array, like.dtype, like.ndim)
                for name, array, like in zip(self._fields, self, NO_CENTRES, strict=True)
            )
        )

    def of_nodes(
        self, nodes: NDArray[np.integer[Any]], is_leaf: NDArray[np.bool_]
    ) -> Centres | None:
        """Return the centres of some nodes, without those of leaves; None if none are left.

        Shapes: `nodes`, `is_leaf` (n_nodes,).
        `nodes`, `is_leaf`: their numbers here, and which of them are leaves now.
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
