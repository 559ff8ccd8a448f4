"""Checks of the rows that estimators take."""

from __future__ import annotations

import math
from typing import Any, Literal, TypeGuard, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import is_bool_dtype, is_numeric_dtype, is_object_dtype
from sklearn.base import BaseEstimator

from retree.arithmetic import row_sums
from retree.trees.categories import pandas_frame
from retree.trees.validation import check_choice

# Of rows of no more columns the engine reads all, and refuses infinite values itself.
_MOST_COLUMNS = 64

ENCODE = "encode them first, for example with sklearn.preprocessing.OneHotEncoder or OrdinalEncoder"


def input_names(estimator: Any) -> list[str]:
    """Return the column names seen in `fit`, or ``x[0], x[1], …`` if there were none."""
    if hasattr(estimator, "feature_names_in_"):
        return [str(name) for name in estimator.feature_names_in_]
    return [f"x[{j}]" for j in range(estimator.n_features_in_)]


def is_checked(X: Any, estimator: Any) -> TypeGuard[NDArray[np.float64]]:
    """Return whether scikit-learn's checks of rows to predict for would leave `X` unchanged.

    They take ten times as long as predicting one row. In case of doubt the result is False.
    """
    attributes = vars(estimator)
    if type(X) is not np.ndarray or not attributes.keys() & {"tree_", "forest_"}:
        return False
    if (
        X.ndim != 2
        or X.shape[1] != attributes.get("n_features_in_")
        or "feature_names_in_" in attributes
    ):
        return False
    are_read = "tree_" in attributes and X.shape[1] <= _MOST_COLUMNS
    if are_read and estimator.contract.missing and estimator.fill_missing is None:
        return X.dtype == np.float64 and X.flags.c_contiguous and len(X) > 0
    return are_finite(X)


def are_finite(X: NDArray[Any]) -> bool:
    """Return whether rows are a table that the engine takes, without missing or infinite values.

    The result is also False if the sum of the values overflows.
    """
    # A sum by vector instructions, in half the time of `X.sum()`; it warns of nothing.
    return _is_table(X) and math.isfinite(np.einsum("ij->", X))


def lack_infinite(X: NDArray[Any]) -> bool:
    """Return whether rows are a table that the engine takes, without infinite values."""
    return are_finite(X) or (_is_table(X) and not np.isinf(X).any())


def _is_table(X: NDArray[Any]) -> bool:
    return X.dtype == np.float64 and X.ndim == 2 and X.flags.c_contiguous and X.size > 0


def take_names(estimator: Any, table: Any) -> bool:
    """Set names and number of the columns, if scikit-learn's check of `table` would do no more.

    That check takes an eighth of the time of a small fit. Returns whether they were set.
    `table`: has two dimensions.
    """
    if type(table) is np.ndarray:
        vars(estimator).pop("feature_names_in_", None)
        estimator.n_features_in_ = table.shape[1]
        return True
    if not isinstance(table, pd.DataFrame) or not table.shape[1]:
        return False
    names = np.asarray(table.columns, dtype=object)
    if any(type(name) is not str for name in names):
        return False
    estimator.feature_names_in_, estimator.n_features_in_ = names, len(names)
    return True


def one_row(row: Any, estimator: Any) -> Any:
    """Return one row as a table, with the column names that `estimator` has seen.

    Shapes: `row` (n_features,), result (1, n_features).
    """
    if isinstance(row, pd.Series):
        row = pd.DataFrame([row.to_numpy()], columns=row.index)
    frame = pandas_frame(row)
    row = row if frame is None else frame
    if not isinstance(row, pd.DataFrame):
        names = vars(estimator).get("feature_names_in_")
        row = np.asarray(row, object if isinstance(row, list | tuple) else None)
        if row.ndim == 0:
            raise ValueError("Pass one row as a list, an array, a Series or a DataFrame.")
        row = row[None, :] if row.ndim == 1 else row
        if names is not None and row.ndim == 2 and row.shape[1] == len(names):
            row = pd.DataFrame(row, columns=names)
    if len(row) != 1:
        raise ValueError(
            f"Only one row can be explained at a time, got {len(row)}: pass X[i : i + 1]."
        )
    return row


