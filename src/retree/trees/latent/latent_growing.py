"""Growing trees on latent features, and expressing their tests in the original features."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from retree.trees.latent.base_learner import BaseLearner
from retree.trees.latent.transforms import (
    IndependentComponents,
    LinearTransform,
    SVDRotation,
    center_thresholds,
    fold,
    project,
    rotation,
)
from retree.trees.mixed import Sample
from retree.trees.tree import OBLIQUE, Tree
from retree.trees.validation import check_choice

_NO_PARENT = -1


class Pool(NamedTuple):
    """The labelled and unlabelled rows that transforms are fitted to."""

    X: NDArray[np.float64]  # Shape (n_samples, n_features)
    weight: NDArray[np.float64]  # Shape (n_samples,)

    def take(self, rows: NDArray[np.bool_]) -> Pool:
        """Return the pool restricted to some `rows`."""
        return Pool(self.X[rows], self.weight[rows])

    def rotate(self) -> NDArray[np.float64]:
        """Return the directions of latent features by SVD, shape (n_latent, n_features)."""
        return as_directions(rotation(self.X, self.weight)[0])


def to_latent(
    sample: Sample, directions: NDArray[np.float64]
) -> tuple[Sample, NDArray[np.float64]]:
    """Return the sample in latent features, and their directions, without those that do not vary.

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
    """Grow the unpruned tree, with thresholds in the middle between neighbouring values."""
    return center_thresholds(learner.grow(sample, depth, only_root), sample.X)


def grow_latent(
    learner: BaseLearner,
    sample: Sample,
    directions: NDArray[np.float64],
    depth: int = 0,
    only_root: bool = False,
) -> Tree:
    """Grow the unpruned tree on latent features; return it with tests of the original features."""
    latent, directions = to_latent(sample, directions)
    return fold(grow_centered(learner, latent, depth, only_root), directions)


def grow_local(
    learner: BaseLearner, sample: Sample, pool: Pool, levels: int | None, below: str
) -> Tree:
    """Grow the unpruned tree whose top-level nodes test latent features of their own rows.

    The paper passes rotated rows down, so that a node rotates rows that are already rotated (Fig.
    4). That makes no difference: rotated rows have the same latent features, up to their signs, as
    the original rows. So each node gets the original rows.

    `below`: features that the nodes below test: "original", or those of their last rotation
    ("rotated").
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
            below_branch = (
                part.take(tree.apply(part.X) == child),
                rows.take(tree.apply(rows.X) == child),
            )
            stack.append((*below_branch, depth + 1, node))
    return draft.tree()


class _Draft:
    """A tree that is assembled depth first, from whole subtrees and single tests."""

    def __init__(self) -> None:
        self.parts: list[tuple[NDArray[Any], ...]] = []
        self.n_nodes = 0

    def add(self, tree: Tree, only_root: bool, parent: int) -> int:
        """Add a subtree, or only its first test, as a branch of `parent`; return its number."""
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


_EPS = float(np.finfo(np.float64).eps)
_LINEAR = 1e-6  # as a share of the greatest latent value
_ROUNDING = 10  # rounding errors a term that a latent value may have

NAMED = {
    "svd": lambda random_state: SVDRotation(),
    "pca": lambda random_state: SVDRotation(center=True),
    "ica": lambda random_state: IndependentComponents(random_state=random_state),
}


def make_transformer(transformer: Any, random_state: Any) -> Any:
    """Return an unfitted transformer: the one with this name, or a clone of `transformer`."""
    if isinstance(transformer, str):
        check_choice("transformer", transformer, NAMED)
        return NAMED[transformer](random_state)
    if isinstance(transformer, type) or not hasattr(transformer, "transform"):
        raise TypeError(
            f"transformer must be one of {', '.join(map(repr, NAMED))} or a linear transformer "
            f"such as PCA(), got {transformer!r}."
        )
    return clone(transformer)


def fit_directions(
    transformer: Any, rows: NDArray[np.float64], weight: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Fit a linear transformer and return its ``components_`` as directions of latent features.

    Shapes: `rows` (n_samples, n_features), `weight` (n_samples,), result (n_components,
    n_features).
    """
    name = type(transformer).__name__
    if has_fit_parameter(transformer, "sample_weight"):
        transformer.fit(rows, sample_weight=weight)
    elif np.ptp(weight) > 0:
        raise ValueError(
            f"{name} takes no sample weights; leave sample_weight out, or use 'svd' or 'pca'."
        )
    else:
        transformer.fit(rows)
    if not isinstance(transformer, LinearTransform):
        _check_linear(transformer, rows)
    return as_directions(transformer.components_)


def _check_linear(transformer: Any, rows: NDArray[np.float64]) -> None:
    """Raise unless a fitted transformer computes what its ``components_`` and ``mean_`` say."""
    components = getattr(transformer, "components_", None)
    if components is not None:
        expected = (rows - getattr(transformer, "mean_", 0.0)) @ np.transpose(components)
        latent = np.asarray(transformer.transform(rows))
        slack = _LINEAR * np.abs(expected).max(initial=0.0)
        if latent.shape == expected.shape and (np.abs(latent - expected) <= slack).all():
            return
    raise ValueError(
        f"{type(transformer).__name__} cannot be folded into a tree; use a transformer that "
        "returns (X - mean_) @ components_.T, such as PCA(whiten=False)."
    )


def as_directions(components: ArrayLike) -> NDArray[np.float64]:
    """Return the components in C order; a component of one feature gets the coefficient 1."""
    directions = np.array(components, np.float64, order="C")
    alone = np.count_nonzero(directions, axis=1) == 1
    directions[alone] = directions[alone] != 0
    return directions


def vary(
    latent: NDArray[np.float64], rows: NDArray[np.float64], directions: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Return a mask of the latent features in which rows differ by more than rounding errors.

    Shapes: `latent` (n_samples, n_latent), `rows` (n_samples, n_features), `directions` (n_latent,
    n_features).
    """
    most = np.maximum(rows.max(axis=0), -rows.min(axis=0))
    largest = project(most[None, :], np.abs(directions))[0]
    extent = latent.max(axis=0) - latent.min(axis=0)
    is_varied: NDArray[np.bool_] = extent > _ROUNDING * rows.shape[1] * _EPS * largest
    return is_varied
