"""Each method compared with each other one, whatever further methods are compared."""

from __future__ import annotations

import pandas as pd

from retree.statistics.effects import win_tie_loss
from retree.statistics.signed_ranks import wilcoxon_signed_rank


def comparison_matrix(values: pd.DataFrame, greater_is_better: bool = True) -> pd.DataFrame:
    """Return the multi-comparison matrix of methods, a row for each ordered pair of them.

    Average ranks, and the tests of them, depend on which methods are compared. The mean of each
    method, and what is said of two methods, do not (Ismail-Fawaz et al. 2023, "An approach to
    multiple comparison benchmark evaluations that is stable under manipulation of the comparate
    set"). So there is no correction for the number of pairs either.

    Parameters
    ----------
    values : DataFrame of shape (n_datasets, n_methods)
        Rows with a missing number are left out.
    greater_is_better : bool, default=True

    Returns
    -------
    DataFrame
        Ordered by the means, the best method first: ``method`` and ``other``, ``mean`` and
        ``other_mean``, ``difference`` (mean of `method` minus that of `other`), ``wins``, ``ties``
        and ``losses`` (data sets on which `method` is better, equal or worse), ``wilcoxon_p``
        (two-sided) and ``n_datasets``.
    """
    complete = values.dropna()
    means = {str(name): float(mean) for name, mean in complete.mean().items()}
    sign = -1 if greater_is_better else 1
    names = sorted(means, key=lambda name: (sign * means[name], name))
    better = complete if greater_is_better else -complete
    rows = []
    for name in names:
        for other in (other for other in names if other != name):
            count = win_tie_loss(better[name], better[other])
            test = wilcoxon_signed_rank(complete[name], complete[other])
            rows.append(
                {
                    "method": name,
                    "other": other,
                    "mean": means[name],
                    "other_mean": means[other],
                    "difference": test.mean_difference,
                    "wins": count.wins,
                    "ties": count.ties,
                    "losses": count.losses,
                    "wilcoxon_p": test.p_value,
                    "n_datasets": len(complete),
                }
            )
    return pd.DataFrame(rows)
