"""The tables of a study's data sets: read, their columns typed, what cannot be used refused."""

from __future__ import annotations

import csv
import importlib
import io
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pandas as pd

from retree.errors import DataError
from retree.plain_files import MEGABYTE, check_plain

MISSING = ("?", "NA", "NaN", "nan")
MOST_MEGABYTES, MOST_COLUMNS, LONGEST_LINE = 1024, 20_000, 8 * MEGABYTE
# As many numbers need 1 GB. A file of a few bytes may say that it has more.
MOST_CELLS = 2**27
# Declared by all columns of an arff together.
MOST_LEVELS = 100_000


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


def csv_header(file: BinaryIO, name: str) -> list[str]:
    """Return the names of the columns of a csv of a bearable size."""
    n_lines = _check_lines(file, name)
    file.seek(0)
    with io.TextIOWrapper(file, encoding="utf-8-sig", newline="") as text:
        names = [column.strip() for column in next(csv.reader(text), [])]
    _check_cells(name, n_lines, len(names))
    return names


def _read_csv(path: Path, missing: Sequence[str], categorical: Collection[str]) -> pd.DataFrame:
    with path.open("rb") as file:
        names = csv_header(file, path.name)
    if len(twice := pd.Index(names)[pd.Index(names).duplicated()]):
        raise DataError(f"{path.name} has two columns called {twice[0]!r}: rename one.")
    return pd.read_csv(
        path,
        keep_default_na=False,
        na_values=["", *missing],
        skipinitialspace=True,
        dtype=dict.fromkeys((name for name in names if name in categorical), str),
        encoding="utf-8-sig",
    )


def _read_parquet(path: Path) -> pd.DataFrame:
    try:
        parquet = importlib.import_module("pyarrow.parquet")
        types = importlib.import_module("pyarrow.types")
    except ImportError as error:
        text = f"{path.name} is read by pyarrow, which is missing: pip install pyarrow."
        raise DataError(text) from error
    with parquet.ParquetFile(path) as file:
        about, schema = file.metadata, file.schema_arrow
    groups = [about.row_group(i) for i in range(about.num_row_groups)]
    _check_cells(path.name, sum(group.num_rows for group in groups), about.num_columns)
    _check_types(path.name, schema, types)
    is_text = (types.is_string, types.is_large_string, types.is_dictionary)
    texts = [c.name for c in schema if any(holds(c.type) for holds in is_text)]
    # A text that many rows have is then read once.
    return pd.read_parquet(path, engine="pyarrow", read_dictionary=texts)


def _check_types(name: str, schema: Any, types: Any) -> None:
    """Refuse columns of lists, records or bytes; `types` is ``pyarrow.types``."""
    is_bytes = (types.is_binary, types.is_large_binary, types.is_fixed_size_binary)
    for column in schema:
        if types.is_nested(column.type):
            raise DataError(f"{name}: {column.name} has lists or records: take it apart.")
        if any(holds(column.type) for holds in is_bytes):
            raise DataError(f"{name}: {column.name} has bytes: leave it out.")


def _read_arff(path: Path) -> pd.DataFrame:
    with path.open("rb") as file:
        n_lines = _check_lines(file, path.name)
    text = path.read_text(encoding="utf-8")
    declared = re.findall(r"(?im)^[ \r]*@attribute.*$", text)
    # A line of a sparse file may leave out every column.
    _check_cells(path.name, n_lines, len(declared))
    if sum(line.count(",") for line in declared) > MOST_LEVELS:
        raise DataError(
            f"{path.name} declares more than {MOST_LEVELS:,} levels: declare texts as string."
        )
    with linear_types():
        content = importlib.import_module("arff").loads(text)
    return pd.DataFrame(content["data"], columns=[name for name, _ in content["attributes"]])


def _check_cells(name: str, n_rows: int, n_columns: int) -> None:
    if n_columns > MOST_COLUMNS:
        raise DataError(
            f"{name} has {n_columns:,} columns, and at most {MOST_COLUMNS:,} are read: leave "
            "some out."
        )
    if n_rows * n_columns > MOST_CELLS:
        raise DataError(
            f"{name} has {n_rows:,} rows of {n_columns:,} columns, and at most "
            f"{MOST_CELLS:,} cells are read: leave some out."
        )


def _check_lines(file: BinaryIO, name: str) -> int:
    """Return how many lines a file of text has, all of a bearable length and without NUL bytes."""
    line, length = 1, 0
    while block := file.read(MEGABYTE):
        if (place := block.find(b"\0")) >= 0:
            line += block.count(b"\n", 0, place)
            raise DataError(f"{name}, line {line}: there is a NUL byte; remove it.")
        line += block.count(b"\n")
        length = len(block) - block.rfind(b"\n") - 1 + (length if b"\n" not in block else 0)
        if length > LONGEST_LINE:
            raise DataError(f"{name}, line {line} is endless: is this a {name.split('.')[-1]}?")
    return line


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
