"""The folds behind each number of a paper's rendered tables, and what is said of them."""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import pandas as pd

from retree.experiments.definition.item import Item
from retree.experiments.definition.method import Method
from retree.experiments.storing.exports import (
    BEST_TEST,
    BLOBS,
    DONE,
    NESTED,
    REPLICATES,
    SELECTED,
    run_name,
)
from retree.reports.coverage import protocol_sentence
from retree.reports.formatting import exact, number, verdict_words
from retree.reports.references import ToFolds, is_nested
from retree.reports.selection import OUTER, PLACE
from retree.statistics.metrics import find_metric
from retree.study.folders import named_on_pages

INSIDE = "parameters chosen inside the training folds"
Fold = Mapping[str, Any]
_KEYS = ["dataset_key", "method_key"]
_TEXTS = ("items", "dataset", "method", "params", "status", "reason", "key", "digest")
_NUMBERS = [
    "item",
    "method",
    "params",
    "metric",
    "reproduced",
    "published",
    "difference",
    "verdict",
]
_NUMBERS += ["n_replicates", "is_shown"]


@dataclass(frozen=True)
class FoldGroup:
    """The folds of one method on one data set that numbers of one or more items come from."""

    # Labels, as published; of items that name the method differently, that of the first.
    dataset: str
    method: str
    # Keys in the configuration; of items that configure the method differently, the first's.
    dataset_key: str
    method_key: str
    # The chosen point of the grid as JSON; where each fold has its own, the list of them.
    params: str
    # The numbers that are means over the folds: ``item``, ``method``, ``params``, ``metric``,
    # ``reproduced``, ``published``, ``difference``, ``verdict``, ``n_replicates`` and ``is_shown``:
    # whether the table shows them, or only numbers computed from them.
    numbers: pd.DataFrame
    # The finished outer cells, by repeat and fold: their rows of ``cells.csv.gz``. Those of further
    # runs of the protocol come last, with True for ``replicate``.
    folds: Sequence[Fold]

    @property
    def places(self) -> list[tuple[str, str, str]]:
        """The items that have the numbers, with the method and the parameters that stand there."""
        columns = (self.numbers[name] for name in ("item", "method", "params"))
        return list(dict.fromkeys(zip(*columns, strict=True)))

    @property
    def is_nested(self) -> bool:
        """Whether the parameters were chosen inside the training folds."""
        return is_nested(self.params)

    @property
    def references(self) -> list[ToFolds]:
        """What leads to the folds: one reference per place."""
        found = [ToFolds(i, self.dataset, method, params) for i, method, params in self.places]
        return list({reference.place: reference for reference in found}.values())

    def values(self, metric: str) -> list[float]:
        """Return a metric of cells on each fold, NaN where it has none."""
        known = find_metric(metric)
        return [known.offset + known.scale * float(fold[known.column]) for fold in self.folds]


def find_fold_groups(
    files: Mapping[str, pd.DataFrame], tables: Mapping[str, pd.DataFrame], uses: pd.DataFrame
) -> dict[str, list[FoldGroup]]:
    """Return what `group_folds` does of the cells of a paper; {} without any.

    `uses`: the ``key`` of each cell with ``method_key``, ``params`` and ``items``, a row for each
    way in which items call its method and point.
    """
    found = [
        _with_numbers(table).assign(
            replicate=name == REPLICATES, selected=table.get(SELECTED, BEST_TEST)
        )
        for name, table in files.items()
        if len(table)
    ]
    if not found or not tables:
        return {}
    every = pd.concat(found, ignore_index=True).rename(columns={"dataset": "dataset_key"})
    cells = every.drop(columns=["items", "method", "params"]).merge(uses, on="key")
    return group_folds(tables, cells)


def _with_numbers(cells: pd.DataFrame) -> pd.DataFrame:
    """Return a table of cells whose numbers are not texts, without predictions and trees."""
    table = cells.drop(columns=[*BLOBS])
    numbers = table.columns.difference([*_TEXTS, SELECTED, "run"])
    return table.assign(**{name: pd.to_numeric(table[name]) for name in numbers})


