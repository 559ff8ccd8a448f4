"""Data sets that follow from a rule: whole, and in the row order of their public files.

Each function is in the manner of scikit-learn's ``make_*``.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int64]
Texts = NDArray[np.str_]

_LINES = np.array(
    [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]]
)
_MONKS: dict[int, Callable[[Codes], NDArray[np.bool_]]] = {
    1: lambda X: (X[:, 0] == X[:, 1]) | (X[:, 4] == 1),
    2: lambda X: (X == 1).sum(axis=1) == 2,
    3: lambda X: ((X[:, 4] == 3) & (X[:, 3] == 1)) | ((X[:, 4] != 4) & (X[:, 1] != 3)),
}


def make_balance_scale() -> tuple[Codes, Texts]:
    """Return all 625 weighings of the balance scale problem (Siegler 1976).

    A weight of 1 to 5 hangs at a distance of 1 to 5 on either side; the scale tips to the side
    where weight times distance is greater.

    Returns
    -------
    X : ndarray of shape (625, 4), int
        Left weight, left distance, right weight, right distance.
    y : ndarray of shape (625,), str
        "L", "R", or "B" if the scale is balanced.
    """
    X = np.array(list(product(range(1, 6), repeat=4)))
    torque = X[:, 0] * X[:, 1] - X[:, 2] * X[:, 3]
    return X, np.array(["R", "B", "L"])[np.sign(torque) + 1]


def make_tic_tac_toe() -> tuple[Texts, Texts]:
    """Return all 958 boards with which a game of tic-tac-toe ends if x moves first.

    First the boards on which x has won, then those of o, then the draws.

    Returns
    -------
    X : ndarray of shape (958, 9), str
        The squares row by row: "x", "o", or "b" if blank.
    y : ndarray of shape (958,), str
        "positive" if x has three in a line, else "negative".
    """
    boards = np.array(list(product("xob", repeat=9)))
    x_moves, o_moves = ((boards == player).sum(axis=1) for player in "xo")
    x_line, o_line = ((boards[:, _LINES] == player).all(axis=2).any(axis=1) for player in "xo")
    x_wins = x_line & ~o_line & (x_moves == o_moves + 1)
    o_wins = o_line & ~x_line & (x_moves == o_moves)
    draw = ~x_line & ~o_line & (x_moves == 5) & (o_moves == 4)
    X = np.concatenate([boards[x_wins], boards[o_wins], boards[draw]])
    return X, np.where(np.arange(len(X)) < x_wins.sum(), "positive", "negative")


def make_monks(problem: int = 1) -> tuple[Codes, Codes]:
    """Return all 432 robots of the MONK's problems (Thrun et al. 1991).

    Class 1 is, for problem 1, a1 = a2 or a5 = 1; for problem 2, exactly two features have
    value 1; for problem 3, a5 = 3 and a4 = 1, or a5 != 4 and a2 != 3. The noise of problem 3 is in
    its public training part only, not here.

    Parameters
    ----------
    problem : {1, 2, 3}, default=1

    Returns
    -------
    X : ndarray of shape (432, 6), int
        Codes from 1, of 3, 3, 2, 3, 4 and 2 levels.
    y : ndarray of shape (432,), int

    Raises
    ------
    ValueError
        If there is no such problem.
    """
    if problem not in _MONKS:
        raise ValueError(f"Invalid problem {problem!r}. Valid ones are 1, 2 and 3.")
    X = np.array(list(product(*(range(1, levels + 1) for levels in (3, 3, 2, 3, 4, 2)))))
    return X, _MONKS[problem](X).astype(np.int64)
