"""Whole columns of published numbers against ours, gains over a baseline, and their page."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import false_discovery_control

from retree_lab.reports.comparison import LEVEL, Comparison
from retree_lab.reports.document import (
    Block,
    Bullets,
    Document,
    Figure,
    Phrase,
    Prose,
    Text,
    ToPage,
)
from retree_lab.reports.files import item_title
from retree_lab.reports.formatting import BLANK, decimal, p_text
from retree_lab.reports.sections import Column, grouped, page_table
from retree_lab.statistics.agreement import ONE_SIDED_LEVEL, Margins
from retree_lab.statistics.effects import FEWEST, Published, Shift, cohen_d_z, smaller_than_seen
from retree_lab.statistics.intervals import Prediction, predict
from retree_lab.statistics.metrics import MetricKind, find_metric, is_size


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
        """Return whether the published one lies in the interval of one run."""
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
        """Return whether its gap or signs are beyond chance among the paper's columns."""
        return min(self.adjusted_p, self.adjusted_sign_p) < LEVEL

    @property
    def is_equivalent(self) -> bool:
        """Return whether its mean surely lies within the margin, on these data sets."""
        return self.shift.equivalence_p < ONE_SIDED_LEVEL

    @property
    def is_equivalent_elsewhere(self) -> bool:
        """Return whether it would, too, on other data sets of which these are a sample."""
        return self.shift.sample_equivalence_p < ONE_SIDED_LEVEL


def find_shifts(
    numbers: Iterable[Comparison], margins: Margins, same_file: Sequence[Sequence[str]] = ()
) -> list[ColumnShift]:
    """Return the columns of a paper that have enough numbers judged by the interval of one run.

    `same_file`: keys of data sets that come from one file, for each file.
    """
    file_of = {name: names[0] for names in same_file for name in names}
    by_interval = [c for c in numbers if c.is_by_interval and not c.over_sets]
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
    averaged, runs = min(c.run.averaged for c, _ in pairs if c.run), np.transpose(differences)
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


def shift_words(shifts: Sequence[ColumnShift]) -> str:
    """Return the description of the picture."""
    sentences = []
    for side, above in (("above", True), ("below", False)):
        shifted = [c for c in shifts if c.is_shifted and (c.shift.gap > int(c.log)) == above]
        names = ", ".join(f"{c.method} ({find_metric(c.metric).label})" for c in shifted)
        sentences.append(f"{side} ours as a whole: {names or 'none'}")
    return f"Mean gap of each published column with its interval; {'; '.join(sentences)}"


STEM, TITLE = "columns", "Whole columns, published against ours"


def shift_table(shifts: Iterable[ColumnShift]) -> pd.DataFrame:
    """Return a row for each column, as in ``columns.csv``.

    Gaps are published minus ours, or the factor published / ours of sizes.
    """
    return pd.DataFrame(list(map(_row, shifts)))


def _row(column: ColumnShift) -> dict[str, Any]:
    shift, gain = column.shift, column.gain
    row: dict[str, Any] = {"item": column.item, "metric": column.metric, "method": column.method}
    row |= {"n_datasets": len(column.cells), "gap": shift.gap}
    row["low"], row["high"] = shift.interval
    row |= {"p_value": shift.p_value, "adjusted_p": column.adjusted_p}
    row |= {"n_above": shift.n_above, "n_below": shift.n_below}
    row |= {"sign_p": shift.sign_p, "adjusted_sign_p": column.adjusted_sign_p}
    row |= {"equivalence_p": shift.equivalence_p, "n_files": shift.n_files}
    row |= {"sample_p": shift.sample_p, "sample_equivalence_p": shift.sample_equivalence_p}
    row["q"], row["q_p"], row["tau"] = shift.heterogeneity
    row["baseline"] = gain.baseline if gain else ""
    gains = (gain.published, gain.ours.center, *gain.ours.interval()) if gain else [math.nan] * 4
    names = "gain_published", "gain", "gain_low", "gain_high"
    row |= {name: _factor(column, value) for name, value in zip(names, gains, strict=True)}
    for name in ("effect_published", "effect", "unseen_p"):
        row[name] = getattr(gain, name, math.nan)
    return row


def _factor(column: ColumnShift, value: float) -> float:
    """Return a difference, or the factor that one of logarithms is."""
    return math.exp(value) if column.log else value


_RULES = (
    "A column has the numbers of one method in one metric. Its gap is the mean of published minus "
    "ours over the data sets; for sizes it is the factor published / ours, a geometric mean, "
    "unless some are 0. The interval allows for chance: each side is one replicate, or the mean of "
    f"several. Columns with fewer than {FEWEST} data sets are left out.",
    "A column is shifted if its gap, or the count of published numbers above and below ours (sign "
    "test), is still significant at a false discovery rate of 5 % over both tests of all columns "
    "of the paper (Benjamini and Hochberg). Columns of one paper share data sets, and perhaps "
    "folds, so several shifted ones may be one finding.",
    "A column is within the margin if two one-sided tests say so at 5 %: the 90 % interval of the "
    "mean gap then lies inside. Chance here means other folds, so this is about these data sets "
    "only.",
    "The tests “over data sets” ask the same about other data sets like these; there chance is the "
    "spread of the gaps between data sets (t-test). Data sets from one file count as one.",
    "Q compares the gaps with one another. If its p-value is small, data sets differ by more than "
    "chance, and τ is the standard deviation of what is left (for sizes, a factor).",
)


