"""How far each published column is from several methods that it may be."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from retree.experiments.definition.method import Method
from retree.reports.compare_items import compare_values
from retree.reports.comparison import Comparison
from retree.reports.context import Context
from retree.reports.coverage import introduction
from retree.reports.document import Bullets, Document, Entry, Table, TableCell
from retree.reports.formatting import BLANK, number
from retree.reports.kind import FrameKind
from retree.reports.published import NOTHING, PublishedValue, known_wrong, published_name
from retree.reports.rules import RULE
from retree.statistics import AGREEING
from retree.statistics.metrics import is_size

NEAR = 0.1
_COLUMNS = ["published", "method", "metric", "n_datasets", "agrees", "mean_difference"]
_COLUMNS += ["mean_abs_difference", "ratio", "within_10_percent"]


@dataclass(frozen=True)
class _Column:
    """The cells of one published column beside those of a method."""

    method: Method
    metric: str
    cells: list[Comparison]


@dataclass(frozen=True, kw_only=True)
class PublishedDistance(FrameKind):
    """A table for each metric: a row for each method beside the column that it stands for.

    Cells that are known misprints are left out.
    """

    metrics: tuple[str, ...]
    tables_of: tuple[str, ...]  # The items whose published columns are looked at

    def compare(self, context: Context) -> pd.DataFrame:
        """Return a row for each metric and method that has a published column."""
        rows = [_summary(column) for column in self._columns(context) if column.cells]
        return pd.DataFrame(rows, columns=_COLUMNS)

    def document(self, context: Context, rows: pd.DataFrame) -> Document:
        """Return a table for each metric."""
        header = ["published column", "as", "agree", "mean difference", "mean abs. difference"]
        columns, tables = [c for c in self._columns(context) if c.cells], []
        for metric, part in rows.groupby("metric", sort=False):
            name, sized = str(metric), is_size(str(metric))
            sources = [c.cells for c in columns if c.metric == name]
            pairs = zip(part.to_dict("records"), sources, strict=True)
            lines = [_row(name, *pair, sized) for pair in pairs]
            extra = ["mean ratio", f"within {NEAR:.0%}"] if sized else []
            title = name.removesuffix("_pct").capitalize()
            tables.append(Table([*header, *extra], lines, left=2, title=title))
        legend = [RULE, "The mean ratio, reproduced over published, is geometric."]
        return Document(introduction(context), [*tables, Bullets(legend)])

    def _columns(self, context: Context) -> Iterator[_Column]:
        for metric in self.metrics:
            for method in context.item.methods:
                cells = []
                for dataset in context.item.datasets:
                    names = (context.item.label(dataset), published_name(method), metric)
                    choice = context.best.get((dataset, method.key))
                    published = self._find(context, names)
                    known = not math.isnan(published.value)
                    if choice is not None and not choice.folds.empty and known:
                        place = dataset, method, metric
                        cells.append(compare_values(context.item, place, choice, published))
                yield _Column(method, metric, context.judge(cells))

    def _find(self, context: Context, names: tuple[str, str, str]) -> PublishedValue:
        """Return what is published of a cell and not known to be wrong."""
        for table in self.tables_of:
            published = context.published.find(table, *names)
            if not math.isnan(published.value) and not known_wrong(context.paper, table, *names):
                return published
        return NOTHING


def _summary(column: _Column) -> list[object]:
    ours = np.array([c.reproduced for c in column.cells])
    theirs = np.array([c.published for c in column.cells])
    sized = is_size(column.metric)
    return [
        published_name(column.method),
        column.method.about.get("interpretation", column.method.name),
        column.metric,
        len(ours),
        sum(c.verdict in AGREEING for c in column.cells),
        float(np.mean(ours - theirs)),
        float(np.mean(np.abs(ours - theirs))),
        float(np.exp(np.mean(np.log(ours / theirs)))) if sized else math.nan,
        int(np.sum(np.abs(ours - theirs) <= NEAR * theirs)) if sized else math.nan,
    ]


def _row(
    metric: str, row: dict[object, object], sources: Sequence[Comparison], sized: bool
) -> list[Entry]:
    numbers = {name: float(str(row[name])) for name in _COLUMNS[3:]}
    n_datasets = int(numbers["n_datasets"])
    texts = [
        f"{numbers['agrees']:.0f} of {n_datasets}",
        number(metric, numbers["mean_difference"], sign=True),
        number(metric, numbers["mean_abs_difference"]),
    ]
    if sized:
        ratio = numbers["ratio"]
        texts.append(BLANK if math.isnan(ratio) else f"{ratio:.2f}")
        texts.append(f"{numbers['within_10_percent']:.0f} of {n_datasets}")
    names = (str(row["published"]), str(row["method"]))
    return [*names, *(TableCell(text, sources=sources) for text in texts)]
