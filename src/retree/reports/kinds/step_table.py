"""How much of a change comes from each of the steps to it (kind ``step_table``)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TypeVar

import numpy as np
import pandas as pd

from retree.errors import RetreeError
from retree.experiments.definition.definitions import Item, Method
from retree.reports.comparison import LEVEL, Comparison
from retree.reports.context import Context
from retree.reports.coverage import introduction
from retree.reports.document import MEAN_CELL, Bullets, Cell, Document, Entry, Table
from retree.reports.fold_values import find_numbers
from retree.reports.formatting import BLANK, number
from retree.reports.kind import FrameKind
from retree.reports.published import published_name
from retree.statistics import corrected_resampled_t_test
from retree.statistics.metrics import find_metric

T = TypeVar("T")
# What a step is made of, by its name.
Sources = Mapping[str, Sequence[Comparison]]


@dataclass(frozen=True)
class Step:
    """What one step changes on one data set.

    Attributes
    ----------
    group, dataset, step : str
        Title of the steps, data set as published, and name of the step.
    printed : float
        The published change over all steps.
    difference, p_value : float
        The reproduced change, and that of the corrected resampled t-test.
    """

    group: str
    dataset: str
    step: str
    printed: float
    difference: float
    p_value: float


@dataclass(frozen=True, kw_only=True)
class StepTable(FrameKind):
    """A table for each group: what each step changes on each data set.

    Attributes
    ----------
    metrics : tuple of str
        One metric.
    steps : tuple of str
        The names of the steps.
    groups : dict of str to tuple of str
        By title, the keys of the methods before the first step and after each.
    """

    metrics: tuple[str, ...]
    steps: tuple[str, ...]
    groups: Mapping[str, tuple[str, ...]]

    def method_keys(self) -> Iterable[str]:
        """Return the methods of all groups."""
        return {key for keys in self.groups.values() for key in keys}

    def check(self, item: Item) -> None:
        """Refuse more than one metric, and a group of another number of methods than steps."""
        if len(self.metrics) != 1:
            raise RetreeError(f"{item.name} is of one metric; give it metrics: [NAME].")
        for title, keys in self.groups.items():
            if len(keys) != len(self.steps) + 1:
                raise RetreeError(
                    f"{item.name}: {title} needs {len(self.steps) + 1} methods, the one before the "
                    "first step and one after each."
                )

    def compare(self, context: Context) -> pd.DataFrame:
        """Return the steps by group, data set and step."""
        steps = [asdict(step) for step in self._steps(context)]
        return pd.DataFrame(steps, columns=list(Step.__annotations__))

    def document(self, context: Context, rows: pd.DataFrame) -> Document:
        """Return a table for each group."""
        metric, item = self.metrics[0], context.item
        every = find_numbers(item, context.best, metric).values()
        numbers = {(c.dataset, c.method): c for c in every}
        names = {method.key: method.name for method in item.methods}
        tables = []
        for title, part in rows.groupby("group", sort=False):
            pairs = self._pairs([names[key] for key in self.groups[str(title)]])
            sources = {
                d: {step: [numbers[d, m] for m in pair] for step, pair in pairs.items()}
                for d in part["dataset"].unique()
            }
            by_set = part.groupby("dataset", sort=False)
            lines = [_line(metric, str(d), cells, sources[d]) for d, cells in by_set]
            lines.append(_means(metric, part, sources.values()))
            tables.append(Table(["data set", "published change", *pairs], lines, title=str(title)))
        legend = [
            f"Changes of the {find_metric(metric).label}, in points; both is from the first to the "
            "last.",
            f"* differs from 0 at {LEVEL:.0%} by the corrected resampled t-test.",
            "In the row of means, in brackets, the correlation with the published change over the "
            "data sets.",
        ]
        return Document(introduction(context), [*tables, Bullets(legend)])

    def _pairs(self, chain: Sequence[T]) -> dict[str, tuple[T, T]]:
        """Return by step what is before and after it, then the first and the last as "both"."""
        pairs = [*itertools.pairwise(chain), (chain[0], chain[-1])]
        return dict(zip([*self.steps, "both"], pairs, strict=True))

    def _steps(self, context: Context) -> Iterator[Step]:
        (metric,), item = self.metrics, context.item
        measure, best = find_metric(metric).of, context.best
        methods = {method.key: method for method in item.methods}
        for title, keys in self.groups.items():
            chain = [methods[key] for key in keys if key in methods]
            if len(chain) < len(keys):
                continue
            for dataset in item.datasets:
                chosen = [best.get((dataset, method.key)) for method in chain]
                folds = [measure(c.folds) for c in chosen if c is not None and not c.folds.empty]
                if len(folds) < len(chain):
                    continue
                label = item.label(dataset)
                printed = _printed(context, chain[0], chain[-1], label, metric)
                for name, (before, after) in self._pairs(folds).items():
                    test = corrected_resampled_t_test(*after.align(before), 1 / item.protocol.folds)
                    yield Step(title, label, name, printed, test.mean_difference, test.p_value)


def _printed(context: Context, first: Method, last: Method, dataset: str, metric: str) -> float:
    values = [
        context.published.datasets(published_name(method), metric).get(dataset, math.nan)
        for method in (last, first)
    ]
    return values[0] - values[1]


def _line(metric: str, dataset: str, cells: pd.DataFrame, sources: Sources) -> list[Entry]:
    steps = cells.set_index("step")
    texts: list[Entry] = [dataset, number(metric, float(steps["printed"].iloc[0]), sign=True)]
    for name, numbers in sources.items():
        value, p_value = float(steps["difference"][name]), float(steps["p_value"][name])
        text = number(metric, value, sign=True) + (" *" if p_value < LEVEL else "")
        texts.append(Cell(text, sources=numbers))
    return texts


def _means(metric: str, part: pd.DataFrame, sources: Collection[Sources]) -> list[Entry]:
    values = part.pivot(index="dataset", columns="step", values="difference")
    printed = part.drop_duplicates("dataset").set_index("dataset")["printed"]
    texts: list[Entry] = [MEAN_CELL, number(metric, float(printed.mean()), sign=True)]
    for name in next(iter(sources)):
        mean = number(metric, float(values[name].mean()), sign=True)
        text = f"{mean} ({_correlation(values[name], printed)})"
        texts.append(Cell(text, sources=[c for found in sources for c in found[name]]))
    return texts


def _correlation(ours: pd.Series, printed: pd.Series) -> str:
    a, b = ours.align(printed)
    if len(a) < 3 or np.ptp(a.to_numpy()) == 0:
        return BLANK
    return f"{np.corrcoef(a, b)[0, 1]:.2f}".replace("-", "−")
