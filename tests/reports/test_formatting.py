"""Numbers as a reader sees them."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from retree_lab.reports.comparison import Comparison, Judgement
from retree_lab.reports.formatting import agreement_sentence, number
from retree_lab.reports.published import PublishedValue
from retree_lab.statistics import Verdict


def test_the_last_bit_does_not_decide_a_tie():
    assert number("accuracy", math.nextafter(0.79855, 0)) == number("accuracy", 0.79855)
    assert number("accuracy", math.nextafter(0.79855, 1)) == number("accuracy", 0.79855)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.5, "0.5000"), (-0.01234, "−0.0123"), (math.nan, "—"), (0.99996, "1.0000")],
)
def test_a_number_is_rounded_to_the_digits_of_its_metric(value, text):
    assert number("accuracy", value) == text


def test_a_number_of_numpy_is_shown_as_any_other():
    assert number("accuracy", np.float64(0.65975)) == number("accuracy", 0.65975)


def test_numbers_that_are_shown_and_not_judged_are_counted_too():
    shown = Comparison("a", "M", "accuracy", 0.8, 0.1, PublishedValue(0.8, math.nan))
    judged = replace(shown, judgement=Judgement(Verdict.MISSING))
    assert agreement_sentence([judged]) == "Of 1 published number: 1 not checkable."
    assert agreement_sentence([judged, shown, shown]).startswith(
        "Of 1 published number: 1 not checkable. 2 more are not judged"
    )