def group_folds(
    tables: Mapping[str, pd.DataFrame], cells: pd.DataFrame
) -> dict[str, list[FoldGroup]]:
    """Return the folds behind the numbers of tables, by the label of the data set.

    `tables`: the numbers of each item: the columns of its csv, ``dataset_key``, ``method_key`` and
    ``is_shown``.
    `cells`: the rows of ``cells.csv.gz``, and of ``replicates.csv.gz`` with True in ``replicate``,
    with keys in place of the labels.
    """
    outer = cells[(cells["inner"] == OUTER) & (cells["status"] == DONE)]
    used = pd.concat([table[_KEYS] for table in tables.values()]).drop_duplicates()
    by_place: dict[tuple[str, str], list[Fold]] = {}
    for row in _records(outer.merge(used, on=_KEYS).sort_values(PLACE, kind="stable")):
        by_place.setdefault((row["dataset_key"], row["method_key"]), []).append(row)
    found: dict[tuple[str, ...], FoldGroup] = {}
    for item, table in tables.items():
        for place, numbers in table.groupby([*_KEYS, "params"], sort=False):
            dataset, method, params = map(str, place)
            folds: Sequence[Fold] = _folds(item, params, by_place.get((dataset, method), []))
            if not folds:
                continue
            first = (str(fold["key"]) for fold in folds if not fold["replicate"])
            # Further runs choose for themselves, so that those of a nested selection are others.
            chosen = dataset, str(is_nested(params)), *first
            labels = str(numbers["dataset"].iloc[0]), str(numbers["method"].iloc[0])
            numbers = numbers.assign(item=item)[_NUMBERS]
            group = FoldGroup(*labels, dataset, method, params, numbers, folds)
            if before := found.get(chosen):
                numbers = pd.concat([before.numbers, numbers])
                group = replace(before, numbers=numbers, folds=max(before.folds, folds, key=len))
            found[chosen] = group
    groups: dict[str, list[FoldGroup]] = {}
    for group in found.values():
        groups.setdefault(group.dataset, []).append(group)
    return groups


