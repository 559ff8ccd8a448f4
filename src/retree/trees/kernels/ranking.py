"""Ranked lists of the best candidate splits of a node.

Ties have a rule: greatest score, then lowest attribute, then lowest threshold. Scores are compared
after rounding to 37 bits (7e-12), so that candidates whose scores are equal in exact arithmetic
are tied in floating point too, however their sums were added up.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retree.trees.kernels.jit import jit

_ROUNDING = 2.0**16 + 1.0
_TIE_WIDTH = 2.0**-36


class Ranking(NamedTuple):
    """`n_lists` lists of up to `length` candidates, best first.

    ``cut[i]`` is the score that a candidate must reach to be worth offering to list ``i``.
    """

    score: np.ndarray  # (n_lists, length) float64, rounded
    column: np.ndarray  # (n_lists, length) int64
    attribute: np.ndarray  # (n_lists, length) int64
    position: np.ndarray  # (n_lists, length) int64
    size: np.ndarray  # (n_lists,) int64, candidates in the list
    wanted: np.ndarray  # (n_lists,) int64, candidates it shall hold
    cut: np.ndarray  # (n_lists,) float64


def make_ranking(n_lists: int, length: int) -> Ranking:
    """Return empty lists."""
    shape = (n_lists, length)
    return Ranking(
        np.empty(shape),
        np.empty(shape, np.int64),
        np.empty(shape, np.int64),
        np.empty(shape, np.int64),
        np.zeros(n_lists, np.int64),
        np.zeros(n_lists, np.int64),
        np.empty(n_lists),
    )


@jit
def rounded(score):
    """Return `score` with 37 bits of its significand (Veltkamp splitting); infinities unchanged."""
    if not np.isfinite(score):
        return score
    spread = score * _ROUNDING
    return spread - (spread - score)


@jit
def clear(ranking):
    """Empty all lists; a list of which nothing is wanted takes no candidate."""
    for i in range(len(ranking.size)):
        ranking.size[i] = 0
        ranking.cut[i] = -np.inf if ranking.wanted[i] > 0 else np.inf


@jit
def offer(ranking, i, score, column, attribute, position):
    """Put a candidate into list `i` if it is among the wanted best; return the list's cut."""
    score = rounded(score)
    last = ranking.size[i]
    if last == ranking.wanted[i]:
        last -= 1
        if not _before(ranking, i, last, score, attribute, position):
            return ranking.cut[i]
    else:
        ranking.size[i] += 1
    while last > 0 and _before(ranking, i, last - 1, score, attribute, position):
        ranking.score[i, last] = ranking.score[i, last - 1]
        ranking.column[i, last] = ranking.column[i, last - 1]
        ranking.attribute[i, last] = ranking.attribute[i, last - 1]
        ranking.position[i, last] = ranking.position[i, last - 1]
        last -= 1
    ranking.score[i, last] = score
    ranking.column[i, last] = column
    ranking.attribute[i, last] = attribute
    ranking.position[i, last] = position
    if ranking.size[i] == ranking.wanted[i]:
        worst = ranking.score[i, ranking.size[i] - 1]
        ranking.cut[i] = worst - abs(worst) * _TIE_WIDTH
    return ranking.cut[i]


@jit
def _before(ranking, i, rank, score, attribute, position):
    """Whether a candidate comes before the one at `rank` of list `i`."""
    other = ranking.score[i, rank]
    if score != other:
        return score > other
    if attribute != ranking.attribute[i, rank]:
        return attribute < ranking.attribute[i, rank]
    return position < ranking.position[i, rank]
