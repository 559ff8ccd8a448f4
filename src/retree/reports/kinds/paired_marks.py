"""The marks of paired tests, published and ours, and how often each is given."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from retree.reports.columns import Column, page_table
from retree.reports.comparison import Comparison
from retree.reports.document import Table
from retree.reports.formatting import BLANK, number
from retree.reports.grouping import grouped
from retree.reports.pairs import MethodPair, sign_of
from retree.statistics import PairedTest
from retree.statistics.metrics import find_metric

Marks = Mapping[tuple[str, str], "Mark"]
# Names of method, base and metric, and the marks on all data sets.
Group = tuple[tuple[str, str, str], Sequence["Mark"]]
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
    """What is said of a method against its base: `BETTER`, `WORSE` or `NEITHER`.

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


def mark_summary(paired: Paired) -> Table:
    """Return how often each mark is given, and how often ours is the published one."""
    cells = {(c.dataset, c.method, c.metric): c for c in paired.comparisons}
    groups = grouped(paired.marks, lambda m: (m.pair.method, m.pair.base, m.pair.metric))

    def sources(group: Group) -> list[Comparison]:
        (*names, metric), marks = group
        return [cells[mark.pair.dataset, name, metric] for mark in marks for name in names]

    def counted(title: str, of: Callable[[Mark], str | None]) -> Column:
        by = None if title == "published" else sources
        return Column(f"{title} * / – / °", lambda g: _counts([of(m) for m in g[1]]), sources=by)

    def agreeing(of: Callable[[Mark], str]) -> Column:
        return Column("agree", lambda group: _agreeing(group[1], of), sources=sources)

    columns = [
        Column("pair", lambda group: group[0][0]),
        Column("against", lambda group: group[0][1]),
        Column("metric", lambda group: group[0][2]),
        counted("published", lambda mark: mark.published),
        counted("t-test", lambda mark: mark.t_mark),
        agreeing(lambda mark: mark.t_mark),
        counted("corrected", lambda mark: mark.corrected_mark),
        agreeing(lambda mark: mark.corrected_mark),
    ]
    return page_table(columns, groups.items(), left=3)


def _agreeing(marks: Sequence[Mark], of: Callable[[Mark], str]) -> str:
    same = [of(mark) == mark.published for mark in marks if mark.published is not None]
    return f"{sum(same)} of {len(same)}" if same else BLANK


def _counts(signs: Sequence[str | None]) -> str:
    counts = Counter(signs)
    if counts[None] == len(signs):
        return BLANK
    return " / ".join(str(counts[sign]) for sign in (BETTER, NEITHER, WORSE))
