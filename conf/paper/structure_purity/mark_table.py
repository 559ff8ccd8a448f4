"""The arrows and ticks of published tables against the numbers beside them, and against ours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from retree.reports.compare_items import compare_item
from retree.reports.comparison import Comparison
from retree.reports.context import Context
from retree.reports.coverage import introduction
from retree.reports.document import Bullets, Document, Entry, Table, TableCell
from retree.reports.files import item_title
from retree.reports.formatting import BLANK
from retree.reports.kind import FrameKind

UP, DOWN, TICK = "↑", "↓", "√"
# Whether a number that is marked so is above that of the baseline.
_ABOVE = {UP: True, DOWN: False, TICK: False}
_COLUMNS = ["table", "dataset", "method", "metric", "mark", "published", "reproduced", "runs"]
_LEGEND = [
    f"{UP} and {DOWN} stand beside an accuracy above and below that of the baseline, {TICK} beside "
    "a size below it.",
    "A mark holds in the paper if the published numbers differ in its direction, and here if the "
    "means over the runs do.",
    "Only marks that the copy of the paper shows are counted; most ticks are lost in it.",
]


@dataclass(frozen=True, kw_only=True)
class MarkTable(FrameKind):
    """A row for each table, method and mark: how often it holds in the paper, and here."""

    baseline: str  # Key of the method that marked numbers are compared with
    of: Mapping[str, tuple[str, ...]]  # The metrics of each published table that has marks

    @property
    def metric_names(self) -> tuple[str, ...]:
        """The metrics of all tables."""
        return tuple(dict.fromkeys(metric for metrics in self.of.values() for metric in metrics))

    def method_keys(self) -> Iterable[str]:
        """Return the baseline."""
        return [self.baseline]

    def compare(self, context: Context) -> pd.DataFrame:
        """Return a row for each readable mark.

        ``published`` and ``reproduced`` say whether it holds, NaN where a number is lacking; `runs`
        is the share of our runs in which it does.
        """
        cells = compare_item(context, self.metric_names)
        ours = {(c.dataset, c.method, c.metric): c for c in cells}
        base = next(m.name for m in context.item.methods if m.key == self.baseline)
        marks = context.published.table()
        marks = marks[marks["marker"].isin(list(_ABOVE)) & marks["table"].isin(list(self.of))]
        rows = []
        for row in marks.to_dict("records"):
            place = row["dataset"], row["method"], row["metric"]
            beside = context.published.find(row["table"], place[0], base, place[2]).value
            pair = ours.get(place), ours.get((place[0], base, place[2]))
            above = _ABOVE[row["marker"]]
            rows.append([
                row["table"], *place, row["marker"],
                _holds(above, row["value"] - beside),
                *_in_runs(above, *pair),
            ])  # fmt: skip
        order = [method.name for method in context.item.methods]
        table = pd.DataFrame(rows, columns=_COLUMNS)
        ranks = table["method"].map({name: rank for rank, name in enumerate(order)})
        return table.iloc[np.lexsort([table["mark"], ranks, table["table"]])]

    def document(self, context: Context, rows: pd.DataFrame) -> Document:
        """Return the counts, and the marks that do not hold."""
        header = [
            "table",
            "method",
            "metric",
            "mark",
            "readable",
            "holds in the paper",
            "holds here",
        ]
        keys = ["table", "method", "metric", "mark"]
        lines: list[list[Entry]] = []
        for place, group in rows.groupby(keys, sort=False):
            counts = [
                str(len(group)),
                *(_count(group[name]) for name in ("published", "reproduced")),
            ]
            lines.append([item_title(str(place[0])), *map(str, place[1:]), *counts])
        table = Table(header, lines, left=4)
        return Document(introduction(context), [table, Bullets([*_LEGEND, *_against(rows)])])


def _holds(above: bool, difference: float) -> float:
    """Return 1 where a difference has the marked direction, 0 elsewhere, NaN where it is NaN."""
    if np.isnan(difference):
        return np.nan
    return float(difference > 0 if above else difference < 0)


def _in_runs(above: bool, ours: Comparison | None, base: Comparison | None) -> Sequence[float]:
    """Return whether a mark holds for the means over the runs, and the share of runs."""
    if ours is None or base is None:
        return np.nan, np.nan
    values, beside = (c.runs or (c.reproduced,) for c in (ours, base))
    if len(values) != len(beside):
        return np.nan, np.nan
    differences = np.subtract(values, beside)
    share = np.mean([_holds(above, float(d)) for d in differences])
    return _holds(above, float(differences.mean())), float(share)


def _count(held: pd.Series) -> Entry:
    known = held.dropna()
    return TableCell(f"{int(known.sum())} of {len(known)}") if len(known) else BLANK


def _against(rows: pd.DataFrame) -> Iterator[str]:
    """Yield a sentence for the marks that the published numbers contradict, and one for ours."""
    for name, words in (("published", "the published numbers"), ("reproduced", "our means")):
        wrong = rows[rows[name] == 0]
        if len(wrong):
            names = (f"{r.method} on {r.dataset} ({r.mark})" for r in wrong.itertuples())
            yield f"Contradicted by {words}: {', '.join(names)}."
