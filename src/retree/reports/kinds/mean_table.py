"""Tables of means over the data sets (kind ``mean_table``)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from retree.experiments.definition.claims import MEAN
from retree.experiments.definition.method import Method
from retree.reports.compare_items import compare_item, with_mean
from retree.reports.comparison import Comparison
from retree.reports.context import Context
from retree.reports.coverage import introduction
from retree.reports.document import Bullets, Document, Entry, Table, TableCell, Text, number_cell
from retree.reports.files import item_title
from retree.reports.formatting import agreement_sentence, decimals, number, verdict_legend
from retree.reports.kind import NumericKind
from retree.statistics.metrics import find_metric


@dataclass(frozen=True, kw_only=True)
class MeanTable(NumericKind):
    """A row for each method, two columns for each of the `metrics`."""

    metrics: tuple[str, ...]

    def compare(self, context: Context) -> Sequence[Comparison]:
        """Return the means by method and metric."""
        return compare_means(context, self.metrics, compare_item(context, self.metrics))

    def document(self, context: Context, rows: Sequence[Comparison]) -> Document:
        """Return the table of means, and what the paper publishes beside its own columns."""
        item, legend = context.item, verdict_legend(rows)
        title = item_title(item.name)
        own = (
            f"What {title} gives beside the means of the cells that the paper's other tables "
            "give for single data sets."
        )
        every = [item.label(dataset) for dataset in item.datasets]
        known = {(c.method, c.metric): _datasets(context, c) for c in rows}
        lost = {
            c.reason: [name for name in every if name not in known[c.method, c.metric]]
            for c in rows
            if c.reason
        }
        without = [f"{why}: without {', '.join(names)}." for why, names in lost.items() if names]
        return Document(
            introduction(context),
            [
                Table(*self._grid(context, rows)),
                Bullets([agreement_sentence(rows), *legend]),
                Text("The published tables against each other", own),
                self._published_means(context),
                Bullets(without),
            ],
        )

    def _grid(
        self, context: Context, means: Sequence[Comparison]
    ) -> tuple[list[str], list[list[Entry]]]:
        header = ["method"]
        for metric in self.metrics:
            header += [metric, f"mean of the published {metric} cells"]
        rows: dict[str, list[Entry]] = {m.name: [m.name] for m in context.item.methods}
        for mean in means:
            places = _datasets(context, mean), mean.method, mean.metric
            printed = context.published.mean(*places)
            rows[mean.method] += [number_cell(mean), number(mean.metric, printed)]
        return header, list(rows.values())

    def _published_means(self, context: Context) -> Table:
        """Return the paper's means beside the means of its own columns."""
        item, names = context.item, context.paper.names
        datasets = [names.get(d, d) for d in context.paper.items[item.name]["datasets"]]
        rows: list[list[Entry]] = []
        for metric in self.metrics:
            for method in item.methods:
                printed = context.find_published(MEAN, method.name, metric).value
                column = context.published.mean(datasets, method.name, metric)
                # Half a unit of the last decimal of both the mean and the cells it is of.
                same = abs(printed - column) <= 1.01 * 10.0 ** -decimals(metric)
                answer: Entry = "yes" if same else TableCell("no", strong=True)
                if math.isnan(printed - column):
                    answer = ""
                texts = [number(metric, printed), number(metric, column)]
                rows.append([metric, method.name, *texts, answer])
        header = ["metric", "method", f"{item_title(item.name)} gives", "mean of the cells"]
        return Table([*header, "the same"], rows, left=2)


def compare_means(
    context: Context, metrics: Sequence[str], cells: Sequence[Comparison]
) -> list[Comparison]:
    """Compare means over the data sets with the published ones, by method and metric.

    A mean over N data sets with standard deviations s_i over the folds has the standard deviation
    ``sqrt(sum s_i**2) / N``. So has what is expected of one more run, data sets being independent.
    """
    places = [(method, metric) for method in context.item.methods for metric in metrics]
    return context.judge(
        _mean(context, m, q, [c for c in cells if (c.method_key, c.metric) == (m.key, q)])
        for m, q in places
    )


def _mean(context: Context, method: Method, metric: str, ours: Sequence[Comparison]) -> Comparison:
    known = [c for c in ours if not math.isnan(c.reproduced)]
    values = np.array([c.reproduced for c in known])
    mean = float(values.mean()) if known else math.nan
    std = math.sqrt(sum(c.reproduced_std**2 for c in known)) / len(known) if known else math.nan
    printed = context.find_published(MEAN, method.name, metric)
    n_folds, n_all = min((c.n_folds for c in known), default=0), context.n_datasets
    reason = "" if len(known) == n_all else f"mean over {len(known)} of {n_all} data sets"
    comparison = Comparison(
        *(MEAN, method.name, metric, mean, std, printed, n_folds, "", reason),
        # A mean over other data sets than the paper's is no reproduction of the published mean.
        is_comparable=not reason,
        sources=tuple(known),
        method_key=method.key,
    )
    return with_mean(comparison, known, context.paper.our_data)


def _datasets(context: Context, mean: Comparison) -> list[str]:
    """Return the data sets that have a value of what `mean` is of."""
    item, measure = context.item, find_metric(mean.metric).of
    places = ((d, mean.method_key) for d in item.datasets)
    folds = {place[0]: context.best[place].folds for place in places if place in context.best}
    values = {item.label(dataset): measure(rows) for dataset, rows in folds.items()}
    return [name for name, found in values.items() if len(found) and found.notna().all()]
