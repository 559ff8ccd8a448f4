"""Sets of levels, as bits."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from retree.trees.frozen import frozen


class LevelSets(NamedTuple):
    """Sets of levels of a categorical feature: a bit for each set and level."""

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
        """Return the `mask`, as which numpy and digests see the sets."""
        return np.asarray(self.mask, dtype)

    def levels(self, row: int) -> list[int]:
        """Return the levels of a set, ascending."""
        found: list[int] = self.take([row]).mask[0].nonzero()[0].tolist()
        return found

    def take(self, rows: Any) -> LevelSets:
        """Return some of the sets."""
        return LevelSets(self.bits[rows], self.n_levels)

    def frozen(self) -> LevelSets:
        """Return the sets in memory that nobody can change."""
        return LevelSets(frozen("left_levels", self.bits, "uint8", 2), int(self.n_levels))


NO_LEVELS = LevelSets(np.empty((0, 0), np.uint8), 0)


def keep_used_subsets(
    subset: NDArray[np.integer[Any]], left_levels: LevelSets | None
) -> dict[str, Any]:
    """Return the fields `subset` and `left_levels` of a tree, without the rows that no node tests.

    Shapes: `subset` (node_count,).
    `subset`: row of `left_levels` that each node tests, -1 for none.
    """
    used = subset >= 0
    if left_levels is None or not used.any():
        return {"subset": None, "left_levels": None}
    renumbered = np.full(len(subset), -1, np.int32)
    renumbered[used] = np.arange(used.sum())
    return {"subset": renumbered, "left_levels": left_levels.take(subset[used])}
