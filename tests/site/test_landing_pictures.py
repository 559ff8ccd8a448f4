"""The gains on the start page are the differences that the tables have."""

import pandas as pd
import pytest

from retree_lab.site.landing_pictures import Gain, find_gains, gains_picture


def test_gains_are_published_ones_and_ours_by_both_ways_in_points():
    numbers = pd.DataFrame(
        [
            *(("x", "new", "accuracy", 0.82, 0.80), ("x", "base", "accuracy", 0.80, 0.79)),
            *(("y", "new", "accuracy", 0.74, 0.75), ("y", "base", "accuracy", 0.70, 0.72)),
            *(
                ("x", "new", "accuracy_nested", None, 0.7),
                ("y", "new", "accuracy_nested", None, 0.8),
            ),
            ("x", "base", "accuracy_nested", None, 0.72),
            ("y", "base", "accuracy_nested", None, 0.80),
        ],
        columns=["dataset", "method", "metric", "published", "reproduced"],
    )
    theirs, same, honest = find_gains(numbers, "accuracy", "new", "base")
    assert theirs.estimate == pytest.approx(3)
    # Of two differences, 12.7 times their half distance: Student's t with one degree of freedom.
    assert (same.estimate, same.low) == pytest.approx((2, 2 - 12.7062))
    assert (honest.estimate, honest.high) == pytest.approx((-1, -1 + 12.7062))
    assert (same.answer, honest.answer) == ("no clear gain", "no clear gain")
    page = gains_picture({"new": [theirs, same, honest]}, {"new": "is new."})
    assert "rt-arrow" in page
    assert honest.words in page
    assert "is new." in page


@pytest.mark.parametrize(
    ("low", "high", "answer"), [(0.1, 2, "holds"), (-1, 2, "no clear gain"), (-2, -1, "a loss")]
)
def test_a_gain_holds_if_its_interval_is_above_0(low, high, answer):
    assert Gain("nested", (low + high) / 2, low, high).answer == answer
