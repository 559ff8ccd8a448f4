"""How well two features set classes apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Pair:
    """Two features, the lower first, and the scatter ratio of the classes in their plane."""

    first: int
    second: int
    scatter_ratio: float


def best_pair(X: Matrix, codes: NDArray[np.intp]) -> Pair:
    """Return the two features with the highest scatter ratio, ties to the lowest.

    The scatter ratio of a plane is Fisher's criterion ``trace(W^-1 B)``, W and B the scatter
    matrices within and between the classes (Fukunaga 1990, eq. 10.5). It does not change under
    scaling, shifting or turning within the plane. A plane in which the classes have no spread
    within a direction (W singular) has the ratio 0.

    Shapes: `X` (n_samples, n_features), `codes` (n_samples,).
    """
    if X.shape[1] < 2:
        raise ValueError(f"A plane needs two features, but X has {X.shape[1]}.")
    within, between = _scatter(X, codes)
    first, second = np.triu_indices(X.shape[1], k=1)
    a, b, c = within[first, first], within[first, second], within[second, second]
    # trace(W^-1 B) of a 2 x 2 matrix W, by its adjugate.
    mixed = c * between[first, first] + a * between[second, second] - 2 * b * between[first, second]
    determinant = a * c - b * b
    # Rounding leaves a singular matrix a determinant of either sign.
    regular = determinant > 1e-12 * a * c
    ratio = np.divide(mixed, determinant, out=np.zeros_like(mixed), where=regular)
    best = int(ratio.argmax())
    return Pair(int(first[best]), int(second[best]), float(ratio[best]))


def _scatter(X: Matrix, codes: NDArray[np.intp]) -> tuple[Matrix, Matrix]:
    """Return the scatter matrices within and between classes, (n_features, n_features) each."""
    within = np.zeros((X.shape[1], X.shape[1]))
    between = np.zeros_like(within)
    centre = X.mean(axis=0)
    for code in np.unique(codes):
        rows = X[codes == code]
        mean = rows.mean(axis=0)
        within += (rows - mean).T @ (rows - mean)
        between += len(rows) * np.outer(mean - centre, mean - centre)
    return within, between
