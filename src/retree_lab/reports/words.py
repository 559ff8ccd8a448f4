"""The few words, with their marks, that pages say of a number and of a claim: the one place.

How a number was judged is a `retree_lab.statistics.Verdict`, which csv files and the pages behind a
number have. A reader first meets the `Word` that it comes to.
"""

from __future__ import annotations

import math
from enum import StrEnum

import pandas as pd

from retree_lab.statistics import AGREEING, JUDGED
from retree_lab.statistics.metrics import MetricKind, find_metric

# Numbers that are at most so far from ours are close: points of a share, a part of all else.
NEAR_POINTS, NEAR_PART = 1.0, 0.1
_SLACK = 1e-9  # Decimal fractions are not exact.


class Word(StrEnum):
    """What is said of a published number beside ours."""

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
        """What style sheets call it."""
        return self.name.lower()


COUNTED = (Word.MATCH, Word.CLOSE, Word.OFF)
MARKS = {
    Word.MATCH: (
        "✓",
        "equal to the printed digit where the paper's folds are known, else inside the range "
        "that 95 % of repetitions with other folds reach, or within a declared tolerance",
    ),
    Word.CLOSE: ("≈", f"no match, but within {NEAR_POINTS:g} point, or a tenth of a size"),
    Word.OFF: ("✗", "further away"),
    Word.UNCHECKED: ("?", "the paper itself shows it wrong, or we lack its data, folds or program"),
}
# What is said of a claim, in the paper and here.
CLAIM_WORDS = {
    "yes": "the numbers show it",
    "direction only": "the sign is as claimed, the size is not",
    "no": "the numbers contradict it",
    Word.UNCHECKED.value: "the folds decide, or the numbers or a test that it needs are lacking",
}


def distance(metric: str, reproduced: float, published: float) -> float:
    """Return published minus reproduced, of which ±1 is the end of what is close."""
    found = find_metric(metric)
    gap = published - reproduced
    if found.kind == MetricKind.SHARE:
        return 100 * gap / abs(found.scale) / NEAR_POINTS
    allowed = NEAR_PART * abs(published)
    return gap / allowed if allowed else math.copysign(math.inf, gap) if gap else 0.0


def word_of(verdict: str, metric: str, reproduced: float, published: float) -> Word | None:
    """Return what a verdict on a number comes to, None where nothing is judged."""
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
    """Return what the answer of a check comes to, "" for none."""
    return answer if answer in CLAIM_WORDS or not answer else Word.UNCHECKED.value
