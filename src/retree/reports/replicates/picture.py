"""The picture of published minus reproduced, in standard deviations of one run, against chance."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from retree.reports.figures import COLOURS, bare_spines, save_figure, style

# What is farther away stands in the outermost bars.
REACH = 8.0
WIDTH = 0.5


def draw_distances(
    published: Sequence[float], chance: Sequence[float], base: Path, title: str
) -> list[Path]:
    """Draw how far published values are from ours, and how far runs of ours are from each other.

    Parameters
    ----------
    published : sequence of float
        Published minus reproduced, in standard deviations of one run.
    chance : sequence of float
        The same of each run of ours against the others.
    base : Path
        The files without their suffixes.
    title : str
        What the numbers are of.
    """
    with style():
        figure = _draw(np.asarray(published), np.asarray(chance), title)
        try:
            return save_figure(figure, base)
        finally:
            plt.close(figure)


def _draw(published: NDArray[np.float64], chance: NDArray[np.float64], title: str) -> Figure:
    figure, axes = plt.subplots(figsize=(6.4, 3.4), layout="constrained")
    edges = np.arange(-REACH - WIDTH / 2, REACH + WIDTH, WIDTH)
    clipped = [np.clip(values, -REACH, REACH) for values in (published, chance)]
    axes.hist(
        clipped[0],
        list(edges),
        weights=np.full(len(published), 100 / max(len(published), 1)),
        color=COLOURS[0],
        alpha=0.75,
        label=f"{len(published):,} published values",
    )
    counts = np.histogram(clipped[1], edges)[0]
    axes.stairs(
        100 * counts / max(len(chance), 1),
        edges,
        color=COLOURS[1],
        linewidth=1.6,
        label=f"chance: {len(chance):,} runs of ours",
    )
    axes.set(
        xlabel="difference from our mean, in standard deviations of one run",
        ylabel="% of the values",
        xlim=(-REACH - WIDTH, REACH + WIDTH),
    )
    ticks = np.arange(-REACH, REACH + 1, 2)
    outer = {-REACH: f"≤ −{REACH:g}", REACH: f"≥ {REACH:g}"}
    axes.set_xticks(ticks, [outer.get(t, f"{t:g}".replace("-", "−")) for t in ticks])
    axes.set_title(title, size=10)
    axes.legend(frameon=False)
    bare_spines(axes)
    return figure
