"""How a reproduced number is judged beside the published one."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from retree.experiments.definition.item import SAME, Item
from retree.reports.comparison import Comparison
from retree.statistics import JUDGED, Digits, Verdict
from retree.statistics.agreement import gap_to_digit, verdict_by_interval
from retree.statistics.intervals import Prediction, predict_mean, predict_other_sets
from retree.statistics.metrics import MetricKind, find_metric

OUR_DATA = "the data of the paper are not known, and ours are others"


def judge_by_prediction(
    comparison: Comparison, prediction: Prediction, n_replicates: int
) -> Comparison:
    """Return `comparison` with the verdict that the prediction of one more run gives.

    A known misprint, and a number without a counterpart, stay what they are.
    """
    judged = replace(
        comparison,
        prediction=prediction,
        n_replicates=n_replicates,
        by_tolerance=comparison.verdict,
    )
    if comparison.verdict not in JUDGED:
        return judged
    found = verdict_by_interval(judged.published, judged.low, judged.high)
    return replace(judged, verdict=found)


def judge_by_digits(comparison: Comparison, digits: Digits | None) -> Comparison:
    """Return `comparison` judged by being equal to the published number, where `digits` is given.

    Nothing is random then, so it has no prediction. A known misprint, and a number without a
    counterpart, stay what they are.
    """
    if digits is None or comparison.verdict not in JUDGED:
        return comparison
    c, unit = comparison, comparison.unit
    gap = gap_to_digit(c.reproduced, c.published, unit, digits)
    # A row is worth a share of an accuracy, a node one of the mean over the folds.
    metric = find_metric(c.metric)
    step = abs(metric.scale) / c.n_test if metric.kind == MetricKind.SHARE else 1 / c.n_folds
    judged: str = ""
    if not math.isnan(c.published_std):
        # Standard deviations are rounded even where means are cut.
        is_equal = not gap_to_digit(c.reproduced_std, c.published_std, unit, Digits.ROUNDED)
        judged = Verdict.EQUAL if is_equal else Verdict.DIFFERS
    return replace(
        c,
        verdict=Verdict.DIFFERS if gap else Verdict.EQUAL,
        by_tolerance=c.verdict,
        std_verdict=judged,
        steps=float(math.ceil(gap / step - 1e-6)),
        prediction=None,
        digits=digits,
    )


def judge_as_declared(comparison: Comparison, item: Item) -> Comparison:
    """Return `comparison` judged by the tolerance that the item declares for its metric, if any.

    Without one, a number of another protocol, or of one that is not known, is not judged, nor is
    one whose spread is not known.
    """
    c = comparison
    if c.verdict not in JUDGED:
        return c
    if (allowed := item.tolerance.get(c.metric)) is not None:
        # Decimal fractions are not exact.
        agrees = abs(c.reproduced - c.published) <= allowed + 1e-9 * max(1.0, abs(c.published))
        found = Verdict.AGREES if agrees else Verdict.DIFFERS
        return replace(c, verdict=found, steps=math.nan, allowed=allowed)
    can_be = item.published_protocol == SAME and find_metric(c.metric).has_spread
    return c if can_be else replace(c, verdict="", steps=math.nan)


def judge_on_our_data(comparison: Comparison) -> Comparison:
    """Return the number of a data set that is not the paper's own as one that cannot be judged."""
    if comparison.verdict not in JUDGED:
        return comparison
    return replace(comparison, verdict=Verdict.MISSING, reason=OUR_DATA)


def judge_over_sets(
    comparison: Comparison, known: Sequence[Prediction], others: Sequence[float]
) -> Comparison:
    """Return a mean over data sets, some of which stand for others that are not known.

    `others`: our numbers on the others; of fewer than two the mean cannot be judged.
    """
    if len(others) < 2:
        return judge_on_our_data(comparison)
    prediction = predict_other_sets(list(known), others)
    judged = judge_by_prediction(comparison, prediction, comparison.n_replicates)
    return replace(judged, over_sets=True)


def judge_mean(
    comparison: Comparison, cells: Sequence[Comparison], our_data: Collection[str] = ()
) -> Comparison:
    """Return the mean over the data sets of `cells`, judged by what is expected of each of them.

    Replicates are of single data sets: where one has fewer than the others, they are taken again
    from its first for the runs of the mean. If any of the data sets is one of `our_data`, the
    prediction is for the paper's own ones, see `judge_over_sets`.
    """
    comparison = replace(comparison, on_test=any(c.on_test for c in cells))
    predictions = [c.prediction for c in cells if c.prediction is not None]
    if not cells or len(predictions) < len(cells):
        return comparison
    n_runs = max(len(c.runs) for c in cells)
    every = [[c.runs[i % len(c.runs)] for c in cells] for i in range(n_runs)]
    stds = [[c.run_stds[i % len(c.runs)] ** 2 for c in cells] for i in range(n_runs)]
    comparison = replace(
        comparison,
        runs=tuple(float(np.mean(values)) for values in every),
        run_stds=tuple(math.sqrt(sum(squares)) / len(cells) for squares in stds),
    )
    n_replicates = min(c.n_replicates for c in cells)
    if others := [c.reproduced for c in cells if c.place[0] in our_data]:
        known = [c.prediction for c in cells if c.prediction and c.place[0] not in our_data]
        return judge_over_sets(replace(comparison, n_replicates=n_replicates), known, others)
    return judge_by_prediction(comparison, predict_mean(predictions), n_replicates)
