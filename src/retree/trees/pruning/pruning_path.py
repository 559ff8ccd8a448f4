"""The trees of a pruning with their errors, and a drawing of these."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from retree.trees.validation import check_choice

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DECADES = 30.0  # values whose ratio is greater stand on a scale of logarithms


@dataclass(frozen=True, eq=False)
class PruningPath:
    """Trees of one pruning, from the largest to the smallest."""

    parameter: str
    # Its values. Of "alpha" the least one of each tree; it is judged between that and the next;
    # shape (n_trees,).
    values: NDArray[np.float64]
    n_leaves: NDArray[np.int64]  # Leaves of the trees of all rows; shape (n_trees,)
    # Error rates (mean squared errors of a regression) on the folds, weighted; shape (n_trees,).
    errors: NDArray[np.float64]
    # Standard errors of `errors`, of all rows as one sample; shape (n_trees,).
    standard_errors: NDArray[np.float64]
    chosen: int  # Position of the chosen tree

    def plot(self, ax: Axes | None = None, *, x: str = "leaves") -> Axes:
        """Draw the errors over the number of leaves, or over the parameter.

        Returns with bars of one standard error, a dashed line one standard error above the lowest
        error, and the chosen tree marked.
        """
        check_choice("x", x, ("leaves", "value"))
        import matplotlib.pyplot as plt

        ax = plt.subplots()[1] if ax is None else ax
        places = self.n_leaves if x == "leaves" else self.values
        ax.errorbar(places, self.errors, self.standard_errors, fmt="o-", ms=3, lw=1, capsize=2)
        least = int(self.errors.argmin())
        limit = self.errors[least] + self.standard_errors[least]
        ax.axhline(limit, ls="--", lw=1, color="0.5", label="lowest error + 1 standard error")
        chosen = self.chosen
        label = f"chosen: {self.parameter} = {self.values[chosen]:.3g}"
        ax.plot(places[chosen], self.errors[chosen], "o", ms=9, mfc="none", mec="C3", label=label)
        _scale(ax, places, x, self.parameter)
        ax.set_ylabel("error on held-out folds")
        ax.legend()
        return ax


def _scale(ax: Axes, places: NDArray[Any], x: str, parameter: str) -> None:
    """Set the horizontal axis."""
    from matplotlib.ticker import MaxNLocator

    positive = places[places > 0]
    if len(positive) and positive.max() > _DECADES * positive.min():
        if len(positive) == len(places):
            ax.set_xscale("log")
        else:
            ax.set_xscale("symlog", linthresh=float(positive.min()))
    elif x == "leaves":
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_xlabel("leaves" if x == "leaves" else parameter)
