"""The folds behind each number of a paper's rendered tables, and what is said of them."""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from retree_lab.experiments.definition.item import Item
from retree_lab.experiments.definition.method import Method
from retree_lab.experiments.planning.keys import KEY_DIGITS
from retree_lab.experiments.storing.exports import DONE, run_name
from retree_lab.reports.comparison import Comparison
from retree_lab.reports.context import Context, protocol_sentence
from retree_lab.reports.document import Entry, TableCell, ToFolds, ToPage, is_nested
from retree_lab.reports.files import item_title
from retree_lab.reports.fold_values import Pair, folds_of
from retree_lab.reports.formatting import exact, number, verdict_words
from retree_lab.reports.kinds import ItemReport
from retree_lab.reports.sections import grouped
from retree_lab.reports.selection import OUTER, PAIR, PLACE
from retree_lab.statistics.metrics import find_metric
from retree_lab.study.folders import named_on_pages

INSIDE = "parameters chosen inside the training folds"
Fold = Mapping[Hashable, Any]
_LEFT_OUT = (*PAIR, "status", "reason")  # of a fold


class FoldNumber(NamedTuple):
    """A number that is a mean over folds."""

    item: str
    comparison: Comparison
    is_shown: bool  # Whether the item's table shows it, or only numbers computed from it


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
    numbers: Sequence[FoldNumber]
    # The finished outer cells, by repeat and fold: their rows of the results frame, with ``run``.
    # Folds of further runs of the protocol come last, with True for ``replicate``.
    folds: Sequence[Fold]

    @property
    def places(self) -> list[tuple[str, str, str]]:
        """The items that have the numbers, with the method and the parameters that stand there."""
        every = ((n.item, n.comparison.method, n.comparison.params) for n in self.numbers)
        return list(dict.fromkeys(every))

    @property
    def is_nested(self) -> bool:
        """Return whether the parameters were chosen inside the training folds."""
        return is_nested(self.params)

    @property
    def references(self) -> list[ToFolds]:
        """The references that lead to the folds, one per place."""
        every = [ToFolds(i, self.dataset, method, params) for i, method, params in self.places]
        return list({reference.place: reference for reference in every}.values())

    def values(self, metric: str) -> list[float]:
        """Return a metric of cells on each fold, NaN where it has none."""
        measure = find_metric(metric)
        return [measure.offset + measure.scale * float(fold[measure.column]) for fold in self.folds]


def find_fold_groups(
    contexts: Iterable[ItemReport], runs: Mapping[str, str]
) -> dict[str, list[FoldGroup]]:
    """Return the folds behind the numbers of items, by the label of the data set.

    `runs`: the names of the runs that computed the cells, by the digits of keys that files have.
    """
    by_cells: dict[tuple[str, ...], FoldGroup] = {}
    for context in contexts:
        every = grouped(_numbers(context), lambda n: (*n.comparison.place, n.comparison.params))
        for (dataset, method, params), numbers in every.items():
            if not params or not (folds := _folds(context, (dataset, method), params, runs)):
                continue
            first = (str(fold["key"]) for fold in folds if not fold["replicate"])
            # Further runs choose for themselves, so that a nested selection has others.
            chosen = dataset, str(is_nested(params)), *first
            labels = numbers[0].comparison.dataset, numbers[0].comparison.method
            group = FoldGroup(*labels, dataset, method, params, numbers, folds)
            if before := by_cells.get(chosen):
                both = [*before.numbers, *numbers]
                group = replace(before, numbers=both, folds=max(before.folds, folds, key=len))
            by_cells[chosen] = group
    return grouped(by_cells.values(), lambda group: group.dataset)


def _numbers(context: ItemReport) -> list[FoldNumber]:
    """Return the means over folds that the page of an item has, and those that it is made of."""
    cells = [] if context.document is None else list(context.document.cells)
    on_page = [(cell.comparison, True) for cell in cells if cell.comparison is not None]
    by_place: dict[tuple[str, ...], FoldNumber] = {}
    for one, is_shown in (*on_page, *((c, False) for cell in cells for c in cell.sources)):
        same = *one.place, one.metric, one.params, repr(one.reproduced + 0.0)
        by_place.setdefault(same, FoldNumber(context.item.name, one, is_shown))
    return list(by_place.values())


def _folds(context: Context, pair: Pair, params: str, runs: Mapping[str, str]) -> Sequence[Fold]:
    """Return the folds that a number with `params` is of, further replicates last."""
    beside = is_nested(params) and context.item.chosen_on_test
    choices = context.nested if beside else context.best
    if pair in choices and choices[pair].params == params:
        every = context.nested_runs if beside else context.runs
        rows = folds_of(pair, every, choices)
    else:
        wanted = {"inner": OUTER, "status": DONE, "params": params}
        wanted |= dict(zip(PAIR, pair, strict=True))
        rows = context.frame
        for name, value in wanted.items():
            rows = rows[rows[name] == value]
    rows = rows.sort_values(PLACE, kind="stable")
    # Lists, since `drop`, `assign` and `to_dict` are slow with columns of texts.
    columns = {name: rows[name].tolist() for name in rows if name not in _LEFT_OUT}
    columns["run"] = [runs[key[:KEY_DIGITS]] for key in columns["key"]]
    repeats = context.item.protocol.repeats
    columns["replicate"] = [repeat >= repeats for repeat in columns["repeat"]]
    return [dict(zip(columns, line, strict=True)) for line in zip(*columns.values(), strict=True)]


INTRODUCTION = (
    "The result of each method on each fold of {}. "
    "`retree show {}KEY` shows one fold, with `--rows` "
    "its test rows, and with `--recompute` computes it again."
)
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
    def numbers(self) -> list[dict[str, Entry]]:
        """The numbers that the folds are behind, by headings."""
        return [
            {
                "table": TableCell(item_title(item), to=ToPage(item)),
                "quantity": find_metric(one.metric).label + self._which_runs(one.n_replicates),
                "reproduced": number(one.metric, one.reproduced),
                "published": number(one.metric, one.published),
                "difference": number(one.metric, one.difference, sign=True),
                "verdict": verdict_words(one.verdict) if not math.isnan(one.published) else "",
            }
            for item, one, is_shown in self.group.numbers
            if is_shown
        ]

    def _which_runs(self, count: int) -> str:
        """Return which runs a number is of, "" if it is of all."""
        if count == self.n_runs:
            return ""
        return ", first replicate" if count == 1 else f", first {count} replicates"

    @cached_property
    def n_runs(self) -> int:
        """Return the number of runs of the whole protocol."""
        return max(one.comparison.n_replicates for one in self.group.numbers)

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
        by_column: dict[str, str] = {}
        for name in (*(one.comparison.metric for one in self.group.numbers), "accuracy"):
            column = find_metric(name).column
            if column and not all(map(math.isnan, self.group.values(name))):
                by_column.setdefault(column, name)
        return list(by_column.values())

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
