"""Independent component analysis, with the same bits on every processor."""

from __future__ import annotations

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from retree import engine
from retree.arithmetic import row_sums
from retree.trees.declaring import declare
from retree.trees.latent.folding import project
from retree.trees.latent.transforms import LinearTransform, SVDRotation, signed

_MAX_ROUNDS = 200
_TOLERANCE = 1e-4
_ORTHOGONAL = 1e-8  # its square, which the last round leaves, is rounding
_SATURATED = 20.0  # beyond this tanh is 1 to rounding


@declare()
class IndependentComponents(LinearTransform):
    """Independent component analysis by FastICA, of as many components as the rows have rank.

    The rows are centred and whitened by `SVDRotation`. All components are then found together, with
    log cosh as the measure of how far they are from normal. The iteration ends when no component
    turns by more than 1e-4 (1 - the cosine of the angle), and after 200 rounds at the latest: rows
    that are normally distributed have no independent components to find.

    Each component has variance 1 over the rows, and a sign as in `SVDRotation`. Their order is that
    of the random start.

    Parameters
    ----------
    random_state : int, RandomState or None
        Draws the start.

    Attributes
    ----------
    components_ : ndarray of shape (rank, n_features)
        Unmixing matrix.
    mean_ : ndarray of shape (n_features,)
    n_iter_ : int
        Rounds of the iteration.

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
            If the data is not as described.
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
    """Return the rotation of whitened rows to independent components, and the rounds it took."""
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
    found = matrix / np.sqrt(row_sums(np.abs(project(matrix, matrix))).max())
    for _ in range(_MAX_ROUNDS):
        gram = project(found, found)
        found = 1.5 * found - 0.5 * project(gram, found.T)
        if np.abs(gram - np.eye(len(found))).max() < _ORTHOGONAL:
            break
    return found


def _tanh(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the hyperbolic tangent of each value."""
    doubled = 2 * x.clip(-_SATURATED, _SATURATED)
    powers = np.empty(x.shape)
    engine.call("exp", doubled.reshape(-1), powers.reshape(-1))
    return 1 - 2 / (powers + 1)
