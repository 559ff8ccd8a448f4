"""The sign test (Demšar 2006)."""

from __future__ import annotations

import math

from numpy.typing import ArrayLike
from scipy import stats

from retree_lab.statistics.paired import PairedTest, complete_pairs, win_tie_loss
from retree_lab.statistics.paired_tests import paired_test


@paired_test("sign", "the sign test over all folds")
def sign_test(a: ArrayLike, b: ArrayLike, test_share: float = 0.0) -> PairedTest:
    """Test whether `a` wins as often as it loses against `b` (sign test, exact, two-sided).

    Ties are split evenly between the two; if their number is odd, one is ignored (Demšar 2006,
    section 3.1.4).

    The ``statistic`` is the number of wins of `a` with its share of the ties.
    """
    pairs, count = complete_pairs(a, b), win_tie_loss(a, b)
    n_pairs = len(pairs.a)
    if n_pairs < 2:
        mean = float((pairs.a - pairs.b).mean()) if n_pairs else math.nan
        return PairedTest(math.nan, math.nan, mean, n_pairs, pairs.n_dropped)
    half = count.ties // 2
    wins, trials = count.wins + half, count.wins + count.losses + 2 * half
    p_value = float(stats.binomtest(wins, trials).pvalue)
    return PairedTest(wins, p_value, float((pairs.a - pairs.b).mean()), n_pairs, pairs.n_dropped)
