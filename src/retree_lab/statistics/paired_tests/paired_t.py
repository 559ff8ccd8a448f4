"""Student's paired t-test."""

from __future__ import annotations

from numpy.typing import ArrayLike

from retree_lab.statistics.paired import PairedTest, complete_pairs, t_test
from retree_lab.statistics.paired_tests import paired_test


@paired_test("paired", "the paired t-test over all folds")
def paired_t_test(a: ArrayLike, b: ArrayLike, test_share: float = 0.0) -> PairedTest:
    """Test whether the mean of ``a - b`` is zero (Student's paired t-test, two-sided).

    Differences that are all equal have no variance: the p-value is then 1 if they are zero and 0
    if they are not. A spread of the size of rounding errors counts as none.

    Parameters
    ----------
    a, b : array-like of shape (n_pairs,)
        Values of the two methods on the same folds.
    test_share : float
        Not considered: pairs count as independent.

    Raises
    ------
    ValueError
        If `a` and `b` are not one-dimensional and of the same length.
    """
    pairs = complete_pairs(a, b)
    return t_test(pairs, 1 / max(len(pairs.a), 1), len(pairs.a) - 1)
