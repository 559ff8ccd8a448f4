"""A reproduced number beside the published one, and how it is judged."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd

from retree.statistics import Digits, PairedTest, Verdict
from retree.statistics.intervals import Prediction
from retree.statistics.metrics import find_metric

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


def comparison_table(comparisons: Iterable[Comparison]) -> pd.DataFrame:
    """Return comparisons as a table of the columns `CSV_COLUMNS`."""
    rows = [[getattr(c, name) for name in CSV_COLUMNS] for c in comparisons]
    return pd.DataFrame(rows, columns=list(CSV_COLUMNS))
