"""Trees in parts that can be put together anew, for iSAT."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from retree.trees.hybrid_criteria.growing import Grown
from retree.trees.tree import LEAF

NO_ROWS = np.empty(0, np.int64)


@dataclass
class Part:
    """A node: a leaf with its training rows, or a test ``x[feature] <= threshold`` of two parts."""

    rows: NDArray[np.int64]
    feature: int = LEAF
    threshold: float = np.nan
    children: list[Part] = field(default_factory=list)

    def leaves(self) -> list[Part]:
        """Return the leaves below, from left to right, or the part itself."""
        return [part for part, _ in self._walk() if not part.children]

    def send(self, X: NDArray[np.float64], rows: NDArray[np.int64]) -> list[NDArray[np.int64]]:
        """Return which of `rows` each of the `leaves` gets."""
        found, pending = [], [(self, rows)]
        while pending:
            part, own = pending.pop()
            if not part.children:
                found.append(own)
                continue
            left = X[own, part.feature] <= part.threshold
            pending += [(part.children[1], own[~left]), (part.children[0], own[left])]
        return found

    def flat(self) -> Grown:
        """Return the parts as nodes; inner ones have no rows."""
        parts, parents = zip(*self._walk(), strict=True)
        return Grown(
            np.array(parents),
            np.array([part.feature for part in parts], np.int32),
            np.array([part.threshold for part in parts], np.float64),
            [NO_ROWS if part.children else part.rows for part in parts],
        )

    def _walk(self) -> Iterable[tuple[Part, int]]:
        """Yield the parts, depth first, each with the number of its parent."""
        pending, n_found = [(self, -1)], 0
        while pending:
            part, parent = pending.pop()
            yield part, parent
            pending += [(child, n_found) for child in reversed(part.children)]
            n_found += 1


def parts_of(grown: Grown) -> Part:
    """Return the nodes as parts."""
    columns = zip(grown.rows, grown.feature, grown.threshold, strict=True)
    parts = [Part(rows, int(feature), float(threshold)) for rows, feature, threshold in columns]
    for part, parent in zip(parts[1:], grown.parents[1:], strict=True):
        parts[parent].children.append(part)
    return parts[0]
