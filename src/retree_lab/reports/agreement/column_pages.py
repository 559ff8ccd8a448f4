"""The page on whole columns of a paper, its csv and picture."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from retree_lab.experiments.definition.definitions import Experiment
from retree_lab.reports.agreement.columns import ColumnShift, draw_shifts, shift_words
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
from retree_lab.reports.files import csv_text, folder, item_title, write
from retree_lab.reports.formatting import BLANK, decimal, p_text
from retree_lab.reports.sections import Column, page_table
from retree_lab.statistics.agreement import Margins
from retree_lab.statistics.shifts import FEWEST

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
    "A column has the numbers of one method in one measure. Its gap is the mean of published minus "
    "ours over the data sets; of sizes it is the factor published / ours, a geometric mean, unless "
    "some are 0. The "
    "interval is what chance leaves of it: both sides are one replicate, or the mean of several. "
    f"Columns of fewer than {FEWEST} data sets are left out.",
    "A column is shifted if its gap, or the count of published numbers above and below ours (sign "
    "test), remains at a false discovery rate of 5 % among both tests of all columns of the paper "
    "(Benjamini and Hochberg). Columns of one paper share data sets, and perhaps folds, so several "
    "shifted ones may be one finding.",
    "It is within the margin if two one-sided tests say so at 5 %: the 90 % interval of the mean "
    "gap then lies inside. Chance is that of other folds, so that this is about these data sets "
    "alone.",
    "The tests “over data sets” ask the same of other data sets like these: chance is the spread "
    "of the gaps between data sets (t-test). Data sets of one file count as one.",
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
        Column("files", "shift.n_files"),
        Column("gap over data sets, p", "shift.sample_p", p_text),
        Column(f"{near}, over data sets", "shift.sample_equivalence_p", p_text),
        Column("Q p", lambda c: p_text(c.shift.heterogeneity[1])),
        Column("τ", lambda c: _tau_text(c)),
    ]


def _effect(value: float) -> str:
    return decimal(value, 2, sign=True)


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
    "can be judged, of sizes the factor. Replicates share their folds, so that it varies less than "
    "the numbers themselves.",
    "An effect is the mean difference over its standard deviation between data sets (Cohen's d_z), "
    "positive in the direction of the published one; ours is the median over the replicates. A "
    "paper of n data sets sees an effect in one case of three from a certain size on. Where the "
    "last p-value is small, ours is below that (Simonsohn 2015, “small telescopes”). Both "
    "sides have the same data sets.",
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


def write_shifts(
    experiment: Experiment, shifts: Sequence[ColumnShift], pictures: bool
) -> list[Path]:
    """Write ``columns.csv`` and the picture, and return their paths; nothing without columns."""
    if not shifts:
        return []
    base = folder(experiment) / STEM
    files = [write(base.with_suffix(".csv"), csv_text(shift_table(shifts)))]
    return files + (draw_shifts(shifts, base, experiment.paper.called) if pictures else [])


def _finding(shifts: Sequence[ColumnShift]) -> str:
    shifted = sum(column.is_shifted for column in shifts)
    near = sum(column.is_equivalent for column in shifts)
    elsewhere = sum(column.is_equivalent and column.is_equivalent_elsewhere for column in shifts)
    return (
        f"{shifted} of {len(shifts)} columns {'is' if shifted == 1 else 'are'} shifted beyond "
        f"chance. On these data sets the mean of {near} surely lies within the margin; that of "
        f"{elsewhere} would on other data sets like these, too"
    )
