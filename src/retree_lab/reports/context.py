"""All that an item is rendered from, and what of the paper's item that covers, in words."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import pandas as pd

from retree.errors import DataError
from retree_lab.datasets import Dataset, load_dataset
from retree_lab.experiments.definition.definitions import Experiment, Paper
from retree_lab.experiments.definition.item import NESTED, Item, count_replicates
from retree_lab.experiments.definition.method import Method
from retree_lab.experiments.definition.protocol import (
    BOOTSTRAP,
    DATA_SET,
    FILE,
    GROUPS,
    HOLDOUT,
    LEAVE_ONE_OUT,
    TIME,
    Protocol,
)
from retree_lab.experiments.planning.plan import Plan
from retree_lab.experiments.storing.results import StoredCells
from retree_lab.reports.comparison import Comparison
from retree_lab.reports.published import Published, PublishedValue, known_wrong
from retree_lab.reports.runs import ReplicateCells, Runs, find_runs, replicate_cells
from retree_lab.reports.selection import Choices, choose, nested
from retree_lab.reports.verdicts import judge_numbers, judged_as_whole, rules_of
from retree_lab.statistics.metrics import find_metric
from retree_lab.study import catalogue
from retree_lab.study.folders import PAPER
from retree_lab.yaml_files import read_mapping


@dataclass(frozen=True)
class Context:
    """An item with its results.

    Attributes
    ----------
    experiment : Experiment
        Names the paper, the folder of results and the sources of data.
    plan : Plan
        The item's plan, which knows what is left out, and why.
    frame : DataFrame
        Its results, as from `retree_lab.experiments.storing.results.results_frame`.
    stored : StoredCells
        Their trees, and the runs that computed them.
    loaded : Mapping of str to Dataset
        Data sets that are in memory, by name.
    """

    experiment: Experiment
    plan: Plan
    frame: pd.DataFrame
    stored: StoredCells
    loaded: Mapping[str, Dataset] = field(default_factory=dict)

    @property
    def item(self) -> Item:
        """The item."""
        return self.plan.item

    @property
    def paper(self) -> Paper:
        """The paper that the item is of."""
        return self.experiment.paper

    @cached_property
    def published(self) -> Published:
        """The published numbers."""
        return Published(self.paper)

    @cached_property
    def best(self) -> Choices:
        """The points that numbers are of, by data set and key of a method."""
        return choose(self.frame, self.item.chosen_on_test)

    @cached_property
    def nested(self) -> Choices:
        """The points chosen inside the training folds, where those are beside `best`."""
        beside = NESTED in self.item.select and self.item.chosen_on_test
        return nested(self.frame, self.best) if beside else {}

    @cached_property
    def replicates(self) -> ReplicateCells:
        """The cells that stand for each replicate but the first."""
        return replicate_cells(self.plan, self.stored)

    @cached_property
    def runs(self) -> Runs:
        """The runs of the item, its replicates or its repeats."""
        return find_runs(self.item.protocol, self.best, lambda: self.replicates.best)

    @cached_property
    def nested_runs(self) -> Runs:
        """The runs that choose their parameters inside the training folds."""
        return find_runs(self.item.protocol, self.nested, lambda: self.replicates.nested)

    def dataset(self, name: str) -> Dataset:
        """Return one of the item's data sets."""
        dataset = self.loaded.get(name)
        return load_dataset(name, sources=self.experiment.sources) if dataset is None else dataset

    @property
    def n_datasets(self) -> int:
        """Return the number of data sets of the item in the paper."""
        return len(self.paper.items[self.item.name]["datasets"])

    def find_published(self, dataset: str, method: str, metric: str) -> PublishedValue:
        """Return the published value of a cell of the item."""
        place = self.item.name, dataset, method, metric
        is_wrong = bool(known_wrong(self.paper, *place))
        return self.published.find(*place)._replace(is_wrong=is_wrong)

    def find_in_any_table(self, dataset: str, method: str, metric: str) -> PublishedValue | None:
        """Find a published value of a data set and a method, by their labels, in any table."""
        if (place := self.published.places(method, metric).get(dataset)) is None:
            return None
        table, value = place
        is_wrong = bool(known_wrong(self.paper, table, dataset, method, metric))
        return value._replace(is_wrong=is_wrong)

    def judge(self, numbers: Iterable[Comparison]) -> list[Comparison]:
        """Return numbers of the item judged; pass all of them at once, see `judge_numbers`.

        Those of a part of an item are judged as the whole item judges them.
        """
        judged = judge_numbers(numbers, rules_of(self.item, self.paper))
        return judged_as_whole(judged, self.experiment, self.item)


