"""Average ranks: dots in a row for each method, or slopes from one way of choosing to another."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pandas as pd

from retree_lab.experiments.definition.item import BEST_TEST, NESTED
from retree_lab.reports.figures import (
    COLOURS,
    bare_spines,
    conclude,
    label_rows,
    new_figure,
    spread,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# How parameters were chosen, as a title.
SHORT = {BEST_TEST: "chosen on\nthe test rows", NESTED: "chosen inside\nthe training folds"}
_ROW, _AROUND = 0.17, 0.75  # inches for a method, and for title and axis
_SLOPE_ROW, _LINE = 0.24, 0.12
_NAME, _SHORT_NAME = 26, 14  # characters before a name is broken, and of the longest beside slopes
_FELL: dict[str, Any] = {"color": COLOURS[1], "linestyle": "--", "linewidth": 1.6}
_ROSE: dict[str, Any] = {"color": COLOURS[0], "linewidth": 1.6}
_OTHER: dict[str, Any] = {"color": "0.5", "linewidth": 0.8}


@dataclass(frozen=True)
class Ranks:
    """Average ranks under one way of choosing parameters."""

    ranks: Mapping[str, float]
    critical_difference: float
    n_datasets: int  # How many data sets the ranks are averaged over
    title: str = ""
    # The lowest and the highest rank of each method in a single replicate, as far as known.
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    n_runs: int = 1
    # In how many replicates each method is first; of one run that is clear.
    first_in: Mapping[str, int] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """The methods, best first."""
        return sorted(self.ranks, key=lambda name: (self.ranks[name], name))

    @property
    def labels(self) -> list[str]:
        """The methods with their ranks, long names on several lines."""
        return [textwrap.fill(f"{name}  {self.ranks[name]:.2f}", _NAME) for name in self.names]

    @property
    def height(self) -> float:
        """Inches of a panel of dots."""
        lines = max(label.count("\n") for label in self.labels)
        return (_ROW + _LINE * lines) * len(self.labels) + _AROUND

    @property
    def near(self) -> list[str]:
        """The methods that do not differ significantly from the best one, itself among them."""
        best = min(self.ranks.values())
        return [n for n in self.names if self.ranks[n] - best < self.critical_difference]

    def times_first(self, name: str) -> int:
        """Return in how many replicates a method is first."""
        is_first = self.ranks[name] == min(self.ranks.values())
        return self.first_in.get(name, self.n_runs * is_first)

    @property
    def finding(self) -> str:
        """A sentence on which method is first, how often, and how many are significantly behind."""
        best, n_behind = self.names[0], len(self.ranks) - len(self.near)
        behind = f"{n_behind or 'none'} of {len(self.ranks) - 1} others is significantly behind"
        behind = behind.replace("is", "are") if n_behind > 1 else behind
        return f"{self._first(best)}; {behind}"

    def _first(self, best: str) -> str:
        level = [n for n in self.names if math.isclose(self.ranks[n], self.ranks[best])]
        if len(level) > 1:
            return f"{' and '.join(level)} share the best average rank"
        times = self.times_first(best)
        verb = "is" if times == self.n_runs else "has the best average rank, and is"
        return f"{best} {verb} first{self._replicates(times)}"

    def _replicates(self, count: int) -> str:
        """Return in how many replicates something is so, "" of one run."""
        of = "each of" if count == self.n_runs else f"{count} of"
        return f" in {of} {self.n_runs} replicates" if self.n_runs > 1 else ""

    def finding_before(self, after: Ranks) -> str:
        """Say how the first method ranks when parameters are chosen as in `after`."""
        name = self.names[0]
        ranks = f"average rank {self.ranks[name]:.1f} → {after.ranks[name]:.1f}"
        times = self.times_first(name), after.times_first(name)
        if times == (self.n_runs, 0):
            said = f"{name} loses its first place{after._replicates(after.n_runs)}"
        elif times == (self.n_runs, after.n_runs):
            said = f"{name} is first both ways{after._replicates(after.n_runs)}"
        else:
            said = f"{self._first(name)}, then in {times[1]}"
        return f"{said}: {ranks}"

    @property
    def seen(self) -> str:
        """All ranks in a sentence."""
        ranks = ", ".join(f"{name} {self.ranks[name]:.2f}" for name in self.names)
        head = f"Parameters {' '.join(self.title.split())}: average" if self.title else "Average"
        return f"{head} ranks over {self.n_datasets} data sets{self.over_replicates} are {ranks}"

    @property
    def over_replicates(self) -> str:
        """Return a text on the number of replicates that ranks are means of, "" for one run."""
        return f" and {self.n_runs} replicates" if self.n_runs > 1 else ""


def ranks_in(
    methods: pd.DataFrame, tests: pd.DataFrame, titles: Mapping[str, str] = SHORT
) -> list[Ranks]:
    """Return the ranks in the two csv files of an item; `titles`: of each way of choosing."""
    rankings = []
    for test in tests.to_dict("records"):
        by_method = methods[methods["selection"] == test["selection"]].set_index("method")
        ends = by_method.reindex(columns=["rank_lowest", "rank_highest"]).dropna()
        rankings.append(
            Ranks(
                by_method["average_rank"].to_dict(),
                test["critical_difference"],
                test["n_datasets"],
                titles.get(test["selection"], ""),
                {str(row.Index): (row.rank_lowest, row.rank_highest) for row in ends.itertuples()},
                int(by_method["n_runs"].max()) if len(ends) else 1,
                by_method["n_first"].to_dict() if len(ends) else {},
            )
        )
    return rankings


def draw_ranks(rankings: Sequence[Ranks], data: str = "") -> Figure:
    """Return slopes between two rankings of the same methods, and panels of dots of others.

    Long names leave no room for slopes. `data`: begins the title where data are not the paper's.
    """
    names = [set(ranking.ranks) for ranking in rankings]
    if len(rankings) == 2 and names[0] == names[1] and max(map(len, names[0])) <= _SHORT_NAME:
        return _slopes(*rankings)
    heights = [ranking.height for ranking in rankings]
    figure = new_figure(sum(heights) + 0.3)
    panels = figure.subplots(len(rankings), 1, squeeze=False, height_ratios=heights)[:, 0]
    for axes, ranking in zip(panels, rankings, strict=True):
        _draw_dots(axes, ranking)
    return conclude(
        figure, f"{data}{rankings[-1].finding}", ". ".join(ranking.seen for ranking in rankings)
    )


def _draw_dots(axes: Axes, ranking: Ranks) -> None:
    from matplotlib.ticker import MaxNLocator

    names = ranking.names
    best = ranking.ranks[names[0]]
    axes.axvspan(best, best + ranking.critical_difference, color="0.5", alpha=0.15, linewidth=0)
    for row, name in enumerate(names):
        if name in ranking.ranges:
            axes.plot(ranking.ranges[name], [row, row], color=COLOURS[0], linewidth=1.2, alpha=0.5)
        axes.plot([ranking.ranks[name]], [row], "o", color=COLOURS[0], markersize=3.5)
    label_rows(axes, ranking.labels)
    axes.set_xlim(1, len(names))
    axes.set_title(ranking.title)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    lines = "line: range in single replicates\n" * bool(ranking.ranges)
    axes.set_xlabel(
        f"average rank over {ranking.n_datasets} data sets (1 is best)\n"
        f"{lines}shaded: not significantly worse",
        loc="right",  # where names are long, there is more room on the left
    )
    bare_spines(axes)
    axes.spines["left"].set_visible(False)


def _slopes(before: Ranks, after: Ranks) -> Figure:
    """Return a line for each method from its rank on the left to its rank on the right."""
    n = len(before.ranks)
    gap = _LINE / _SLOPE_ROW  # of a line of text, in ranks
    figure = new_figure(_SLOPE_ROW * n + 1.1)
    axes = figure.subplots()
    for name in before.names:
        ends = [before.ranks[name], after.ranks[name]]
        axes.plot([0, 1], ends, marker="o", **_look(name, before, after))
    for x, ranking, align in ((0.0, before, "right"), (1.0, after, "left")):
        heights = spread([ranking.ranks[name] for name in ranking.names], gap)
        for name, height in zip(ranking.names, heights, strict=True):
            rank = f"{ranking.ranks[name]:.2f}"
            words = f"{name}  {rank}" if align == "right" else f"{rank}  {name}"
            away = -5 if align == "right" else 5, 0
            axes.annotate(
                words, (x, height), away, textcoords="offset points", ha=align, va="center"
            )
    every = [*before.ranks.values(), *after.ranks.values()]
    axes.set(xlim=(-0.02, 1.02), ylim=(max(every) + 0.3, min(every) - 0.3))
    axes.set_xticks([0, 1], [before.title, after.title])
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.set_yticks([])
    axes.spines[:].set_visible(False)
    axes.set_xlabel(
        f"average rank over {after.n_datasets} data sets{after.over_replicates};\n"
        f"differences below {after.critical_difference:.2f} are not significant"
    )
    return conclude(figure, before.finding_before(after), f"{before.seen}. {after.seen}")


def _look(name: str, before: Ranks, after: Ranks) -> dict[str, Any]:
    """Return how the first method on the left, the first one on the right, and others look."""
    if name == after.names[0]:
        return _ROSE
    return _FELL if name == before.names[0] else _OTHER
