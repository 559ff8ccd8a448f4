"""When numbers agree, in words."""

from __future__ import annotations

import math
from collections.abc import Iterable

from retree.reports.comparison import Comparison
from retree.statistics.agreement import ACCURACY_FLOOR, RATIO_FACTOR, SIZE_FLOOR
from retree.statistics.metrics import MetricKind, find_metric

RULE = (
    "Two numbers agree if their difference, on either side, is at most 2·√2·s/√n, with s the "
    f"standard deviation over the n folds, or at most {100 * ACCURACY_FLOOR:g} points of an "
    f"accuracy or error and {SIZE_FLOOR:.0%} of the published number for a size."
)
INTERVAL_RULE = (
    "Where the protocol has replicates, or repeats its folds, a published number agrees if it lies "
    "in the 95 % prediction interval of one replicate (columns low and high of the csv). It agrees "
    "weakly if that interval also holds at least half of the other published numbers of its row. "
    "Of the numbers outside, those differ that remain at a false discovery rate of 5 % "
    "(Benjamini and Hochberg, over the item); the others are at the edge."
)
SETS_RULE = (
    "Where some data sets are our choice, since the paper's are not known, a mean over data sets "
    "is judged by the spread between data sets: by the 95 % interval of the same mean over others. "
    "A number on such a data set alone cannot be judged."
)
DIGITS_RULE = (
    "Where folds and seeds are known to be the paper's own, nothing is random: a published number "
    "is equal to ours in its last digit (=), or it differs. The column steps of the csv says by "
    "how many test rows or nodes of the whole protocol."
)
RATIO_RULE = (
    f"Two ratios of times agree if one is at most {RATIO_FACTOR:g} times the other, since "
    "programs, compilers and machines differ."
)
COUNT_RULE = "Two counts agree if they are the same."
SCORE_RULE = (
    "Two scores agree if they differ by at most 2·√2 standard errors, or by 0.005 times the "
    "published one or 1, whichever is greater."
)
_RULES = {
    MetricKind.SHARE: RULE,
    MetricKind.SIZE: RULE,
    MetricKind.RATIO: RATIO_RULE,
    MetricKind.COUNT: COUNT_RULE,
    MetricKind.SCORE: SCORE_RULE,
}


def rules(comparisons: Iterable[Comparison]) -> list[str]:
    """Return when numbers of the kinds that are judged among `comparisons` agree."""
    cells = [c for c in comparisons if c.verdict]
    by_digits = [c for c in cells if not math.isnan(c.steps)]
    declared = {c.metric: c.allowed for c in cells if not math.isnan(c.allowed)}
    cells = [c for c in cells if math.isnan(c.allowed)]
    by_runs = [c for c in cells if c.prediction is not None and not c.over_sets]
    over_sets = [c for c in cells if c.over_sets]
    others = [c.metric for c in cells if c.prediction is None and math.isnan(c.steps)]
    found = [(DIGITS_RULE, by_digits), (INTERVAL_RULE, by_runs), (SETS_RULE, over_sets)]
    words = [f"{find_metric(name).label} by at most {most:g}" for name, most in declared.items()]
    own = (
        [f"Numbers agree if they differ in {', '.join(words)}, as the study says."] if words else []
    )
    return [*(rule for rule, judged in found if judged), *own, *rules_of_metrics(others)]


def rules_of_metrics(metrics: Iterable[str]) -> list[str]:
    """Return when numbers of `metrics`, none of them a time, agree."""
    kinds = dict.fromkeys(find_metric(metric).kind for metric in metrics)
    return list(dict.fromkeys(_RULES[kind] for kind in kinds))
