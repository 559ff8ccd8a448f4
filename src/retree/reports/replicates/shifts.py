"""Whole columns of published numbers against ours: the page of a paper, its csv and picture."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from retree.experiments.definition.definitions import Experiment
from retree.reports.columns import Column, csv_table, page_table
from retree.reports.comparison import LEVEL, Comparison
from retree.reports.document import Block, Bullets, Document, Figure, Phrase, Prose, Text
from retree.reports.files import csv_text, folder, item_title, write
from retree.reports.formatting import BLANK, decimal, p_text
from retree.reports.grouping import grouped
from retree.reports.references import ToPage
from retree.reports.replicates.chance import Located, located
from retree.reports.replicates.shift_picture import draw_shifts
from retree.statistics.intervals import Prediction, predict
from retree.statistics.metrics import find_metric, is_size
from retree.statistics.multiple_tests import holm_adjusted
from retree.statistics.power import ONE_SIDED_LEVEL, Margins
from retree.statistics.shifts import FEWEST, Published, Shift

Compared = Mapping[str, Sequence[Comparison]]
STEM, TITLE = "columns", "Whole columns, published against ours"


@dataclass(frozen=True)
class Gain:
    """By how much a method is better or smaller than the baseline, over the same data sets."""

    baseline: str
    published: float  # The mean difference; of sizes the factor
    ours: Prediction  # Of that number in one run
    n_datasets: int

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
    gain: Gain | None = None
    # P-values of the mean gap and of the sign test, corrected for the paper's columns (Holm).
    adjusted_p: float = math.nan
    adjusted_sign_p: float = math.nan

    @cached_property
    def shift(self) -> Shift:
        """What the column shows."""
        return Shift(
            [
                Published(c.published, c.unit, c.prediction, self.margins.of(c.metric, c.published))
                for c in self.cells
                if c.prediction is not None
            ]
        )

    @property
    def is_shifted(self) -> bool:
        """Whether its mean gap, or its signs, are beyond chance among the paper's columns."""
        return min(self.adjusted_p, self.adjusted_sign_p) < LEVEL

    @property
    def is_equivalent(self) -> bool:
        """Whether its mean surely lies within the margin."""
        return self.shift.equivalence_p < ONE_SIDED_LEVEL


def find_shifts(compared: Compared, margins: Margins) -> list[ColumnShift]:
    """Return the columns of a paper that have enough numbers judged by the interval of one run.

    `compared`: the comparisons of each item, by its name.
    """
    cells = [
        some for some in located(compared) if some.cell.is_by_interval and not some.cell.over_sets
    ]
    columns = grouped(cells, lambda s: (s.item, s.cell.metric, s.cell.method))
    found = [
        ColumnShift(
            *place, [s.cell for s in own], margins, _gain([s.cell for s in own], columns, place)
        )
        for place, own in columns.items()
        if len(own) >= FEWEST
    ]
    by_gap = holm_adjusted([column.shift.p_value for column in found])
    by_sign = holm_adjusted([column.shift.sign_p for column in found])
    return [
        replace(column, adjusted_p=float(p), adjusted_sign_p=float(q))
        for column, p, q in zip(found, by_gap, by_sign, strict=True)
    ]


def _gain(
    own: Sequence[Comparison],
    columns: Mapping[tuple[str, str, str], Sequence[Located]],
    place: tuple[str, str, str],
) -> Gain | None:
    """Return the gain over the baseline on the data sets that both columns have."""
    baseline = next((c.baseline for c in own), "")
    others = {s.cell.dataset: s.cell for s in columns.get((place[0], place[1], baseline), ())}
    pairs = [(c, others[c.dataset]) for c in own if c.dataset in others]
    if baseline in ("", place[2]) or len(pairs) < FEWEST:
        return None
    numbers = [value for pair in pairs for c in pair for value in (c.published, *c.runs)]
    scaled = np.log if is_size(place[1]) and min(numbers) > 0 else np.asarray
    n_runs = max(len(c.runs) for pair in pairs for c in pair)
    differences = [scaled(_cycled(a, n_runs)) - scaled(_cycled(b, n_runs)) for a, b in pairs]
    printed = float(np.mean([scaled(a.published) - scaled(b.published) for a, b in pairs]))
    averaged = min(c.averaged for c, _ in pairs)
    return Gain(baseline, printed, predict(np.mean(differences, axis=0), averaged), len(pairs))


def _cycled(cell: Comparison, count: int) -> list[float]:
    """Return as many runs of a number, from the first again where it has fewer."""
    return [cell.runs[i % len(cell.runs)] for i in range(count)]


