"""Whole columns of published numbers against ours, and their gains over a baseline."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.stats import false_discovery_control

from retree_lab.reports.comparison import LEVEL, Comparison
from retree_lab.reports.grouping import grouped
from retree_lab.reports.replicates.chance import judged
from retree_lab.statistics.effects import cohen_d_z, smaller_than_seen
from retree_lab.statistics.intervals import Prediction, predict
from retree_lab.statistics.metrics import MetricKind, find_metric, is_size
from retree_lab.statistics.power import ONE_SIDED_LEVEL, Margins
from retree_lab.statistics.shifts import FEWEST, Published, Shift


@dataclass(frozen=True)
class Gain:
    """The gain of a method over the baseline, on the same data sets."""

    baseline: str
    published: float  # The mean difference; of sizes the factor
    ours: Prediction  # Of that number in one run
    n_datasets: int
    # The mean difference over its standard deviation between data sets, published and ours, with
    # its published sign, and the p-value that ours is below what the paper could see;
    # ours are medians over the runs.
    effect_published: float
    effect: float
    unseen_p: float

    @property
    def is_inside(self) -> bool:
        """Whether the published one lies in the interval of one run."""
        return self.ours.contains(self.published)


@dataclass(frozen=True)
class ColumnShift:
    """A column: the numbers of a method in one measure, over data sets."""

    item: str
    metric: str
    method: str
    cells: Sequence[Comparison]  # With a published number, each judged by its interval
    margins: Margins
    log: bool  # Whether gaps are factors: of sizes, if none of the measure is 0
    file_of: Mapping[str, str]  # By the key of a data set that shares its file, the file
    gain: Gain | None = None
    # P-values of the mean gap and of the sign test, corrected for the paper's columns and both
    # tests (Benjamini and Hochberg).
    adjusted_p: float = math.nan
    adjusted_sign_p: float = math.nan

    @cached_property
    def shift(self) -> Shift:
        """The shift of the column."""
        return Shift(
            [
                Published(
                    c.published,
                    c.unit,
                    c.prediction,
                    self.margins.of(c.metric, c.published),
                    self.file_of.get(c.dataset_key, ""),
                )
                for c in self.cells
                if c.prediction is not None
            ],
            self.log,
        )

    @property
    def points(self) -> float:
        """The factor from a difference of shares to points, 1 for other metrics."""
        is_share = find_metric(self.metric).kind == MetricKind.SHARE
        return 100 / abs(find_metric(self.metric).scale) if is_share else 1.0

    @property
    def is_shifted(self) -> bool:
        """Whether its mean gap, or its signs, are beyond chance among the paper's columns."""
        return min(self.adjusted_p, self.adjusted_sign_p) < LEVEL

    @property
    def is_equivalent(self) -> bool:
        """Whether its mean surely lies within the margin, on these data sets."""
        return self.shift.equivalence_p < ONE_SIDED_LEVEL

    @property
    def is_equivalent_elsewhere(self) -> bool:
        """Whether it would, too, on other data sets of which these are a sample."""
        return self.shift.sample_equivalence_p < ONE_SIDED_LEVEL


def find_shifts(
    numbers: Iterable[Comparison], margins: Margins, same_file: Sequence[Sequence[str]] = ()
) -> list[ColumnShift]:
    """Return the columns of a paper that have enough numbers judged by the interval of one run.

    `same_file`: keys of data sets that come from one file, for each file.
    """
    file_of = {name: names[0] for names in same_file for name in names}
    by_interval = [c for c in judged(numbers) if c.is_by_interval and not c.over_sets]
    shifts: list[ColumnShift] = []
    for (item, metric), every in grouped(by_interval, lambda c: (c.item, c.metric)).items():
        log = is_size(metric) and all(min(c.published, *c.runs) > 0 for c in every)
        columns = grouped(every, lambda c: c.method)
        for method, cells in columns.items():
            if len(cells) >= FEWEST:
                gain = _gain(cells, columns, method, log)
                shifts.append(ColumnShift(item, metric, method, cells, margins, log, file_of, gain))
    # Both tests of all columns are looked at.
    of_gaps = [column.shift.p_value for column in shifts]
    of_signs = [column.shift.sign_p for column in shifts]
    adjusted = false_discovery_control([*of_gaps, *of_signs]).reshape(2, -1) if shifts else ()
    return [
        replace(column, adjusted_p=float(p), adjusted_sign_p=float(q))
        for column, p, q in zip(shifts, *adjusted, strict=True)
    ]


def _gain(
    cells: Sequence[Comparison],
    columns: Mapping[str, Sequence[Comparison]],
    method: str,
    log: bool,
) -> Gain | None:
    """Return the gain over the baseline on the data sets that both columns have."""
    baseline = next((c.baseline for c in cells), "")
    others = {c.dataset: c for c in columns.get(baseline, ())}
    pairs = [(c, others[c.dataset]) for c in cells if c.dataset in others]
    if baseline in ("", method) or len(pairs) < FEWEST:
        return None
    scaled = np.log if log else np.asarray
    n_runs = max(len(c.runs) for pair in pairs for c in pair)
    differences = [scaled(_cycled(a, n_runs)) - scaled(_cycled(b, n_runs)) for a, b in pairs]
    averaged, runs = min(c.averaged for c, _ in pairs), np.transpose(differences)
    theirs = np.array([float(scaled(a.published) - scaled(b.published)) for a, b in pairs])
    sign, none = math.copysign(1.0, theirs.mean()), np.zeros(len(pairs))
    return Gain(
        baseline,
        float(theirs.mean()),
        predict(np.mean(differences, axis=0), averaged),
        len(pairs),
        effect_published=cohen_d_z(sign * theirs, none).estimate,
        # As the paper's, of single runs: a mean over them varies less between data sets.
        effect=float(np.median([cohen_d_z(sign * run, none).estimate for run in runs])),
        unseen_p=float(np.median([smaller_than_seen(sign * run) for run in runs])),
    )


def _cycled(cell: Comparison, count: int) -> list[float]:
    """Return as many runs of a number, from the first again where it has fewer."""
    return [cell.runs[i % len(cell.runs)] for i in range(count)]