def _columns(margins: Margins) -> list[Column]:
    near = f"within {margins.points:g} point{'s' * (margins.points != 1)} or {margins.size:.0%} (p)"
    return [
        *_PLACE,
        Column("data sets", lambda c: len(c.cells)),
        Column("gap", lambda c: _gap_text(c, c.shift.gap)),
        Column("95 % interval", lambda c: _ends(c, c.shift.interval)),
        Column("p, corrected", "adjusted_p", p_text),
        Column("above / below", lambda c: f"{c.shift.n_above} / {c.shift.n_below}"),
        Column("sign test p, corrected", "adjusted_sign_p", p_text),
        Column("shifted", lambda c: "yes" if c.is_shifted else ""),
        Column(near, "shift.equivalence_p", p_text),
        Column("files", "shift.n_files"),
        Column("gap over data sets, p", "shift.sample_p", p_text),
        Column(f"{near}, over data sets", "shift.sample_equivalence_p", p_text),
        Column("Q p", lambda c: p_text(c.shift.heterogeneity[1])),
        Column("τ", _tau_text),
    ]


_effect = partial(decimal, places=2, sign=True)
_PLACE = [
    Column("item", "item", item_title),
    Column("metric", "metric"),
    Column("method", "method"),
]
_GAINS = [
    *_PLACE,
    Column("baseline", "gain.baseline"),
    Column("data sets", "gain.n_datasets"),
    Column("published", lambda c: _gap_text(c, _factor(c, c.gain.published))),
    Column("ours", lambda c: _gap_text(c, _factor(c, c.gain.ours.center))),
    Column(
        "one replicate",
        lambda c: _ends(c, [_factor(c, end) for end in c.gain.ours.interval()]),
    ),
    Column("inside", lambda c: "yes" if c.gain.is_inside else "no"),
    Column("effect, published", "gain.effect_published", _effect),
    Column("effect, ours", "gain.effect", _effect),
    Column("too small to be seen (p)", "gain.unseen_p", p_text),
]
_GAIN_RULES = (
    "The gain is the mean difference from the baseline over the data sets on which both numbers "
    "can be judged; for sizes it is the factor. Replicates share their folds, so it varies less "
    "than the numbers themselves.",
    "An effect is the mean difference divided by its standard deviation between data sets (Cohen's "
    "d_z), positive in the direction of the published one; ours is the median over the replicates. "
    "A paper with n data sets detects an effect of a certain size in one case out of three. If the "
    "last p-value is small, our effect is below that size (Simonsohn 2015, “small telescopes”). "
    "Both sides use the same data sets.",
)


def _gap_text(column: ColumnShift, gap: float) -> str:
    if column.log:
        return f"× {gap:.2f}"
    return decimal(gap * column.points, 2, sign=True)


def _ends(column: ColumnShift, ends: Sequence[float]) -> str:
    return " to ".join(_gap_text(column, end) for end in ends)


def _tau_text(column: ColumnShift) -> str:
    tau = column.shift.heterogeneity[2]
    if math.isnan(tau):
        return BLANK
    return f"× {math.exp(tau):.2f}" if column.log else decimal(tau * column.points, 2)


def shifts_summary(shifts: Sequence[ColumnShift]) -> list[Block]:
    """Return how many columns are shifted, as a section of the page of the paper."""
    if not shifts:
        return []
    text = (f"{_finding(shifts)}. See ", Phrase(TITLE.lower(), ToPage(STEM)), ".")
    return [Text("Columns", text)]


def shifts_document(
    shifts: Sequence[ColumnShift], margins: Margins, source: Prose
) -> Document | None:
    """Return the page on the columns of a paper, cited as `source`; None without any."""
    if not shifts:
        return None
    gains = [column for column in shifts if column.gain is not None]
    blocks: list[Block] = [
        Text(text=Phrase(f"{_finding(shifts)}.", strong=True)),
        Figure(f"{STEM}.svg", shift_words(shifts)),
        Bullets(_RULES),
        page_table(_columns(margins), shifts, left=3, title="Gaps"),
    ]
    if gains:
        blocks += [
            page_table(_GAINS, gains, left=3, title="Gains over the baseline"),
            Bullets(_GAIN_RULES),
        ]
    return Document([], blocks, TITLE, [source])


def _finding(shifts: Sequence[ColumnShift]) -> str:
    shifted = sum(column.is_shifted for column in shifts)
    near = sum(column.is_equivalent for column in shifts)
    elsewhere = sum(column.is_equivalent and column.is_equivalent_elsewhere for column in shifts)
    return (
        f"{shifted} of {len(shifts)} columns {'is' if shifted == 1 else 'are'} shifted beyond "
        f"chance. On these data sets the mean gap of {near} surely lies within the margin; on "
        f"other data sets like these, that of {elsewhere} would too"
    )
