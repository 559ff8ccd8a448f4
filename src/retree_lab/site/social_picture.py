"""The picture that others show with a link to a page: published accuracies against ours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path

import pandas as pd

from retree_lab.reports.agreement import is_judged_accuracy, percent_values, published_numbers
from retree_lab.reports.comparison import COUNTED, words_of
from retree_lab.reports.figures import COLOURS, style
from retree_lab.site.rendered_papers import PaperFiles

NAME = "social.png"
_INCHES, _DPI = (6.0, 3.15), 200  # 1,200 by 630 pixels, as networks show it
_ROWS = 2
_KEY = ("blue:", "yellow:", "red:")
_COLOURS = dict(zip(COUNTED, (COLOURS[0], COLOURS[4], COLOURS[1]), strict=True))


def draw_social_picture(
    papers: Sequence[PaperFiles], comparisons: pd.DataFrame, folder: Path
) -> None:
    """Draw a panel of dots for each of `papers` whose accuracies are judged, as a png."""
    from matplotlib.figure import Figure

    numbers = published_numbers(comparisons)
    numbers = numbers[is_judged_accuracy(numbers)]
    shown = [files for files in papers if files.name in set(numbers["paper"])]
    if not shown:
        return
    with style():
        figure = Figure(figsize=_INCHES, layout="constrained")
        every = figure.subplots(_ROWS, math.ceil(len(shown) / _ROWS), squeeze=False).flat
        for axes, files in zip_longest(every, shown):
            if files is None:
                axes.set_axis_off()
                continue
            own = numbers[numbers["paper"] == files.name]
            theirs, ours = (percent_values(own, name) for name in ("published", "reproduced"))
            axes.scatter(theirs, ours, s=2.5, c=words_of(own).map(_COLOURS), linewidths=0)
            axes.axline((0, 0), slope=1, color="0.5", linewidth=0.5, zorder=0)
            ends = min(theirs.min(), ours.min()), max(theirs.max(), ours.max())
            axes.set(title=files.called, xlim=ends, ylim=ends, xticks=(), yticks=(), aspect=1)
            axes.title.set_fontsize(5.5)
        figure.suptitle("Published accuracies against ours", fontsize=13, fontweight="bold")
        key = ", ".join(f"{colour} {word}" for colour, word in zip(_KEY, COUNTED, strict=True))
        figure.supxlabel(f"published →   {key}", fontsize=8)
        figure.supylabel("ours →", fontsize=8)
        figure.savefig(folder / NAME, dpi=_DPI, metadata={"Software": None})
