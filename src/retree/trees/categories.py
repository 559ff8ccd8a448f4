"""Categorical columns: finding them, their levels, and their values as level codes."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import infer_dtype, is_bool_dtype, is_object_dtype, is_string_dtype
from scipy import sparse

Levels = pd.Index | None


def column_types(X: Any) -> list[Any]:
    """Return the types of the columns of a DataFrame or an array; finding them takes a while."""
    if not isinstance(X, pd.DataFrame):
        return [X.dtype] * X.shape[1]
    types = list(X.dtypes)
    if types and all(isinstance(dtype, pd.SparseDtype) for dtype in types):
        raise TypeError("The columns of X are sparse: pass X.sparse.to_dense().")
    return types


def nominal_mask(X: Any, categorical_features: Any, types: Sequence[Any]) -> NDArray[np.bool_]:
    """Return a mask of the categorical columns of `X`, whose columns have these types.

    Shapes: `X` (n_samples, n_features), result (n_features,).
    `categorical_features`: "from_dtype" for the columns of a frame or an array of objects that are
    of a category type, strings or booleans; None; or a mask, indices or names.
    """
    n_features = X.shape[1]
    mask = np.zeros(n_features, dtype=bool)
    if categorical_features is None:
        return mask
    if isinstance(categorical_features, str):
        if categorical_features != "from_dtype":
            raise ValueError(
                f"Invalid categorical_features {categorical_features!r}. Valid ones are "
                "'from_dtype', None, or a list of columns."
            )
        if isinstance(X, pd.DataFrame) or X.dtype == object:
            for j in _not_plain(types):
                mask[j] = holds_categories(X, j, types[j])
        return mask
    chosen = np.asarray(categorical_features)
    if chosen.size == 0:
        return mask
    if chosen.dtype.kind == "b":
        if chosen.shape != (n_features,):
            raise ValueError(
                f"categorical_features is a mask of shape {chosen.shape}; with {n_features} "
                f"features it must have shape ({n_features},)."
            )
        return chosen.copy()
    mask[_positions(X, chosen)] = True
    return mask


def _positions(X: Any, chosen: NDArray[Any]) -> NDArray[np.intp]:
    """Return the positions of columns that are given by index or by name."""
    n_features = X.shape[1]
    if chosen.dtype.kind in "iu":
        if chosen.min() < 0 or chosen.max() >= n_features:
            raise ValueError(
                f"categorical_features must be between 0 and {n_features - 1}, "
                f"got {chosen.tolist()}."
            )
        return chosen
    if not isinstance(X, pd.DataFrame):
        raise ValueError("categorical_features has column names, so X must be a DataFrame.")
    positions = X.columns.get_indexer(pd.Index(chosen))
    if (positions < 0).any():
        unknown = chosen[positions < 0].tolist()
        raise ValueError(f"categorical_features names columns that X does not have: {unknown}.")
    return positions


def find_levels(X: Any, mask: NDArray[np.bool_], types: Sequence[Any]) -> list[Levels]:
    """Return the levels of each column of `X`, whose columns have these types; None if numeric.

    The levels of a pandas category column are those of its type, whether they occur or not. The
    levels of any other categorical column are the values that occur, sorted.
    """
    return [_levels_of(X, j, t) if mask[j] else None for j, t in enumerate(types)]


def _levels_of(X: Any, number: int, dtype: Any) -> pd.Index:
    """Return the levels of one column."""
    if isinstance(dtype, pd.CategoricalDtype):
        return dtype.categories
    column = _column(X, number)
    try:
        return pd.Index(_indexed(np.unique(column.dropna().to_numpy())))
    except TypeError:
        name = number if column.name is None else column.name
        raise TypeError(
            f"Column {name!r} has values of several types, which cannot be sorted; turn them into "
            "strings first, for example with astype(str)."
        ) from None


def _indexed(values: Any) -> Any:
    """Return values of a type that a pandas Index can have."""
    return values.astype(np.float64) if values.dtype == np.float16 else values


def encode_levels(X: Any, levels: Sequence[Levels], types: Sequence[Any]) -> Any:
    """Return `X`, whose columns have these types, with level codes; NaN if missing or unknown.

    A frame becomes an array if all its other columns are plain numbers.
    """
    if all(level is None for level in levels):
        return plain_numbers(X, types)
    is_frame = isinstance(X, pd.DataFrame)
    all_columns = (c for _, c in X.items()) if is_frame else map(pd.Series, X.T)
    columns = [
        column if level is None else _codes(column, level)
        for column, level in zip(all_columns, levels, strict=True)
    ]
    if not is_frame:
        return np.column_stack(columns)
    if all(levels[j] is not None for j in _not_plain(types)):
        numbers = np.empty(X.shape)  # in half the time of np.column_stack
        for j, column in enumerate(columns):
            numbers[:, j] = np.asarray(column)
        return numbers
    # By position, since names may be of any type and may occur twice.
    coded = pd.DataFrame(dict(enumerate(columns)), index=X.index)
    coded.columns = X.columns
    return coded


def _codes(column: pd.Series, levels: pd.Index) -> NDArray[np.float64]:
    """Return the position of each value among `levels`, NaN if it is not one of them."""
    # Only different values are looked up: hashing every one of them takes most of a thinning.
    values: pd.Index
    if isinstance(column.dtype, pd.CategoricalDtype):
        codes, values = column.array.codes, column.dtype.categories
    else:
        codes, distinct = column.factorize()
        values = pd.Index(_indexed(distinct))
    places = np.arange(len(values) + 1.0)  # the last is that of code -1
    if values is not levels:
        if values.dtype != levels.dtype:
            values = values.astype(object)
        places[:-1] = levels.get_indexer(values)
        places[places < 0] = np.nan
    places[-1] = np.nan
    return places[codes]


def plain_numbers(X: Any, types: Sequence[Any] | None = None) -> Any:
    """Return a frame of plain numbers as an array, and anything else unchanged.

    `types`: the types of its columns, if they are known.
    """
    if not isinstance(X, pd.DataFrame) or not X.shape[1]:
        return X
    if _not_plain(column_types(X) if types is None else types):
        return X
    return np.ascontiguousarray(X.to_numpy(np.float64))


def _not_plain(types: Sequence[Any]) -> list[int]:
    """Return the columns without a numeric numpy type; in an array of objects, all columns."""
    plain = [isinstance(dtype, np.dtype) and dtype.kind in "iuf" for dtype in types]
    return [j for j, is_plain in enumerate(plain) if not is_plain]


def _column(X: Any, j: int) -> pd.Series:
    """Return column `j` of a DataFrame or an array."""
    return X.iloc[:, j] if isinstance(X, pd.DataFrame) else pd.Series(X[:, j])


# What an object column holds, as pandas names it, if its values are categories.
_CATEGORIES = ("string", "boolean")


def as_table(X: Any) -> Any:
    """Return `X` in a form that the checks understand.

    Returns a pandas frame for a polars frame or a Table. Lists become arrays of objects, so that
    numbers next to strings stay numbers. Sparse data are not changed: scikit-learn refuses them.
    """
    if sparse.issparse(X):
        return X
    frame = pandas_frame(X)
    if frame is not None:
        return frame
    return np.asarray(X, dtype=object if isinstance(X, list | tuple) else None)


def pandas_frame(X: Any) -> pd.DataFrame | None:
    """Return a frame of pandas or polars, or a Table, as a pandas frame; None for anything else.

    A polars ``Enum`` or a dictionary type of pyarrow becomes a category type with its levels. A
    polars ``Categorical`` becomes strings, since its type does not say which levels belong to the
    column.
    """
    if isinstance(X, pd.DataFrame):
        return X
    # A program that has such a table has imported what makes it.
    pyarrow, polars = sys.modules.get("pyarrow"), sys.modules.get("polars")
    if pyarrow is not None and isinstance(X, pyarrow.Table | pyarrow.RecordBatch):
        return X.to_pandas()
    if polars is None:
        return None
    if isinstance(X, polars.LazyFrame):
        raise TypeError("X is a lazy frame of polars, which has no rows yet: pass X.collect().")
    if not isinstance(X, polars.DataFrame):
        return None
    return pd.DataFrame({name: _pandas_column(X[name]) for name in X.columns})


def _pandas_column(column: Any) -> Any:
    """Return the values of a polars series for a pandas frame."""
    values = column.to_numpy()
    if isinstance(column.dtype, sys.modules["polars"].Enum):
        return pd.Categorical(values, categories=column.dtype.categories.to_list())
    return values


def holds_categories(X: Any, j: int, dtype: Any) -> bool:
    """Return whether column `j` is categorical by type: a category type, strings or booleans.

    A column of objects is categorical if all its values, apart from missing ones, are strings or
    all are booleans.
    """
    if is_object_dtype(dtype):
        return infer_dtype(_column(X, j), skipna=True) in _CATEGORIES
    # The dictionary type of pyarrow has the same `type` as pandas' own.
    if dtype.type is pd.CategoricalDtype.type:
        return True
    return bool(is_string_dtype(dtype) or is_bool_dtype(dtype))
