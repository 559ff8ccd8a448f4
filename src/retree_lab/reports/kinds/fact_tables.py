"""Tables of data sets (kind ``dataset_table``)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from retree_lab.datasets import Dataset
from retree_lab.reports.compare_items import compare_number
from retree_lab.reports.comparison import Comparison
from retree_lab.reports.context import Context
from retree_lab.reports.coverage import coverage_notes, is_fresh_draw
from retree_lab.reports.document import Bullets, Document, Entry, Table, TableCell, number_cell
from retree_lab.reports.formatting import agreement_sentence, verdict_legend
from retree_lab.reports.kind import NumericKind

METRICS: Mapping[str, Callable[[Dataset], int]] = {
    "rows": lambda data: len(data.X),
    "attributes": lambda data: data.X.shape[1],
    "nominal": lambda data: data.X.select_dtypes(exclude="number").shape[1],
    "numeric": lambda data: data.X.select_dtypes("number").shape[1],
    "missing": lambda data: int(data.X.isna().to_numpy().sum()),
    "classes": lambda data: 0 if data.is_regression else data.y.nunique(),
}
_COUNTED = "There are no folds: the numbers are counted in the data when this page is made."


@dataclass(frozen=True, kw_only=True)
class DatasetTable(NumericKind):
    """A row for each data set: the counts that are its `metrics`, and where it is from."""

    metrics: tuple[str, ...] = ("rows", "attributes", "classes")

    def compare(self, context: Context) -> Sequence[Comparison]:
        """Return the counts by data set and metric; their method is ""."""
        comparisons = []
        for dataset in context.item.datasets:
            reason = context.plan.unavailable.get(dataset, "")
            data = None if reason else context.dataset(dataset)
            for metric in self.metrics:
                ours = math.nan if data is None else float(METRICS[metric](data))
                place = context.item.label(dataset), "", metric
                comparisons.append(compare_number(context, *place, ours, reason, dataset))
        return context.judge(comparisons)

    def document(self, context: Context, rows: Sequence[Comparison]) -> Document:
        """Return the table."""
        cells, legend = {(c.dataset, c.metric): c for c in rows}, verdict_legend(rows)
        lines: list[list[Entry]] = []
        for dataset in context.item.datasets:
            label = context.item.label(dataset)
            numbers = [number_cell(cells[label, metric], "") for metric in self.metrics]
            remark = context.paper.remarks.get(label) or context.plan.unavailable.get(dataset, "")
            lines.append([TableCell(label, remark), *numbers, _source(context, dataset)])
        table = Table(["data set", *self.metrics, "source"], lines)
        return Document(
            [_COUNTED, *coverage_notes(context)],
            [table, Bullets([agreement_sentence(rows), *legend])],
        )


def _source(context: Context, dataset: str) -> str:
    if dataset in context.plan.unavailable:
        return ""
    data = context.dataset(dataset)
    return data.source + ", a fresh draw" * is_fresh_draw(data)
