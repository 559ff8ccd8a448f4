"""The tables of a paper as they are printed, with the verdict on each number by every rule."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from retree.reports.comparison import Comparison, comparison_table
from retree.reports.formatting import number
from retree.reports.grouping import grouped
from retree.reports.headlines import NEAR_POINTS, count_headlines, point_gaps, published_numbers
from retree.reports.kind import ItemReport
from retree.statistics import AGREEING, JUDGED
from retree.statistics.metrics import NESTED, MetricKind, find_metric

OWN, NEAR = "own", "near"
PUBLISHED, INSIDE = "published", "inside"
# Words of the paper's own rule, by what judges a number, and those of the rule for all papers.
_BY_DIGIT, _BY_INTERVAL = "equal to the printed digit", "inside the interval of one replicate"
_DECLARED, _BY_FOLDS = "within the tolerance of the study", "within the spread of the folds"
NEAR_WORDS = f"within {NEAR_POINTS:g} point"
# From these distances on a number is far inside, and far outside.
_FAR_INSIDE, _FAR_OUTSIDE = 0.5, 2.0
Place = tuple[str, str]


@dataclass(frozen=True)
class State:
    """What a rule says of a number."""

    verdict: str  # A verdict or, by the rule of all papers, "near" or "far"
    # From -3 to 3: 0 and ±1 are inside, ±2 and ±3 outside; negative if ours is the higher one.
    # None where nothing is judged.
    level: int | None


@dataclass(frozen=True)
class View:
    """A table under one rule and one way to choose parameters."""

    rule: str  # `OWN` or `NEAR`
    choice: str  # `PUBLISHED` or `INSIDE`
    states: Mapping[Place, State]
    counts: tuple[int, int]  # How many numbers agree, and how many are judged


@dataclass(frozen=True)
class PrintedTable:
    """A metric of a table of the paper: rows are data sets, columns methods."""

    item: str
    metric: str
    # The published numbers beside ours, by data set and method, for each way to choose parameters:
    # as published, and inside the training folds where that was run beside.
    numbers: Mapping[str, Mapping[Place, Comparison]]

    @property
    def rows(self) -> list[str]:
        """Its data sets."""
        return list(dict.fromkeys(dataset for dataset, _ in self.numbers[PUBLISHED]))

    @property
    def columns(self) -> list[str]:
        """Its methods."""
        return list(dict.fromkeys(method for _, method in self.numbers[PUBLISHED]))

    @property
    def rules(self) -> dict[str, str]:
        """The rules that make sense for it, with their words."""
        cells = self.numbers[PUBLISHED].values()
        kinds = Counter(_rule_words(c) for c in cells if c.verdict in JUDGED)
        own = {OWN: kinds.most_common(1)[0][0]} if kinds else {OWN: ""}
        return own | ({NEAR: NEAR_WORDS} if self._counts(PUBLISHED)["accuracies"] else {})

    def views(self) -> Iterator[View]:
        """Yield the table under each rule, for each way to choose parameters."""
        for choice, numbers in self.numbers.items():
            counts = self._counts(choice)
            for rule in self.rules:
                names = ("agree", "judged") if rule == OWN else ("near", "accuracies")
                found = int(counts[names[0]]), int(counts[names[1]])
                states = dict(zip(numbers, _states(rule, numbers.values()), strict=True))
                yield View(rule, choice, states, found)

    def _counts(self, choice: str) -> dict[Any, Any]:
        table = comparison_table(self.numbers[choice].values())
        return dict(count_headlines(table, []).to_dict("records")[0])


def printed_tables(contexts: Iterable[ItemReport]) -> list[PrintedTable]:
    """Return the tables of published numbers with several data sets and methods."""
    found = []
    for context in contexts:
        of_metrics = grouped(context.comparisons, lambda c: c.metric)
        for metric, every in of_metrics.items():
            numbers = _published(every)
            by = {PUBLISHED: numbers}
            if nested := _published(_nested(context, numbers, of_metrics.get(NESTED, ()))):
                by |= {INSIDE: nested} if metric == "accuracy" else {}
            table = PrintedTable(context.item.name, metric, by)
            if min(len(table.rows), len(table.columns)) > 1:
                found.append(table)
    return found


def _published(comparisons: Iterable[Comparison]) -> dict[Place, Comparison]:
    """Return the numbers that every count is of, see `headlines.published_numbers`."""
    known = list(comparisons)
    kept = published_numbers(comparison_table(known)).index
    return {(known[i].dataset, known[i].method): known[i] for i in kept}


def _nested(
    context: ItemReport, published: Mapping[Place, Comparison], found: Sequence[Comparison]
) -> list[Comparison]:
    """Return published accuracies beside ours of parameters chosen inside the training folds."""
    beside = ((c, published.get((c.dataset, c.method))) for c in found)
    return context.judge(
        replace(c, metric=theirs.metric, theirs=theirs.theirs) for c, theirs in beside if theirs
    )


def _rule_words(c: Comparison) -> str:
    if not math.isnan(c.judgement.allowed):
        return _DECLARED
    if not math.isnan(c.steps):
        return _BY_DIGIT
    return _BY_INTERVAL if c.is_by_interval else _BY_FOLDS


def _states(rule: str, numbers: Iterable[Comparison]) -> Iterator[State]:
    cells = list(numbers)
    gaps = point_gaps(comparison_table(cells))
    for c, gap in zip(cells, gaps, strict=True):
        if c.verdict not in JUDGED or (rule == NEAR and math.isnan(gap)):
            yield State(c.verdict, None)
        elif rule == NEAR:
            is_near = abs(gap) <= NEAR_POINTS + 1e-9
            yield State("near" if is_near else "far", _level(-gap / NEAR_POINTS, is_near))
        else:
            yield State(c.verdict, _level(_distance(c), c.verdict in AGREEING))


def _level(distance: float, is_inside: bool) -> int:
    limit = _FAR_INSIDE if is_inside else _FAR_OUTSIDE
    size = abs(distance) > limit
    return int(math.copysign(size + (0 if is_inside else 2), distance))


def _distance(c: Comparison) -> float:
    """Return published minus ours, over what is allowed on that side."""
    gap = c.published - c.reproduced
    if c.is_by_interval:
        allowed = c.high - c.reproduced if gap > 0 else c.reproduced - c.low
    elif not math.isnan(c.judgement.allowed):
        allowed = c.judgement.allowed
    else:
        metric = find_metric(c.metric)
        is_share = metric.kind == MetricKind.SHARE
        allowed = abs(metric.scale) / 100 * NEAR_POINTS if is_share else abs(c.published) / 10
    return gap / allowed if allowed > 0 else math.copysign(math.inf, gap) if gap else 0.0


def printed_text(c: Comparison) -> str:
    """Return a published number as it is printed."""
    shown = (v for v in (c.published, c.published_std) if not math.isnan(v))
    return "±".join(number(c.metric, value, unit=c.unit) for value in shown)
