"""Relief-F (Kononenko 1994): weigh numeric and categorical columns by nearest neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from retree import engine
from retree.trees.categories import as_table
from retree.trees.declaring import declare, parameter
from retree.trees.mixed import MixedInput
from retree.trees.parameters import WithCategories
from retree.trees.rows import input_names
from retree.trees.validation import none_or, number, whole

if TYPE_CHECKING:
    from retree.trees.declaring import SelectorMixin
else:  # It imports half of scikit-learn, which no tree needs.
    from sklearn.feature_selection import SelectorMixin


def measure_columns(
    X: NDArray[np.float64], nominal: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the offset and the scale that give each column the range 1.

    Shapes: `X` (n_samples, n_features), `nominal` (n_features,).
    Returns offset 0 and scale 1 for categorical columns and columns without values, and scale 1 for
    constant columns.
    """
    # One column at a time: all at once would need as much memory as X again.
    low, high = np.full(len(nominal), np.inf), np.full(len(nominal), -np.inf)
    for j, column in enumerate(X.T):
        present = column[~np.isnan(column)]
        if len(present):
            low[j], high[j] = present.min(), present.max()
    measured = ~nominal & (low <= high)
    offset = np.where(measured, low, 0.0)
    with np.errstate(over="ignore"):
        scale = np.where(measured, high, 1.0) - offset
    if np.isinf(scale).any():
        column = int(np.flatnonzero(np.isinf(scale))[0])
        raise ValueError(f"The range of column {column} overflows; divide the column by 10.")
    return offset, np.where(scale > 0, scale, 1.0)


