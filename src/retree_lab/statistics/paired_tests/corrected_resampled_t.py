"""The t-test over training sets that overlap."""

from __future__ import annotations

from numpy.typing import ArrayLike

from retree_lab.statistics.paired import PairedTest, complete_pairs, t_test
from retree_lab.statistics.paired_tests import paired_test


@paired_test(
    "corrected",
    "the t-test over all folds, corrected for overlapping training sets (Nadeau and Bengio)",
)
def corrected_resampled_t_test(a: ArrayLike, b: ArrayLike, test_share: float = 0.0) -> PairedTest:
    """Test the mean of ``a - b`` over random splits whose training sets overlap (two-sided).

    The variance of the mean is ``(1/n + n_test/n_train) * s²`` instead of ``s²/n``, s² the sample
    variance of the n differences, with n - 1 degrees of freedom (Nadeau and Bengio 2003; Weka's
    ``PairedCorrectedTTester``). Differences that do not vary are treated as in
    `retree_lab.statistics.paired_t_test`. It also serves one cross-validation, and repeated ones
    (Bouckaert and Frank 2004), with ``n_test/n_train = 1/(n_folds - 1)``.

    Shapes: `a`, `b` (n_splits,).
    `a`, `b`: values of the two methods on the same splits. Pairs with a NaN are left out and
    counted.
    `test_share`: share of the rows that is tested on, 0.1 for ten folds; 0 for training sets that
    do not overlap, as of a single split.
    """
    if not 0 <= test_share < 1:
        raise ValueError(f"test_share must be at least 0 and below 1, got {test_share}.")
    pairs = complete_pairs(a, b)
    n_pairs = len(pairs.a)
    return t_test(pairs, 1 / max(n_pairs, 1) + test_share / (1 - test_share), n_pairs - 1)