def is_fresh_draw(dataset: Dataset) -> bool:
    """Return whether a data set was drawn here although a published sample exists."""
    is_drawn = dataset.source == "generator"
    return is_drawn and {*catalogue.root(catalogue.find(dataset.name)).sources} > {"generator"}


def available(names: Iterable[str], context: Context) -> Iterator[Dataset]:
    """Yield those data sets that are available here."""
    for name in names:
        with suppress(DataError):
            yield context.dataset(name)


_632 = (
    "The .632 estimate is 0.632 of the accuracy on the rows that are not drawn, and 0.368 of the "
    "accuracy on all rows of a fit to all rows (Efron 1983). It is too optimistic for a method "
    "that fits every training row. It has no spread and no test, unlike the accuracy itself."
)


def introduction(context: Context, of_means: bool = True) -> list[str]:
    """Return sentences on protocol, grid and coverage of a table.

    `of_means`: whether its numbers are means over all replicates.
    """
    item = context.item
    vary = item.vary if isinstance(item.vary, Mapping) else {}
    used = {name: list(vary.get(name, context.paper.grid[name])) for name in tuned(item.methods)}
    sentences = [
        protocol_sentence(item.protocol, item.select),
        *runs_sentences(item, context.paper.drawn_anew, of_means),
    ]
    if item.takes_all_rows:
        sentences.append(_632)
    if used and all(len(values) == 1 for values in used.values()):
        sentences.append(f"Parameters: {grid_sentence(used)}.")
    elif used:
        how = "Parameters are chosen inside the training rows of each fold."
        if item.chosen_on_test:
            how = f"The point with the {best_words(item, 'mean test')} is shown. "
            how += "That is optimistic, since the test rows choose it."
        sentences.append(f"Grid: {grid_sentence(used)}. {how}")
    return [*sentences, *coverage_notes(context)]


def best_words(item: Item, of: str) -> str:
    """Return which point of a grid is chosen: "highest mean test accuracy"; `of`: before it."""
    metric = find_metric(item.select_by)
    return f"{metric.best} {of} {metric.label}"


def coverage_notes(context: Context) -> list[str]:
    """Return sentences on what sets this rendering of an item apart from the paper's.

    They are about data sets, methods and grid values that were left out, and of generated data in
    the place of a published sample; an empty list means none of that.
    """
    experiment, item, plan = context.experiment, context.item, context.plan
    configured = experiment.paper.items.get(item.name, {})
    notes = []
    all_datasets = configured.get("datasets") or []
    if len(item.datasets) < len(all_datasets):
        notes.append(f"Covers {len(item.datasets)} of the paper's {len(all_datasets)} data sets.")
    all_methods = configured.get("methods") or []
    if len(item.methods) < len(all_methods):
        notes.append(f"Covers {len(item.methods)} of the paper's {len(all_methods)} methods.")
    if lost := [name for name in item.datasets if name in plan.unavailable]:
        notes.append(f"Unavailable data sets: {', '.join(lost)}.")
    notes += _grid_notes(experiment.paper, item)
    loaded = [name for name in item.datasets if name not in plan.unavailable]
    if drawn := [data.name for data in available(loaded, context) if is_fresh_draw(data)]:
        notes.append(
            "Generated data (a fresh draw from the definition) replace the published sample: "
            f"{', '.join(drawn)}."
        )
    return notes


