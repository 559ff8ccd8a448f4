"""Tables of data sets (kind ``dataset_table``), and of methods in words (``method_table``)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from retree.experiments.definition.method import Method
from retree.reports.compare_items import compare_number
from retree.reports.comparison import Comparison
from retree.reports.context import Context
from retree.reports.coverage import coverage_notes, origin
from retree.reports.document import Bullets, Document, Entry, Table, TableCell, number_cell
from retree.reports.formatting import agreement_sentence, verdict_legend
from retree.reports.kind import Kind, NumericKind

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
            found = None if reason else origin(context.dataset(dataset))
            for metric in self.metrics:
                ours = math.nan if found is None else float(getattr(found, METRICS[metric]))
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
            known = context.paper.remarks.get(label) or context.plan.unavailable.get(dataset, "")
            lines.append([TableCell(label, known), *numbers, _source(context, dataset)])
        table = Table(["data set", *self.metrics, "source"], lines)
        return Document(
            [_COUNTED, *coverage_notes(context)],
            [table, Bullets([agreement_sentence(rows), *legend])],
        )


def _source(context: Context, dataset: str) -> str:
    if dataset in context.plan.unavailable:
        return ""
    found = origin(context.dataset(dataset))
    return found.source + (", a fresh draw" if found.generated else "")


Record = Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class MethodTable(Kind[list[Record]]):
    """A row for each method: its name, facts about it, and whether it runs here."""

    chooses = False

    # The heading of a column for each fact that methods have under ``about``. What the paper gives
    # instead of a fact, or of the name, is there as ``published_<fact>``.
    facts: Mapping[str, str]

    def compare(self, context: Context) -> list[Record]:
        """Return the facts by method."""
        return [self._record(method, context.item.methods) for method in context.item.methods]

    def tables(self, rows: list[Record]) -> Mapping[str, pd.DataFrame]:
        """Return the facts."""
        return {"": pd.DataFrame(rows)}

    def document(self, context: Context, rows: list[Record]) -> Document:
        """Return the table, and the known misprints."""
        header = ["method", *self.facts.values(), "runs here"]
        lines = []
        for method, row in zip(context.item.methods, rows, strict=True):
            texts = [_with_published(row, name) for name in ("method", *self.facts)]
            lines.append([*texts, TableCell(row["runs"], method.missing or "")])
        sentences = ["Where the paper says something else, that is in brackets."]
        for fact in self.facts:
            names = [r["method"] for r in rows if r.get(_published(fact), r[fact]) != r[fact]]
            if names:
                sentences.append(f"The published {fact} is wrong for {' and '.join(names)}.")
        table = Table(header, lines, left=len(header))
        return Document([], [table, Bullets(sentences)])

    def _record(self, method: Method, methods: Sequence[Method]) -> Record:
        about = method.about
        record = {
            "method": method.name,
            "published_name": str(about.get("published_name", method.name)),
        }
        for fact in self.facts:
            record[fact] = str(about.get(fact, ""))
            if any(_published(fact) in m.about for m in methods):
                record[_published(fact)] = str(about.get(_published(fact), record[fact]))
        record["runs"] = "yes" if method.missing is None else "no"
        return record


def _published(fact: str) -> str:
    return "published_name" if fact == "method" else f"published_{fact}"


def _with_published(record: Record, fact: str) -> Entry:
    right, published = record[fact], record.get(_published(fact), record[fact])
    return right if right == published else f"{right} (published: {published})"
