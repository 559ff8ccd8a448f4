"""Why half a row is added to the errors of a leaf: a binomial number and its normal."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from retree.errors import RetreeError
from retree.experiments.definition.item import Item
from retree.reports.context import Context
from retree.reports.document import Document, Table
from retree.reports.figures import COLOURS, bare_spines, legend_below, new_figure
from retree.reports.kind import FrameKind

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COMPUTED = "There are no folds: the probabilities are computed when this page is made."


@dataclass(frozen=True, kw_only=True)
class ContinuityCorrection(FrameKind):
    """The distribution of a binomial number, and the normal one of the same mean and deviation."""

    trials: int  # Draws, as the rows of a node
    probability: float  # Of each, as that of an error
    limit: int  # The greatest number that is asked for

    def check(self, item: Item) -> None:
        """Refuse a probability outside of (0, 1), or a limit beyond the draws."""
        if not (0 < self.probability < 1 and 0 <= self.limit <= self.trials):
            raise RetreeError(
                f"{item.name} needs a probability between 0 and 1, and a limit from 0 to trials."
            )

    @property
    def normal(self) -> NormalDist:
        """The normal distribution of the same mean and deviation."""
        n, p = self.trials, self.probability
        return NormalDist(n * p, math.sqrt(n * p * (1 - p)))

    def mass(self, number: int) -> float:
        """Return the probability of exactly `number`."""
        n, p = self.trials, self.probability
        return math.comb(n, number) * p**number * (1 - p) ** (n - number)

    def compare(self, context: Context) -> pd.DataFrame:
        """Return the probability of at most the limit in three ways."""
        ways = {
            "binomial": math.fsum(self.mass(k) for k in range(self.limit + 1)),
            "normal": self.normal.cdf(self.limit),
            "normal, corrected": self.normal.cdf(self.limit + 0.5),
        }
        return pd.DataFrame(ways.items(), columns=["distribution", "probability"])

    def document(self, context: Context, rows: pd.DataFrame) -> Document:
        """Return the three probabilities."""
        lines = [[name, f"{value:.4f}"] for name, value in rows.itertuples(index=False)]
        header = ["distribution", f"P(X ≤ {self.limit})"]
        return Document([_COMPUTED], [Table(header, lines)])

    def draw(self, context: Context, rows: pd.DataFrame) -> Iterator[tuple[str, Figure]]:
        """Yield the figure."""
        figure, normal = new_figure(2.4), self.normal
        axes = figure.subplots()
        width = 3.2 * normal.stdev
        low, high = math.floor(normal.mean - width), math.ceil(normal.mean + width)
        numbers = np.arange(max(0, low), min(self.trials, high) + 1)
        inside = numbers <= self.limit
        for chosen, alpha, label in (
            (inside, 0.55, f"binomial, at most {self.limit}"),
            (~inside, 0.2, "binomial, more"),
        ):
            heights = [self.mass(int(k)) for k in numbers[chosen]]
            axes.bar(numbers[chosen], heights, 1.0, color=COLOURS[0], alpha=alpha, label=label)
        x = np.linspace(numbers[0], numbers[-1], 400)
        axes.plot(x, [normal.pdf(v) for v in x], color=COLOURS[1], label="normal")
        for place, dashes in ((self.limit, ":"), (self.limit + 0.5, "--")):
            axes.axvline(place, color="black", linewidth=0.8, linestyle=dashes, label=f"{place:g}")
        axes.set_xlabel("number of errors")
        axes.set_ylabel("probability")
        bare_spines(axes)
        legend_below(figure, axes.get_legend_handles_labels()[0], ncols=3)
        yield "", figure
