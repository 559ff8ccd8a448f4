"""Growing trees on latent features, and folding the latent features into their tests."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from retree.trees.latent.base_learner import BaseLearner
from retree.trees.latent.directions import as_directions, vary
from retree.trees.latent.folding import center_thresholds, fold, project
from retree.trees.latent.transforms import rotation
from retree.trees.mixed import Sample
from retree.trees.tree import OBLIQUE, Tree

_NO_PARENT = -1


class Pool(NamedTuple):
    """The rows that transforms are found from: labelled ones and others."""

    X: NDArray[np.float64]  # Shape (n_samples, n_features)
    weight: NDArray[np.float64]  # Shape (n_samples,)

    def take(self, rows: NDArray[np.bool_]) -> Pool:
        """Return the pool of some `rows`."""
        return Pool(self.X[rows], self.weight[rows])

    def rotate(self) -> NDArray[np.float64]:
        """Return the directions of the latent features by SVD, shape (n_latent, n_features)."""
        return as_directions(rotation(self.X, self.weight)[0])


def to_latent(
    sample: Sample, directions: NDArray[np.float64]
) -> tuple[Sample, NDArray[np.float64]]:
    """Return the sample in the latent features in which its rows differ, and their directions.

    Shapes: `directions` (n_latent, n_features).
    """
    latent = project(sample.X, directions)
    kept = vary(latent, sample.X, directions)
    if not kept.all():
        latent, directions = np.ascontiguousarray(latent[:, kept]), directions[kept]
    return sample._replace(X=latent), directions


def grow_centered(
    learner: BaseLearner, sample: Sample, depth: int = 0, only_root: bool = False
) -> Tree:
    """Return the unpruned tree with thresholds in the middle between its rows' values."""
    return center_thresholds(learner.grow(sample, depth, only_root), sample.X)


def grow_latent(
    learner: BaseLearner,
    sample: Sample,
    directions: NDArray[np.float64],
    depth: int = 0,
    only_root: bool = False,
) -> Tree:
    """Return the unpruned tree that is grown on latent features, over the original ones."""
    latent, directions = to_latent(sample, directions)
    return fold(grow_centered(learner, latent, depth, only_root), directions)


def grow_local(
    learner: BaseLearner, sample: Sample, pool: Pool, levels: int | None, below: str
) -> Tree:
    """Return the unpruned tree whose top levels test latent features of their own nodes' rows.

    The paper hands rotated rows down, so a node rotates what is rotated already (Fig. 4). Rotations
    do not add up: the singular vectors of rotated rows are those of the rows as they were. So each
    node is given the latter, with the same latent features, up to their signs.

    `below`: attributes of the nodes below: the original ones or those of their last rotation.
    """
    draft = _Draft()
    stack: list[tuple[Sample, Pool, int, int]] = [(sample, pool, 0, _NO_PARENT)]
    while stack:
        part, rows, depth, parent = stack.pop()
        if depth == levels:
            only_root = False
            tree = grow_centered(learner, part, depth)
        else:
            # The last rotation serves the whole subtree if it is handed down.
            only_root = below == "original" or depth + 1 != levels
            tree = grow_latent(learner, part, rows.rotate(), depth, only_root)
        node = draft.add(tree, only_root, parent)
        if not only_root or tree.node_count == 1:
            continue
        for branch in (1, 0):
            child = tree.children_of(0)[branch]
            own = part.take(tree.apply(part.X) == child), rows.take(tree.apply(rows.X) == child)
            stack.append((*own, depth + 1, node))
    return draft.tree()


class _Draft:
    """A tree in parts, which come depth first: whole subtrees, and single tests."""

    def __init__(self) -> None:
        self.parts: list[tuple[NDArray[Any], ...]] = []
        self.n_nodes = 0

    def add(self, tree: Tree, only_root: bool, parent: int) -> int:
        """Add a subtree, or its first test alone, as a branch of `parent`; return its number."""
        number = self.n_nodes
        kept = slice(1 if only_root else None)
        parents = np.append(parent, tree.parents[1:] + number)
        normals = tree.normals
        if normals is None:
            normals = np.zeros((tree.node_count, tree.n_features))
        nodes = (parents, tree.feature, tree.threshold, tree.counts, normals)
        self.parts.append(tuple(values[kept] for values in nodes))
        self.n_nodes += len(self.parts[-1][0])
        return number

    def tree(self) -> Tree:
        """Return the whole tree."""
        parents, feature, threshold, counts, normals = (
            np.concatenate(values) for values in zip(*self.parts, strict=True)
        )
        return Tree.from_parents(
            parents,
            n_features=normals.shape[1],
            feature=feature,
            threshold=threshold,
            counts=counts,
            normals=normals if (feature == OBLIQUE).any() else None,
        )
