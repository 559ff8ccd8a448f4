"""Linear transforms to latent features, and rewriting tests of these in the original features."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from retree import engine
from retree.arithmetic import row_sums, sum_of
from retree.trees.declaring import Declared, TransformerMixin, declare
from retree.trees.tree import LEAF, OBLIQUE, Tree
from retree.trees.validation import check_weights


def center_thresholds(tree: Tree, X: NDArray[np.float64]) -> Tree:
    """Return the tree with each threshold moved to the middle between neighbouring values.

    Shapes: `X` (n_samples, n_features).
    `X`: the rows that the tree was grown on; each stays in its leaf.
    """
    nearest = np.empty((tree.node_count, 2))
    engine.call("gaps", X, tree.children_ptr, tree.children, tree.feature, tree.threshold, nearest)
    low, high = nearest[~tree.is_leaf].T
    middle = low / 2 + high / 2
    threshold = tree.threshold.copy()
    threshold[~tree.is_leaf] = np.where((low <= middle) & (middle < high), middle, low)
    return replace(tree, threshold=threshold)


def project(X: NDArray[np.float64], directions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the dot product of each row with each direction, shape (n_samples, n_directions).

    The terms are added in the order of the features, as in an oblique test, so that a row is on the
    same side of a threshold in training and in prediction.
    """
    latent = np.empty((len(X), len(directions)))
    engine.call("project", np.ascontiguousarray(X), np.ascontiguousarray(directions), latent)
    return latent


def fold(tree: Tree, directions: NDArray[np.float64]) -> Tree:
    """Return the tree with tests of latent features rewritten as tests of original features.

    Shapes: `directions` (n_latent, n_features).
    `directions`: coefficients of the latent features; if there is only one, it is 1.
    """
    inner = np.flatnonzero(~tree.is_leaf)
    tested = directions[tree.feature[inner]]
    is_oblique = np.count_nonzero(tested, axis=1) > 1
    feature = np.full(tree.node_count, LEAF, np.int32)
    feature[inner] = np.where(is_oblique, OBLIQUE, (tested != 0).argmax(axis=1))
    normals = None
    if is_oblique.any():
        normals = np.zeros((tree.node_count, directions.shape[1]))
        normals[inner[is_oblique]] = tested[is_oblique]
    return replace(tree, n_features=directions.shape[1], feature=feature, normals=normals)


def unfold(tree: Tree) -> tuple[Tree, NDArray[np.float64]]:
    """Return the tree with its weighted sums as features, and their coefficients, undoing `fold`.

    Shapes: result (n_sums, n_features).
    """
    inner = np.flatnonzero(~tree.is_leaf)
    is_oblique = tree.feature[inner] == OBLIQUE
    tested = np.zeros((len(inner), tree.n_features))
    tested[~is_oblique, tree.feature[inner[~is_oblique]]] = 1.0
    if tree.normals is not None:
        tested[is_oblique] = tree.normals[inner[is_oblique]]
    directions, which = np.unique(tested, axis=0, return_inverse=True)
    feature = tree.feature.copy()
    feature[inner] = which
    return replace(tree, n_features=len(directions), feature=feature, normals=None), directions


_EPS = float(np.finfo(np.float64).eps)
_TIE = 1e-6  # coefficients whose sizes differ by less, as a share, are tied


class LinearTransform(TransformerMixin, Declared):
    """Latent features that are weighted sums of the features.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Coefficients of each latent feature.
    mean_ : ndarray of shape (n_features,)
        Vector that is first subtracted from each row.
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
    """Rotation to the left singular vectors of the matrix of features x rows (eqs. 6-13).

    Let X = U S V' have the shape features x rows. Then the latent features Y = U'X are orthogonal.
    Rows are neither centred nor scaled; with `center` it is a principal component analysis.

    Latent features are in descending order of their singular values. Those whose singular value is
    zero except for rounding are left out, because the rows do not differ along them and no tree can
    split there. The limit is ``max(X.shape)`` times the machine epsilon times the largest singular
    value, to which the size of a subtracted mean is added. Of the coefficients that are largest in
    absolute value, the first is positive. Coefficients within rounding errors of zero are set to
    zero. If singular values are equal, any orthogonal basis of their common space serves as
    singular vectors, so rows that differ only by rounding can have quite different latent features.

    Parameters
    ----------
    center : bool
        Whether the mean of the rows is subtracted first.

    Attributes
    ----------
    components_ : ndarray of shape (rank, n_features)
        Transposed left singular vectors.
    singular_values_ : ndarray of shape (rank,)
        Singular values in descending order.
    mean_ : ndarray of shape (n_features,)
        Mean of the rows; zeros unless `center` is set.

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
            Weights, not negative; a weight of 2 counts like the same row twice.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If the data is invalid.
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
    `mean`: the mean that was subtracted from the rows, which sets the size of rounding errors.
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


