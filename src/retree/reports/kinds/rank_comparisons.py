"""The methods of a ranking against the control, and against each other."""

from __future__ import annotations

import itertools

import pandas as pd

from retree.statistics import (
    Friedman,
    bayesian_signed_rank_test,
    holm_adjusted,
    holm_test,
    mean_difference,
    nemenyi_test,
    rank_biserial,
    sign_test,
    wilcoxon_signed_rank,
    win_tie_loss,
)
from retree.statistics.metrics import Metric


def against_control(
    metric: Metric, values: pd.DataFrame, friedman: Friedman, control: str, rope: float | None
) -> pd.DataFrame:
    """Return one row per method, the best rank first; the control has no comparison with itself."""
    rows = []
    for name, rank in sorted(friedman.average_ranks.items(), key=lambda pair: (pair[1], pair[0])):
        mean = float(values[name].mean())
        row: dict[str, object] = {"method": name, "average_rank": rank}
        row["mean"] = -mean if metric.smaller_is_better else mean
        if name != control:
            row |= _comparison(metric, values[name], values[control], rope)
        rows.append(row)
    table = pd.DataFrame(rows)
    table.insert(3, "rank_p_holm", table["method"].map(holm_test(friedman, control)["p_holm"]))
    holm = holm_adjusted(table["wilcoxon_p"])
    table.insert(list(table.columns).index("wilcoxon_p") + 1, "wilcoxon_p_holm", holm)
    return table


def _comparison(
    metric: Metric, ours: pd.Series, theirs: pd.Series, rope: float | None
) -> dict[str, object]:
    """Return how a method compares with the control; of its values greater ones are better."""
    count = win_tie_loss(ours, theirs)
    # In the metric's own direction: positive is greater, whatever is better.
    pair = (theirs, ours) if metric.smaller_is_better else (ours, theirs)
    difference = mean_difference(*pair)
    biserial = rank_biserial(ours, theirs)
    row: dict[str, object] = {
        "wilcoxon_p": wilcoxon_signed_rank(ours, theirs).p_value,
        "sign_p": sign_test(ours, theirs).p_value,
        "wins": count.wins,
        "ties": count.ties,
        "losses": count.losses,
        "difference": difference.estimate,
        "difference_low": difference.low,
        "difference_high": difference.high,
        "rank_biserial": biserial.estimate,
        "rank_biserial_low": biserial.low,
        "rank_biserial_high": biserial.high,
    }
    if rope is not None:
        posterior = bayesian_signed_rank_test(ours, theirs, rope)
        row["p_better"], row["p_equivalent"] = posterior.greater, posterior.equivalent
        row["p_worse"] = posterior.smaller
    return row


def pairs_of(values: pd.DataFrame, friedman: Friedman) -> pd.DataFrame:
    """Return a row for each two methods, the one of better rank first."""
    nemenyi, ranks = nemenyi_test(friedman), friedman.average_ranks
    names = sorted(ranks, key=lambda name: (ranks[name], name))
    rows = []
    for a, b in itertools.combinations(names, 2):
        count = win_tie_loss(values[a], values[b])
        rows.append(
            {
                "better": a,
                "worse": b,
                "rank_difference": ranks[b] - ranks[a],
                "nemenyi_p": nemenyi.loc[a, b],
                "wilcoxon_p": wilcoxon_signed_rank(values[a], values[b]).p_value,
                "wins": count.wins,
                "ties": count.ties,
                "losses": count.losses,
            }
        )
    table = pd.DataFrame(rows)
    table.insert(5, "wilcoxon_p_holm", holm_adjusted(table["wilcoxon_p"]))
    return table
