"""Directions of latent features, from the transformer of a user."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from retree.trees.latent.folding import project
from retree.trees.latent.independent import IndependentComponents
from retree.trees.latent.transforms import LinearTransform, SVDRotation
from retree.trees.validation import check_choice

_EPS = float(np.finfo(np.float64).eps)
_LINEAR = 1e-6  # as a share of the greatest latent value
_ROUNDING = 10  # rounding errors a term that a latent value may have

NAMED = {
    "svd": lambda random_state: SVDRotation(),
    "pca": lambda random_state: SVDRotation(center=True),
    "ica": lambda random_state: IndependentComponents(random_state=random_state),
}


def make_transformer(transformer: Any, random_state: Any) -> Any:
    """Return the unfitted transformer of a name, or a clone of `transformer`."""
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
    """Raise unless a fitted transformer does what its ``components_`` and ``mean_`` say."""
    components = getattr(transformer, "components_", None)
    if components is not None:
        expected = (rows - getattr(transformer, "mean_", 0.0)) @ np.transpose(components)
        latent = np.asarray(transformer.transform(rows))
        slack = _LINEAR * np.abs(expected).max(initial=0.0)
        if latent.shape == expected.shape and (np.abs(latent - expected) <= slack).all():
            return
    raise ValueError(
        f"{type(transformer).__name__} cannot be folded into a tree; take a transformer that "
        "returns (X - mean_) @ components_.T, such as PCA(whiten=False)."
    )


def as_directions(components: ArrayLike) -> NDArray[np.float64]:
    """Return the components, those of a single feature as that feature itself; in C order."""
    directions = np.array(components, np.float64, order="C")
    alone = np.count_nonzero(directions, axis=1) == 1
    directions[alone] = directions[alone] != 0
    return directions


def vary(
    latent: NDArray[np.float64], rows: NDArray[np.float64], directions: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Return in which latent features rows differ by more than the rounding of their sums.

    Shapes: `latent` (n_samples, n_latent), `rows` (n_samples, n_features), `directions` (n_latent,
    n_features).
    """
    most = np.maximum(rows.max(axis=0), -rows.min(axis=0))
    largest = project(most[None, :], np.abs(directions))[0]
    extent = latent.max(axis=0) - latent.min(axis=0)
    is_varied: NDArray[np.bool_] = extent > _ROUNDING * rows.shape[1] * _EPS * largest
    return is_varied
