"""Interpretations chosen on one half of the data sets and judged on the other."""

from __future__ import annotations

import numpy as np
import pytest

from retree_lab.reports.kinds.interpretation_table import halves_section, halves_table
from retree_lab.statistics.agreement import chosen_on_half


def test_choosing_among_noise_flatters_the_half_that_chose():
    rng = np.random.default_rng(0)
    found = [chosen_on_half(rng.uniform(size=(6, 20)) < 0.5, seed=i) for i in range(20)]
    inside, outside = np.mean(found, axis=0)
    assert inside > 0.65
    # Fewer than half: what chose the best from all sets is not in the other half.
    assert 0.35 < outside < 0.55


def test_one_interpretation_that_is_right_is_chosen_and_stays_right():
    rng = np.random.default_rng(1)
    agrees = np.vstack([rng.uniform(size=(5, 20)) < 0.3, np.ones((1, 20), bool)])
    assert chosen_on_half(agrees) == (1.0, 1.0)


def test_two_sets_are_each_the_half_of_the_other():
    # Whichever set chooses, the chosen one fails on the other.
    assert chosen_on_half(np.array([[True, False], [False, True]])) == (1.0, 0.0)


def test_the_table_has_methods_of_several_interpretations_on_common_sets():
    table = halves_table(
        [
            ("A", "one", {"x": True, "y": False, "z": True}),
            ("A", "two", {"x": True, "y": True}),
            ("B", "alone", {"x": True, "y": True}),
        ]
    )
    assert table[["method", "n_interpretations", "n_datasets", "best"]].values.tolist() == [
        ["A", 2, 2, "two"]
    ]
    assert table.loc[0, "share"] == 1
    assert table.loc[0, "in_half"] == 1
    assert table.loc[0, "in_other_half"] == pytest.approx(0.5, abs=0.03)
    heading, shown, _ = halves_section(table)
    assert heading.title == "Chosen on one half of the data sets, judged on the other"
    assert shown.rows[0][:5] == ["A", "2", "2", "two", "100%"]
    assert halves_section(table.iloc[:0]) == []
