"""Whole columns of published numbers against ours, their gains over a baseline, and a picture."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import false_discovery_control

from retree_lab.reports.agreement.chance import judged
from retree_lab.reports.comparison import LEVEL, Comparison
from retree_lab.reports.figures import (
    COLOURS,
    bare_spines,
    conclude,
    label_rows,
    new_figure,
    save_figure,
    style,
)
from retree_lab.reports.files import item_title
from retree_lab.reports.sections import grouped
from retree_lab.statistics.agreement import ONE_SIDED_LEVEL, Margins
from retree_lab.statistics.effects import cohen_d_z, smaller_than_seen
from retree_lab.statistics.intervals import Prediction, predict
from retree_lab.statistics.metrics import MetricKind, find_metric, is_size
from retree_lab.statistics.shifts import FEWEST, Published, Shift

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


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


# Inches for a column, and for the title and the axis of a panel.
_ROW, _FRAME = 0.17, 0.62
_SHIFTED, _OTHER = COLOURS[1], COLOURS[0]
_KEYS = {"square: shifted": "s", "arrow: beyond the axis": "<>"}
_NEAR, _REACH = 0.95, 1.5  # gaps beyond so many times the far ones of a panel are arrows


def draw_shifts(shifts: Sequence[ColumnShift], base: Path, title: str) -> list[Path]:
    """Draw the columns of a paper, a panel for each measure, and return the paths."""
    with style():
        return save_figure(_draw(shifts, title), base)


def _draw(shifts: Sequence[ColumnShift], title: str) -> Figure:
    panels = grouped(shifts, lambda column: (column.item, column.metric))
    heights = [_FRAME + _ROW * len(panel) for panel in panels.values()]
    figure = new_figure(sum(heights) + 0.3)
    every = figure.subplots(len(panels), squeeze=False, height_ratios=heights)[:, 0]
    for axes, ((item, metric), panel) in zip(every, panels.items(), strict=True):
        limits = _limits(panel)
        for row, column in enumerate(panel):
            _draw_column(axes, row, column, limits)
        label_rows(axes, [column.method for column in panel])
        axes.set_title(f"{item_title(item)}, {find_metric(metric).label}", loc="left")
        _label(axes, panel)
        bare_spines(axes)
    shifted = [column for column in shifts if column.is_shifted]
    marks = {line.get_marker() for axes in every for line in axes.lines}
    key = "; ".join(words for words, of in _KEYS.items() if marks & set(of))
    every[-1].set_xlabel(f"{every[-1].get_xlabel()}\n{key}".strip(), loc="right")
    count = f"{len(shifted)} of {len(shifts)} columns {'is' if len(shifted) == 1 else 'are'}"
    return conclude(figure, f"{title}: {count} shifted", shift_words(shifts))


def shift_words(shifts: Sequence[ColumnShift]) -> str:
    """Return what the picture shows."""
    sentences = []
    for side, above in (("above", True), ("below", False)):
        shifted = [c for c in shifts if c.is_shifted and (c.shift.gap > int(c.log)) == above]
        names = ", ".join(f"{c.method} ({find_metric(c.metric).label})" for c in shifted)
        sentences.append(f"{side} ours as a whole: {names or 'none'}")
    return f"Mean gap of each published column with its interval; {'; '.join(sentences)}"


def _limits(shifts: Sequence[ColumnShift]) -> tuple[float, float]:
    """Return between which ends single gaps are drawn, so that an outlier does not set the axis."""
    gaps = np.concatenate([np.array(c.shift.gaps) for c in shifts])
    ends = np.concatenate([np.array(c.shift.interval) for c in shifts])
    ends = np.log(ends) if shifts[0].log else ends
    reach = _REACH * float(np.quantile(np.abs(gaps), _NEAR))
    low, high = max(-reach, gaps.min()), min(reach, gaps.max())
    return float(min(low, ends.min())), float(max(high, ends.max()))


def _draw_column(axes: Axes, row: int, column: ColumnShift, limits: tuple[float, float]) -> None:
    shift, colour = column.shift, _SHIFTED if column.is_shifted else _OTHER
    grey: dict[str, Any] = {"color": "0.6", "linestyle": "none", "zorder": 1}
    gaps, scale = np.array(shift.gaps), 1.0 if shift.log else column.points

    def placed(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return (np.exp(values) if shift.log else values) * scale

    inside = placed(gaps[(gaps >= limits[0]) & (gaps <= limits[1])])
    axes.plot(inside, [row] * len(inside), marker="|", markersize=4, **grey)
    for end, arrow, is_out in zip(limits, "<>", (gaps < limits[0], gaps > limits[1]), strict=True):
        if is_out.any():
            axes.plot(placed(np.array([end])), [row], marker=arrow, markersize=4, **grey)
    axes.plot(np.array(shift.interval) * scale, [row, row], color=colour, zorder=2)
    look: dict[str, Any] = {"color": colour, "markersize": 3.5, "zorder": 3}
    axes.plot([shift.gap * scale], [row], "s" if column.is_shifted else "o", **look)


def _label(axes: Axes, shifts: Sequence[ColumnShift]) -> None:
    axes.axvline(int(shifts[0].log), color="0.5", linewidth=0.6, zorder=0)
    if shifts[0].log:
        axes.set_xscale("log")
        low, high = (math.log2(end) for end in axes.get_xlim())
        step = max(1, round((high - low) / 6))
        powers = range(step * math.ceil(low / step), math.floor(high) + 1, step)
        axes.set_xticks([2.0**n for n in powers], [f"{2.0**n:g}" for n in powers])
        axes.minorticks_off()
        axes.set_xlabel("published / ours", loc="right")
    else:
        metric = find_metric(shifts[0].metric)
        unit = "points" if metric.kind == MetricKind.SHARE else f"{metric.label}"
        axes.set_xlabel(f"published − ours, {unit}", loc="right")
