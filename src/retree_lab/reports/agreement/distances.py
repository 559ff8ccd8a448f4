"""The picture of how far published numbers are from ours, in half intervals, against chance."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from retree_lab.reports.figures import (
    COLOURS,
    bare_spines,
    conclude,
    legend_below,
    new_figure,
    save_figure,
    style,
)
from retree_lab.reports.formatting import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# The file of a paper that has its counts, from which the picture of all papers is made.
DISTANCES = "distances.csv"
# Distances beyond it are in the outermost bars.
REACH = 4.0
STEP = 0.25
EDGES = np.arange(-REACH, REACH + STEP, STEP)


def count_distances(published: Sequence[float], chance: Sequence[float]) -> pd.DataFrame:
    """Count distances, of which 1 is the end of the interval of one replicate, in bins.

    Returns columns ``low`` and ``high``, the ends of a bin, ``published`` and ``runs``, how many of
    each lie in it; what lies beyond `REACH` is in the first or the last one.
    """
    counts = [
        np.histogram(np.clip(np.asarray(values, dtype=np.float64), -REACH, REACH), EDGES)[0]
        for values in (published, chance)
    ]
    columns = {"low": EDGES[:-1], "high": EDGES[1:], "published": counts[0], "runs": counts[1]}
    return pd.DataFrame(columns)


def draw_distances(counts: pd.DataFrame, base: Path, title: str) -> list[Path]:
    """Draw how far published values are from ours, and how far runs of ours are from each other."""
    with style():
        return save_figure(_draw(counts, title), base)


def distance_words(counts: pd.DataFrame) -> str:
    """Return what the picture shows."""
    right = _outside(counts[counts["low"] >= 0], "published", of=counts)
    return (
        f"Histogram of {counts['published'].sum():,} published numbers by their distance from "
        f"ours: {_inside(counts, 'published')} lie in the interval of one replicate, and {right} "
        f"are too high. Of {counts['runs'].sum():,} replicates of ours, each against the others, "
        f"{_inside(counts, 'runs')} lie in it"
    )


def _outside(counts: pd.DataFrame, name: str, of: pd.DataFrame) -> str:
    outside = (counts["low"] >= 1) | (counts["high"] <= -1)
    return f"{percent(counts.loc[outside, name].sum() / max(of[name].sum(), 1))} %"


def _inside(counts: pd.DataFrame, name: str) -> str:
    inside = counts[(counts["low"] >= -1) & (counts["high"] <= 1)]
    return f"{percent(inside[name].sum() / max(counts[name].sum(), 1))} %"


def _draw(counts: pd.DataFrame, title: str) -> Figure:
    figure = new_figure(2.7)
    axes = figure.subplots()
    shares = {
        name: 100 * counts[name] / max(counts[name].sum(), 1) for name in ("published", "runs")
    }
    edges = [*counts["low"], counts["high"].iloc[-1]]
    bars = axes.stairs(
        shares["published"], edges, fill=True, color=COLOURS[5],
        label=f"{counts['published'].sum():,} published numbers",
    )  # fmt: skip
    line = axes.stairs(
        shares["runs"], edges, color=COLOURS[1], linewidth=1.2,
        label=f"chance: {counts['runs'].sum():,} replicates of ours",
    )  # fmt: skip
    axes.set(
        xlabel="published − ours; shaded: the interval",
        ylabel="% of the numbers",
        xlim=(-REACH, REACH),
    )
    axes.axvspan(-1, 1, color="0.5", alpha=0.15, linewidth=0, zorder=0)
    _label_places(axes, shares["published"])
    inside = {name: _inside(counts, name) for name in shares}
    finding = (
        f"{inside['published']} of the published numbers lie in the interval of one replicate; "
        f"of our own replicates {inside['runs']} do"
    )
    legend_below(figure, [bars, line])
    bare_spines(axes)
    return conclude(figure, f"{title}: {finding}", distance_words(counts))


def _label_places(axes: Axes, published: pd.Series) -> None:
    """Write the distances below the axis, and above the outermost bars how high they are."""
    ticks = np.arange(-REACH, REACH + 1)
    outer = {-REACH: f"≤ −{REACH:g}", REACH: f"≥ {REACH:g}"}
    axes.set_xticks(ticks, [outer.get(t, f"{t:g}".replace("-", "−")) for t in ticks])
    sides = ("left", "right")
    for place, height, side in zip((-REACH, REACH), published.iloc[[0, -1]], sides, strict=True):
        if height:
            axes.text(place, height + 0.3, f"{height:.0f} %", ha=side, va="bottom")
