"""What the original program gives beside what is published and what is reproduced."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from retree.reports.context import Context
from retree.reports.coverage import introduction
from retree.reports.document import Bullets, Document, Table
from retree.reports.formatting import number
from retree.reports.kind import FrameKind
from retree.reports.point_means import point_means
from retree.reports.published import published_name, read_measured
from retree.statistics.agreement import Digits, gap_to_digit

_COLUMNS = ["dataset", "method", "metric", "published", "program", "reproduced", "tried"]


@dataclass(frozen=True, kw_only=True)
class OracleTable(FrameKind):
    """A row for each number that the program itself does not give as published."""

    metrics: tuple[str, ...]
    program: str
    # File in the folder of the paper with what it gave: ``dataset``, ``method`` and ``metric`` as
    # published, ``value`` and ``std``.
    outputs: str
    tried: Mapping[str, str]  # What was tried, by data set as published

    def compare(self, context: Context) -> pd.DataFrame:
        """Return the numbers that the program does not give to the published digit."""
        means = point_means(context.item, context.frame, list(self.metrics))
        rows = []
        for place, (theirs, *_) in read_measured(context.paper, self.outputs).items():
            dataset, method, metric = place
            cell = context.published.places(method, metric)[dataset][1]
            if not gap_to_digit(theirs, cell.value, cell.unit, Digits.ROUNDED):
                continue
            keys = [m.key for m in context.item.methods if published_name(m) == method]
            own = means[(means["dataset"] == dataset) & means["method"].isin(keys)]
            ours = float(own[metric].iloc[0]) if len(own) else math.nan
            rows.append([*place, cell.value, theirs, ours, self.tried.get(dataset, "")])
        return pd.DataFrame(rows, columns=_COLUMNS)

    def document(self, context: Context, rows: pd.DataFrame) -> Document:
        """Return the table, and what was tried on each data set."""
        header = ["data set", "method", "metric", "published", self.program, "reproduced"]
        lines = [
            [*row[:3], *(number(row[2], value, unit=0.01) for value in row[3:6])]
            for row in rows.itertuples(index=False)
        ]
        tried = dict(zip(rows["dataset"], rows["tried"], strict=True))
        notes = [f"{dataset}: {text}" for dataset, text in tried.items() if text]
        return Document(introduction(context), [Table(header, lines), Bullets(notes)])
