"""The judgement of published numbers: each by `judge`, and then beside others of its item."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd
from scipy.stats import false_discovery_control

from retree_lab.experiments.definition.definitions import Experiment, Paper
from retree_lab.experiments.definition.item import SAME, Item
from retree_lab.experiments.definition.item_config import located_item
from retree_lab.experiments.verifying.verification import ROUNDING
from retree_lab.reports.agreement import read_comparison
from retree_lab.reports.comparison import LEVEL, Comparison, Judgement
from retree_lab.reports.published import Published
from retree_lab.reports.sections import grouped
from retree_lab.statistics import (
    JUDGED,
    OUTSIDE,
    Digits,
    Verdict,
)
from retree_lab.statistics import (
    verdict as verdict_by_folds,
)
from retree_lab.statistics.agreement import gap_to_digit, holds_half
from retree_lab.statistics.metrics import OPTIMISM, MetricKind, find_metric, is_nested

OUR_DATA = "the paper's data are not known, and ours are different"
WIDE = "the spread over the folds is as large as the mean"
Rows = Mapping[tuple[str, str], Sequence[Comparison]]


@dataclass(frozen=True)
class Rules:
    """The rules that a paper and an item declare for judging their published numbers."""

    is_same_protocol: bool = True
    tolerance: Mapping[str, float] = field(default_factory=dict)  # Declared, by metric
    digits: Digits | None = None
    our_data: tuple[str, ...] = ()  # Data sets, by key, that are not the paper's own
    not_judged: str = ""  # Why none of the item's numbers is judged


def rules_of(item: Item, paper: Paper) -> Rules:
    """Return how the numbers of an item of a paper are judged."""
    same = item.published_protocol == SAME
    return Rules(same, item.tolerance, item.digits, paper.our_data, item.not_judged)


def judge(number: Comparison, rules: Rules) -> Judgement:
    """Judge one number by the first of these that applies.

    1. A time is that of a machine, and what a nested selection costs is our own: no verdict.
       Without a number on either side: missing.
    2. A known misprint: explained.
    3. The item, or the paper as a whole, is not judged: missing, with the reason.
    4. Its metric has a declared tolerance: agrees within it, or differs. A statistic of a test is
       computed from published values alone: equal to the last digit, or differs.
    5. It is of a data set that is not the paper's own: missing.
    6. The published number is of another protocol, or of one that is not known, or the spread is
       not known: no verdict.
    7. Folds and seeds are the paper's own (``digits``): equal to the last digit, or differs. A
       number that depends on a seed of ours is not judged by digits.
    8. Several runs of the protocol give a prediction of one more: agrees within its interval.
    9. Otherwise the folds of the one run give a tolerance. For a size that varies as much as it is
       large to lie within says nothing: missing.

    `judge_numbers` then says which numbers agree weakly and which are at the edge.
    """
    c, metric = number, find_metric(number.metric)
    if metric.kind == MetricKind.TIME or c.metric == OPTIMISM or is_nested(c.metric):
        return Judgement()
    by_folds = _by_folds(c)
    if by_folds not in JUDGED:
        return Judgement(by_folds, by_tolerance=by_folds if c.prediction else "")
    if rules.not_judged:
        return Judgement(Verdict.MISSING, rules.not_judged)
    if (allowed := rules.tolerance.get(c.metric)) is not None:
        verdict = Verdict.AGREES if c.is_within(allowed) else Verdict.DIFFERS
        return Judgement(verdict, allowed=allowed)
    if metric.kind == MetricKind.STATISTIC:
        return _by_digits(c, rules.digits or Digits.ROUNDED)
    if c.dataset_key in rules.our_data:
        return Judgement(Verdict.MISSING, OUR_DATA)
    if not rules.is_same_protocol or not metric.has_spread:
        return Judgement()
    if rules.digits is not None and not any(some.is_seeded for some in (c, *c.sources)):
        return _by_digits(c, rules.digits)
    if c.prediction is not None:
        is_inside = c.prediction.contains(c.published, c.unit)
        verdict = Verdict.AGREES if is_inside else Verdict.DIFFERS
        return Judgement(verdict, by_tolerance=by_folds)
    is_wide = metric.kind == MetricKind.SIZE and c.reproduced_std >= c.reproduced > 0
    if is_wide and by_folds == Verdict.AGREES:
        return Judgement(Verdict.MISSING, WIDE)
    return Judgement(by_folds)


def judge_numbers(numbers: Iterable[Comparison], rules: Rules) -> list[Comparison]:
    """Return the numbers of an item judged, those judged by an interval also by the others.

    A number that agrees does so weakly if its interval holds at least half of the other published
    numbers of its row: the other methods, on the same data set in the same metric. Where
    none is published our numbers for these methods take their place.

    Of the numbers outside their intervals, those differ that the procedure of Benjamini and
    Hochberg leaves at a false discovery rate of 5 % among all numbers of the item that are judged
    by an interval. The others are at the edge.
    """
    pairs = [(c, judge(c, rules)) for c in numbers]
    by_interval = [i for i, (c, j) in enumerate(pairs) if c.prediction and j.is_by_interval]
    p_values = [pairs[i][0].p_value for i in by_interval]
    adjusted = false_discovery_control(p_values) if p_values else ()
    significant = {i for i, p in zip(by_interval, adjusted, strict=True) if p <= LEVEL}
    rows = rows_of(c for c, _ in pairs)
    for i in by_interval:
        c, judgement = pairs[i]
        verdict = _beside(c, judgement.verdict, rows, i in significant)
        pairs[i] = c, replace(judgement, verdict=verdict)
    return [_with(*pair) for pair in pairs]


def rows_of(comparisons: Iterable[Comparison]) -> Rows:
    """Return the numbers of each data set and metric, which differ in their methods."""
    return grouped(comparisons, lambda c: (c.dataset, c.metric))


def _with(c: Comparison, judgement: Judgement) -> Comparison:
    # Where digits judge nothing is random, so that nothing is to be predicted.
    prediction = c.prediction if judgement.digits is None else None
    reason = judgement.reason or c.reason
    return replace(c, judgement=judgement, prediction=prediction, reason=reason)


def _beside(c: Comparison, verdict: str, rows: Rows, is_significant: bool) -> Verdict:
    """Return the verdict on a number that is judged by its interval, beside all others."""
    if verdict in OUTSIDE:
        return Verdict.DIFFERS if is_significant else Verdict.EDGE
    others = [o for o in rows[c.dataset, c.metric] if o.method != c.method]
    published = [o.published for o in others if not math.isnan(o.published)]
    ours = [o.reproduced for o in others if not math.isnan(o.reproduced)]
    return Verdict.WEAK if holds_half(c.low, c.high, published or ours) else Verdict.AGREES


def _by_folds(c: Comparison) -> Verdict:
    """Return the verdict by the spread over the folds of the first run."""
    mean, std = c.first_run or (c.reproduced, c.reproduced_std)
    if not c.is_comparable:
        return Verdict.MISSING
    n_folds = max(c.n_folds, 1)
    return verdict_by_folds(c.metric, mean, std, n_folds, c.published, c.theirs.is_wrong)


def _by_digits(c: Comparison, digits: Digits) -> Judgement:
    gap = gap_to_digit(c.reproduced, c.published, c.unit, digits)
    # A row is worth a share of an accuracy, a node one of the mean over the folds.
    metric = find_metric(c.metric)
    step = abs(metric.scale) / c.n_test if metric.kind == MetricKind.SHARE else 1 / c.n_folds
    step = c.unit if metric.kind == MetricKind.STATISTIC else step
    of_std: str = ""
    if not math.isnan(c.published_std):
        # Standard deviations are rounded even where means are cut.
        is_equal = not gap_to_digit(c.reproduced_std, c.published_std, c.unit, Digits.ROUNDED)
        of_std = Verdict.EQUAL if is_equal else Verdict.DIFFERS
    verdict = Verdict.DIFFERS if gap else Verdict.EQUAL
    steps = float(math.ceil(gap / step - 1e-6))
    return Judgement(verdict, std_verdict=of_std, steps=steps, digits=digits)


OPEN = "{}: only the whole table says which; render item={} without datasets= and methods="
OUTSIDE_OR = "it lies outside its interval, so it differs or is at the edge"
INSIDE_OR = "it lies in its interval, so it agrees or agrees weakly"
_SAME = ("reproduced", "published", "low", "high")
Place = tuple[str, str, str]


def judged_as_whole(
    judged: Sequence[Comparison], experiment: Experiment, item: Item
) -> list[Comparison]:
    """Return numbers of a part of a table with the verdicts that the whole table gives them."""
    if not any(c.is_by_interval for c in judged):
        return list(judged)
    if (whole := _whole(experiment, item)) is None:
        return list(judged)
    rendered = _rendered(experiment, item.name)
    table = Published(experiment.paper).table()
    table = table[table["table"] == item.name]
    # These differ whatever the others are.
    p_values = [c.p_value for c in judged if c.is_by_interval]
    others = max(0, len(table) - len(p_values))
    surely = iter(false_discovery_control([*p_values, *[1.0] * others]) <= LEVEL)
    numbers = []
    for c in judged:
        if c.is_by_interval:
            differs = bool(next(surely))
            row = rendered.get((c.dataset, c.method, c.metric))
            if row is not None and _is_same(c, row):
                c = _with_verdict(c, Verdict(row["verdict"]))
            elif c.verdict in OUTSIDE:
                c = _with_verdict(c, Verdict.DIFFERS) if differs else _open(c, OUTSIDE_OR, item)
            else:
                c = _inside(c, table, whole)
        numbers.append(c)
    return numbers


def _whole(experiment: Experiment, item: Item) -> Item | None:
    """Return the whole item that `item` is a part of, None if it is whole."""
    if item.name not in experiment.paper.items:
        return None
    whole = located_item(experiment.paper, item.name, experiment.protocol, [], [])
    asked = [(i.datasets, [m.key for m in i.methods]) for i in (item, whole)]
    return None if asked[0] == (whole.datasets, asked[1][1]) else whole


def _rendered(experiment: Experiment, name: str) -> Mapping[Place, Mapping[Any, Any]]:
    """Return the rows of the rendered table that have a verdict, by place."""
    for folder in (experiment.committed, experiment.results):
        path = folder / experiment.paper.name / f"{name}.csv" if folder else None
        if path and path.exists() and (table := read_comparison(path)) is not None:
            rows = table[table["verdict"].isin(JUDGED)].to_dict("records")
            return {(row["dataset"], row["method"], row["metric"]): row for row in rows}
    return {}


def _is_same(c: Comparison, row: Mapping[Any, Any]) -> bool:
    """Return whether the rendered row has the same number, interval and published value."""
    return all(math.isclose(getattr(c, name), row[name], rel_tol=ROUNDING) for name in _SAME)


def _inside(c: Comparison, table: pd.DataFrame, whole: Item) -> Comparison:
    """Return a number in its interval judged by all that is published in its row."""
    row = table[(table["dataset"] == c.dataset) & (table["metric"] == c.metric)]
    names = {method.name for method in whole.methods} - {c.method}
    published = row.loc[row["method"].isin(names), "value"].dropna().tolist()
    if not published:
        return _open(c, INSIDE_OR, whole) if names else c
    is_weak = holds_half(c.low, c.high, published)
    return _with_verdict(c, Verdict.WEAK if is_weak else Verdict.AGREES)


def _with_verdict(c: Comparison, verdict: Verdict) -> Comparison:
    return replace(c, judgement=replace(c.judgement, verdict=verdict))


def _open(c: Comparison, certain: str, item: Item) -> Comparison:
    reason = OPEN.format(certain, item.name)
    return replace(c, judgement=Judgement(Verdict.MISSING, reason), reason=reason)
