"""Tables of methods in pairs, with the marks of paired tests (kind ``paired_table``)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from retree.experiments.definition.definitions import Method
from retree.reports.compare_items import compare_item
from retree.reports.comparison import (
    LEVEL,
    Comparison,
    comparison_table,
    judge_by_digits,
    judge_by_prediction,
)
from retree.reports.context import Context
from retree.reports.coverage import introduction
from retree.reports.document import (
    MEAN_CELL,
    Bullets,
    Cell,
    Document,
    Entry,
    Table,
    Tex,
    Text,
    number_cell,
)
from retree.reports.formatting import BLANK, agreement_sentence, number, verdict_legend
from retree.reports.kind import Kind
from retree.reports.kinds.paired_marks import Mark, find_marks, item_pairs, marks_table
from retree.reports.published import published_name
from retree.reports.row_verdicts import judge_together
from retree.statistics import verdict
from retree.statistics.metrics import find_metric

_SIGNS = {"": "–"}
_SUMMARY = (
    "A mark agrees if it is the published one. Data sets are counted; the published marks are "
    "those of the published pair of the same place."
)


@dataclass(frozen=True)
class Paired:
    """Numbers of methods in pairs, and the marks of their tests."""

    comparisons: Sequence[Comparison]
    marks: Sequence[Mark]


@dataclass(frozen=True, kw_only=True)
class PairedTable(Kind[Paired]):
    """A table for each metric and group of pairs: a method, its base and the marks.

    Attributes
    ----------
    metrics : tuple of str
    pairs : dict of str to dict of str to str
        By the title of a group, the keys of bases by those of the methods compared with them.
    """

    metrics: tuple[str, ...]
    pairs: Mapping[str, Mapping[str, str]]

    def method_keys(self) -> Iterable[str]:
        """Return the methods of all pairs."""
        return {key for group in self.pairs.values() for pair in group.items() for key in pair}

    def compare(self, context: Context) -> Paired:
        """Return the numbers, and the marks of all pairs."""
        marks = list(find_marks(context, self.pairs, self.metrics))
        by_place = {(context.item.label(m.dataset), m.method, m.metric): m for m in marks}
        return Paired(
            [
                c
                if (m := by_place.get((c.dataset, c.method, c.metric))) is None
                else replace(c, star=m.t_mark, published_star=m.printed)
                for c in judge_together(compare_item(context, self.metrics))
            ],
            marks,
        )

    def comparisons(self, context: Context, rows: Paired) -> Sequence[Comparison]:
        """Return the numbers beside the published ones."""
        return rows.comparisons

    def tables(self, rows: Paired) -> Mapping[str, pd.DataFrame]:
        """Return the numbers, and the marks as ``<item>_marks.csv``."""
        return {"": comparison_table(rows.comparisons), "_marks": marks_table(rows.marks)}

    def document(self, context: Context, rows: Paired) -> Document:
        """Return the tables, and how often each mark is given."""
        shown = list(_beside_published(context, rows.comparisons))
        legend = _legend(rows.comparisons, shown)
        groups = item_pairs(context.item, self.pairs)
        parts = [(metric, *group) for metric in self.metrics for group in groups.items()]
        tables = []
        for i, (metric, title, pairs) in enumerate(parts):
            label = find_metric(metric).label
            tex = Tex(
                f"{context.item.caption}. {title}: {label}, reproduced (published)", f"-{i}", legend
            )
            cells = {(c.dataset, c.method): c for c in shown if c.metric == metric}
            marks = {(m.dataset, m.method): m for m in rows.marks if m.metric == metric}
            grid = _grid(context, pairs, metric, cells, marks)
            tables.append(Table(*grid, title=f"{title}: {label}", tex=tex))
        return Document(
            introduction(context),
            [*tables, Bullets(legend), Text("Marks"), _summary(rows), Bullets([_SUMMARY])],
        )


def _beside_published(context: Context, comparisons: Sequence[Comparison]) -> Iterator[Comparison]:
    """Yield the comparisons, those of what is not published with the column it stands for."""
    names = {method.name: published_name(method) for method in context.item.methods}
    for c in comparisons:
        if not math.isnan(c.published):
            yield c
            continue
        printed, wrong = context.find_published(c.dataset, names[c.method], c.metric)
        ours = c.metric, c.reproduced, c.reproduced_std, c.n_folds
        judged = verdict(*ours, printed.value, wrong)
        value, std, unit = printed
        beside = replace(c, published=value, published_std=std, published_unit=unit, verdict=judged)
        if c.prediction is not None:
            beside = judge_by_prediction(beside, c.prediction, c.n_replicates)
        yield judge_by_digits(beside, context.item.digits)


def _grid(
    context: Context,
    pairs: Sequence[tuple[Method, Method]],
    metric: str,
    cells: Mapping[tuple[str, str], Comparison],
    marks: Mapping[tuple[str, str], Mark],
) -> tuple[list[str], list[list[Entry]]]:
    """Return header and rows: for each pair the method, its base and the marks."""
    header = ["data set"]
    for method, base in pairs:
        header += [method.name, base.name, "marks"]
    labels = [context.item.label(dataset) for dataset in context.item.datasets]
    rows: list[list[Entry]] = []
    means: list[Entry] = [MEAN_CELL]
    for label in labels:
        row: list[Entry] = [label]
        for method, base in pairs:
            ours, theirs = (number_cell(cells[label, m.name]) for m in (method, base))
            mark = marks.get((label, method.name))
            row += [replace(ours, facts=_facts(mark)), theirs, _text(mark)]
        rows.append(row)
    for pair in pairs:
        means += [_mean(metric, [cells[label, m.name] for label in labels]) for m in pair]
        means.append("")
    return header, [*rows, means]


def _mean(metric: str, cells: Sequence[Comparison]) -> Cell:
    ours = number(metric, float(np.mean([c.reproduced for c in cells])))
    printed = number(metric, float(np.mean([c.published for c in cells])))
    return Cell(ours, published="" if printed == BLANK else f"({printed})", sources=cells)


def _text(mark: Mark | None) -> str:
    if mark is None:
        return BLANK
    signs = (mark.printed, mark.t_mark, mark.corrected_mark)
    return " ".join(BLANK if sign is None else _SIGNS.get(sign, sign) for sign in signs)


def _facts(mark: Mark | None) -> tuple[str, ...]:
    if mark is None:
        return ()
    return (
        f"against {mark.base}: {number(mark.metric, mark.difference, sign=True)}, paired t-test "
        f"p = {mark.t_p_value:.2g}, corrected for overlap p = {mark.corrected_p_value:.2g}",
    )


def _legend(comparisons: Sequence[Comparison], shown: Sequence[Comparison]) -> list[str]:
    return [
        agreement_sentence(comparisons),
        *verdict_legend(shown),
        "What the paper does not have is compared with the published column of its place; that "
        "does not count as agreement.",
        "Marks, one after the other: the published one; ours by the paired t-test over all folds, "
        "as in the paper; ours by the corrected resampled t-test of Nadeau and Bengio, since the "
        "training sets overlap. * the left method is better than the right one at "
        f"{LEVEL:.0%} (smaller, for nodes), ° it is worse, – neither.",
    ]


def _summary(paired: Paired) -> Table:
    """Return how often each mark is given, and how often ours is the published one."""
    cells = {(c.dataset, c.method, c.metric): c for c in paired.comparisons}
    header = ["pair", "against", "metric", "published * / – / °", "t-test * / – / °", "agree"]
    header += ["corrected * / – / °", "agree"]
    groups: dict[tuple[str, str, str], list[Mark]] = {}
    for mark in paired.marks:
        groups.setdefault((mark.method, mark.base, mark.metric), []).append(mark)
    rows: list[list[Entry]] = []
    for names, found in groups.items():
        sources = [cells[m.dataset, name, m.metric] for m in found for name in (m.method, m.base)]
        row: list[Entry] = [*names, _counts([m.printed for m in found])]
        for ours in ([m.t_mark for m in found], [m.corrected_mark for m in found]):
            pairs = [(a, m.printed) for a, m in zip(ours, found, strict=True)]
            same = [a == printed for a, printed in pairs if printed is not None]
            agree = f"{sum(same)} of {len(same)}" if same else BLANK
            row += [Cell(text, sources=sources) for text in (_counts(ours), agree)]
        rows.append(row)
    return Table(header, rows, left=3)


def _counts(signs: Sequence[str | None]) -> str:
    counts = Counter(signs)
    if counts[None] == len(signs):
        return BLANK
    return " / ".join(str(counts[sign]) for sign in ("*", "", "°"))
