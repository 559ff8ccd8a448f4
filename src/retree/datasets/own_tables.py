"""The tables of a study's data sets: read, their columns typed, what cannot be used refused."""

from __future__ import annotations

import csv
import importlib
from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from retree.errors import DataError
from retree.plain_files import MEGABYTE, check_plain

MISSING = ("?", "NA", "NaN", "nan")
MOST_MEGABYTES, MOST_COLUMNS, LONGEST_LINE = 1024, 20_000, 8 * MEGABYTE


def read_table(path: Path, missing: Sequence[str], categorical: Collection[str]) -> pd.DataFrame:
    """Return the table in a csv, parquet or arff file.

    Parameters
    ----------
    path : Path
    missing : sequence of str
        What stands for a missing value in a csv, besides the empty cell.
    categorical : collection of str
        Columns of a csv that hold texts, even if these look like numbers.

    Raises
    ------
    RetreeError
        If it is no file, or too large, or its form is another one.
    """
    check_plain(path, MOST_MEGABYTES)
    if path.suffix == ".csv":
        return _read_csv(path, missing, categorical)
    if path.suffix == ".parquet":
        try:
            return pd.read_parquet(path)
        except ImportError as error:
            text = f"{path.name} is read by pyarrow, which is missing: pip install pyarrow."
            raise DataError(text) from error
    if path.suffix == ".arff":
        arff = importlib.import_module("arff")
        content = arff.loads(path.read_text(encoding="utf-8"))
        return pd.DataFrame(content["data"], columns=[name for name, _ in content["attributes"]])
    raise DataError(f"{path.name} is neither csv, parquet nor arff: save it as one of these.")


def typed_feature(column: pd.Series, numeric: bool = False) -> pd.Series:
    """Return a column as numbers, or as categories with their levels sorted.

    Raises
    ------
    DataError
        If it is to be `numeric` and has other texts, or has infinite values.
    """
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
    names = _header(path)
    if twice := [name for name in names if names.count(name) > 1][:1]:
        raise DataError(f"{path.name} has two columns called {twice[0]!r}: rename one.")
    return pd.read_csv(
        path,
        keep_default_na=False,
        na_values=["", *missing],
        skipinitialspace=True,
        dtype=dict.fromkeys((name for name in names if name in categorical), str),
        encoding="utf-8-sig",
    )


def _header(path: Path) -> list[str]:
    """Return the names of the columns of a csv whose lines are all of a bearable length."""
    line, length = 1, 0
    with path.open("rb") as file:
        while block := file.read(MEGABYTE):
            if (place := block.find(b"\0")) >= 0:
                line += block.count(b"\n", 0, place)
                raise DataError(f"{path.name}, line {line}: there is a NUL byte; remove it.")
            line += block.count(b"\n")
            length = len(block) - block.rfind(b"\n") - 1 + (length if b"\n" not in block else 0)
            if length > LONGEST_LINE:
                raise DataError(f"{path.name}, line {line} is endless: is this a csv?")
    with path.open(encoding="utf-8-sig", newline="") as text:
        names = [name.strip() for name in next(csv.reader(text), [])]
    if len(names) > MOST_COLUMNS:
        raise DataError(
            f"{path.name} has {len(names):,} columns, and at most {MOST_COLUMNS:,} are read: leave "
            "some out."
        )
    return names


def _as_numbers(column: pd.Series) -> pd.Series:
    numbers = pd.to_numeric(column, errors="coerce")
    if len(wrong := np.flatnonzero(numbers.isna() & column.notna())):
        text = str(column.iloc[wrong[0]])
        raise DataError(
            f"{column.name} is to be numeric and has {text!r} in row {wrong[0] + 1}: correct it, "
            "or declare it as missing."
        )
    return numbers
