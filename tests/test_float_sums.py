"""Results are the same on every Python: its own ``sum`` of floats compensates since 3.12."""

from __future__ import annotations

import builtins
import math
from itertools import cycle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retree.arithmetic import running_sum
from retree_lab.statistics.intervals import Prediction, predict_mean

plain_sum = builtins.sum
SIZES = st.lists(st.floats(1e-3, 1e3), min_size=2, max_size=30)


def exact_sum(values, start=0):
    """Return what a `sum` that compensates gives, at its best."""
    items = list(values)
    if items and all(isinstance(item, float) for item in items):
        return start + math.fsum(items)
    return plain_sum(items, start)


def left_to_right(values):
    total = 0.0
    for value in values:
        total += value
    return total


@given(values=st.lists(st.floats(-1e6, 1e6), max_size=40))
def test_a_running_sum_is_added_up_in_order(values):
    assert running_sum(values) == left_to_right(values)


@given(sizes=SIZES)
def test_the_prediction_of_a_mean_does_not_hang_on_the_sum_of_python(sizes):
    parts = [
        Prediction(x, x / 3, x / 7, 4, log)
        for x, log in zip(sizes, cycle([True, False]), strict=False)
    ]
    expected = predict_mean(parts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(builtins, "sum", exact_sum)
        assert predict_mean(parts) == expected
