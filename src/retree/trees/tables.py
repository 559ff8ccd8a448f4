"""Tables that a fit or a prediction is given, in the two forms that the checks know.

These are pandas frames, whose columns have types, and arrays.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import infer_dtype, is_bool_dtype, is_object_dtype, is_string_dtype
from scipy import sparse

# What an object column holds, as pandas names it, if its values are categories.
_CATEGORIES = ("string", "boolean")


def as_table(X: Any) -> Any:
    """Return `X` in one of the forms that the checks know.

    Returns a polars frame or a Table becomes a pandas frame. Lists become arrays of objects, so
    that numbers beside strings stay numbers. Sparse data stay as they are: scikit-learn refuses
    them.
    """
    if sparse.issparse(X):
        return X
    frame = pandas_frame(X)
    if frame is not None:
        return frame
    return np.asarray(X, dtype=object if isinstance(X, list | tuple) else None)


def pandas_frame(X: Any) -> pd.DataFrame | None:
    """Return a frame of pandas or polars, or a Table, as a pandas frame; None for anything else.

    A polars ``Enum``, as the dictionary type of pyarrow, becomes a category type with its levels. A
    ``Categorical`` becomes strings, since its type does not say which levels belong to the column.
    """
    if isinstance(X, pd.DataFrame):
        if len(X.columns) and all(isinstance(dtype, pd.SparseDtype) for dtype in X.dtypes):
            raise TypeError("The columns of X are sparse: pass X.sparse.to_dense().")
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


def holds_categories(column: pd.Series) -> bool:
    """Whether a column is categorical by its type: a category type, strings or booleans.

    A column of objects is one if they are all strings, or all booleans, missing values apart.
    """
    if is_object_dtype(column.dtype):
        return infer_dtype(column, skipna=True) in _CATEGORIES
    # The dictionary type of pyarrow has the same `type` as pandas' own.
    if column.dtype.type is pd.CategoricalDtype.type:
        return True
    return bool(is_string_dtype(column.dtype) or is_bool_dtype(column.dtype))
