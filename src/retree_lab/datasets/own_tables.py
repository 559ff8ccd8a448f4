"""The tables of a study's data sets: read, their columns typed, what cannot be used refused.

So are data that are not those that were read first.
"""

from __future__ import annotations

import importlib
import json
import math
import re
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from retree.errors import DataError, brief
from retree_lab.datasets.arff import ENDINGS as ARFF
from retree_lab.datasets.arff import read_arff
from retree_lab.datasets.canonical import ordered_sha256
from retree_lab.plain_files import NUMBER, check_plain, read_csv, write_atomically

CSV = ".csv"
MISSING = ("?", "NA", "NaN", "nan")
MOST_MEGABYTES = 1024
# What is in 1_000, nan and digits of other scripts, which `float` takes, too.
_NO_NUMBER = re.compile(r"[_aA]|[^\x00-\x7f]")


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
    numbers = [float(text) for text in missing if NUMBER.fullmatch(text)]
    # -9 is -9.0, too.
    words = {"", *missing, *map(str, numbers)}
    words |= {str(int(number)) for number in numbers if number.is_integer()}
    made: dict[str, Any] = {}
    for name, cells in zip(table.head, zip(*table.rows, strict=True), strict=False):
        values = [None if cell in words else cell for cell in cells]
        column = None if name in texts else _as_floats(values)
        made[name] = pd.Series(values, dtype=object) if column is None else column
    return pd.DataFrame(made, columns=table.head)


def _as_floats(values: list[str | None]) -> NDArray[np.float64] | None:
    """Return texts as numbers, NaN for None; None if a text is not a number."""
    try:
        numbers = np.array([math.nan if text is None else float(text) for text in values])
    except ValueError:
        return None
    return None if _NO_NUMBER.search("".join(filter(None, values))) else numbers


def typed_feature(
    column: pd.Series, numeric: bool = False, levels: Sequence[str] = ()
) -> pd.Series:
    """Return a column as numbers, or as categories in the order of their declaration.

    `levels`: what is declared; without it, a column of categories keeps its own, and of other
    columns the levels are sorted. Dates are numbers as in ARFF: milliseconds since 1970, in UTC.
    """
    if levels or (isinstance(column.dtype, pd.CategoricalDtype) and not numeric):
        return declared(column, levels)
    if column.dtype.kind == "M":
        column = _milliseconds(column)
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
            raise DataError(
                f"{path.name}: {column.name} has lists or records: split it into columns."
            )
    return pd.read_parquet(path, engine="pyarrow")


def _as_numbers(column: pd.Series) -> pd.Series:
    numbers = pd.to_numeric(column, errors="coerce")
    if len(wrong := np.flatnonzero(numbers.isna() & column.notna())):
        dates = pd.to_datetime(column, format="ISO8601", errors="coerce", utc=True)
        if dates.notna().eq(column.notna()).all():
            return _milliseconds(dates)
        text = str(column.iloc[wrong[0]])
        raise DataError(
            f"{column.name} must be numeric, but has {text!r} in row {wrong[0] + 1}: correct it, "
            "or declare it as missing; dates are read as 2020-12-31."
        )
    return numbers


def _milliseconds(dates: pd.Series) -> pd.Series:
    utc = pd.to_datetime(dates, utc=True)
    return (utc - pd.Timestamp(0, tz="UTC")) / pd.Timedelta(milliseconds=1)


LOCK = "data.lock"


def content_sha256(X: pd.DataFrame, y: pd.Series) -> str:
    """Return the hash of features and target, be it labels or numbers."""
    return ordered_sha256(X, y.map(repr) if y.dtype.kind == "f" else y)


def _read_lock(path: Path) -> dict[str, Any]:
    try:
        if path.exists():
            check_plain(path, 16)
        locked = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path} cannot be read ({error}): restore it, or remove it.") from error
    if not isinstance(locked, dict) or not all(isinstance(one, dict) for one in locked.values()):
        raise DataError(f"{path} was not written by retree: restore it, or remove it.")
    return locked


def check_lock(file: Path, X: pd.DataFrame, y: pd.Series) -> None:
    """Note what the data set is, or refuse one that is another than noted."""
    path = file.parent.parent / LOCK
    locked = _read_lock(path)
    classes = {} if y.dtype.kind == "f" else y.value_counts().sort_index().to_dict()
    now = {"sha256": content_sha256(X, y), "rows": len(X), "features": X.shape[1]}
    now |= {"classes": classes} if classes else {}
    if file.stem not in locked:
        text = json.dumps({**locked, file.stem: now}, indent=1, sort_keys=True)
        write_atomically(path, (text + "\n").encode())
        return
    then = locked[file.stem]
    if then != now:
        names = [n for n in ("rows", "features", "classes") if then.get(n) != now.get(n)]
        moved = [f"{name} were {then.get(name)} and are {now.get(name)}" for name in names]
        raise DataError(
            f"the data have changed since {LOCK} noted them "
            f"({'; '.join(moved) or 'other values in the same shape'}): restore them, or remove "
            f"{file.stem} from {path}."
        )
