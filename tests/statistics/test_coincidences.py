"""Cells that print the same: how many there are against how many are expected."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from retree_lab.statistics.consistency import expected_repeats, near_pairs

NAN = float("nan")


def cells(values, stds=None, window=1.0, std_window=1.0, step=0.1):
    stds = [NAN] * len(values) if stds is None else stds
    return pd.DataFrame(
        {"value": values, "std": stds, "step": step, "window": window, "std_window": std_window}
    )


def test_near_cells_are_paired_and_equal_ones_marked():
    pairs = near_pairs(cells([1.0, 1.5, 1.5, 9.0]), 0.1)
    assert pairs[["first", "second"]].to_numpy().tolist() == [[0, 1], [0, 2], [1, 2]]
    assert pairs["equal"].tolist() == [False, False, True]
    # 21 lattice points within ten steps on either side.
    assert pairs["chance"].tolist() == pytest.approx([1 / 21] * 3)


def test_a_deviation_makes_equality_less_likely():
    pairs = near_pairs(cells([1.0, 1.0, 1.0], [2.0, 2.0, 2.5]), 0.1)
    assert pairs["equal"].tolist() == [True, False, False]
    assert pairs["chance"].tolist() == pytest.approx([1 / 21**2] * 3)


def test_a_deviation_beside_none_is_no_pair():
    assert near_pairs(cells([1.0, 1.0], [2.0, NAN]), 0.1).empty


def test_cells_of_two_lattices_meet_on_the_printed_digits():
    table = cells([1.0, 1.0])
    table["step"] = [0.2, 0.5]
    assert near_pairs(table, 0.1)["chance"].tolist() == pytest.approx([1 / 21])


def test_expected_repeats_count_pairs_as_unlikely_as_this_one():
    expected = expected_repeats(pd.Series([0.2, 0.01, 0.03, 0.01]))
    assert expected.tolist() == pytest.approx([0.25, 0.02, 0.05, 0.02])


def test_as_many_pairs_are_equal_as_expected():
    rng = np.random.default_rng(1)
    expected, equal = 0.0, 0
    for _ in range(300):
        values, stds = rng.normal(30, 4, 40).round(1), rng.normal(3, 0.4, 40).round(1)
        pairs = near_pairs(cells(values, stds, window=1.0, std_window=0.2), 0.1)
        expected += pairs["chance"].sum()
        equal += int(pairs["equal"].sum())
    assert equal > 100
    assert equal == pytest.approx(expected, rel=0.2)
