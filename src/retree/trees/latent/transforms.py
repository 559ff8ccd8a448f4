"""Linear transforms that make latent features: rotations by SVD and PCA."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted, validate_data

from retree import engine
from retree.arithmetic import row_sums, sum_of
from retree.trees.declaring import Declared, TransformerMixin, declare
from retree.trees.latent.folding import project
from retree.trees.validation import check_weights

_EPS = float(np.finfo(np.float64).eps)
_TIE = 1e-6  # coefficients whose sizes differ by less, as a share, are tied


class LinearTransform(TransformerMixin, Declared):
    """Latent features that are weighted sums of the features.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Coefficients of each latent feature.
    mean_ : ndarray of shape (n_features,)
        What is subtracted from each row first.
    """

    components_: NDArray[np.float64]
    mean_: NDArray[np.float64]

    def transform(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return ``(X - mean_) @ components_.T``, shape (n_samples, n_components)."""
        check_is_fitted(self)
        rows: NDArray[np.float64] = validate_data(self, X, dtype=np.float64, reset=False)
        return project(rows - self.mean_, self.components_)


@declare()
class SVDRotation(LinearTransform):
    """Rotation to the left singular vectors of the matrix features x rows (eqs. 6-13).

    With X = U S V' of shape features x rows, the latent features Y = U'X are orthogonal. Rows
    are neither centred nor scaled, unless `center` makes it a principal component analysis.

    Latent features stand in the order of their singular values. Those that are zero to rounding
    (no more than max(X.shape) times the machine's epsilon times the greatest one, which counts the
    subtracted mean) are left out:
    along them no row differs from another, so a square U has nothing to split there. The first of
    the largest coefficients is positive, and coefficients within rounding error of zero
    are zero. Where singular values are equal, the singular vectors are any orthogonal basis of
    their common space: rows that rounding has moved can then have quite other latent features.

    Parameters
    ----------
    center : bool
        Whether the mean of the rows is subtracted first.

    Attributes
    ----------
    components_ : ndarray of shape (rank, n_features)
        Transposed left singular vectors.
    singular_values_ : ndarray of shape (rank,)
        Descending.
    mean_ : ndarray of shape (n_features,)
        Zeros unless `center`.

    References
    ----------
    He P., Xu X., Chen L. (2009). Latent attribute space tree classifiers. Journal of Software
    20(7), 1735-1745.

    Examples
    --------
    >>> SVDRotation().fit([[3.0, 4.0], [6.0, 8.0]]).components_
    array([[0.6, 0.8]])
    """

    center: bool = False

    def fit(
        self, X: ArrayLike, y: object = None, sample_weight: ArrayLike | None = None
    ) -> SVDRotation:
        """Find the rotation.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights, not negative; a weight of 2 is the same row twice.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If the data is not as described.
        """
        rows = validate_data(self, X, dtype=np.float64)
        weight = check_weights(sample_weight, len(rows))
        self.mean_ = np.zeros(rows.shape[1])
        if self.center:
            self.mean_ = row_sums((rows * weight[:, None]).T) / sum_of(weight)
            rows = rows - self.mean_
        self.components_, self.singular_values_ = rotation(rows, weight, self.mean_)
        return self


def rotation(
    rows: NDArray[np.float64], weight: NDArray[np.float64], mean: NDArray[np.float64] | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the transposed left singular vectors of features x rows, and the singular values.

    Shapes: `rows` (n_samples, n_features), `weight` (n_samples,), `mean` (n_features,), result
    (rank, n_features), result (rank,).
    `mean`: what has been subtracted from the rows, and has left rounding errors of its size.
    """
    n_features = rows.shape[1]
    values, vectors = engine.call("decompose", np.ascontiguousarray(rows), weight)
    size = values.max(initial=0.0)
    if mean is not None:
        size += np.sqrt(n_features * sum_of(weight)) * np.abs(mean).max()
    kept = values > max(rows.shape) * _EPS * size
    vectors = vectors[kept]
    vectors[np.abs(vectors) <= n_features * _EPS] = 0.0
    return signed(vectors), values[kept]


def signed(components: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the components with the first of their largest coefficients positive."""
    size = np.abs(components)
    first = (size >= (1 - _TIE) * size.max(axis=1, keepdims=True)).argmax(axis=1)
    return components * np.sign(components[np.arange(len(components)), first])[:, None]
