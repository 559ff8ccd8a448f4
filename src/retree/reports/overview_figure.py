"""How many numbers of each paper agree, by one rule in each panel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from retree.reports.figures import COLOURS, bare_spines, conclude, label_rows, new_figure
from retree.reports.headlines import count_headlines
from retree.statistics.intervals import exact_interval

_ROW, _PAIR, _AROUND = 0.16, 0.28, 0.55  # inches for a row of one line, of two, and all else
_CHANCE = 95  # per cent that lie in a 95 % interval by chance
_COUNTS = 175  # per cent: the counts stand right of 100 %


def draw_overview(cells: pd.DataFrame, called: dict[str, str]) -> Figure:
    """Draw the shares of accuracies within 1 point, of numbers in the interval, and of equal ones.

    To be called in `retree.reports.figures.style`.

    `cells`: the judged rows of `retree.reports.headlines.published_numbers`. `called`: how readers
    call the papers. Papers stand in the order of their share of accuracies within 1 point.
    """
    papers = count_headlines(cells, ["paper"])
    papers["near_share"] = (papers["near"] / papers["accuracies"]).fillna(-1.0)
    papers = papers.sort_values("near_share", ascending=False, kind="stable")
    near = papers[papers["accuracies"] > 0].set_index("paper")
    by_digits = cells["steps"].notna()
    by_interval = cells["low"].notna() & ~by_digits
    panels = [
        _Panel("accuracies within 1 point", near, near["near"], near["accuracies"]),
        *(
            _Panel(rule, counts, counts["agree"], counts["judged"])
            for rule, chosen in (("in the interval of a replicate", by_interval),
                                 ("equal to the printed digit", by_digits))
            if len(counts := _by_kind(cells[chosen], list(papers["paper"])))
        ),
    ]  # fmt: skip
    panels = [panel for panel in panels if len(panel.counts)]
    figure = new_figure(sum(panel.height for panel in panels) + 0.4)
    heights = [panel.height for panel in panels]
    shown = figure.subplots(len(panels), 1, squeeze=False, height_ratios=heights)[:, 0]
    for axes, panel in zip(shown, panels, strict=True):
        panel.draw(axes, called)
    return conclude(figure, _finding(near, called), ". ".join(p.seen(called) for p in panels))


def _finding(near: pd.DataFrame, called: dict[str, str]) -> str:
    if near.empty:
        return "No accuracies are judged"
    shares = near["near_share"].items()
    ends = [f"{share:.0%} ({called[str(paper)]})" for paper, share in shares]
    return f"Accuracies within 1 point: from {ends[0]} to {ends[-1]}".replace("%", " %")


@dataclass(frozen=True)
class _Panel:
    """The shares of papers, or of papers and kinds of numbers, by one rule."""

    rule: str
    counts: pd.DataFrame  # With the papers, or papers and kinds, as index
    hits: pd.Series
    of: pd.Series

    @property
    def height(self) -> float:
        """Inches."""
        return (_PAIR if self.counts.index.nlevels > 1 else _ROW) * len(self.counts) + _AROUND

    def names(self, called: dict[str, str], separator: str) -> list[str]:
        """Return what the rows are called."""
        places = (place if isinstance(place, tuple) else (place,) for place in self.counts.index)
        return [
            separator.join([called[paper], *(k.split()[0] for k in kind)])
            for paper, *kind in places
        ]

    def seen(self, called: dict[str, str]) -> str:
        """Return the panel in a sentence."""
        shares = zip(self.names(called, ", "), self.hits, self.of, strict=True)
        return f"{self.rule}: {'; '.join(f'{n} {hit:,} of {of:,}' for n, hit, of in shares)}"

    def draw(self, axes: Axes, called: dict[str, str]) -> None:
        """Draw a dot with its exact 95 % interval and the counts for each row."""
        for row, (hit, count) in enumerate(zip(self.hits, self.of, strict=True)):
            ends = [100 * end for end in exact_interval(hit, count)]
            axes.plot(ends, [row, row], color=COLOURS[0], linewidth=1.2, alpha=0.5)
            axes.plot([100 * hit / count], [row], "o", color=COLOURS[0], markersize=3.5)
            axes.text(_COUNTS, row, f"{hit:,} / {count:,}", ha="right", va="center")
        label_rows(axes, self.names(called, ",\n"))
        axes.set(xlim=(0, _COUNTS), xticks=range(0, 101, 25), xlabel=f"% {self.rule}")
        if "interval" in self.rule:
            axes.axvline(_CHANCE, color="0.5", linewidth=0.6, linestyle=":", zorder=0)
            axes.set_xlabel(f"% {self.rule}\n(dotted: by chance)")
        bare_spines(axes)


def _by_kind(cells: pd.DataFrame, papers: Sequence[str]) -> pd.DataFrame:
    """Return the counts by paper, in the order of `papers`, and by kind."""
    counts = count_headlines(cells)
    counts["place"] = counts["paper"].map({paper: place for place, paper in enumerate(papers)})
    return counts.sort_values(["place", "kind"]).set_index(["paper", "kind"])
