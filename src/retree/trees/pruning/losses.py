"""What the nodes of a tree lose as leaves, in training and on rows held out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from retree import engine
from retree.trees.mixed import Sample
from retree.trees.tree import Tree, majority_class

TIE = 1e-10  # sums that differ by less than this part of the root's are equal but for rounding


def is_regression(sample: Sample) -> bool:
    """Return whether the targets of `sample` are numbers instead of class codes."""
    return bool(np.issubdtype(sample.y.dtype, np.floating))


def training_errors(tree: Tree) -> NDArray[np.float64]:
    """Return the weight of the rows of each node that are not of its majority class.

    Shapes: result (node_count,).
    """
    errors: NDArray[np.float64] = tree.weight - tree.counts.max(axis=1)
    return errors


def node_predictions(tree: Tree) -> NDArray[np.float64]:
    """Return what each node predicts as a leaf.

    Returns the class code, the first where shares tie, as `predict` has it; or the mean.
    """
    value = tree.value
    if tree.moments is not None:
        return value[:, 0]
    return majority_class(value).astype(np.float64)


def held_out_losses(
    tree: Tree, sample: Sample, divide_missing: bool = False
) -> NDArray[np.float64]:
    """Return what each node would lose as a leaf on the rows of `sample` that pass it.

    `divide_missing`: whether a row without the tested value takes all branches, with parts of its
    weight, and each part is judged where it ends (C4.5); if not, it takes the heaviest branch.
    Returns sums of the weighted losses and of the weighted squares of the losses: errors (0 or 1),
    or squared errors of a regression tree.
    """
    losses = np.empty((tree.node_count, 2))
    engine.call(
        "node_losses",
        np.ascontiguousarray(sample.X),
        sample.y.astype(np.float64),
        sample.weight,
        tree.views,
        tree.weight,
        node_predictions(tree),
        tree.moments is not None,
        divide_missing,
        losses,
    )
    return losses
