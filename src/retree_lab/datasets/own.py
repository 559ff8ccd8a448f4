"""The data sets of a study: a few lines of YAML in its folder ``datasets``.

Each names where its table comes from and which column is the ``target``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import shorten
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from retree.errors import DataError, RetreeError, unknown_name
from retree_lab.datasets.arff import ENDINGS as ARFF
from retree_lab.datasets.arff import TARGET
from retree_lab.datasets.given_folds import FOLD, changed, places_of_folds, read_folds, read_places
from retree_lab.datasets.openml_tasks import load_task
from retree_lab.datasets.own_tables import (
    CSV,
    MISSING,
    as_texts,
    check_lock,
    declared,
    read_table,
    typed_feature,
)
from retree_lab.datasets.sources import openml
from retree_lab.plain_files import NUMBER
from retree_lab.study.folders import DATASETS, opened, path_inside
from retree_lab.study.importing import import_estimator
from retree_lab.study.registry import find_estimator
from retree_lab.yaml_files import Name, list_yaml, located, read_mapping, read_options

ORIGINS = ("openml", "openml_task", "file", "sklearn", "function")


@dataclass(frozen=True)
class OwnData:
    """The description of a data set in a study."""

    # The first five keys are alternatives, one for each kind of source. This is an OpenML number.
    openml: int | None = None
    # Or the number of a classification task on OpenML; ``splitter: openml`` makes its split.
    openml_task: int | None = None
    # Or a csv, parquet, arff or dat (KEEL) file in the study's folder. If its name has ``{fold}``
    # in place of 1, 2, …, the data are the rows of all these test files, and come with these folds.
    file: str | None = None
    # Or a function of ``sklearn.datasets``, ``load_…`` or ``make_…``, that reads no file.
    sklearn: str | None = None
    # Or ``estimators.py:function``, which returns features and target.
    function: str | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)  # Arguments for the function
    # The column to predict. Not needed if a function returns it separately, or a KEEL file names it
    # in ``@outputs``.
    target: str | None = None
    groups: str = ""  # The column with the group of each row, such as a patient; not a feature
    # For ``splitter: data_set``: the column with the fold in which each row is tested, which is not
    # a feature; or a file of the study, like ``file`` in a protocol.
    folds: str = ""
    drop: tuple[str, ...] = ()  # Columns that are not features
    categorical: tuple[str, ...] = ()  # Columns to read as categories, whatever they look like
    # Columns to read as numbers. Columns in neither list are numeric if all their values are.
    numeric: tuple[str, ...] = ()
    # All classes, even those without rows; the first one wins ties. By default they have the order
    # of an arff file or of a category type, and are sorted otherwise.
    classes: tuple[Name, ...] = ()
    levels: Mapping[str, tuple[Name, ...]] = field(default_factory=dict)  # The same for features
    # What marks a missing value in a csv, besides an empty field.
    missing: tuple[Name, ...] = MISSING
    # The separator between the fields of a csv: a comma, a semicolon or a tab
    separator: Literal[",", ";", "\t"] = ","
    row_names: bool = False  # Whether the first field of a csv is only a row name
    # ``classification`` or ``regression``.
    task: Literal["classification", "regression"] = "classification"
    title: str = ""
    note: str = ""

    @property
    def ending(self) -> str:
        """The ending of its file, in lower case."""
        return Path(str(self.file)).suffix.lower()

    @property
    def is_csv(self) -> bool:
        """Whether the data are a csv file."""
        return self.ending == CSV


def find_own(name: str) -> Path | None:
    """Return the file of the data set called `name` in an opened study, the last one first."""
    files = (study / DATASETS / f"{name}.yaml" for study in reversed(opened()))
    return next((file for file in files if file.is_file()), None)


def own_names(study: Path) -> list[str]:
    """Return the names of the data sets of the study in the folder `study`, sorted."""
    return sorted(file.stem for file in list_yaml(study / DATASETS))


def read_description(file: Path) -> OwnData:
    """Read and check a study's description of a data set in `file`."""
    content = read_mapping(file)
    about = read_options(OwnData, content, file.stem, file)
    origin, *others = [key for key in ORIGINS if key in content] or [""]
    if others or not origin:
        raise RetreeError(f"{file} must have exactly one of the keys {', '.join(ORIGINS)}.")
    made = origin in ("sklearn", "function")
    if origin == "openml_task":
        _check_task(content, file)
        return about
    if about.target is None and not (made or about.ending in ARFF):
        raise RetreeError(f"{file} lacks target, the name of the column to predict: add it.")
    with located(file, [origin]):
        if origin == "sklearn" and about.sklearn not in (functions := sklearn_functions()):
            raise unknown_name("function of sklearn.datasets", str(about.sklearn), functions)
        if origin == "function" and ".py:" not in str(about.function):
            raise RetreeError("function must be estimators.py:NAME, in the study.")
    unread = {"target"} if made else {"arguments"}
    unread |= set() if about.is_csv else {"missing", "separator", "row_names"}
    unread |= {"classes"} if about.task == "regression" else set()
    for key in (key for key in content if key in unread):
        with located(file, [key]):
            what = "a regression" if key == "classes" else f"data from {origin}"
            raise RetreeError(f"{key} has no effect on {what}; remove it.")
    if about.folds and (about.groups or FOLD in str(about.file)):
        with located(file, ["folds"]):
            raise RetreeError(
                "folds has no effect with groups, or with {fold} in file; remove one."
            )
    if both := {*about.categorical, *about.levels} & {*about.numeric}:
        with located(file, ["numeric"]):
            raise RetreeError(f"{min(both)} cannot be categorical and numeric; choose one.")
    return about


