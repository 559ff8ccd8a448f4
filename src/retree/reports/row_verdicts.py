"""Verdicts that need the other numbers of a table: weak agreement, and the edge of an interval."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from retree.reports.comparison import LEVEL, Comparison
from retree.reports.grouping import grouped
from retree.statistics import JUDGED, OUTSIDE, Verdict, benjamini_hochberg
from retree.statistics.power import holds_half

Rows = Mapping[tuple[str, str], Sequence[Comparison]]


def judge_together(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """Return the numbers of an item, those judged by an interval also by the rest of the table.

    A number that agrees does so weakly if its interval holds at least half of the other published
    numbers of its row: those of the other methods, on the same data set in the same metric. Where
    none is published our numbers for these methods take their place.

    Of the numbers outside their intervals, those differ that the procedure of Benjamini and
    Hochberg leaves at a false discovery rate of 5 % among all numbers of the item that are judged
    by an interval. The others are at the edge.
    """
    by_interval = [c for c in comparisons if is_by_interval(c)]
    rows, found = rows_of(comparisons), dict.fromkeys(map(id, by_interval), False)
    p_values = [c.p_value for c in by_interval]
    found |= zip(found, map(bool, benjamini_hochberg(p_values, LEVEL)), strict=True)
    return [_judge(c, rows, found[id(c)]) if id(c) in found else c for c in comparisons]


def is_by_interval(c: Comparison) -> bool:
    """Return whether the verdict on a number is that of its prediction interval."""
    return c.verdict in JUDGED and c.prediction is not None and math.isnan(c.allowed)


def rows_of(comparisons: Iterable[Comparison]) -> Rows:
    """Return the numbers of each data set and metric, which differ in their methods."""
    return grouped(comparisons, lambda c: (c.dataset, c.metric))


def _judge(c: Comparison, rows: Rows, is_found: bool) -> Comparison:
    if c.verdict in OUTSIDE:
        return replace(c, verdict=Verdict.DIFFERS if is_found else Verdict.EDGE)
    others = [o for o in rows[c.dataset, c.metric] if o.method != c.method]
    published = [o.published for o in others if not math.isnan(o.published)]
    ours = [o.reproduced for o in others if not math.isnan(o.reproduced)]
    weak = holds_half(c.low, c.high, published or ours)
    return replace(c, verdict=Verdict.WEAK if weak else Verdict.AGREES)
