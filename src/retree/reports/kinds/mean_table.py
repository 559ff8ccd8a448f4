"""Tables of means over the data sets (kind ``mean_table``)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from retree.reports.comparison import (
    Comparison,
    compare_item,
    comparison_table,
    judge_mean,
    means_of_printed,
)
from retree.reports.context import Context
from retree.reports.coverage import introduction
from retree.reports.document import Bullets, Cell, Document, Entry, Table, Tex, Text, number_cell
from retree.reports.files import item_title
from retree.reports.formatting import agreement_sentence, decimals, number, verdict_legend
from retree.reports.kind import Kind
from retree.reports.published import MEAN
from retree.statistics import verdict


@dataclass(frozen=True)
class Mean:
    """A mean over data sets.

    Attributes
    ----------
    comparison : Comparison
        The mean beside the published one; its verdict is ``missing`` if data sets are missing.
    datasets : tuple of str
        The data sets that the mean is over.
    printed_mean : float
        Mean of the cells that the paper's other tables publish for these data sets.
    """

    comparison: Comparison
    datasets: tuple[str, ...]
    printed_mean: float


@dataclass(frozen=True, kw_only=True)
class MeanTable(Kind[list[Mean]]):
    """A row for each method, two columns for each of the `metrics`."""

    metrics: tuple[str, ...]

    def compare(self, context: Context) -> list[Mean]:
        """Return the means by method and metric."""
        return compare_means(context, self.metrics, compare_item(context, self.metrics))

    def comparisons(self, context: Context, rows: list[Mean]) -> list[Comparison]:
        """Return the means beside the published ones."""
        return [mean.comparison for mean in rows]

    def tables(self, rows: list[Mean]) -> dict[str, pd.DataFrame]:
        """Return the means."""
        return {"": comparison_table(mean.comparison for mean in rows)}

    def document(self, context: Context, rows: list[Mean]) -> Document:
        """Return the table of means, and what the paper publishes beside its own columns."""
        item, comparisons = context.item, self.comparisons(context, rows)
        legend, title = verdict_legend(comparisons), item_title(item.name)
        tex = Tex(f"{item.caption}, reproduced (published)", legend=legend)
        own = (
            f"What {title} gives beside the means of the cells that the paper's other tables "
            "give for single data sets."
        )
        lost = {m.comparison.reason: _missing(context, m) for m in rows if m.comparison.reason}
        return Document(
            introduction(context),
            [
                Table(*self._grid(context, rows), tex=tex),
                Bullets([agreement_sentence(comparisons), *legend]),
                Text("The published tables against each other", own),
                self._printed_means(context),
                Bullets([f"{reason}: without {names}." for reason, names in lost.items() if names]),
            ],
        )

    def _grid(self, context: Context, means: Sequence[Mean]) -> tuple[list[str], list[list[Entry]]]:
        cells = {(m.comparison.method, m.comparison.metric): m for m in means}
        header = ["method"]
        for metric in self.metrics:
            header += [metric, f"mean of the published {metric} cells"]
        rows: list[list[Entry]] = []
        for method in context.item.methods:
            row: list[Entry] = [method.name]
            for metric in self.metrics:
                mean = cells[method.name, metric]
                row += [number_cell(mean.comparison), number(metric, mean.printed_mean)]
            rows.append(row)
        return header, rows

    def _printed_means(self, context: Context) -> Table:
        """Return the paper's means beside the means of its own columns."""
        item, datasets = context.item, context.paper.items[context.item.name]["datasets"]
        rows: list[list[Entry]] = []
        for metric in self.metrics:
            for method in item.methods:
                printed = context.find_published(MEAN, method.name, metric)[0].value
                column = means_of_printed(context.published, datasets, method.name, metric)
                # Half a unit of the last decimal of both the mean and the cells it is of.
                same = abs(printed - column) <= 1.01 * 10.0 ** -decimals(metric)
                answer: Entry = "yes" if same else Cell("no", strong=True)
                if math.isnan(printed - column):
                    answer = ""
                texts = [number(metric, printed), number(metric, column)]
                rows.append([metric, method.name, *texts, answer])
        header = ["metric", "method", f"{item_title(item.name)} gives", "mean of the cells"]
        return Table([*header, "the same"], rows, left=2)


def compare_means(
    context: Context, metrics: Sequence[str], cells: Sequence[Comparison]
) -> list[Mean]:
    """Compare means over the data sets with the published ones, by method and metric.

    A mean over N data sets with standard deviations s_i over the folds has the standard deviation
    ``sqrt(sum s_i**2) / N``. So has what is expected of one more run, data sets being independent.

    Parameters
    ----------
    context : Context
    metrics : sequence of str
    cells : sequence of Comparison
        The numbers of single data sets.
    """
    places = [(method.name, metric) for method in context.item.methods for metric in metrics]
    return [
        _mean(context, *place, [c for c in cells if (c.method, c.metric) == place])
        for place in places
    ]


def _mean(context: Context, method: str, metric: str, ours: Sequence[Comparison]) -> Mean:
    known = [c for c in ours if not math.isnan(c.reproduced)]
    values = np.array([c.reproduced for c in known])
    mean = float(values.mean()) if known else math.nan
    std = math.sqrt(sum(c.reproduced_std**2 for c in known)) / len(known) if known else math.nan
    printed, wrong = context.find_published(MEAN, method, metric)
    n_folds, n_all = min((c.n_folds for c in known), default=0), context.n_datasets
    reason = "" if len(known) == n_all else f"mean over {len(known)} of {n_all} data sets"
    # A mean over other data sets than the paper's is no reproduction of the published mean.
    judged = verdict(metric, math.nan if reason else mean, std, n_folds, printed.value, wrong)
    datasets = tuple(c.dataset for c in known)
    comparison = Comparison(MEAN, method, metric, mean, std, *printed, judged, n_folds, "", reason)
    return Mean(
        judge_mean(comparison, known),
        datasets,
        means_of_printed(context.published, datasets, method, metric) if known else math.nan,
    )


def _missing(context: Context, mean: Mean) -> str:
    return ", ".join(name for name in context.item.datasets if name not in mean.datasets)