def grouped_by_class(
    columns: NDArray[np.float64], y: NDArray[np.int32]
) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Return the rows sorted by class and then by value, and where each class starts.

    Shapes: `columns` (n_features, n_samples), `y` (n_samples,).
    Returns row numbers; the sorted values do not depend on the original order of the rows.
    Returns `class_start`: in the sorted order, class c has the rows
    ``class_start[c]:class_start[c + 1]``.
    """
    order = np.lexsort((*columns[::-1], y))
    return order, np.concatenate(([0], np.cumsum(np.bincount(y)))).astype(np.int64)


@declare()
class ReliefF(SelectorMixin, WithCategories, MixedInput):
    """Select columns by the weights of Relief-F.

    The weight of a column is high if it differs between neighbours of different classes and agrees
    between neighbours of the same class. It is a mean over rows R: the column's difference between
    R and its nearest rows of each other class, minus the difference between R and its nearest rows
    of its own class. Another class C counts with its share among the classes that R does not have,
    ``p(C) / (1 - p(class(R)))``. The difference of two numbers is their distance over the column's
    range; the difference of two levels is 0 or 1. Rows are near if the sum of the differences over
    all columns is small (Liu & Song 2020, equations 3 and 4). Weights are in [-1, 1]; a constant
    column has weight 0.

    The equations leave some cases open. The following rules settle them, so no weight depends on
    the order of the rows. Rows that tie for the last places among the neighbours (to 1e-9) share
    these places, which is the mean over random choices. A class with fewer rows than `n_neighbors`
    counts with the mean over the rows it has. The only row of a class has no neighbours of its own
    class, so that term is left out. For a missing value (NaN) the difference is the expected one if
    the value is drawn from the known values of its class, or of all rows if the class has none; for
    levels that is Kononenko's ``1 - p(value | class)``. A column without any values has weight 0.

    The time is O(m n p) for n rows, of which m are drawn, and p columns; by default it grows with
    the square of the number of rows.

    `transform` keeps missing values in the selected columns, for trees such as `C45Classifier` that
    handle them. It refuses missing values if `fit` saw none, because the next step of a pipeline
    has not seen any either. It always refuses infinite numbers, which have no place in a range.

    Parameters
    ----------
    n_neighbors : int
        Number of nearest neighbours in each class.
    n_samples : int or None
        Number of rows, drawn without replacement, that are compared with their neighbours; None
        means all rows.
    threshold : float or None
        Columns with a greater weight are selected. None means 0, or no threshold if
        `n_features_to_select` is set.
    n_features_to_select : int or None
        Number of columns to select: those with the highest weights, the first ones where weights
        tie.
    random_state : int, RandomState or None
        Draws the rows if `n_samples` is not None.

    Attributes
    ----------
    feature_weights_ : ndarray of shape (n_features,)
        Weight of each column.
    n_features_in_ : int
        Number of columns seen in `fit`.

    References
    ----------
    Kononenko I. (1994). Estimating attributes: analysis and extensions of RELIEF. European
    Conference on Machine Learning, 171-182.

    Robnik-Sikonja M. and Kononenko I. (2003). Theoretical and empirical analysis of ReliefF and
    RReliefF. Machine Learning 53, 23-69.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from retree import ReliefF
    >>> X, y = load_iris(return_X_y=True)
    >>> relief = ReliefF(n_features_to_select=2).fit(X, y)
    >>> relief.feature_weights_.round(2)
    array([0.14, 0.12, 0.36, 0.38])
    >>> relief.transform(X).shape
    (150, 2)
    """

    n_neighbors: int = parameter(default=10, check=whole(1))
    n_samples: int | None = parameter(default=None, check=none_or(whole(1)))
    threshold: float | None = parameter(default=None, check=none_or(number()))
    n_features_to_select: int | None = parameter(default=None, check=none_or(whole(1)))
    random_state: int | RandomState | None = None

    _has_missing = True  # whether the rows of `fit` had missing values

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def fit(self, X: ArrayLike, y: ArrayLike) -> ReliefF:
        """Weigh the columns.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers, and any values in categorical columns; NaN where a value is missing.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter or the data is invalid, or if there is only one class.
        """
        self.check_parameters()
        sample = self.checked_sample(X, y)
        if len(self.classes_) < 2:
            label = self.classes_.tolist()[0]
            raise ValueError(f"y has only one class ({label!r}); Relief-F needs two.")
        self._has_missing = bool(np.isnan(sample.X).any())
        nominal = self.n_levels >= 0
        offset, scale = measure_columns(sample.X, nominal)
        columns = np.empty(sample.X.shape[::-1])
        for column, values, low, unit in zip(columns, sample.X.T, offset, scale, strict=True):
            column[:] = (values - low) / unit
        order, class_start = grouped_by_class(columns, sample.y)
        for column in columns:
            column[:] = column[order]
        drawn = np.arange(len(order))
        if self.n_samples is not None and self.n_samples < len(order):
            drawn = check_random_state(self.random_state).permutation(drawn)[: self.n_samples]
        weights, neighbors = np.empty(len(columns)), int(self.n_neighbors)
        drawn = np.sort(drawn).astype(np.int32)
        engine.call("relief_weights", columns, nominal, class_start, drawn, neighbors, weights)
        self.feature_weights_: NDArray[np.float64] = weights
        return self

    def transform(self, X: Any) -> Any:
        """Return the selected columns.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_selected_features)
            A DataFrame if `set_output` asks for one.

        Raises
        ------
        ValueError
            If there are infinite numbers, or missing values although `fit` saw none.
        """
        selected = self.get_support()
        self.checked_rows(X)
        if not self._has_missing:
            missing = pd.DataFrame(as_table(X)).isna().to_numpy().any(axis=0) & selected
            if missing.any():
                names = [input_names(self)[j] for j in np.flatnonzero(missing)]
                raise ValueError(
                    f"Input X contains NaN in the columns {names}, but the rows that ReliefF was "
                    "fitted on had no missing values: fill them in, for example with "
                    "sklearn.impute.SimpleImputer, or fit on rows with missing values."
                )
        return super().transform(X)

    def _get_support_mask(self) -> NDArray[np.bool_]:
        """Return a mask of the selected columns."""
        check_is_fitted(self)
        weights, least = self.feature_weights_, self.threshold
        if least is None:
            least = 0.0 if self.n_features_to_select is None else -np.inf
        selected: NDArray[np.bool_] = weights > least
        if self.n_features_to_select is not None:
            selected[np.argsort(-weights, kind="stable")[self.n_features_to_select :]] = False
        return selected
