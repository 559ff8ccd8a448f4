"""The errors of the trees of a pruning, drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt
from matplotlib.ticker import MaxNLocator

from retree.trees.validation import check_choice

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from retree.trees.pruning.cross_validated import PruningPath

_DECADES = 30.0  # values whose ratio is greater stand on a scale of logarithms


def plot_path(path: PruningPath, ax: Axes | None = None, *, x: str = "leaves") -> Axes:
    """Draw the cross-validated errors of a path over the number of leaves, or over the parameter.

    Parameters
    ----------
    path : PruningPath
    ax : Axes or None, default=None
        Where to draw; None makes a new figure.
    x : {"leaves", "value"}, default="leaves"
        What stands on the horizontal axis.

    Returns
    -------
    Axes
        With bars of one standard error, the greatest error within one of the least as a dashed
        line, and the chosen tree marked.

    Raises
    ------
    ValueError
        If `x` is neither of these.
    """
    check_choice("x", x, ("leaves", "value"))
    ax = plt.subplots()[1] if ax is None else ax
    places = path.n_leaves if x == "leaves" else path.values
    ax.errorbar(places, path.errors, path.standard_errors, fmt="o-", ms=3, lw=1, capsize=2)
    least = int(path.errors.argmin())
    limit = path.errors[least] + path.standard_errors[least]
    ax.axhline(limit, ls="--", lw=1, color="0.5", label="least error + 1 standard error")
    chosen = path.chosen
    n = path.n_leaves[chosen]
    label = (
        f"chosen: {path.parameter} = {path.values[chosen]:.3g}, {n} lea{'f' if n == 1 else 'ves'}"
    )
    ax.plot(places[chosen], path.errors[chosen], "o", ms=9, mfc="none", mec="C3", label=label)
    _scale(ax, places, x, path.parameter)
    ax.set_ylabel("error on held-out folds")
    ax.legend()
    return ax


def _scale(ax: Axes, places: NDArray[Any], x: str, parameter: str) -> None:
    """Set the horizontal axis."""
    positive = places[places > 0]
    if len(positive) and positive.max() > _DECADES * positive.min():
        if len(positive) == len(places):
            ax.set_xscale("log")
        else:
            ax.set_xscale("symlog", linthresh=float(positive.min()))
    elif x == "leaves":
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_xlabel("leaves" if x == "leaves" else parameter)
