"""The data sets of a study: a few lines of YAML in its folder ``datasets``.

Each names where its table comes from and which column is the ``target``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from textwrap import shorten

import numpy as np
import pandas as pd

from retree.datasets.own_description import OwnData, read_description
from retree.datasets.own_lock import check_lock
from retree.datasets.own_origins import fetch_own
from retree.datasets.own_tables import describe_column, typed_feature
from retree.errors import DataError, RetreeError, unknown_name
from retree.yaml_files import line_of


def load_own(file: Path) -> tuple[pd.DataFrame, pd.Series, OwnData]:
    """Return features and target of the data set that `file` describes, and the description."""
    about = read_description(file)
    try:
        table, target = fetch_own(about, file)
    except RetreeError as error:
        raise type(error)(f"{file}: {error}") from error
    except (Exception, SystemExit) as error:
        # A study's own function may raise anything.
        text = shorten(_text_of(error), 300, placeholder=" …")
        raise DataError(f"{file}: the data cannot be read ({text}); correct the entry.") from error
    if target is None:
        if about.target not in table:
            unknown = unknown_name("target column", str(about.target), map(str, table.columns))
            raise type(unknown)(f"{file}, line {line_of(file, ['target'])}: {unknown}")
        target = table.pop(str(about.target))
    X = table.set_axis([str(name) for name in table.columns], axis="columns")
    if twice := list(X.columns[X.columns.duplicated()]):
        raise DataError(f"{file}: there are two columns called {twice[0]!r}; rename one.")
    for key in ("drop", "categorical", "numeric"):
        _check_columns(getattr(about, key), X, file, key)
    _check_columns([about.groups] if about.groups else [], X, file, "groups")
    X = X.drop(columns=list(about.drop)).reset_index(drop=True)
    _check_shape(X, target, file)
    X = _typed(X, about, file)
    y = (_numbers if about.task == "regression" else _labels)(target, file).reset_index(drop=True)
    check_lock(file, X, y)
    return X, y, about


def _text_of(error: BaseException) -> str:
    """Return the message of an error; those of liac-arff may fail on what they are about."""
    try:
        return str(error)
    except Exception:
        return str(getattr(error, "message", type(error).__name__))


def column_lines(X: pd.DataFrame, most: int = 30) -> Iterator[str]:
    """Yield what each of the first `most` features is, and how many others there are."""
    for name in X.columns[:most]:
        yield f"{name}: {describe_column(X[name])}"
    if X.shape[1] > most:
        yield f"and {X.shape[1] - most:,} more columns"


def _check_columns(names: Iterable[str], X: pd.DataFrame, file: Path, key: str) -> None:
    for name in names:
        if name not in X:
            what = "column to drop" if key == "drop" else f"{key} column"
            unknown = unknown_name(what, str(name), X.columns)
            raise type(unknown)(f"{file}, line {line_of(file, [key])}: {unknown}")


def _typed(X: pd.DataFrame, about: OwnData, file: Path) -> pd.DataFrame:
    """Return the features as numbers and categories, as declared or found."""
    columns = {}
    for name in X.columns:
        column = X[name].astype(object) if name in about.categorical else X[name]
        try:
            columns[name] = typed_feature(column, name in about.numeric)
        except DataError as error:
            raise DataError(f"{file}: {error}") from error
    return pd.DataFrame(columns)


def _check_shape(X: pd.DataFrame, target: pd.Series, file: Path) -> None:
    if len(X) != len(target):
        raise DataError(
            f"{file}: there are {len(X)} rows of features and {len(target)} targets; return as "
            "many of both."
        )
    if not len(X) or not X.shape[1]:
        what = "rows" if not len(X) else "columns beside the target"
        raise DataError(f"{file}: the table has no {what}; add some.")


def _numbers(target: pd.Series, file: Path) -> pd.Series:
    if not pd.api.types.is_numeric_dtype(target) or not np.isfinite(target.astype(float)).all():
        raise DataError(f"{file}: the target of a regression must be numbers; correct target.")
    if target.nunique() < 2:
        raise DataError(f"{file}: the target is {target.iloc[0]} in every row; give another one.")
    return target.astype(np.float64)


def _labels(target: pd.Series, file: Path) -> pd.Series:
    if target.isna().any():
        raise DataError(f"{file}: {int(target.isna().sum())} rows have no target; remove them.")
    if target.dtype.kind == "f":
        if (target % 1 != 0).any():
            raise DataError(f"{file}: the target has fractions; add task: regression.")
        # From here on neighbouring whole numbers are one number.
        limit = 2.0 ** (np.finfo(target.to_numpy().dtype).nmant + 1)
        if (far := target[target.abs() >= limit]).size:
            raise DataError(
                f"{file}: the target has {far.iloc[0]:g}, and from {limit:,.0f} on numbers with a "
                "decimal point are not exact: write the classes as words, or as whole numbers."
            )
        target = target.astype(np.int64)
    if target.nunique() < 2:
        raise DataError(
            f"{file}: the target has one class only, {target.iloc[0]}; give another target."
        )
    return target.map(str).astype(object).rename("class")
