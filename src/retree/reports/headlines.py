"""Headline counts: how many published numbers agree, counted here for every page and picture.

``count_headlines(read_comparisons(results))`` has a row for each paper and kind of number, and
``count_headlines(cells, ["paper"])`` one for each paper. ``headline_words(row, paper.not_judged)``
says a row in words. Numbers in memory are counted by ``count_headlines(comparison_table(cells))``.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from retree.statistics import AGREEING, JUDGED, Verdict
from retree.statistics.metrics import ACCURACIES, MetricKind, find_metric, headline

# The measure that all papers have in common: accuracies that are at most so many points from ours.
NEAR_POINTS = 1.0
COUNTS = ("published", "judged", "agree", "share", "accuracies", "near", "strict")


def published_numbers(comparisons: pd.DataFrame) -> pd.DataFrame:
    """Return the published numbers that have a verdict, ``missing`` among them, with their kind.

    `comparisons`: rows with the columns of a rendered csv. ``kind`` is what totals are counted by,
    see `retree.statistics.metrics.headline`.
    """
    cells = comparisons[(comparisons["verdict"] != "") & comparisons["published"].notna()]
    return cells.assign(kind=cells["metric"].map(headline).astype(object))


def count_headlines(
    comparisons: pd.DataFrame, by: Sequence[str] = ("paper", "kind")
) -> pd.DataFrame:
    """Count published numbers by verdict; every headline is one of these counts.

    Returns columns `by`, one for each verdict, and ``published`` (all of them), ``judged`` (those
    that agree, are at the edge or differ), ``agree`` (equal, agreeing or agreeing weakly),
    ``share`` (``agree / judged``, NaN of none), ``accuracies`` (judged ones), ``near`` (those of
    them within `NEAR_POINTS` of ours) and ``strict`` (those that agree). Without `by` there is one
    row.
    """
    cells = published_numbers(comparisons)
    verdicts = [str(verdict) for verdict in Verdict]
    flags = pd.DataFrame({name: cells["verdict"] == name for name in verdicts}, index=cells.index)
    flags["published"] = True
    flags["judged"] = flags[list(JUDGED)].any(axis=1)
    flags["agree"] = flags[list(AGREEING)].any(axis=1)
    flags["accuracies"] = flags["judged"] & _is_accuracy(cells)
    # Decimal fractions are not exact.
    flags["near"] = flags["accuracies"] & (point_gaps(cells).abs() <= NEAR_POINTS + 1e-9)
    flags["strict"] = flags["accuracies"] & flags["agree"]
    keys = [cells[name] for name in by] or [pd.Series(0, index=cells.index)]
    counts = flags.groupby(keys, sort=False).sum().astype(int)
    if not by:
        counts = counts.reindex([0], fill_value=0)
    counts["share"] = (counts["agree"] / counts["judged"]).where(counts["judged"] > 0)
    counts = counts.reset_index(drop=not by)
    return counts[[*by, *verdicts, *COUNTS]]


def headline_words(counts: Mapping[Hashable, Any], not_judged: str = "") -> str:
    """Return a row of `count_headlines` in words, as "128 of 168 agree".

    `not_judged`: the paper's own reason why numbers of it are not judged, "" if all are.
    """
    if not counts["published"]:
        return "no published numbers"
    reason = f"cannot be judged{': ' * bool(not_judged)}{not_judged}"
    if not counts["judged"]:
        return reason
    said = f"{counts['agree']:,} of {counts['judged']:,} agree"
    others = counts["published"] - counts["judged"]
    return f"{said}; the other {others:,} {reason}" if not_judged else said


def point_gaps(cells: pd.DataFrame) -> pd.Series:
    """Return reproduced minus published of shares in points, NaN of what is no share."""
    return _scaled(cells) * (cells["reproduced"] - cells["published"])


def _scaled(cells: pd.DataFrame) -> pd.Series:
    """Return how many points one of each number is."""
    points = {
        name: 100 / abs(metric.scale) if metric.kind == MetricKind.SHARE else np.nan
        for name in cells["metric"].unique()
        for metric in [find_metric(name)]
    }
    return cells["metric"].map(points).astype(float)


def _is_accuracy(cells: pd.DataFrame) -> pd.Series:
    return (cells["kind"] == ACCURACIES) & _scaled(cells).notna()
