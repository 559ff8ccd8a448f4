from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from toy_paper import ABSENT, cells, frame_of, results

from retree_lab.reports.selection import best_test, nested

K2, K3 = {"k": 2}, {"k": 3}


def nested_choices(frame):
    return nested(frame, best_test(frame))


def test_the_greatest_mean_is_chosen(frame):
    choice = best_test(frame)["waveform1_R", "new"]
    assert json.loads(choice.params) == K2
    assert choice.folds["accuracy"].tolist() == [0.86, 0.87, 0.85, 0.85, 0.87]
    assert (choice.n_points, choice.n_incomplete, choice.reason) == (2, 0, "")


def test_an_incomplete_point_is_not_eligible_and_is_counted(frame):
    choice = best_test(frame)["waveform0_R", "new"]
    assert json.loads(choice.params) == K3
    assert choice.n_incomplete == 1
    assert choice.reason == "1 of 2 grid points are incomplete: not computed yet"


def test_without_a_complete_point_there_is_no_choice(frame):
    choice = best_test(frame)["xor", "new"]
    assert choice.folds.empty
    assert choice.params == ""
    assert choice.reason == "2 of 2 grid points are incomplete: ValueError: too few rows"


def test_ties_go_to_the_first_point_even_if_sums_differ_in_the_last_bit():
    # 0.1 + 0.2 + 0.3 exceeds 0.3 + 0.2 + 0.1 by one rounding error if added in this order.
    frame = frame_of(
        cells("d", "m", [0.3, 0.2, 0.1], 0, K2), cells("d", "m", [0.1, 0.2, 0.3], 1, K3)
    )
    assert json.loads(best_test(frame)["d", "m"].params) == K2


def test_a_single_incomplete_point_says_how_many_cells_lack():
    frame = frame_of(cells("d", "m", [0.3, ABSENT, 0.1]))
    assert best_test(frame)["d", "m"].reason == "1 of 3 cells: not computed yet"


def two_fold_problem(*inner_of_fold1):
    """Fold 0 chooses k=3 (0.9 > 0.5) and fold 1 what `inner_of_fold1`, for k=2 and 3, say."""
    return frame_of(
        cells("d", "m", [0.95, 0.65], 0, K2),
        cells("d", "m", [0.75, 0.85], 1, K3),
        cells("d", "m", [0.5, 0.5], 0, K2, fold=0),
        cells("d", "m", [0.9, 0.9], 1, K3, fold=0),
        cells("d", "m", inner_of_fold1[0], 0, K2, fold=1),
        cells("d", "m", inner_of_fold1[1], 1, K3, fold=1),
    )


def test_nested_selection_takes_the_outer_cell_of_each_folds_own_choice():
    choice = nested_choices(two_fold_problem([0.8, 0.8], [0.7, 0.7]))["d", "m"]
    assert choice.folds["accuracy"].tolist() == [0.75, 0.65]
    assert json.loads(choice.params) == [K3, K2]


def test_nested_ties_go_to_the_first_point():
    choice = nested_choices(two_fold_problem([0.6, 0.8], [0.8, 0.6]))["d", "m"]
    assert json.loads(choice.params) == [K3, K2]


def test_nested_selection_skips_incomplete_points():
    choice = nested_choices(two_fold_problem([0.9, ABSENT], [0.1, 0.1]))["d", "m"]
    assert choice.folds["accuracy"].tolist() == [0.75, 0.85]
    assert choice.n_incomplete == 1


def test_nested_selection_skips_points_whose_outer_cell_is_not_done():
    frame = two_fold_problem([0.9, 0.9], [0.1, 0.1])
    lost = (frame["point"] == 0) & (frame["fold"] == 1) & (frame["inner"] == -1)
    frame.loc[lost, ["status", "reason"]] = "failed", "ValueError"
    choice = nested_choices(frame)["d", "m"]
    assert choice.folds["accuracy"].tolist() == [0.75, 0.85]
    assert choice.reason == "1 of 2 grid points are incomplete: ValueError"


def test_a_fold_without_choice_leaves_a_hole():
    choice = nested_choices(two_fold_problem([0.9, ABSENT], [ABSENT, 0.1]))["d", "m"]
    assert choice.folds.empty
    assert choice.reason == "2 of 2 grid points are incomplete: not computed yet"


def test_nothing_is_selected_among_one_point_or_without_inner_cells(frame):
    choices = nested_choices(frame)
    assert choices["waveform1_R", "base"].folds["accuracy"].tolist()[0] == 0.80
    assert ("waveform0_R", "new") not in choices


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 2**31))
@pytest.mark.parametrize("select", [best_test, nested_choices])
def test_the_order_of_rows_does_not_matter(select, seed):
    frame = results()
    expected, shuffled = select(frame), select(frame.sample(frac=1, random_state=seed))
    assert expected.keys() == shuffled.keys()
    for pair, choice in expected.items():
        assert shuffled[pair].params == choice.params
        assert shuffled[pair].reason == choice.reason
        assert shuffled[pair].folds.equals(choice.folds)
