"""The tooltip of a number: spread, tolerance, test, parameters."""

from __future__ import annotations

import json
import math

from retree.reports.comparison import Comparison
from retree.reports.formatting import number, steps
from retree.statistics import tolerance
from retree.statistics.metrics import MetricKind, find_metric


def facts(c: Comparison, *others: str) -> tuple[str, ...]:
    """Return the facts on a number that are not beside it, and `others`, without empty ones."""
    found = (_spread(c), _difference(c), _test(c), *others, _parameters(c))
    return tuple(fact for fact in found if fact)


def _spread(c: Comparison) -> str:
    if math.isnan(c.reproduced_std):
        return ""
    folds = f"{c.n_folds} fold{'s' if c.n_folds > 1 else ''}"
    replicates = f", mean of {c.n_replicates} replicates" if c.n_replicates > 1 else ""
    return f"s = {number(c.metric, c.reproduced_std)} over {folds}{replicates}"


def _difference(c: Comparison) -> str:
    if math.isnan(c.difference):
        return ""
    return f"difference {number(c.metric, c.difference, sign=True)}{_allowed(c)}"


def _allowed(c: Comparison) -> str:
    if not math.isnan(c.steps):
        return f", {steps(c)}"
    if not math.isnan(c.low):
        return f", one replicate gives {number(c.metric, c.low)} to {number(c.metric, c.high)}"
    if find_metric(c.metric).kind == MetricKind.TIME or c.n_folds < 1:
        return ""
    below = c.reproduced < c.published
    allowed = tolerance(c.metric, c.reproduced_std, c.n_folds, c.published, below)
    return f", allowed {number(c.metric, allowed)}"


def _test(c: Comparison) -> str:
    if c.test is None or c.method == c.baseline or math.isnan(c.test.p_value):
        return ""
    difference = number(c.metric, c.test.mean_difference, sign=True)
    return f"against {c.baseline}: {difference}, t-test p = {c.test.p_value:.2g}"


def _parameters(c: Comparison) -> str:
    """Return the chosen grid point; where each fold has its own, the values that occur."""
    if c.params in ("", "{}"):
        return ""
    chosen = json.loads(c.params)
    points = chosen if isinstance(chosen, list) else [chosen]
    values = {name: list(dict.fromkeys(str(p[name]) for p in points)) for name in points[0]}
    texts = "; ".join(f"{name} = {', '.join(texts)}" for name, texts in values.items())
    # Each replicate chooses for itself.
    return f"first replicate: {texts}" if c.n_replicates > 1 else texts
