"""Tables of data sets (kind ``dataset_table``)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from retree_lab.reports.compare_items import compare_number
from retree_lab.reports.comparison import Comparison
from retree_lab.reports.context import Context
from retree_lab.reports.coverage import coverage_notes, origin
from retree_lab.reports.document import Bullets, Document, Entry, Table, TableCell, number_cell
from retree_lab.reports.formatting import agreement_sentence, verdict_legend
from retree_lab.reports.kind import NumericKind

METRICS = {
    "rows": "n_samples",
    "attributes": "n_features",
    "nominal": "n_nominal",
    "numeric": "n_numeric",
    "missing": "n_missing",
    "classes": "n_classes",
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
            about = None if reason else origin(context.dataset(dataset))
            for metric in self.metrics:
                ours = math.nan if about is None else float(getattr(about, METRICS[metric]))
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
    about = origin(context.dataset(dataset))
    return about.source + (", a fresh draw" if about.generated else "")