def refuse_missing(estimator: BaseEstimator, rows: NDArray[np.float64]) -> None:
    """Raise if checked rows have missing values."""
    if np.isnan(rows).any():
        fills = "fill_missing" in estimator.get_params(deep=False)
        unless = " unless fill_missing is set" if fills else ""
        raise ValueError(
            f"Input X contains NaN, but {type(estimator).__name__} does not handle missing "
            f"values{unless}: fill them in, for example with sklearn.impute.SimpleImputer, or use "
            "C45Classifier or CartClassifier."
        )


def refuse_times(X: Any) -> None:
    """Raise if `X`, a frame or an array, has columns of dates or times."""
    if isinstance(X, pd.DataFrame):
        times = [str(name) for name, dtype in X.dtypes.items() if dtype.kind in "mM"]
        subject = f"Columns {times} hold"
    else:
        times = [X.dtype] if X.dtype.kind in "mM" else []
        subject = "X holds"
    if times:
        raise ValueError(
            f"{subject} dates or times: convert them to numbers, such as the days since a date by "
            "(column - date) / pd.Timedelta(days=1), or a duration in days by column / "
            "pd.Timedelta(days=1)."
        )


def reject_nonnumeric_columns(X: Any, fix: str = ENCODE) -> None:
    """Raise if `X` is a DataFrame with non-numeric columns; name them and the `fix`."""
    frame = pandas_frame(X)
    if frame is None:
        return
    columns = enumerate(frame.columns)
    wrong = [str(name) for j, name in columns if not _holds_numbers(frame.iloc[:, j])]
    if wrong:
        raise ValueError(f"Columns {wrong} are not numeric; {fix}.")


def _holds_numbers(column: pd.Series) -> bool:
    """Return whether a column has a numeric type, or objects that are all numbers."""
    if is_object_dtype(column.dtype):
        return bool(pd.to_numeric(column, errors="coerce").notna().eq(column.notna()).all())
    return is_numeric_dtype(column.dtype) or is_bool_dtype(column.dtype)


Filling = Literal["common", "mean"]
COMMON, MEAN = get_args(Filling)


def fill_values(
    X: NDArray[np.float64], weight: NDArray[np.float64], is_nominal: NDArray[np.bool_], how: str
) -> NDArray[np.float64]:
    """Return the value that replaces missing values in each column, shape (n_features,).

    Shapes: `X` (n_samples, n_features), `weight` (n_samples,), `is_nominal` (n_features,), result
    (n_features,).
    `X`: numbers, or level codes; NaN where a value is missing.
    `how`: "common" takes the value with the most weight, the lowest one where weights tie; "mean"
    takes the mean, but the most common level of a categorical column. For a column without any
    values the result is NaN.
    """
    check_choice("fill_missing", how, (COMMON, MEAN))
    values = np.full(X.shape[1], np.nan)
    for j, column in enumerate(X.T):
        has_value = ~np.isnan(column)
        if not has_value.any():
            continue
        present, heavy = column[has_value], weight[has_value]
        if how == MEAN and not is_nominal[j]:
            # The sum of large numbers may be infinite; scaling by a power of two is exact.
            exponent = int(np.frexp(np.abs(present).max())[1])
            scaled = np.ldexp(present, -exponent)
            total, sum_of_weights = row_sums(np.array([scaled * heavy, heavy]))
            values[j] = np.ldexp(total / sum_of_weights, exponent)
        else:
            distinct, places = np.unique(present, return_inverse=True)
            values[j] = distinct[np.bincount(places, heavy).argmax()]
    return values


def filled(X: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rows with missing values replaced by `values`, one for each column."""
    return np.where(np.isnan(X), values, X)