def _check_task(content: Mapping[str, Any], file: Path) -> None:
    """Refuse keys that would change the data of a task, whose split depends on every row."""
    for key in content:
        with located(file, [key]):
            if key not in ("openml_task", "title", "note"):
                raise RetreeError(f"{key} has no effect on a task, which is used whole; remove it.")


def sklearn_functions() -> dict[str, Any]:
    """Return scikit-learn's functions that make or load data sets, by name."""
    from sklearn import datasets

    files = ("load_files", "load_sample_image", "load_svmlight_file")
    names = (name for name in datasets.__all__ if name.startswith(("load_", "make_")))
    return {name: getattr(datasets, name) for name in names if not name.startswith(files)}


def fetch_own(about: OwnData, file: Path) -> tuple[pd.DataFrame, pd.Series | None]:
    """Return the table of the data set in `file`, and its target where that stands apart."""
    study = file.parent.parent
    if about.openml is not None:
        number = about.openml
        path = openml.kept_file(f"set-{number}", lambda: openml.fetch(file.stem, {"id": number}))
        return read_table(path), None
    if about.file is not None:
        if FOLD in about.file:
            return read_folds(study, about.file, **_reading(about))[0], None
        return read_table(path_inside(study, about.file), **_reading(about)), None
    if about.sklearn is not None:
        bunch = sklearn_functions()[about.sklearn](**about.arguments)
    else:
        function: Any = import_estimator(find_estimator(str(about.function), study).target)
        bunch = function(**about.arguments)
    if isinstance(bunch, Mapping):
        names, bunch = bunch.get("feature_names"), (bunch["data"], bunch["target"])
    else:
        names = getattr(bunch[0], "columns", None)
    X = pd.DataFrame(bunch[0])
    return X.set_axis(names if names is not None else X.columns, axis=1), pd.Series(bunch[1])


def _reading(about: OwnData) -> dict[str, Any]:
    """Return the options for reading a csv."""
    labels = [str(about.target)] if about.task == "classification" else []
    return {
        "missing": about.missing,
        "texts": {*about.categorical, *about.levels, *labels},
        "separator": about.separator,
        "row_names": about.row_names,
    }


def take_groups(about: OwnData, file: Path, X: pd.DataFrame) -> NDArray[Any] | None:
    """Return the groups of rows, or their places in given splits; a column of these leaves `X`."""
    study = file.parent.parent
    if about.groups:
        return X.pop(about.groups).to_numpy()
    if FOLD in str(about.file):
        return read_folds(study, str(about.file), **_reading(about))[1]
    if about.folds in X:
        codes, labels = pd.factorize(X.pop(about.folds), sort=True)
        return places_of_folds(codes, len(labels))
    if not about.folds:
        return None
    path = path_inside(study, about.folds)
    with located(file, ["folds"]):
        if not path.is_file():
            raise unknown_name("column, or file, of folds", about.folds, X.columns)
        return read_places(path, len(X), changed(path))[0]