def protocol_sentence(protocol: Protocol, select: Sequence[str] = ()) -> str:
    """Return the protocol in words."""
    if protocol.test_file:
        return "Trained on the training file, scored on the test file."
    if protocol.whole:
        return "Fitted to all rows and scored on the same rows."
    if protocol.is_own:
        return _own_sentence(protocol)
    words = f"{protocol.folds}-fold cross-validation"
    words += " on Weka's folds" if protocol.splitter == "weka" else ""
    words += f", {protocol.repeats} times" if protocol.repeats > 1 else ""
    words += ", stratified" if protocol.stratified else ", not stratified"
    words += ", shuffled" if protocol.shuffle else ", not shuffled"
    words += f", seed {protocol.seed}"
    if NESTED in select and protocol.inner_folds:
        words += f"; nested selection on {protocol.inner_folds} inner folds"
    return words + "."


def _own_sentence(protocol: Protocol) -> str:
    """Return a split of a study's own in words."""
    stratified = ", stratified" if json.loads(protocol.arguments).get("stratified") else ""
    words = {
        HOLDOUT: f"Hold-out of {protocol.test_share:.0%} of the rows{stratified}",
        LEAVE_ONE_OUT: "Leave-one-out cross-validation",
        GROUPS: f"{f'{protocol.folds} folds' if protocol.folds else 'A fold for each group'}, "
        "groups of rows kept together",
        TIME: f"{protocol.folds} folds in the order of time, trained on all rows before",
        BOOTSTRAP: "Bootstrap samples, scored on the rows that are not drawn",
        FILE: "The folds of a file",
        DATA_SET: "The splits that the data sets come with",
    }
    sentence = (
        words.get(protocol.splitter)
        or f"{protocol.splitter.rpartition('.')[-1]}({protocol.arguments})"
    )
    sentence += f", {protocol.repeats} times" if protocol.repeats > 1 else ""
    return sentence + (f", seed {protocol.seed}." if protocol.draws else ".")


def runs_sentences(
    item: Item, drawn_anew: Collection[str] = (), of_means: bool = True
) -> list[str]:
    """Return a text on the number of replicates, empty for one."""
    most = item.protocol.replicates
    if most == 1:
        return []
    words = f"{most} replicates of the protocol, each with other folds"
    counts = {item.label(d): count_replicates(item, d) for d in item.datasets}
    words += "".join(f", {n} on {d}" for d, n in counts.items() if n < most)
    sentences = [f"{words}.{' Numbers are means over them.' * of_means}"]
    if drawn := [item.label(d) for d in item.datasets if d in drawn_anew]:
        sentences.append(f"Each replicate also draws its own rows of {' and '.join(drawn)}.")
    if NESTED in item.select and item.chosen_on_test:
        n = item.nested_replicates
        first = f"first {n} replicates" if n > 1 else "first replicate"
        sentences.append(f"The nested selection is from the {first}.")
    return sentences


def grid_sentence(grid: Mapping[str, Sequence[Any]]) -> str:
    """Return the values of a parameter grid in words."""
    return "; ".join(f"{name} in {{{_values(values)}}}" for name, values in grid.items())


def tuned(methods: tuple[Method, ...]) -> list[str]:
    """Return the parameters that any runnable method of an item tunes."""
    return list(dict.fromkeys(p for m in methods if m.missing is None for p in m.tune))


def _grid_notes(paper: Paper, item: Item) -> list[str]:
    if item.vary is not None:
        return []
    configured = read_mapping(paper.folder / PAPER).get("grid") or {}
    notes = []
    for name in tuned(item.methods):
        used, full = list(paper.grid[name]), list(configured.get(name, ()))
        if used != full:
            notes.append(
                f"The grid of {name} has {len(used)} values ({_values(used)}), "
                f"not the paper's {len(full)} ({_values(full)})."
            )
    return notes


def _values(values: Sequence[Any]) -> str:
    return ", ".join(str(value) for value in values)
