"""Shares of cells, and how much they would vary with other data sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

N_RESAMPLES = 2000


@dataclass(frozen=True)
class Share:
    """A share of cells with its 95 % interval; NaN where there is one data set only."""

    count: int
    total: int
    low: float
    high: float


def resampled_share(groups: Mapping[str, Sequence[bool]], seed: int = 0) -> Share:
    """Return the share of True, with the interval that resampling whole groups gives."""
    counts = np.array([[sum(cells), len(cells)] for cells in groups.values()], dtype=np.float64)
    count, total = (int(n) for n in counts.sum(axis=0)) if len(counts) else (0, 0)
    if len(counts) < 2:
        return Share(count, total, np.nan, np.nan)
    drawn = np.random.default_rng(seed).integers(len(counts), size=(N_RESAMPLES, len(counts)))
    sums = counts[drawn].sum(axis=1)
    low, high = np.quantile(sums[:, 0] / sums[:, 1], [0.025, 0.975])
    return Share(count, total, float(low), float(high))
