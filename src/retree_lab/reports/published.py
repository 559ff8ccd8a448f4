"""The published numbers: read here and nowhere else, and only to be compared with."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, TypeAlias

import pandas as pd

from retree.errors import RetreeError
from retree_lab.experiments.definition.claim_config import MEAN
from retree_lab.experiments.definition.definitions import Paper
from retree_lab.experiments.definition.method import Method
from retree_lab.plain_files import read_csv
from retree_lab.statistics.metrics import METRICS, is_statistic
from retree_lab.study.catalogue import dataset_keys

COLUMNS = ("table", "dataset", "method", "metric", "value", "std", "marker")
# Columns that a file may leave out.
OPTIONAL = ("std", "marker")
# The place of one published value.
PLACE = ["table", "dataset", "method", "metric"]
# The marker of a value that somebody else copied from the paper.
SECOND_HAND = "second hand"


class PublishedValue(NamedTuple):
    """A published value and its standard deviation, NaN where nothing (readable) is published.

    The last digit that the value is published with has the unit `unit`. `is_wrong`: the paper's
    errata say that it is. `second_hand`: it was not copied from the paper itself.
    """

    value: float
    std: float
    unit: float = math.nan
    is_wrong: bool = False
    second_hand: bool = False


NOTHING = PublishedValue(math.nan, math.nan)
_Cells: TypeAlias = Mapping[tuple[str, ...], PublishedValue]


class Published:
    """The published numbers of a paper.

    `paper`: its ``published`` file is a csv of the columns `COLUMNS`; without one nothing is
    published.
    """

    def __init__(self, paper: Paper) -> None:
        if paper.published is None:
            self._table: pd.DataFrame = pd.DataFrame(columns=list(COLUMNS))
            self._cells: _Cells = {}
            return
        try:
            changed = paper.published.stat().st_mtime_ns
            self._table, self._cells = _read(paper.published, changed)
            if others := other_names(paper, self._table):
                self._table = self._table.replace(others)
                sets, methods = (others.get(column, {}) for column in ("dataset", "method"))
                rows = ((t, sets.get(d, d), methods.get(m, m), q) for t, d, m, q in self._cells)
                self._cells = dict(zip(rows, self._cells.values(), strict=True))
        except (OSError, ValueError) as error:
            raise RetreeError(
                f"The published numbers {paper.published} cannot be read ({error}); "
                "restore the file."
            ) from error

    def find(self, table: str, dataset: str, method: str, metric: str) -> PublishedValue:
        """Return the published value of a cell; `method` is a name as in the paper, or ""."""
        return self._cells.get((table, dataset, method, metric), NOTHING)

    def table(self) -> pd.DataFrame:
        """Return all published cells as rows of the columns `COLUMNS`; "" stands for no text."""
        return self._table.copy()

    def datasets(self, method: str, metric: str) -> dict[str, float]:
        """Return the published values of single data sets, over all tables, by data set."""
        return {d: cell.value for d, (_, cell) in self.places(method, metric).items()}

    def places(self, method: str, metric: str) -> dict[str, tuple[str, PublishedValue]]:
        """Return of single data sets the table that has a value, and what is published there."""
        return {
            d: (table, cell)
            for (table, d, m, q), cell in self._cells.items()
            if (m, q) == (method, metric) and d != MEAN and not math.isnan(cell.value)
        }


@lru_cache(maxsize=16)
def _read(path: Path, changed: int) -> tuple[pd.DataFrame, _Cells]:
    """Return the rows of a file, and what is published by table, data set, method and metric."""
    texts = published_texts(path)
    numbers = texts[["value", "std"]].replace("", "nan").astype(float)
    # 0.80 is published with two decimals.
    units, table = _units(texts), texts.assign(value=numbers["value"], std=numbers["std"])
    if table.duplicated(PLACE).any():
        twice = table.loc[table.duplicated(PLACE), PLACE].iloc[0]
        raise RetreeError(f"{path} has {' '.join(twice)} twice; keep one.")
    _check_units(table, path)
    places = table[PLACE].itertuples(index=False, name=None)
    said = table["marker"] == SECOND_HAND
    rows = zip(numbers["value"], numbers["std"], units, said, strict=True)
    return table, {
        place: PublishedValue(value, std, unit, second_hand=bool(copied))
        for place, (value, std, unit, copied) in zip(places, rows, strict=True)
    }


def _check_units(table: pd.DataFrame, path: Path) -> None:
    """Refuse a file whose shares are said to be of 1 and are of 100, or the other way round."""
    for name in METRICS.keys() & set(table["metric"]):
        metric, values = METRICS[name], table.loc[table["metric"] == name, "value"].dropna()
        if math.isnan(metric.most):
            continue
        other = name.removesuffix("_pct") if metric.most > 1 else f"{name}_pct"
        # A single value is a misprint, or an impossible number of the paper.
        is_percent = 2 * (~values.between(0, metric.most)).sum() > len(values)
        is_share = metric.most > 1 and not metric.smaller_is_better and values.max() <= 1
        if other in METRICS and (is_percent or (is_share and len(values) > 1)):
            raise RetreeError(
                f"{path}: values of {name} up to {values.max():g} cannot be meant, as it is from 0 "
                f"to {metric.most:g}; name their metric {other}."
            )


def other_names(paper: Paper, table: pd.DataFrame) -> dict[str, dict[str, str]]:
    """Return the labels in tables of data sets and methods that a file of values names otherwise.

    In the file a data set may have any of its usual names, and a method its key. Returns labels by
    column and name in the file.
    """
    used = {name for item in paper.items.values() for name in item.get("datasets") or ()}
    labels = {"dataset": {name: paper.names.get(name, name) for name in used}, "method": {}}
    for named in paper.methods.values():
        labels["method"] |= named
    others = {}
    for column, label_by_key in labels.items():
        strange = [n for n in table[column].unique() if n not in {*label_by_key.values(), MEAN}]
        keys = dataset_keys(strange) if column == "dataset" else {n: n for n in strange}
        others[column] = {n: label_by_key[key] for n, key in keys.items() if key in label_by_key}
    return {column: names for column, names in others.items() if names}


def published_texts(path: Path) -> pd.DataFrame:
    """Return a file of published numbers as texts, each row under its line in the file."""
    csv = read_csv(path.read_bytes(), path)
    table = pd.DataFrame(csv.rows, columns=csv.head, index=csv.lines, dtype=str)
    table = table.assign(**{name: "" for name in OPTIONAL if name not in table})
    if lacking := [name for name in COLUMNS if name not in table]:
        raise RetreeError(f"{path} lacks the columns {', '.join(lacking)}; add them.")
    return table


def read_measured(paper: Paper, file: str) -> dict[tuple[str, ...], PublishedValue]:
    """Read values measured by another program or laboratory, by data set, method and metric.

    `file`: in its folder, with the columns ``dataset``, ``method``, ``metric``, ``value`` and
    ``std``.
    """
    path = paper.folder / file
    try:
        csv = read_csv(path.read_bytes(), path)
        table = pd.DataFrame(csv.rows, columns=csv.head, dtype=str)
        rows = table[["dataset", "method", "metric"]].itertuples(index=False, name=None)
        values = table[["value", "std"]].replace("", "nan").astype(float)
        numbers = values.itertuples(index=False, name=None)
        return {row: PublishedValue(*pair) for row, pair in zip(rows, numbers, strict=True)}
    except (OSError, KeyError, ValueError) as error:
        raise RetreeError(f"{path} cannot be read ({error}); restore the file.") from error


def _units(table: pd.DataFrame) -> pd.Series:
    """Return the unit of the last digit of each value: that of the finest one of its column.

    A statistic over all data sets has its own, since p-values of one column differ in their
    exponents.
    """
    digits = table["value"].str.extract(r"\.(\d+)(?:e([+-]\d+))?$")
    decimals = digits[0].str.len().fillna(0) - digits[1].fillna("0").astype(float)
    columns = [table[name].fillna("") for name in ("table", "metric")]
    has_own = (table["dataset"] == MEAN) & table["metric"].map(is_statistic)
    finest = decimals.where(~has_own).groupby(columns).transform("max")
    return 10.0 ** -finest.where(~has_own, decimals)


def published_name(method: Method) -> str:
    """Return the name under which the paper publishes what `method` is, or interprets."""
    return str(method.about.get("stands_for", method.name))


def known_wrong(paper: Paper, table: str, dataset: str, method: str, metric: str) -> str:
    """Return why the paper's errata call a published cell wrong, "" if they do not.

    A rule names a ``table`` and any of ``dataset``, ``method`` and ``metric``; what it does not
    name it holds for all of.
    """
    cell = {"table": table, "dataset": dataset, "method": method, "metric": metric}
    for rule in paper.errata:
        named = {name: value for name, value in rule.items() if name in cell}
        if named and all(cell[name] == value for name, value in named.items()):
            return str(rule["reason"])
    return ""
