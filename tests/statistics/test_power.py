"""`statistics.agreement`: skill, weak intervals, differences that can be found, equivalence."""

import math

import numpy as np
import pytest
from scipy.stats import nct
from scipy.stats import t as student

from retree.errors import RetreeError
from retree_lab.statistics.agreement import (
    Margins,
    detectable,
    equivalence_p,
    holds_half,
    resampled_skill,
    skill,
)
from retree_lab.statistics.intervals import Prediction, predict
from retree_lab.yaml_files import read_options


def test_skill_is_agreement_beyond_that_of_wrong_methods():
    assert skill(0.70, 0.50, 40) == pytest.approx(0.4)
    assert skill(1.0, 0.3, 40) == 1.0
    assert skill(0.3, 0.3, 40) == 0.0
    assert skill(0.2, 0.6, 40) == pytest.approx(-1.0)
    assert math.isnan(skill(1.0, 1.0, 40))


def test_no_skill_comes_from_fewer_than_ten_wrong_numbers_that_disagree():
    assert skill(1.0, 10 / 20, 20) == 1.0
    assert math.isnan(skill(1.0, 11 / 20, 20))
    few = [([True, True], [True] * 3 + [False] * (i == 0)) for i in range(3)]
    assert np.isnan(resampled_skill(few)).all()


def test_the_skill_of_full_agreement_has_an_interval():
    """The exact one of the share that agrees, since no resampling can leave 1."""
    sets = [([True, True], [False] * 5 + [True] * 5) for _ in range(3)]
    low, high = resampled_skill(sets)
    assert (low, high) == (pytest.approx((0.025 ** (1 / 6) - 0.5) / 0.5), 1.0)


def test_an_interval_that_holds_half_of_the_others_is_weak():
    assert holds_half(1.0, 2.0, [1.5, 3.0])
    assert not holds_half(1.0, 2.0, [1.5, 3.0, 4.0])
    assert not holds_half(1.0, 2.0, [])


@pytest.mark.parametrize("n_runs", [6, 10, 20])
def test_a_detectable_difference_is_found_in_four_of_five_cases(n_runs):
    runs = predict(np.random.default_rng(n_runs).normal(size=n_runs))
    error = math.hypot(runs.spread, runs.center_error)
    shift, bound = detectable(runs) / error, student.ppf(0.975, runs.df)
    # Exactly, by the noncentral t.
    power = nct.sf(bound, runs.df, shift) + nct.cdf(-bound, runs.df, shift)
    assert power == pytest.approx(0.8, abs=0.02)
    assert detectable(runs, rounding=0.5) == pytest.approx(detectable(runs) + 0.25)


def test_sizes_are_detectable_by_their_logarithms():
    found = predict([10.0, 11.0, 12.0, 13.0], log_plus=0.0)
    times = math.log(1 + detectable(found) / found.center)
    logs = Prediction(0.0, found.spread, found.center_error, found.df)
    assert times == pytest.approx(detectable(logs))


def test_equivalence_is_the_smaller_interval_inside_of_the_margin():
    """As by two one-sided tests: the 90 % interval of the difference lies within the margin."""
    rng = np.random.default_rng(1)
    answers = set()
    for _ in range(200):
        runs = rng.normal(size=8)
        found, published, margin = predict(runs), rng.normal(), rng.uniform(0.5, 5)
        reach = student.ppf(0.95, 7) * runs.std(ddof=1) * math.sqrt(1 + 1 / 8)
        gap = published - runs.mean()
        inside = -margin < gap - reach and gap + reach < margin
        assert (equivalence_p(found, published, margin) < 0.05) is bool(inside)
        answers.add(bool(inside))
    assert answers == {True, False}


def test_sizes_are_equivalent_by_factors():
    found = predict([100.0, 101.0, 99.0, 100.5], log_plus=0.0)
    assert equivalence_p(found, 104.0, 10.4) < 0.05 < equivalence_p(found, 109.0, 10.9)
    assert equivalence_p(found, 0.0, 0.0) == 1.0
    same = predict([3.0, 3.0, 3.0])
    assert equivalence_p(same, 3.1, 0.2) == 0.0
    assert equivalence_p(same, 3.1, 0.05) == 1.0


def test_margins_are_in_the_units_of_a_metric():
    margins = Margins()
    assert margins.of("accuracy", 0.8) == pytest.approx(0.01)
    assert margins.of("error_pct", 20.0) == 1.0
    assert margins.of("accuracy_gain_pct", 2.0) == 1.0
    assert margins.of("leaves", 40.0) == pytest.approx(4.0)
    assert math.isnan(margins.of("rows", 150.0))
    assert math.isnan(margins.of("relief_weight", 0.1))
    assert read_options(Margins, {"points": 2}, "margins") == Margins(points=2.0)
    with pytest.raises(RetreeError, match="key of margins: 'point'"):
        read_options(Margins, {"point": 2}, "margins")
    with pytest.raises(RetreeError, match="points of margins must be a number above 0"):
        read_options(Margins, {"points": 0}, "margins")
