"""Sets that need no download: each is its public file, row for row."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from real_sets import MORE
from sklearn.datasets import load_iris

from retree_lab.datasets import (
    load,
    load_dataset,
    make_balance_scale,
    make_monks,
    make_tic_tac_toe,
)
from retree_lab.datasets.canonical import canonicalise, ordered_sha256
from retree_lab.datasets.sources import folder
from retree_lab.study import catalogue

# The public file, and the hash of its canonical content with its rows in order.
PUBLIC = {
    "balance-scale": (
        "balance_scale",
        "f2d16495a7e1a8bd0818c5e2146a3e5b3f886f2d1dd34dc184b880689a211795",
    ),
    "tic-tac-toe": (
        "tic_tac_toe",
        "fc1bb61e2942823474d1c685dce30112750e52605e557bb714247d7d673c9004",
    ),
    "monks-1": ("monks_1", "7c04e9dd0a3e14269927e456388494dd9d528ae9a2971d3a00721521dc336579"),
    "monks-2": ("monks_2", "0710c235aeeb643a6b8963a8091fbfb62fd3795d0cc28a2446fd731bf94f971c"),
    "monks-3": ("monks_3", "ba0d6c86b6cb3bfa29ba749f7f58ef800a6caef748b80aab02ff9ac6e28ca535"),
    "iris": ("iris", "0a722ad6b552de2c6cda08ef9f0ad4bb9bf6896e2cd1ca14758916edab5f67d6"),
}


@pytest.mark.parametrize("name", PUBLIC)
def test_content_and_order_are_those_of_the_public_file(name: str, cache_folder: Path) -> None:
    assert load_dataset(name, raw=True).sha256 == PUBLIC[name][1]


@pytest.mark.parametrize("name", PUBLIC)
def test_rows_are_those_of_the_public_file(name: str, cache_folder: Path) -> None:
    file, digest = PUBLIC[name]
    raw = catalogue.find(name).raw
    assert raw is not None
    public = canonicalise(folder.read(MORE, file, "restore it"), raw)
    X, y = load(name, raw=True)
    pd.testing.assert_frame_equal(X, public[0])
    pd.testing.assert_series_equal(y, public[1])
    assert ordered_sha256(*public) == digest


@pytest.mark.parametrize("name", PUBLIC)
def test_no_source_needs_to_be_named(name: str, cache_folder: Path) -> None:
    local = load_dataset(name)
    assert local.source in ("generator", "scikit-learn")
    assert load_dataset(name, sources=["mirror", "openml"]).sha256 == local.sha256


def test_iris_differs_from_scikit_learn_s_in_three_cells(cache_folder: Path) -> None:
    X, _ = load("iris")
    corrected = load_iris().data
    assert np.argwhere(X.to_numpy() != corrected).tolist() == [[34, 3], [37, 1], [37, 2]]


def test_balance_scale_weighs() -> None:
    X, y = make_balance_scale()
    for (left, left_arm, right, right_arm), side in zip(X.tolist(), y, strict=True):
        difference = left * left_arm - right * right_arm
        assert side == ("L" if difference > 0 else "R" if difference < 0 else "B")
    assert len({tuple(row) for row in X.tolist()}) == 5**4


def _winner(board: str) -> str | None:
    lines = [board[i : i + 3] for i in (0, 3, 6)]
    lines += [board[i::3] for i in (0, 1, 2)] + [board[::4], board[2:7:2]]
    return next((line[0] for line in lines if line in ("xxx", "ooo")), None)


@cache
def _final_boards(board: str = "b" * 9, player: str = "x") -> dict[str, str | None]:
    """Return the boards, with their winners, in which games from `board` can end."""
    if (winner := _winner(board)) or "b" not in board:
        return {board: winner}
    moves = (board[:i] + player + board[i + 1 :] for i in range(9) if board[i] == "b")
    other = "o" if player == "x" else "x"
    return {final: w for move in moves for final, w in _final_boards(move, other).items()}


def test_tic_tac_toe_is_what_all_games_end_with() -> None:
    X, y = make_tic_tac_toe()
    boards = ["".join(row) for row in X]
    assert len(set(boards)) == len(boards) == 958
    played = _final_boards()
    assert set(boards) == set(played)
    assert [label == "positive" for label in y] == [played[board] == "x" for board in boards]


@pytest.mark.parametrize(("problem", "positive"), [(1, 216), (2, 142), (3, 228)])
def test_monks_follow_their_rules(problem: int, positive: int) -> None:
    X, y = make_monks(problem)
    assert len({tuple(row) for row in X.tolist()}) == 3 * 3 * 2 * 3 * 4 * 2
    assert y.sum() == positive
    for (a1, a2, a3, a4, a5, a6), label in zip(X.tolist(), y, strict=True):
        if problem == 1:
            rule = a1 == a2 or a5 == 1
        elif problem == 2:
            rule = [a1, a2, a3, a4, a5, a6].count(1) == 2
        else:
            rule = (a5 == 3 and a4 == 1) or (a5 != 4 and a2 != 3)
        assert label == rule


def test_there_is_no_fourth_monks_problem() -> None:
    with pytest.raises(ValueError, match=r"Invalid problem 4\. Valid ones are 1, 2 and 3\."):
        make_monks(4)
