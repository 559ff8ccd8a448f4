"""Tables of metrics by data set and method (kind ``metric_table``)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from retree.errors import RetreeError
from retree_lab.experiments.definition.claim_config import MEAN
from retree_lab.experiments.definition.item import BEST_TEST, Item
from retree_lab.experiments.definition.item import NESTED as SELECTED
from retree_lab.experiments.definition.method import Method
from retree_lab.reports.compare_items import compare_item, with_mean
from retree_lab.reports.comparison import Comparison
from retree_lab.reports.context import Context, introduction
from retree_lab.reports.document import (
    MEAN_CELL,
    Block,
    Bullets,
    Document,
    Entry,
    Table,
    TableCell,
    Text,
    number_cell,
)
from retree_lab.reports.formatting import (
    BLANK,
    agreement_sentence,
    capitalized,
    mark_legend,
    number,
    verdict_legend,
)
from retree_lab.reports.kinds import NumericKind
from retree_lab.reports.sections import grid_table
from retree_lab.statistics.metrics import NESTED, OPTIMISM, find_metric, nested_name
from retree_lab.statistics.paired_tests import find_test

Cells = Mapping[tuple[str, str, str], Comparison]
# Columns that a page has room for.
_MOST = 9
_NESTED = (
    "Accuracy with the parameters chosen inside each training fold, and in brackets the optimism "
    "of choosing them on the test rows, fold by fold{}."
)


@dataclass(frozen=True, kw_only=True)
class MetricTable(NumericKind):
    """A table for each metric: a row for each data set, a column for each method.

    With several baselines, or many methods on fewer data sets, methods are rows.
    """

    takes_estimates: ClassVar[bool] = True
    shows_both: ClassVar[bool] = True
    metrics: tuple[str, ...]
    # Key of the method that the others are tested against, "" for none. Each of several keys starts
    # a group of methods.
    baseline: str | tuple[str, ...] = ""
    test: str = "corrected"  # One of `retree_lab.statistics.paired_tests`
    means: bool = False  # Whether to add a row of means over the data sets
    # Whether the page shows only the means, with one row per method and one column per metric. With
    # `means`, the csv does, too.
    by_method: bool = False
    notes: tuple[str, ...] = ()  # Sentences below the tables

    def method_keys(self) -> Iterable[str]:
        """Return the baselines."""
        if isinstance(self.baseline, str):
            return [self.baseline] if self.baseline else []
        return self.baseline

    def check(self, item: Item) -> None:
        """Refuse an unknown test, and means of two selections."""
        find_test(self.test)
        if self.by_method and {BEST_TEST, SELECTED} <= {*item.select}:
            raise RetreeError(f"by_method of {item.name} shows one selection: select one.")

    def compare(self, context: Context) -> Sequence[Comparison]:
        """Return the numbers by data set, method and metric, and then the means."""
        cells = compare_item(context, self.metrics, self._bases(context.item), self.test)
        if not self.means:
            return cells
        means = compare_means(context, self.metrics, cells)
        return means if self.by_method else [*cells, *means]

    def document(self, context: Context, rows: Sequence[Comparison]) -> Document:
        """Return the tables of the metrics, and one of the nested selection if there is any."""
        legend = [agreement_sentence(rows), *verdict_legend(rows)]
        if self.by_method:
            notes = Bullets([*legend, *self._counted, *self.notes])
            return Document(introduction(context), [self._means(context, rows), notes])
        cells = {(c.dataset, c.method, c.metric): c for c in rows}
        names = {m.key: m.name for m in context.item.methods}
        bases = [names[key] for key in self.method_keys() if key in names]
        if bases:
            first = f"the first method of its group ({', '.join(bases)})"
            against = first if self._has_groups else bases[0]
            legend.append(mark_legend(against, self.metrics, self.test))
        blocks: list[Block] = []
        for metric in self.metrics:
            blocks.append(self._grid(context, cells, metric))
        blocks.append(Bullets([*legend, *self.notes]))
        if any(c.metric == "optimism" for c in rows):
            n_runs = min(c.n_replicates for c in rows if c.metric == "optimism")
            runs = f"; both are means over {n_runs} runs" if n_runs > 1 else ""
            text = Text("Nested selection", _NESTED.format(runs))
            blocks += [text, _nested_table(context, cells, NESTED)]
        for metric in (nested_name(name) for name in self.metrics):
            if metric != NESTED and any(c.metric == metric for c in rows):
                title = capitalized(find_metric(metric).label)
                blocks.append(_nested_table(context, cells, metric, title))
        return Document(introduction(context), blocks)

    @property
    def _has_groups(self) -> bool:
        return not isinstance(self.baseline, str)

    def _bases(self, item: Item) -> str | dict[str, str]:
        """Return the key of the baseline, or the baseline of each method by its key."""
        if isinstance(self.baseline, str):
            return self.baseline
        base, bases = "", {}
        for method in item.methods:
            base = method.key if method.key in self.baseline or not base else base
            bases[method.key] = base
        return bases

    @property
    def _counted(self) -> list[str]:
        words = "In brackets, on how many data sets it is greater and smaller than the first method"
        return [f"{words} of its group."] if self.baseline else []

    def _means(self, context: Context, rows: Sequence[Comparison]) -> Table:
        """Return a row for each method, and on how many sets it is above and below its base."""
        every = rows if self.means else compare_means(context, self.metrics, rows)
        means = {(c.method_key, c.metric): c for c in every}
        bases = self._bases(context.item)
        names = {method.key: method.name for method in context.item.methods}
        if isinstance(bases, str):
            bases = dict.fromkeys(names, bases)
        entries = {
            (key, metric): _mean_entry(means[key, metric], means.get((bases[key], metric)))
            for key, metric in itertools.product(names, self.metrics)
        }
        return grid_table(names, self.metrics, entries, "method")

    def _grid(self, context: Context, cells: Cells, metric: str) -> Table:
        """Return the numbers of a metric, with methods as rows where columns are too many."""
        labels, heads = _starts(context, self.means), method_heads(context)
        entries: dict[tuple[str, str], Entry] = {
            (label, name): method_cell(context, cells[label, name, metric])
            for label, name in itertools.product(labels, heads)
        }
        turned = self._has_groups or len(heads) > max(len(labels), _MOST)
        title = capitalized(find_metric(metric).label)
        return grid_table(labels, heads, entries, turned="method" * turned, title=title)


def _starts(context: Context, with_means: bool) -> dict[str, Entry]:
    """Return the first entry of each row, by the labels of the data sets and of their mean."""
    starts: dict[str, Entry] = {
        name: name for name in map(context.item.label, context.item.datasets)
    }
    return starts | {MEAN: MEAN_CELL} if with_means else starts


def method_heads(context: Context) -> dict[str, TableCell]:
    """Return by name the heads of the item's methods, with the reason where one cannot be run."""
    reasons = context.plan.unavailable
    return {m.name: TableCell(m.name, reasons.get(m.key, "")) for m in context.item.methods}


