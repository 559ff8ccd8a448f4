"""The picture of published minus reproduced, in standard deviations of one run, against chance."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from retree.reports.figures import (
    COLOURS,
    bare_spines,
    legend_below,
    new_figure,
    save_figure,
    style,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# The file of a paper that has its counts, from which the picture of all papers is made.
DISTANCES = "distances.csv"
# Distances beyond it are in the outermost bars.
REACH = 8.0
STEP = 0.5
# The end of a bin next to two standard deviations.
_NEAR = 2.25
EDGES = np.arange(-REACH - STEP / 2, REACH + STEP, STEP)


def count_distances(published: Sequence[float], chance: Sequence[float]) -> pd.DataFrame:
    """Count distances, in standard deviations of one run, in bins of half a one.

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


def _far(counts: pd.DataFrame, name: str) -> float:
    """Return the share of distances that lie in bins beyond `_NEAR`."""
    outside = (counts["low"] >= _NEAR) | (counts["high"] <= -_NEAR)
    return float(counts.loc[outside, name].sum() / max(counts[name].sum(), 1))


def _draw(counts: pd.DataFrame, title: str) -> Figure:
    figure = new_figure(2.7)
    axes = figure.subplots()
    shares = {
        name: 100 * counts[name] / max(counts[name].sum(), 1) for name in ("published", "runs")
    }
    edges = [*counts["low"], counts["high"].iloc[-1]]
    bars = axes.stairs(
        shares["published"], edges, fill=True, color=COLOURS[5],
        label=f"{counts['published'].sum():,} published values",
    )  # fmt: skip
    line = axes.stairs(
        shares["runs"], edges, color=COLOURS[1], linewidth=1.2,
        label=f"chance: {counts['runs'].sum():,} replicates of ours, each against the others",
    )  # fmt: skip
    axes.set(
        xlabel="published − reproduced, in standard deviations of one replicate",
        ylabel="% of the values",
        xlim=(-REACH - STEP, REACH + STEP),
    )
    _label_places(axes, shares["published"])
    axes.axvspan(-_NEAR, _NEAR, color="0.5", alpha=0.12, linewidth=0, zorder=0)
    beyond = axes.bar(
        [-REACH, REACH], shares["published"].iloc[[0, -1]], width=STEP, fill=False,
        hatch="/////", edgecolor=COLOURS[0], linewidth=0,
    )  # fmt: skip
    beyond[0].set_label(f"{REACH:g} or more away")
    far = {name: f"{100 * _far(counts, name):.0f} %" for name in shares}
    finding = f"{far['published']} are more than {_NEAR:g} away, by chance {far['runs']}"
    axes.set_title(f"{title}\n{finding}")
    legend_below(figure, [bars, beyond[0], line])
    bare_spines(axes)
    return figure


def _label_places(axes: Axes, published: pd.Series) -> None:
    """Write the distances below the axis, and above the outermost bars how high they are."""
    ticks = np.arange(-REACH, REACH + 1, 2)
    outer = {-REACH: f"≤ −{REACH:g}", REACH: f"≥ {REACH:g}"}
    axes.set_xticks(ticks, [outer.get(t, f"{t:g}".replace("-", "−")) for t in ticks])
    for place, height in zip((-REACH, REACH), published.iloc[[0, -1]], strict=True):
        if height:
            axes.text(place, height + 0.3, f"{height:.0f} %", ha="center", va="bottom")
