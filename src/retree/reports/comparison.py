"""A reproduced number beside the published one, and how it is judged."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from retree.experiments.definition.item import SAME, Item
from retree.reports.published import PublishedValue
from retree.statistics import JUDGED, Digits, PairedTest, Verdict
from retree.statistics.agreement import gap_to_digit, verdict_by_interval
from retree.statistics.intervals import Prediction, predict_mean, predict_other_sets
from retree.statistics.metrics import MetricKind, find_metric

CSV_COLUMNS = (
    "dataset",
    "method",
    "metric",
    "reproduced",
    "reproduced_std",
    "published",
    "published_std",
    "difference",
    "verdict",
    "n_folds",
    "params",
    "low",
    "high",
    "n_replicates",
    "std_verdict",
    "steps",
)
LEVEL = 0.05
NOTHING = PublishedValue(math.nan, math.nan)
OUR_DATA = "the data of the paper are not known, and ours are others"


@dataclass(frozen=True)
class Comparison:
    """One cell of a table: a row of the item's csv, and what is to be said of it.

    Attributes
    ----------
    dataset, method, metric : str
        Labels, as published.
    reproduced, reproduced_std : float
        Mean and sample standard deviation over the folds, NaN where there is none; with replicates,
        the means of these over them.
    published, published_std : float
        What is published, NaN where nothing is.
    published_unit : float
        Unit of the last digit that it is published with, NaN where nothing is.
    verdict : str
        "" where nothing could be published, and for times, which are those of a machine.
    n_folds : int
        Number of folds of the mean; 0 where the result is blank.
    params : str
        The chosen point of the grid as JSON.
    reason : str
        Why there is no number, or what to know of it.
    baseline : str
        The method that it is tested against, "" for none.
    test : PairedTest or None
        That test, over the folds of all replicates.
    prediction : Prediction or None
        What is expected of one more run, None where a single run does not show it.
    n_replicates : int
        How often the whole protocol was run.
    runs, run_stds : tuple of float
        Mean and standard deviation over the folds of each replicate; without replicates, of each
        repeat of the protocol.
    by_tolerance : str
        The verdict that the spread over the folds of the first run would give, if `verdict` is that
        of the prediction, or that anything but the last digit would.
    std_verdict : str
        Whether the standard deviation is the published one to the digit; "" where that cannot be
        asked.
    steps : float
        How many test rows of the whole protocol (of a size: nodes, leaves or levels) the number is
        away from the published one, 0 if it is equal; NaN where it is not judged by digits.
    n_test : int
        Test rows of all folds.
    sources : tuple of Comparison
        The numbers of single data sets that a mean over them is made of.
    star, published_star : str or None
        In a table of pairs, our mark and the published one of the paired t-test over the folds
        against the other method of the pair, as in `retree.reports.kinds.paired_marks`; else None.
    on_test : bool
        Whether parameters were chosen by their score on the test rows, which is optimistic.
    allowed : float
        The declared tolerance that the verdict is by, NaN for none.
    over_sets : bool
        Whether the prediction is for other data sets than ours, since the paper's are not known.
    digits : Digits or None
        How the paper came by its last digit, if the verdict is by that.
    dataset_key, method_key : str
        Keys in the configuration; "" of what has none, as a mean over data sets.
    """

    dataset: str
    method: str
    metric: str
    reproduced: float
    reproduced_std: float
    published: float
    published_std: float
    published_unit: float
    verdict: str
    n_folds: int
    params: str
    reason: str = ""
    baseline: str = ""
    test: PairedTest | None = None
    prediction: Prediction | None = None
    n_replicates: int = 1
    runs: tuple[float, ...] = ()
    run_stds: tuple[float, ...] = ()
    by_tolerance: str = ""
    std_verdict: str = ""
    steps: float = math.nan
    n_test: int = 0
    sources: tuple[Comparison, ...] = ()
    star: str | None = None
    published_star: str | None = None
    on_test: bool = False
    allowed: float = math.nan
    over_sets: bool = False
    digits: Digits | None = None
    dataset_key: str = ""
    method_key: str = ""

    @property
    def place(self) -> tuple[str, str]:
        """Data set and method by their keys, by their labels where these are the only names."""
        return self.dataset_key or self.dataset, self.method_key or self.method

    @property
    def mark(self) -> str:
        """▲ or ▼ if it is significantly greater or smaller than the baseline's."""
        if self.test is None or not self.test.p_value < LEVEL:
            return ""
        return "▲" if self.test.mean_difference > 0 else "▼"

    @property
    def low(self) -> float:
        """Lower end of the 95 % prediction interval of one run, rounding included; or NaN."""
        return math.nan if self.prediction is None else self.prediction.interval(self.unit)[0]

    @property
    def high(self) -> float:
        """Upper end of that interval, or NaN."""
        return math.nan if self.prediction is None else self.prediction.interval(self.unit)[1]

    @property
    def distance(self) -> float:
        """Standard deviations of one run that the published value is above ours, or NaN."""
        if self.prediction is None or math.isnan(self.published):
            return math.nan
        return self.prediction.distance(self.published, self.unit)

    @property
    def p_value(self) -> float:
        """Of one run giving the published value: below 5 % outside the interval; NaN without it."""
        if self.prediction is None or math.isnan(self.published):
            return math.nan
        return self.prediction.p_value(self.published, self.unit)

    @property
    def averaged(self) -> int:
        """How many of `runs` the published value is the mean of."""
        return max(1, len(self.runs) // self.n_replicates)

    @property
    def unit(self) -> float:
        """Unit of the last digit that is published, or that the metric is shown with."""
        if math.isnan(self.published_unit):
            return float(10.0 ** -find_metric(self.metric).decimals)
        return self.published_unit

    @property
    def difference(self) -> float:
        """Reproduced minus published; NaN where they are not to be compared."""
        if self.verdict in ("", Verdict.MISSING):
            return math.nan
        return self.reproduced - self.published


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

    Parameters
    ----------
    comparison : Comparison
    known : sequence of Prediction
        Of the paper's own data sets.
    others : sequence of float
        Our numbers on the others; of fewer than two the mean cannot be judged.
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


def comparison_table(comparisons: Iterable[Comparison]) -> pd.DataFrame:
    """Return comparisons as a table of the columns `CSV_COLUMNS`."""
    rows = [[getattr(c, name) for name in CSV_COLUMNS] for c in comparisons]
    return pd.DataFrame(rows, columns=list(CSV_COLUMNS))
