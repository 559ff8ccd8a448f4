"""The description of a study's data set, checked before anything is read."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from retree.datasets.own_tables import MISSING
from retree.errors import RetreeError, unknown_name
from retree.options import read_options
from retree.study.folders import DATASETS, opened
from retree.yaml_files import line_of, list_yaml, located, read_mapping

ORIGINS = ("openml", "file", "sklearn", "function")


@dataclass(frozen=True)
class OwnData:
    """What a study says of a data set."""

    # Where it comes from, one of these: its number on OpenML; a csv, parquet or arff file in the
    # study's folder; a function of ``sklearn.datasets``, ``load_…`` or ``make_…``, that reads no
    # file; ``estimators.py:function``, which returns features and target. Both functions get the
    # `arguments`.
    openml: int | None = None
    file: str | None = None
    sklearn: str | None = None
    function: str | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    # The column to predict; not needed for a function that returns it apart.
    target: str | None = None
    groups: str = ""  # The column that says which group a row is of, as a patient; it is no feature
    drop: tuple[str, ...] = ()  # Columns that are no features
    # Columns whose type is declared; the others are numeric if all their values are numbers.
    categorical: tuple[str, ...] = ()
    numeric: tuple[str, ...] = ()
    # What stands for a missing value in a csv, besides the empty cell.
    missing: tuple[str | int | float, ...] = MISSING
    # ``classification`` or ``regression``.
    task: Literal["classification", "regression"] = "classification"
    title: str = ""
    note: str = ""


def find_own(name: str) -> Path | None:
    """Return the file of the data set called `name` in an opened study, the last one first."""
    files = (study / DATASETS / f"{name}.yaml" for study in reversed(opened()))
    return next((file for file in files if file.is_file()), None)


def own_names(study: Path) -> list[str]:
    """Return the names of the data sets of the study in the folder `study`, sorted."""
    return sorted(file.stem for file in list_yaml(study / DATASETS))


def read_description(file: Path) -> OwnData:
    """Return what a study says of the data set in `file`, checked."""
    content = read_mapping(file)
    for key in content:
        if key not in (names := [f.name for f in dataclasses.fields(OwnData)]):
            error = unknown_name("key", key, names)
            raise type(error)(f"{file}, line {line_of(file, [key])}: {error}")
    if sum(key in content for key in ORIGINS) != 1:
        raise RetreeError(f"{file} must name one of {', '.join(ORIGINS)}: give one.")
    if content.get("task", "classification") not in ("classification", "regression"):
        line = line_of(file, ["task"])
        raise RetreeError(f"{file}, line {line}: task must be classification or regression.")
    if ("file" in content or "openml" in content) and "target" not in content:
        raise RetreeError(f"{file} lacks target, the name of the column to predict: add it.")
    if "sklearn" in content and content["sklearn"] not in (known := sklearn_functions()):
        unknown = unknown_name("function of sklearn.datasets", str(content["sklearn"]), known)
        raise type(unknown)(f"{file}, line {line_of(file, ['sklearn'])}: {unknown}")
    if "function" in content and ".py:" not in str(content["function"]):
        line = line_of(file, ["function"])
        raise RetreeError(
            f"{file}, line {line}: function must be estimators.py:NAME, in the study."
        )
    with located(file, []):
        about = read_options(OwnData, content, file.stem)
    _check_unread(content, file)
    return about


def _check_unread(content: Mapping[str, Any], file: Path) -> None:
    """Refuse keys that do nothing beside the origin of the data."""
    origin = next(key for key in ORIGINS if key in content)
    made = origin in ("sklearn", "function")
    is_csv = str(content.get("file", "")).endswith(".csv")
    unread = ["target"] * made + ["arguments"] * (not made) + ["missing"] * (not is_csv)
    for key in (key for key in unread if key in content):
        where = f"{file}, line {line_of(file, [key])}"
        raise RetreeError(f"{where}: {key} has no effect on what {origin} gives; remove it.")
    if both := {*content.get("categorical", ())} & {*content.get("numeric", ())}:
        where = f"{file}, line {line_of(file, ['numeric'])}"
        raise RetreeError(f"{where}: {min(both)} cannot be categorical and numeric; choose one.")


def sklearn_functions() -> dict[str, Any]:
    """Return the functions that make data or load those that scikit-learn has, by name."""
    from sklearn import datasets

    files = ("load_files", "load_sample_image", "load_svmlight_file")
    names = (name for name in datasets.__all__ if name.startswith(("load_", "make_")))
    return {name: getattr(datasets, name) for name in names if not name.startswith(files)}
