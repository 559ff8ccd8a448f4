"""The tables of a study's data sets: read, their columns typed, what cannot be used refused."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from retree.csv_files import read_csv
from retree.datasets.arff import ENDINGS as ARFF
from retree.datasets.arff import read_arff
from retree.errors import DataError, brief
from retree.plain_files import NUMBER, check_plain

CSV = ".csv"
MISSING = ("?", "NA", "NaN", "nan")
MOST_MEGABYTES = 1024
_INFINITE = ("inf", "infinity")


def read_table(path: Path, **how: Any) -> pd.DataFrame:
    """Return the table in a csv, parquet, ARFF or KEEL file; `how` are keywords of `read_texts`."""
    check_plain(path, MOST_MEGABYTES)
    ending = path.suffix.lower()
    if ending == CSV:
        return read_texts(path, **how)
    if ending == ".parquet":
        return _read_parquet(path)
    if ending in ARFF:
        return read_arff(path.read_bytes(), path.name)
    raise DataError(
        f"{path.name} is neither csv, parquet, arff nor KEEL's dat: save it as one of these."
    )


def read_texts(
    path: Path, missing: Sequence[str], texts: Collection[str], separator: str, row_names: bool
) -> pd.DataFrame:
    """Return a csv, its columns as numbers if all their values are, and else as texts.

    `missing`: what stands for a missing value, besides the empty cell.
    `texts`: columns that stay texts, even if these look like numbers.
    """
    table = read_csv(path.read_bytes(), path.name, separator, row_names)
    is_missing = _missing(missing)
    made = {}
    for name, cells in zip(table.head, zip(*table.rows, strict=True), strict=False):
        values = [None if is_missing(cell) else cell for cell in cells]
        is_text = name in texts or not all(map(_is_number, filter(None, values)))
        if not is_text:
            values = [math.nan if cell is None else float(cell) for cell in values]
        made[name] = pd.Series(values, dtype=object if is_text else np.float64)
    return pd.DataFrame(made, columns=table.head)


def _missing(texts: Sequence[str]) -> Callable[[str], bool]:
    """Return which cells are missing; -9 among `texts` is -9.0, too."""
    words = {"", *texts}
    numbers = {float(text) for text in texts if NUMBER.fullmatch(text)}

    def is_missing(cell: str) -> bool:
        if cell in words:
            return True
        return bool(numbers and NUMBER.fullmatch(cell) and float(cell) in numbers)

    return is_missing


def _is_number(cell: str) -> bool:
    return bool(NUMBER.fullmatch(cell)) or cell.lower().lstrip("+-") in _INFINITE


def typed_feature(
    column: pd.Series, numeric: bool = False, levels: Sequence[str] = ()
) -> pd.Series:
    """Return a column as numbers, or as categories in the order of their declaration.

    `levels`: what is declared; without it, a column of categories keeps its own, and of other
    columns the levels are sorted.
    """
    if levels or (isinstance(column.dtype, pd.CategoricalDtype) and not numeric):
        return declared(column, levels)
    if numeric and not pd.api.types.is_numeric_dtype(column):
        column = _as_numbers(column.astype(object))
    if pd.api.types.is_numeric_dtype(column) and column.dtype != bool:
        numbers = column.astype(np.float64)
        if np.isinf(numbers).any():
            row = int(np.flatnonzero(np.isinf(numbers))[0]) + 1
            raise DataError(
                f"{column.name} is infinite in row {row}: correct it, or declare it as missing."
            )
        return numbers
    texts = as_texts(column)
    return texts.astype(pd.CategoricalDtype(sorted(texts.dropna().unique())))


def as_texts(column: pd.Series) -> pd.Series:
    """Return a column as texts, None where a value is missing."""
    values = column.astype(object)
    return values.where(column.notna(), None).map(str, na_action="ignore")


def declared(column: pd.Series, levels: Sequence[str] = ()) -> pd.Series:
    """Return a column as categories: `levels`, or without them the column's own, in their order."""
    names = list(levels) or [str(level) for level in column.cat.categories]
    if len(set(names)) < len(names):
        raise DataError(f"{column.name} declares a level twice; remove one.")
    texts = as_texts(column)
    if len(wrong := np.flatnonzero(texts.notna() & ~texts.isin(names))):
        raise DataError(
            f"{column.name} has {brief(texts.iloc[wrong[0]])} in row {wrong[0] + 1}, which is not "
            "declared: add it, or correct the row."
        )
    return texts.astype(pd.CategoricalDtype(pd.Index(names, dtype=str)))


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


def _as_numbers(column: pd.Series) -> pd.Series:
    numbers = pd.to_numeric(column, errors="coerce")
    if len(wrong := np.flatnonzero(numbers.isna() & column.notna())):
        text = str(column.iloc[wrong[0]])
        raise DataError(
            f"{column.name} is to be numeric and has {text!r} in row {wrong[0] + 1}: correct it, "
            "or declare it as missing."
        )
    return numbers