_MAX_ROUNDS = 200
_TOLERANCE = 1e-4
_ORTHOGONAL = 1e-8  # its square, which the last round leaves, is rounding
_SATURATED = 20.0  # beyond this tanh is 1 to rounding


@declare()
class IndependentComponents(LinearTransform):
    """Independent component analysis by FastICA, with as many components as the rank of the rows.

    `SVDRotation` centres and whitens the rows. Then all components are found together; log cosh
    measures how far they are from a normal distribution. The iteration ends when 1 minus the cosine
    of the angle by which a component turns is at most 1e-4 for all of them, or after 200 rounds. It
    may not converge: normally distributed rows have no independent components.

    Each component has variance 1 over the rows, and its sign is fixed as in `SVDRotation`. The
    order of the components depends on the random start.

    Parameters
    ----------
    random_state : int, RandomState or None
        Draws the starting point.

    Attributes
    ----------
    components_ : ndarray of shape (rank, n_features)
        Unmixing matrix.
    mean_ : ndarray of shape (n_features,)
    n_iter_ : int
        Number of rounds of the iteration.

    References
    ----------
    Hyvärinen A. (1999). Fast and robust fixed-point algorithms for independent component analysis.
    IEEE Transactions on Neural Networks 10(3), 626-634.

    Examples
    --------
    >>> rows = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]])
    >>> IndependentComponents(random_state=0).fit(rows).components_.shape
    (1, 2)
    """

    random_state: int | RandomState | None = None

    def fit(self, X: ArrayLike, y: object = None) -> IndependentComponents:
        """Find the components.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If the data is invalid.
        """
        rows = validate_data(self, X, dtype=np.float64)
        principal = SVDRotation(center=True).fit(rows)
        self.mean_, axes = principal.mean_, principal.components_
        rng, rank = check_random_state(self.random_state), len(axes)
        start = _orthogonal(rng.uniform(-1, 1, (rank, rank)))
        whitening = axes * (np.sqrt(len(rows)) / principal.singular_values_)[:, None]
        turn, self.n_iter_ = _unmix(project(rows - self.mean_, whitening), start)
        self.components_ = signed(project(turn, whitening.T))
        return self


def _unmix(
    white: NDArray[np.float64], turn: NDArray[np.float64]
) -> tuple[NDArray[np.float64], int]:
    """Return the rotation from whitened rows to independent components, and the rounds taken."""
    columns, n = white.T, len(white)
    n_rounds, moves = 0, True
    while moves and n_rounds < _MAX_ROUNDS:
        n_rounds += 1
        slopes = _tanh(project(white, turn)).T
        curvature = row_sums(1 - slopes**2) / n
        new = _orthogonal(project(slopes, columns) / n - curvature[:, None] * turn)
        moves = bool((np.abs(row_sums(new * turn)) < 1 - _TOLERANCE).any())
        turn = new
    return turn, n_rounds


def _orthogonal(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the nearest matrix with orthonormal rows, by the iteration of Newton and Schulz."""
    if len(matrix) == 0:
        return matrix
    # No singular value is above 1 then, and each round brings it nearer to 1.
    turned = matrix / np.sqrt(row_sums(np.abs(project(matrix, matrix))).max())
    for _ in range(_MAX_ROUNDS):
        gram = project(turned, turned)
        turned = 1.5 * turned - 0.5 * project(gram, turned.T)
        if np.abs(gram - np.eye(len(turned))).max() < _ORTHOGONAL:
            break
    return turned


def _tanh(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the hyperbolic tangent of each value."""
    doubled = 2 * x.clip(-_SATURATED, _SATURATED)
    powers = np.empty(x.shape)
    engine.call("exp", doubled.reshape(-1), powers.reshape(-1))
    return 1 - 2 / (powers + 1)
