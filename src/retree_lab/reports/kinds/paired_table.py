"""Tables of methods in pairs, with the marks of paired tests (kind ``paired_table``)."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from retree_lab.experiments.definition.item import Item
from retree_lab.experiments.definition.method import Method
from retree_lab.reports.compare_items import compare_item
from retree_lab.reports.comparison import LEVEL, Comparison, comparison_table
from retree_lab.reports.context import Context, introduction
from retree_lab.reports.document import (
    MEAN_CELL,
    Block,
    Bullets,
    Document,
    Entry,
    TableCell,
    number_cell,
)
from retree_lab.reports.fold_values import MethodPair, find_fold_values, find_pair, sign_of
from retree_lab.reports.formatting import BLANK, agreement_sentence, number, verdict_legend
from retree_lab.reports.kinds import Kind
from retree_lab.reports.published import published_name
from retree_lab.reports.sections import Column, csv_table, grouped, page_table, section
from retree_lab.statistics import PairedTest
from retree_lab.statistics.metrics import find_metric

Marks = Mapping[tuple[str, str], "Mark"]
BETTER, WORSE, NEITHER = "*", "°", ""
_SIGNS = {NEITHER: "–", None: BLANK}
MARKS_CSV = {
    **{name: f"pair.{name}" for name in ("dataset", "metric", "method", "base")},
    "difference": "pair.plain.mean_difference",
    **{name: name for name in ("published", "t_mark", "corrected_mark")},
    "t_p_value": "pair.plain.p_value",
    "corrected_p_value": "pair.corrected.p_value",
}


class Mark(NamedTuple):
    """The mark of a method against its base: `BETTER`, `WORSE` or `NEITHER`.

    The published mark, `published`, is that of the base, or of what it ``stands_for``; None where
    nothing is published. Ours are by the paired t-test over the folds, and by the corrected one.
    """

    pair: MethodPair
    published: str | None
    t_mark: str
    corrected_mark: str


@dataclass(frozen=True)
class Paired:
    """Numbers of methods in pairs, and the marks of their tests."""

    comparisons: Sequence[Comparison]
    marks: Sequence[Mark]


def marked(test: PairedTest, metric: str) -> str:
    """Return our mark by a test."""
    sign = -sign_of(test) if find_metric(metric).smaller_is_better else sign_of(test)
    return (NEITHER, BETTER, WORSE)[sign]


def mark_text(mark: Mark | None) -> str:
    """Return the published mark and ours."""
    return " ".join(_SIGNS.get(sign, str(sign)) for sign in mark[1:]) if mark else BLANK


def mark_facts(pair: MethodPair) -> str:
    """Return both tests, for a tooltip."""
    return (
        f"against {pair.base}: {number(pair.metric, pair.plain.mean_difference, sign=True)}, "
        f"paired t-test p = {pair.plain.p_value:.2g}, "
        f"corrected for overlap p = {pair.corrected.p_value:.2g}"
    )


def marks_section(paired: Paired) -> list[Block]:
    """Return how often each mark is given, and how often ours is the published one."""
    cells = {(c.dataset, c.method, c.metric): c for c in paired.comparisons}
    groups = grouped(paired.marks, lambda m: (m.pair.method, m.pair.base, m.pair.metric))
    rows = []
    for (method, base, metric), marks in groups.items():
        names = method, base
        sources = [cells[m.pair.dataset, name, metric] for m in marks for name in names]
        published = [mark.published for mark in marks]
        row: dict[Entry, Entry] = {"pair": method, "against": base, "metric": metric}
        row["published * / – / °"] = _counts(published)
        for name, attribute in (("t-test", "t_mark"), ("corrected", "corrected_mark")):
            ours = [getattr(mark, attribute) for mark in marks]
            row[f"{name} * / – / °"] = TableCell(_counts(ours), sources=sources)
            same = [a == b for a, b in zip(ours, published, strict=True) if b is not None]
            text = f"{sum(same)} of {len(same)}" if same else BLANK
            # Two columns have this heading.
            head = TableCell("agree") if "agree" in row else "agree"
            row[head] = TableCell(text, sources=sources)
        rows.append(row)
    return section("Marks", rows, notes=[_SUMMARY], left=3)


def _counts(signs: Sequence[str | None]) -> str:
    counts = Counter(signs)
    if counts[None] == len(signs):
        return BLANK
    return " / ".join(str(counts[sign]) for sign in (BETTER, NEITHER, WORSE))


Cells = Mapping[tuple[str, str], Comparison]
_SUMMARY = (
    "A mark agrees if it equals the published one. The table counts data sets; the published "
    "marks come from the published pair in the same place."
)


@dataclass(frozen=True, kw_only=True)
class PairedTable(Kind[Paired]):
    """A table for each metric and group of pairs: a method, its base and the marks.

    Both tests are two-sided, over the folds. Pairs of methods that the item lacks are left out, and
    so are marks of pairs without results.
    """

    metrics: tuple[str, ...]
    # By the title of a group: the keys of methods, each with the key of its baseline.
    pairs: Mapping[str, Mapping[str, str]]

    def method_keys(self) -> Iterable[str]:
        """Return the methods of all pairs."""
        return {key for group in self.pairs.values() for pair in group.items() for key in pair}

    def compare(self, context: Context) -> Paired:
        """Return the numbers, and the marks of all pairs."""
        marks = list(self._marks(context))
        by_place = {(m.pair.dataset, m.pair.method, m.pair.metric): m for m in marks}
        comparisons = [
            replace(c, star=m.t_mark, published_star=m.published)
            if (m := by_place.get((c.dataset, c.method, c.metric)))
            else c
            for c in compare_item(context, self.metrics)
        ]
        return Paired(comparisons, marks)

    def comparisons(self, context: Context, rows: Paired) -> Sequence[Comparison]:
        """Return the numbers beside the published ones."""
        return rows.comparisons

    def tables(self, rows: Paired) -> Mapping[str, pd.DataFrame]:
        """Return the numbers, and the marks as ``<item>_marks.csv``."""
        marks = csv_table(MARKS_CSV, rows.marks)
        return {"": comparison_table(rows.comparisons), "_marks": marks}

    def document(self, context: Context, rows: Paired) -> Document:
        """Return the tables, and how often each mark is given."""
        beside = _beside_published(context, rows.comparisons)
        legend = _legend(rows.comparisons, beside)
        groups = itertools.product(self.metrics, self._pairs(context.item).items())
        tables = []
        for metric, (title, pairs) in groups:
            heading = f"{title}: {find_metric(metric).label}"
            cells = {(c.dataset, c.method): c for c in beside if c.metric == metric}
            marks = {(m.pair.dataset, m.pair.method): m for m in rows.marks
                     if m.pair.metric == metric}  # fmt: skip
            columns = [column for pair in pairs for column in _columns(pair, cells, marks)]
            labels = [context.item.label(dataset) for dataset in context.item.datasets]
            means: list[Entry] = [MEAN_CELL]
            for pair in pairs:
                means += [_mean([cells[label, m.name] for label in labels]) for m in pair]
                means.append("")
            columns.insert(0, Column("data set", str))
            tables.append(page_table(columns, labels, [means], title=heading))
        return Document(
            introduction(context),
            [*tables, Bullets(legend), *marks_section(rows)],
        )

    def _pairs(self, item: Item) -> dict[str, list[tuple[Method, Method]]]:
        """Return methods with their bases, by the title of their group."""
        methods = {method.key: method for method in item.methods}
        groups = {
            title: [(methods[m], methods[b]) for m, b in keys.items() if {m, b} <= set(methods)]
            for title, keys in self.pairs.items()
        }
        return {title: pairs for title, pairs in groups.items() if pairs}

    def _marks(self, context: Context) -> Iterator[Mark]:
        """Yield the marks by group, pair, metric and data set."""
        item, table = context.item, context.published.table()
        of_item = table[table["table"] == item.name]
        places = of_item[["dataset", "method", "metric"]].itertuples(index=False, name=None)
        published = dict(zip(places, of_item["marker"], strict=True))
        values = {m: next(iter(find_fold_values(context, m).values())) for m in self.metrics}
        pairs = itertools.chain(*self._pairs(item).values())
        for (method, base), metric, dataset in itertools.product(pairs, values, item.datasets):
            pair = find_pair(values[metric], item, dataset, method.name, base.name)
            if pair.is_tested:
                mark = published.get((pair.dataset, published_name(base), metric))
                yield Mark(pair, mark, *(marked(t, metric) for t in (pair.plain, pair.corrected)))


def _beside_published(context: Context, comparisons: Sequence[Comparison]) -> list[Comparison]:
    """Return the comparisons, each unpublished one beside the column that it stands for."""
    names = {method.name: published_name(method) for method in context.item.methods}
    by_place = {
        id(c): replace(c, theirs=context.find_published(c.dataset, names[c.method], c.metric))
        for c in comparisons
        if math.isnan(c.published)
    }
    judged = dict(zip(by_place, context.judge(by_place.values()), strict=True))
    return [judged.get(id(c), c) for c in comparisons]


def _columns(pair: tuple[Method, Method], cells: Cells, marks: Marks) -> list[Column]:
    """Return the columns of a pair, whose rows are data sets: both methods, and the marks."""
    ours, theirs = (method.name for method in pair)

    def with_facts(dataset: str) -> TableCell:
        mark = marks.get((dataset, ours))
        facts = [mark_facts(mark.pair)] if mark else ()
        return replace(number_cell(cells[dataset, ours]), facts=facts)

    return [
        Column(ours, with_facts),
        Column(theirs, lambda dataset: number_cell(cells[dataset, theirs])),
        Column("marks", lambda dataset: marks.get((dataset, ours)), mark_text),
    ]


def _mean(cells: Sequence[Comparison]) -> TableCell:
    ours, theirs = (
        number(cells[0].metric, float(np.mean([getattr(c, name) for c in cells])))
        for name in ("reproduced", "published")
    )
    return TableCell(ours, published="" if theirs == BLANK else f"({theirs})", sources=cells)


def _legend(comparisons: Sequence[Comparison], beside: Sequence[Comparison]) -> list[str]:
    return [
        agreement_sentence(comparisons),
        *verdict_legend(beside),
        "A column that the paper lacks is compared with the published column in its place; this "
        "does not count as agreement.",
        "There are three marks. The first is the published one. The second is ours by the paired "
        "t-test over all folds, as in the paper. The third is ours by Nadeau and Bengio's "
        "corrected resampled t-test, since the training sets overlap. * the left method is better "
        f"than the right one at {LEVEL:.0%} (smaller, for nodes), ° worse, – neither.",
    ]
