"""The gains on the start page are the differences that the tables have."""

import pandas as pd
import pytest

from retree_lab.site.landing_pictures import Gain, find_gains, gains_picture


def test_gains_are_published_ones_and_ours_by_both_ways_in_points():
    numbers = pd.DataFrame(
        [("x", "new", 0.82), ("x", "base", 0.80), ("y", "new", 0.74), ("y", "base", 0.70)],
        columns=["dataset", "method", "published"],
    )
    pairs = pd.DataFrame(
        [
            ("best_test", "new", "base", 0.02, 0.01, 0.03),
            ("nested", "base", "new", 0.01, -0.01, 0.03),
        ],
        columns=["selection", "better", "worse", "gain", "gain_low", "gain_high"],
    )
    theirs, same, honest = find_gains(pairs, numbers, "new", "base")
    assert theirs.estimate == pytest.approx(3)
    assert (same.estimate, same.low, same.high) == pytest.approx((2, 1, 3))
    # The base is better there, so the gain is negative and its interval is turned around.
    assert (honest.estimate, honest.low, honest.high) == pytest.approx((-1, -3, 1))
    assert (same.answer, honest.answer) == ("holds", "no clear gain")
    page = gains_picture({"new": [theirs, same, honest]}, {"new": "is new."})
    assert "rt-arrow" in page
    assert honest.words in page
    assert "is new." in page


@pytest.mark.parametrize(
    ("low", "high", "answer"), [(0.1, 2, "holds"), (-1, 2, "no clear gain"), (-2, -1, "a loss")]
)
def test_a_gain_holds_if_its_interval_is_above_0(low, high, answer):
    assert Gain("nested", (low + high) / 2, low, high).answer == answer
