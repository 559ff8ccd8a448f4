"""A reproduced number beside the published one, how it is judged, and what pages say of it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import pandas as pd

from retree_lab.reports.published import PublishedValue
from retree_lab.reports.runs import Run
from retree_lab.statistics import AGREEING, JUDGED, Digits, PairedTest, Verdict
from retree_lab.statistics.intervals import Prediction
from retree_lab.statistics.metrics import MetricKind, find_metric

# Numbers that are at most so far from ours are close: points of a share, a part of all else.
NEAR_POINTS, NEAR_PART = 1.0, 0.1
_SLACK = 1e-9  # Decimal fractions are not exact.


class Word(StrEnum):
    """The word for a published number beside ours."""

    MATCH = "match"
    CLOSE = "close"
    OFF = "off"
    UNCHECKED = "not checkable"

    @property
    def sign(self) -> str:
        """Its mark in tables."""
        return MARKS[self][0]

    @property
    def meaning(self) -> str:
        """When a number has it."""
        return MARKS[self][1]

    @property
    def style(self) -> str:
        """Its name in style sheets."""
        return self.name.lower()


COUNTED = (Word.MATCH, Word.CLOSE, Word.OFF)
MARKS = {
    Word.MATCH: (
        "✓",
        "equal to the printed digit if the paper's folds are known; otherwise within the range "
        "of 95 % of repetitions with other folds, or within a declared tolerance",
    ),
    Word.CLOSE: (
        "≈",
        f"no match, but within {NEAR_POINTS:g} point (accuracies) or {100 * NEAR_PART:g} % (sizes)",
    ),
    Word.OFF: ("✗", "further away"),
    Word.UNCHECKED: (
        "?",
        "the paper itself shows that it is wrong, or we lack its data, folds or program",
    ),
}
# The words for a claim, in the paper and here.
CLAIM_WORDS = {
    "yes": "the numbers show it",
    "direction only": "the sign is as claimed, the size is not",
    "no": "the numbers contradict it",
    Word.UNCHECKED.value: "the folds decide, or numbers or a test that it needs are unavailable",
}


def distance(metric: str, reproduced: float, published: float) -> float:
    """Return published minus reproduced, of which ±1 is the end of what is close."""
    measure = find_metric(metric)
    gap = published - reproduced
    if measure.kind == MetricKind.SHARE:
        return 100 * gap / abs(measure.scale) / NEAR_POINTS
    allowed = NEAR_PART * abs(published)
    return gap / allowed if allowed else math.copysign(math.inf, gap) if gap else 0.0


def word_of(verdict: str, metric: str, reproduced: float, published: float) -> Word | None:
    """Return the word for a verdict on a number, None where nothing is judged."""
    if not verdict or math.isnan(published):
        return None
    if verdict not in JUDGED:
        return Word.UNCHECKED
    if verdict in AGREEING:
        return Word.MATCH
    is_close = abs(distance(metric, reproduced, published)) <= 1 + _SLACK
    return Word.CLOSE if is_close else Word.OFF


def words_of(cells: pd.DataFrame) -> pd.Series:
    """Return the words of the numbers of a rendered csv, "" where nothing is judged."""
    columns = (cells[name] for name in ("verdict", "metric", "reproduced", "published"))
    return pd.Series([str(word_of(*row) or "") for row in zip(*columns, strict=True)], cells.index)


def claim_word(answer: str) -> str:
    """Return the word for the answer of a check, "" for none."""
    return answer if answer in CLAIM_WORDS or not answer else Word.UNCHECKED.value


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
class Judgement:
    """The judgement of `retree_lab.reports.verdicts.judge` on a number."""

    verdict: str = ""  # "" where nothing is to be judged, and for times, which are of a machine
    reason: str = ""  # Why it cannot be judged
    # The verdict that the spread over the folds of the first run would give, where a prediction
    # gives `verdict`.
    by_tolerance: str = ""
    # Whether the standard deviation is the published one to the digit; "" where nobody asks.
    std_verdict: str = ""
    # How many test rows of the whole protocol (of a size: nodes, leaves or levels) the number is
    # away from the published one, 0 if it is equal; NaN where it is not judged by digits.
    steps: float = math.nan
    digits: Digits | None = None  # How the paper came by its last digit, if that judges
    allowed: float = math.nan  # The declared tolerance, if that judges

    @property
    def is_by_interval(self) -> bool:
        """Return whether the interval gives the verdict on a number that has one."""
        return self.verdict in JUDGED and self.digits is None and math.isnan(self.allowed)


@dataclass(frozen=True)
class Comparison:
    """One cell of a table, a row of the item's csv: what it is of, ours, theirs, the judgement."""

    # The place of the number: labels, as published.
    dataset: str
    method: str
    metric: str
    # Ours: mean and sample standard deviation over the folds, NaN where there is none; with
    # replicates, the means of these over them.
    reproduced: float
    reproduced_std: float
    theirs: PublishedValue
    n_folds: int = 0  # Number of folds of the mean; 0 where the result is blank
    params: str = ""  # The chosen point of the grid as JSON
    reason: str = ""  # Why there is no number, or what to know of it
    # Keys in the configuration; "" of what has none, as a mean over data sets.
    dataset_key: str = ""
    method_key: str = ""
    # Whether it is of the published quantity: a mean over other data sets is not.
    is_comparable: bool = True
    n_test: int = 0  # Test rows of all folds
    is_seeded: bool = False  # Whether it depends on seeds of ours, which no paper gives
    on_test: bool = False  # Whether parameters were chosen by their score on the test rows
    run: Run | None = None  # All runs of the protocol, where there are several
    # Mean and standard deviation over the folds of the first, if `reproduced` is over replicates.
    first_run: tuple[float, float] | None = None
    # The expectation of one more run, None where a single run does not show it; and whether it is
    # for other data sets than ours, since the paper's are not known.
    prediction: Prediction | None = None
    over_sets: bool = False
    sources: tuple[Comparison, ...] = ()  # Numbers of single data sets that a mean is made of
    # The method that it is tested against, "" for none; that test, over all replicates' folds.
    baseline: str = ""
    test: PairedTest | None = None
    # In a table of pairs, our mark and the published one of the paired t-test against the other
    # method, see `retree_lab.reports.kinds.paired_table`.
    star: str | None = None
    published_star: str | None = None
    item: str = ""  # The table or figure that it stands in, as one types it
    judgement: Judgement = Judgement()

    @property
    def published(self) -> float:
        """The published value, NaN where nothing is published."""
        return self.theirs.value

    @property
    def published_std(self) -> float:
        """The published standard deviation, NaN where none is."""
        return self.theirs.std

    @property
    def verdict(self) -> str:
        """The verdict, "" where there is none."""
        return self.judgement.verdict

    @property
    def word(self) -> Word | None:
        """The word that the verdict comes to for a reader, None where there is none."""
        return word_of(self.verdict, self.metric, self.reproduced, self.published)

    @property
    def std_verdict(self) -> str:
        """The verdict on the standard deviation, "" where there is none."""
        return self.judgement.std_verdict

    @property
    def steps(self) -> float:
        """Return the distance in steps of the last digit, NaN if it is not judged by digits."""
        return self.judgement.steps

    @property
    def is_by_interval(self) -> bool:
        """Return whether the prediction interval of one run gives the verdict."""
        return self.prediction is not None and self.judgement.is_by_interval

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
        """The p-value of the published value in one run, below 5 % outside the interval; or NaN."""
        if self.prediction is None or math.isnan(self.published):
            return math.nan
        return self.prediction.p_value(self.published, self.unit)

    @property
    def runs(self) -> tuple[float, ...]:
        """The means over the folds of each run; () of a single one."""
        return self.run.means if self.run else ()

    @property
    def n_replicates(self) -> int:
        """Return the number of runs of the whole protocol."""
        return self.run.n_replicates if self.run else 1

    def is_within(self, margin: float) -> bool:
        """Return whether it is at most `margin` away from the published value."""
        # Decimal fractions are not exact.
        slack = 1e-9 * max(1.0, abs(self.published))
        return abs(self.reproduced - self.published) <= margin + slack

    @property
    def unit(self) -> float:
        """Unit of the last digit that is published, or that the metric is shown with."""
        if math.isnan(self.theirs.unit):
            return float(10.0 ** -find_metric(self.metric).decimals)
        return self.theirs.unit

    @property
    def difference(self) -> float:
        """Reproduced minus published; NaN where they are not to be compared."""
        if self.verdict in ("", Verdict.MISSING):
            return math.nan
        return self.reproduced - self.published


def comparison_table(
    comparisons: Iterable[Comparison], columns: Sequence[str] = CSV_COLUMNS
) -> pd.DataFrame:
    """Return comparisons as a table of some of their attributes, by default `CSV_COLUMNS`."""
    rows = [[getattr(c, name) for name in columns] for c in comparisons]
    return pd.DataFrame(rows, columns=list(columns))
