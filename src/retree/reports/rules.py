"""When numbers agree, in words."""

from __future__ import annotations

import math
from collections.abc import Iterable

from retree.reports.comparison import Comparison
from retree.statistics.agreement import ACCURACY_FLOOR, RATIO_FACTOR, SIZE_FLOOR
from retree.statistics.metrics import MetricKind, find_metric

RULE = (
    "Two numbers agree if they differ by at most 2·√2·s/√n, with s the standard deviation over the "
    f"n folds. Up to {100 * ACCURACY_FLOOR:g} points of an accuracy or error agree in any case, "
    f"and up to {SIZE_FLOOR:.0%} of the published number for a size."
)
INTERVAL_RULE = (
    "Some protocols have replicates or repeat their folds. A published number then agrees if it "
    "lies in the 95 % prediction interval of one replicate (low and high in the csv). It agrees "
    "weakly if at least half of the other published numbers of its row lie there, too. Numbers "
    "outside differ if they remain at a false discovery rate of 5 % (Benjamini and Hochberg, over "
    "the item). The others are at the edge."
)
SETS_RULE = (
    "Some data sets are our choice, since the paper's are not known. A mean over data sets is then "
    "judged by the spread between them: by the 95 % interval of the same mean over other sets. A "
    "number on such a data set alone cannot be judged."
)
DIGITS_RULE = (
    "Where folds and seeds are known to be the paper's own, nothing is random. A published number "
    "then equals ours in its last digit (=), or it differs. The column steps of the csv says by "
    "how many test rows or nodes of the whole protocol."
)
RATIO_RULE = (
    f"Two ratios of times agree if one is at most {RATIO_FACTOR:g} times the other. Programs, "
    "compilers and machines differ."
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
    allowed = {c.metric: c.judgement.allowed for c in cells}
    declared = {metric: most for metric, most in allowed.items() if not math.isnan(most)}
    cells = [c for c in cells if math.isnan(c.judgement.allowed)]
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
