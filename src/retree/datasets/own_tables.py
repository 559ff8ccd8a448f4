"""The tables of a study's data sets: read, their columns typed, what cannot be used refused."""

from __future__ import annotations

import importlib
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from retree.errors import DataError
from retree.plain_files import check_plain

MISSING = ("?", "NA", "NaN", "nan")
MOST_MEGABYTES = 1024


def read_table(path: Path, missing: Sequence[str], categorical: Collection[str]) -> pd.DataFrame:
    """Return the table in a csv, parquet or arff file.

    `missing`: what stands for a missing value in a csv, besides the empty cell.
    `categorical`: columns of a csv that hold texts, even if these look like numbers.
    """
    check_plain(path, MOST_MEGABYTES)
    if path.suffix == ".csv":
        return _read_csv(path, missing, categorical)
    if path.suffix == ".parquet":
        return _read_parquet(path)
    if path.suffix == ".arff":
        return _read_arff(path)
    raise DataError(f"{path.name} is neither csv, parquet nor arff: save it as one of these.")


def typed_feature(column: pd.Series, numeric: bool = False) -> pd.Series:
    """Return a column as numbers, or as categories with their levels sorted."""
    if numeric and not pd.api.types.is_numeric_dtype(column):
        column = _as_numbers(column)
    if pd.api.types.is_numeric_dtype(column) and column.dtype != bool:
        numbers = column.astype(np.float64)
        if np.isinf(numbers).any():
            row = int(np.flatnonzero(np.isinf(numbers))[0]) + 1
            raise DataError(
                f"{column.name} is infinite in row {row}: correct it, or declare it as missing."
            )
        return numbers
    texts = column.astype(object).where(column.notna(), None).map(str, na_action="ignore")
    return texts.astype(pd.CategoricalDtype(sorted(texts.dropna().unique())))


def describe_column(column: pd.Series) -> str:
    """Return type, levels and missing values of a feature, as "numeric, 3 missing"."""
    absent = int(column.isna().sum())
    shown = "numeric"
    if isinstance(column.dtype, pd.CategoricalDtype):
        levels = list(column.cat.categories)
        some = ", ".join(level if len(level) <= 20 else f"{level[:19]}…" for level in levels[:5])
        shown = f"categorical, {len(levels)} level{'' if len(levels) == 1 else 's'}"
        shown += f" ({some}{', …' if len(levels) > 5 else ''})" if levels else ""
    return f"{shown}, {absent} missing" if absent else shown


def _read_csv(path: Path, missing: Sequence[str], categorical: Collection[str]) -> pd.DataFrame:
    how: Any = {"keep_default_na": False, "skipinitialspace": True, "encoding": "utf-8-sig"}
    # Pandas itself would rename a column that is there twice.
    names = pd.read_csv(path, header=None, nrows=1, dtype=str, **how).iloc[0].str.strip()
    if len(twice := names[names.duplicated()]):
        raise DataError(f"{path.name} has two columns called {twice.iloc[0]!r}: rename one.")
    return pd.read_csv(path, na_values=["", *missing], dtype=dict.fromkeys(categorical, str), **how)


def _read_parquet(path: Path) -> pd.DataFrame:
    try:
        parquet = importlib.import_module("pyarrow.parquet")
        types = importlib.import_module("pyarrow.types")
    except ImportError as error:
        text = f"{path.name} is read by pyarrow, which is missing: pip install pyarrow."
        raise DataError(text) from error
    for column in parquet.read_schema(path):
        if types.is_nested(column.type):
            raise DataError(f"{path.name}: {column.name} has lists or records: take it apart.")
    return pd.read_parquet(path, engine="pyarrow")


def _read_arff(path: Path) -> pd.DataFrame:
    with linear_types():
        content = importlib.import_module("arff").loads(path.read_text(encoding="utf-8"))
    return pd.DataFrame(content["data"], columns=[name for name, _ in content["attributes"]])


def _as_numbers(column: pd.Series) -> pd.Series:
    numbers = pd.to_numeric(column, errors="coerce")
    if len(wrong := np.flatnonzero(numbers.isna() & column.notna())):
        text = str(column.iloc[wrong[0]])
        raise DataError(
            f"{column.name} is to be numeric and has {text!r} in row {wrong[0] + 1}: correct it, "
            "or declare it as missing."
        )
    return numbers


@contextmanager
def linear_types() -> Iterator[None]:
    """Let liac-arff ask only whether a type is in braces, before it reads the levels.

    Its own pattern goes through every way of cutting levels at commas: 40 take it for years.
    """
    arff: Any = importlib.import_module("arff")
    before = arff._RE_TYPE_NOMINAL
    arff._RE_TYPE_NOMINAL = re.compile(r"\{.*\}$")
    try:
        yield
    finally:
        arff._RE_TYPE_NOMINAL = before
