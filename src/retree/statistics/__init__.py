"""Tests of paired values and of ranks, effect sizes, and the verdict on a reproduced number."""

from retree.statistics.agreement import (
    AGREEING,
    JUDGED,
    OUTSIDE,
    Digits,
    Verdict,
    tolerance,
    verdict,
)
from retree.statistics.bayes import (
    Posterior,
    bayesian_correlated_t_test,
    bayesian_signed_rank_test,
)
from retree.statistics.comparison_matrix import comparison_matrix
from retree.statistics.discoveries import benjamini_hochberg
from retree.statistics.effects import (
    Effect,
    WinTieLoss,
    cohen_d_z,
    hedges_g,
    mean_difference,
    rank_biserial,
    win_tie_loss,
)
from retree.statistics.paired import PairedTest, paired_t_test
from retree.statistics.ranks import (
    Friedman,
    critical_difference,
    friedman_test,
    groups_not_different,
    holm_adjusted,
    holm_test,
    nemenyi_test,
)
from retree.statistics.resampled import (
    calibrated_cv_t_test,
    corrected_resampled_t_test,
    five_by_two_cv_f_test,
    five_by_two_cv_t_test,
    repeated_cv_t_test,
)
from retree.statistics.signed_ranks import sign_test, wilcoxon_signed_rank

__all__ = [
    "AGREEING",
    "JUDGED",
    "OUTSIDE",
    "Digits",
    "Effect",
    "Friedman",
    "PairedTest",
    "Posterior",
    "Verdict",
    "WinTieLoss",
    "bayesian_correlated_t_test",
    "bayesian_signed_rank_test",
    "benjamini_hochberg",
    "calibrated_cv_t_test",
    "cohen_d_z",
    "comparison_matrix",
    "corrected_resampled_t_test",
    "critical_difference",
    "five_by_two_cv_f_test",
    "five_by_two_cv_t_test",
    "friedman_test",
    "groups_not_different",
    "hedges_g",
    "holm_adjusted",
    "holm_test",
    "mean_difference",
    "nemenyi_test",
    "paired_t_test",
    "rank_biserial",
    "repeated_cv_t_test",
    "sign_test",
    "tolerance",
    "verdict",
    "wilcoxon_signed_rank",
    "win_tie_loss",
]
