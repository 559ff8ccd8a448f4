"""Tests of paired values and of ranks, effect sizes, and the verdict on a reproduced number."""

from retree_lab.statistics.agreement import (
    AGREEING,
    JUDGED,
    OUTSIDE,
    Digits,
    Verdict,
    tolerance,
    verdict,
)
from retree_lab.statistics.effects import Effect, cohen_d_z, mean_difference, rank_biserial
from retree_lab.statistics.paired import (
    PairedTest,
    Posterior,
    WinTieLoss,
    bayesian_signed_rank_test,
    win_tie_loss,
)
from retree_lab.statistics.paired_tests.t_sign_wilcoxon import (
    corrected_resampled_t_test,
    paired_t_test,
    sign_test,
    wilcoxon_signed_rank,
)
from retree_lab.statistics.ranks import (
    Friedman,
    comparison_matrix,
    critical_difference,
    friedman_test,
    friedman_test_of_ranks,
    groups_not_different,
    holm_adjusted,
    holm_test,
    nemenyi_test,
    rank_rows,
    shaffer_adjusted,
)

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
    "bayesian_signed_rank_test",
    "cohen_d_z",
    "comparison_matrix",
    "corrected_resampled_t_test",
    "critical_difference",
    "friedman_test",
    "friedman_test_of_ranks",
    "groups_not_different",
    "holm_adjusted",
    "holm_test",
    "mean_difference",
    "nemenyi_test",
    "paired_t_test",
    "rank_biserial",
    "rank_rows",
    "shaffer_adjusted",
    "sign_test",
    "tolerance",
    "verdict",
    "wilcoxon_signed_rank",
    "win_tie_loss",
]
