"""What a node contributes to the decision of a forest (Guo and Fan 2014)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from retree import engine


def node_contributions(
    node_shares: ArrayLike, shares: ArrayLike, labels: ArrayLike, n_trees: float
) -> NDArray[np.float64]:
    """Return Con(v, F, x) of nodes and rows, eqs. (6) to (9).

    In all four cases it is what the node's shares p^v speak for the row's class y rather than for
    another, over M gap + 1. If the node is right, eqs. (6) and (7), the other class is the rival:
    the class that the forest decides on, or the runner-up if that is right; else, eqs. (8) and (9),
    it is the node's own choice. The gap is how much the forest prefers its decision to y, or to the
    runner-up. `ForestThinner` sums these over the rows of a node.

    Shapes: `node_shares` (n_rows, n_classes), `shares` (n_rows, n_classes), `labels` (n_rows,),
    result (n_rows,).
    `node_shares`: class shares p^v of the node that is asked for each row.
    `shares`: class shares of the forest for each row.
    """
    of_node, of_forest = (np.ascontiguousarray(s, np.float64) for s in (node_shares, shares))
    found, codes = np.empty(len(of_forest)), np.ascontiguousarray(labels, np.int64)
    engine.call("contributions", of_node, of_forest, codes, n_trees, found)
    return found