def _records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table; `to_dict` is slow with columns of texts."""
    names = list(table.columns)
    columns = (table[name].to_numpy() for name in names)
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def _folds(item: str, params: str, rows: Sequence[Fold]) -> list[Fold]:
    """Return those of a method's folds on a data set that an item's number with `params` is of."""
    own = [row for row in rows if item in row["items"].split()] if params else []
    if is_nested(params):
        return list(_chosen(own, json.loads(params)))
    first = [row for row in own if not row["replicate"] and row["params"] == params]
    return [*first, *(row for row in own if _stands(row, BEST_TEST))]


def _chosen(rows: Sequence[Fold], points: Sequence[object]) -> Iterator[Fold]:
    """Yield the row of each fold whose point was chosen there, those of the first run first."""
    texts = [json.dumps(point, sort_keys=True) for point in points]
    first = [row for row in rows if not row["replicate"]]
    places = sorted({tuple(row[name] for name in PLACE) for row in first})
    wanted = dict(zip(places, texts, strict=True))
    for row in first:
        if wanted[tuple(row[name] for name in PLACE)] == row["params"]:
            yield row
    yield from (row for row in rows if _stands(row, NESTED))


def _stands(row: Fold, selected: str) -> bool:
    """Whether a cell stands for a further run whose parameters were chosen so."""
    return bool(row["replicate"]) and selected in row[SELECTED].split()


INTRODUCTION = (
    "What each method gave on each fold of {}. `retree show {}KEY` shows one fold, with `--rows` "
    "its test rows, and with `--recompute` computes it again."
)
NUMBERS = ("table", "quantity", "reproduced", "published", "difference", "verdict")
SEED = "seed"
# Of a key; the first ten of all committed ones differ.
_DIGITS = 12
Column = tuple[str, list[str]]


@dataclass(frozen=True)
class FoldSection:
    """The section of a page on the folds of one method."""

    paper: str
    item: Item  # The first table that the folds are of
    group: FoldGroup
    # The ``random_state`` of each cell by its key, None if it draws nothing.
    seeds: Mapping[str, int | None]
    data: Mapping[str, str]  # The sha256 of each data set, by its name in configuration files
    # The runs that computed the cells, in the order of ``provenance.json``.
    runs: Sequence[dict[str, Any]]

    @property
    def title(self) -> str:
        """The method with its other names, and how its parameters were chosen if not as usual."""
        first, *others = dict.fromkeys(method for _, method, _ in self.group.places)
        names = f"{first} (also {', '.join(others)})" if others else first
        return f"{names}{f', {INSIDE}' if self.group.is_nested else ''}"

    @cached_property
    def method(self) -> Method:
        """The method."""
        return next(m for m in self.item.methods if m.key == self.group.method_key)

    @property
    def numbers(self) -> list[list[str]]:
        """The numbers that the folds are behind, as `NUMBERS` has them; an item by its name."""
        return [
            [
                str(row["item"]),
                find_metric(row["metric"]).label + self._which_runs(row["n_replicates"]),
                number(row["metric"], row["reproduced"]),
                number(row["metric"], row["published"]),
                number(row["metric"], row["difference"], sign=True),
                verdict_words(row["verdict"]) if not math.isnan(row["published"]) else "",
            ]
            for row in self.group.numbers.to_dict("records")
            if row["is_shown"]
        ]

    def _which_runs(self, count: int) -> str:
        """Return which runs a number is of, "" if it is of all."""
        if count == self.n_runs:
            return ""
        return ", first replicate" if count == 1 else f", first {count} replicates"

    @cached_property
    def n_runs(self) -> int:
        """How often the whole protocol was run."""
        return int(self.group.numbers["n_replicates"].max())

    @property
    def run_numbers(self) -> list[int]:
        """The runs that computed the folds."""
        computed = {fold["run"] for fold in self.group.folds}
        return [i for i, run in enumerate(self.runs) if run_name(run) in computed]

    @property
    def parameters(self) -> dict[str, str]:
        """The parameters that are set, chosen ones included, as Python writes them."""
        return {
            name: repr(value)
            for name, value in {**self.method.params, **self._point}.items()
            if name in self._point or name not in self.method.tune
        }

    @property
    def _point(self) -> dict[str, Any]:
        """The point of the grid; {} if that is not the same in all folds."""
        points = {fold["params"] for fold in self.group.folds} if self.group.is_nested else set()
        params = self.group.params if not points else points.pop() if len(points) == 1 else "{}"
        return dict(json.loads(params))

    @property
    def facts(self) -> dict[str, str]:
        """Parameters, protocol, sizes of the folds and number of runs, by what they are called."""
        sizes = [int(fold["n_test"]) for fold in self.group.folds]
        facts = {
            "Parameters": equations(self.parameters) or "none is set",
            "Protocol": protocol_sentence(self.item.protocol),
            "Test rows": f"{_range(sizes)} in each fold",
        }
        if self.n_runs > 1:
            chosen = ", parameters chosen anew in each" if self.method.tune else ""
            facts["Replicates"] = f"{self.n_runs}{chosen}"
        return facts

    @property
    def command(self) -> str:
        """The command that shows the folds."""
        place = self.item.name, self.group.dataset_key, self.method.key
        words = [*named_on_pages(self.paper), *place]
        nested = ["--metric", "accuracy_nested"] if self.group.is_nested else []
        return shlex.join(["retree", "show", *words, *nested])

    @property
    def metrics(self) -> list[str]:
        """The metrics of its numbers that folds have, each quantity once; accuracy always."""
        found: dict[str, str] = {}
        for name in (*self.group.numbers["metric"], "accuracy"):
            column = find_metric(name).column
            if column and not all(map(math.isnan, self.group.values(name))):
                found.setdefault(column, name)
        return list(found.values())

    @property
    def columns(self) -> list[Column]:
        """Place, varying parameters, quantities, seed and key of the folds, with their heads."""
        folds = self.group.folds
        columns = [("repeat, fold", [f"{fold['repeat']}, {fold['fold']}" for fold in folds])]
        if len({fold["params"] for fold in folds}) > 1:
            points = (json.loads(fold["params"]) for fold in folds)
            columns.append(("parameters", [equations(point) for point in points]))
        for metric in self.metrics:
            texts = list(exact(self.group.values(metric)))
            columns.append((find_metric(metric).label, texts))
        seeds = [self.seeds.get(fold["key"]) for fold in folds]
        if any(seed is not None for seed in seeds):
            columns.append((SEED, ["" if seed is None else str(seed) for seed in seeds]))
        return [*columns, ("key", [str(fold["key"])[:_DIGITS] for fold in folds])]


def equations(values: Mapping[str, object]) -> str:
    """Return named values as in a call."""
    return ", ".join(f"{name}={value}" for name, value in values.items())


def _range(values: Sequence[int]) -> str:
    low, high = min(values), max(values)
    return str(low) if low == high else f"{low} to {high}"