def method_cell(context: Context, number: Comparison) -> TableCell:
    """Return the number of a method; a reason that holds for a whole column is in the header."""
    return number_cell(number, "" if number.method_key in context.plan.unavailable else None)


def _mean_entry(mean: Comparison, base: Comparison | None) -> TableCell:
    """Return a mean, and on how many data sets its values are above and below `base`."""
    cell = number_cell(mean)
    if base is None or base.method_key == mean.method_key:
        return cell
    theirs = {c.dataset: c.reproduced for c in base.sources}
    gaps = [c.reproduced - theirs[c.dataset] for c in mean.sources if c.dataset in theirs]
    counts = sum(gap > 0 for gap in gaps), sum(gap < 0 for gap in gaps)
    return replace(cell, text=f"{cell.text} ({counts[0]}, {counts[1]})")


def _nested_table(context: Context, cells: Cells, metric: str, title: str = "") -> Table:
    """Return the table of a nested metric, an accuracy with its optimism, with a row of means."""
    methods = [m.name for m in context.item.methods if m.key not in context.plan.unavailable]
    starts = _starts(context, with_means=True)
    entries = {
        (label, name): _pair(cells, label, name, metric)
        for label, name in itertools.product(starts, methods)
    }
    entries |= {(MEAN, name): _mean_pair(cells, name, metric) for name in methods}
    return grid_table(starts, methods, entries, title=title)


def _pair(cells: Cells, dataset: str, method: str, metric: str) -> Entry:
    nested = cells.get((dataset, method, metric))
    if nested is None:
        return BLANK
    text = number(metric, nested.reproduced)
    if metric == NESTED:
        text = _pair_text(nested.reproduced, cells[dataset, method, OPTIMISM].reproduced)
    return TableCell(text, nested.reason, comparison=nested)


def _mean_pair(cells: Cells, method: str, metric: str) -> Entry:
    nested, optimism = (_reproduced(cells, method, name) for name in (metric, OPTIMISM))
    means = [_mean([c.reproduced for c in numbers]) for numbers in (nested, optimism)]
    text = _pair_text(*means) if metric == NESTED else number(metric, means[0])
    return TableCell(text, sources=nested)


def _reproduced(cells: Cells, method: str, metric: str) -> list[Comparison]:
    of_method = (c for (_, m, q), c in cells.items() if (m, q) == (method, metric))
    return [c for c in of_method if not math.isnan(c.reproduced)]


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else math.nan


def _pair_text(nested: float, optimism: float) -> str:
    return f"{number('accuracy', nested)} ({number('optimism', optimism, sign=True)})"


def compare_means(
    context: Context, metrics: Sequence[str], cells: Sequence[Comparison]
) -> list[Comparison]:
    """Compare means over the data sets with the published ones, by method and metric.

    A mean over N data sets with standard deviations s_i over the folds has the standard deviation
    ``sqrt(sum s_i**2) / N``. So has what is expected of one more run, data sets being independent.
    """
    places = [(method, metric) for method in context.item.methods for metric in metrics]
    return context.judge(
        _mean_over_sets(context, m, q, [c for c in cells if (c.method_key, c.metric) == (m.key, q)])
        for m, q in places
    )


def _mean_over_sets(
    context: Context, method: Method, metric: str, ours: Sequence[Comparison]
) -> Comparison:
    reproduced = [c for c in ours if not math.isnan(c.reproduced)]
    values = np.array([c.reproduced for c in reproduced])
    mean = float(values.mean()) if reproduced else math.nan
    squares = sum(c.reproduced_std**2 for c in reproduced)
    std = math.sqrt(squares) / len(reproduced) if reproduced else math.nan
    printed = context.find_published(MEAN, method.name, metric)
    n_folds, n_all = min((c.n_folds for c in reproduced), default=0), context.n_datasets
    reason = "" if len(reproduced) == n_all else f"mean over {len(reproduced)} of {n_all} data sets"
    comparison = Comparison(
        *(MEAN, method.name, metric, mean, std, printed, n_folds, "", reason),
        # A mean over other data sets than the paper's is no reproduction of the published mean.
        is_comparable=not reason,
        sources=tuple(reproduced),
        method_key=method.key,
        item=context.item.name,
    )
    return with_mean(comparison, reproduced, context.paper.our_data)