def shift_table(found: Iterable[ColumnShift]) -> pd.DataFrame:
    """Return a row for each column, as in ``columns.csv``.

    Gaps are published minus ours, or the factor published / ours of sizes.
    """
    getters = {
        "item": "item",
        "metric": "metric",
        "method": "method",
        "n_datasets": lambda c: len(c.cells),
        "gap": "shift.gap",
        "low": lambda c: c.shift.interval[0],
        "high": lambda c: c.shift.interval[1],
        "p_value": "shift.p_value",
        "adjusted_p": "adjusted_p",
        "n_above": "shift.n_above",
        "n_below": "shift.n_below",
        "sign_p": "shift.sign_p",
        "adjusted_sign_p": "adjusted_sign_p",
        "equivalence_p": "shift.equivalence_p",
        "q": lambda c: c.shift.heterogeneity[0],
        "q_p": lambda c: c.shift.heterogeneity[1],
        "tau": lambda c: c.shift.heterogeneity[2],
        "baseline": lambda c: c.gain.baseline if c.gain else "",
        "gain_published": lambda c: _factor(c, c.gain.published) if c.gain else math.nan,
        "gain": lambda c: _factor(c, c.gain.ours.center) if c.gain else math.nan,
        "gain_low": lambda c: _factor(c, c.gain.ours.interval()[0]) if c.gain else math.nan,
        "gain_high": lambda c: _factor(c, c.gain.ours.interval()[1]) if c.gain else math.nan,
    }
    return csv_table(getters, found)


def _factor(column: ColumnShift, value: float) -> float:
    """Return a difference, or the factor that one of logarithms is."""
    return math.exp(value) if is_size(column.metric) else value


_RULES = (
    "A column has the numbers of one method in one measure. Its gap is the mean of published minus "
    "ours over the data sets; of sizes it is the factor published / ours, a geometric mean. The "
    "interval is what chance leaves of it: both sides are one replicate, or the mean of several. "
    f"Columns of fewer than {FEWEST} data sets are left out.",
    "A column is shifted if its gap, or the count of published numbers above and below ours (sign "
    "test), remains beyond chance at 5 % among all columns of the paper (Holm). Columns of one "
    "paper share folds and data sets: several shifted ones may be one finding.",
    "It is within the margin if two one-sided tests say so at 5 %: the 90 % interval of the mean "
    "gap then lies inside.",
    "Q compares the gaps with one another. Where its p-value is small, data sets differ by more "
    "than chance, and τ is the standard deviation of what is left, of sizes a factor.",
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
        Column("Q p", lambda c: p_text(c.shift.heterogeneity[1])),
        Column("τ", lambda c: _tau_text(c)),
    ]


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
]
_GAIN_RULES = (
    "The gain is the mean difference from the baseline over the data sets on which both numbers "
    "can be judged, of sizes the factor. Replicates share their folds, so that it varies less than "
    "the numbers themselves.",
)


def _gap_text(column: ColumnShift, gap: float) -> str:
    if is_size(column.metric):
        return f"× {gap:.2f}"
    return decimal(gap * 100 / abs(find_metric(column.metric).scale), 2, sign=True)


def _ends(column: ColumnShift, ends: Sequence[float]) -> str:
    return " to ".join(_gap_text(column, end) for end in ends)


def _tau_text(column: ColumnShift) -> str:
    tau = column.shift.heterogeneity[2]
    if math.isnan(tau):
        return BLANK
    return (
        f"× {math.exp(tau):.2f}"
        if is_size(column.metric)
        else decimal(tau * 100 / abs(find_metric(column.metric).scale), 2)
    )


def shifts_summary(found: Sequence[ColumnShift]) -> list[Block]:
    """Return how many columns are shifted, as a section of the page of the paper."""
    if not found:
        return []
    text = (f"{_finding(found)}. See ", Phrase(TITLE.lower(), ToPage(STEM)), ".")
    return [Text("Columns", text)]


def shifts_document(
    found: Sequence[ColumnShift], margins: Margins, source: Prose
) -> Document | None:
    """Return the page on the columns of a paper, cited as `source`; None without any."""
    if not found:
        return None
    gains = [column for column in found if column.gain is not None]
    blocks: list[Block] = [
        Text(text=Phrase(f"{_finding(found)}.", strong=True)),
        Figure(f"{STEM}.png", "Mean gap of each column with its interval"),
        Bullets(_RULES),
        page_table(_columns(margins), found, left=3, title="Gaps"),
    ]
    if gains:
        blocks += [
            page_table(_GAINS, gains, left=3, title="Gains over the baseline"),
            Bullets(_GAIN_RULES),
        ]
    return Document([], blocks, TITLE, [source])


def write_shifts(
    experiment: Experiment, found: Sequence[ColumnShift], pictures: bool
) -> list[Path]:
    """Write ``columns.csv`` and the picture, and return their paths; nothing without columns."""
    if not found:
        return []
    base = folder(experiment) / STEM
    files = [write(base.with_suffix(".csv"), csv_text(shift_table(found)))]
    return files + (draw_shifts(found, base, experiment.paper.called) if pictures else [])


def _finding(found: Sequence[ColumnShift]) -> str:
    shifted = sum(column.is_shifted for column in found)
    near = sum(column.is_equivalent for column in found)
    return (
        f"{shifted} of {len(found)} columns {'is' if shifted == 1 else 'are'} shifted beyond "
        f"chance, and the mean of {near} surely lies within the margin"
    )