def load_own(file: Path) -> tuple[pd.DataFrame, pd.Series, OwnData]:
    """Return features and target of the data set that `file` describes, and the description."""
    about = read_description(file)
    if about.openml_task is not None:
        with located(file, ["openml_task"]):
            X, y, _ = load_task(about.openml_task)
            check_lock(file, X, y)
        return X, y, about
    with located(file, []):
        try:
            table, target = fetch_own(about, file)
        except RetreeError:
            raise
        except (Exception, SystemExit) as error:
            # A study's own function may raise anything.
            text = shorten(str(error), 300, placeholder=" …")
            raise DataError(f"the data cannot be read ({text}); correct this file.") from error
        if target is None:
            name = about.target or table.attrs.get(TARGET)
            if name is None:
                raise DataError("the file has no @outputs: add target, the column to predict.")
            _check_columns([name], table, file, "target")
            target = table.pop(name)
        X = table.set_axis([str(name) for name in table.columns], axis="columns")
        if twice := list(X.columns[X.columns.duplicated()]):
            raise DataError(f"there are two columns called {twice[0]!r}; rename one.")
        for key in ("drop", "categorical", "numeric", "levels"):
            _check_columns(getattr(about, key), X, file, key)
        _check_columns([about.groups] if about.groups else [], X, file, "groups")
        X = X.drop(columns=list(about.drop)).reset_index(drop=True)
        _check_shape(X, target)
        X = _typed(X, about)
        y = _numbers(target) if about.task == "regression" else _labels(target, about)
        y = y.reset_index(drop=True)
        check_lock(file, X, y)
    return X, y, about


def _check_columns(names: Iterable[str], X: pd.DataFrame, file: Path, key: str) -> None:
    for name in names:
        if name not in X:
            what = "column to drop" if key == "drop" else f"{key} column"
            with located(file, [key]):
                raise unknown_name(what, str(name), map(str, X.columns))


def _typed(X: pd.DataFrame, about: OwnData) -> pd.DataFrame:
    """Return the features as numbers and categories, as declared or found."""
    columns = {}
    for name in X.columns:
        column = X[name]
        if name in about.categorical and not isinstance(column.dtype, pd.CategoricalDtype):
            column = column.astype(object)
        columns[name] = typed_feature(column, name in about.numeric, about.levels.get(name, ()))
    return pd.DataFrame(columns)


def _check_shape(X: pd.DataFrame, target: pd.Series) -> None:
    if len(X) != len(target):
        raise DataError(
            f"there are {len(X)} rows of features and {len(target)} targets; return "
            "the same number of both."
        )
    if not len(X) or not X.shape[1]:
        what = "rows" if not len(X) else "columns besides the target"
        raise DataError(f"the table has no {what}; add some.")


def _numbers(target: pd.Series) -> pd.Series:
    if not pd.api.types.is_numeric_dtype(target) or not np.isfinite(target.astype(float)).all():
        raise DataError("the target of a regression must be numbers; choose another.")
    if target.nunique() < 2:
        raise DataError(f"the target is {target.iloc[0]:g} in every row; choose another.")
    return target.astype(np.float64)


def _labels(target: pd.Series, about: OwnData) -> pd.Series:
    """Return the classes as texts, of a category type if their order is declared."""
    if n_missing := int(target.isna().sum()):
        words = ", ".join(["the empty cell", *about.missing])
        why = (
            f" ({words} are read as missing; the key missing changes that)" if about.is_csv else ""
        )
        raise DataError(f"{n_missing} rows have no target{why}; remove them.")
    if about.classes or isinstance(target.dtype, pd.CategoricalDtype):
        labels = declared(target, about.classes)
    elif target.dtype.kind == "f":
        labels = as_texts(_whole_numbers(target))
    else:
        labels = as_texts(target)
        if about.is_csv and all(map(NUMBER.fullmatch, labels)):
            _check_whole(labels.astype(np.float64))
    if target.nunique() < 2:
        raise DataError(f"the target has only one class, {target.iloc[0]}; choose another.")
    return labels.rename("class")


def _check_whole(target: pd.Series) -> None:
    if (target % 1 != 0).any():
        raise DataError("the target has fractions; add task: regression, or choose another.")


def _whole_numbers(target: pd.Series) -> pd.Series:
    """Return classes without decimal point; refuse numbers that floats cannot tell apart."""
    _check_whole(target)
    # From here on neighbouring whole numbers are one number.
    limit = 2.0 ** (np.finfo(target.to_numpy().dtype).nmant + 1)
    if (far := target[target.abs() >= limit]).size:
        raise DataError(
            f"the target has {far.iloc[0]:g}, and from {limit:,.0f} on numbers with a "
            "decimal point are not exact: write the classes as words, or as whole numbers."
        )
    return target.astype(np.int64)
