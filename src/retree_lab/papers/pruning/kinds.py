"""The path of cost-complexity pruning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd

from retree_lab.experiments.definition.method import Method
from retree_lab.reports.context import Context
from retree_lab.reports.figures import bare_spines, conclude, legend_below, line_style, new_figure
from retree_lab.reports.selection import OUTER

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_POINT = ["dataset", "method", "point"]
_COLUMNS = 2
_HEIGHT = 1.0  # of a panel and its title, in inches
_AROUND = 1.0  # inches for the title, the name of the axis and the legend
_TICKS = (1.0, 3.0)  # times powers of ten
_NEAR = 1.0  # points of accuracy
# The step from the root to the first split would set the scale.
_LEAST_LEAVES = 1.5


def path_points(frame: pd.DataFrame) -> pd.DataFrame:
    """Return mean leaves and accuracy of each complete point of the grid.

    `frame`: results of an item, as from `retree_lab.experiments.storing.results.results_frame`.
    Returns columns ``dataset``, ``method`` (key), ``point``, ``leaves`` and ``accuracy``, by data
    set, method and falling size.
    """
    outer = frame[frame["inner"] == OUTER]
    groups = outer.groupby(_POINT)
    n_done = outer["status"].eq("done").groupby([outer[name] for name in _POINT]).sum()
    means = groups[["leaves", "accuracy"]].mean()[n_done == groups.size()].reset_index()
    return means.sort_values(["dataset", "method", "leaves"], ascending=[True, True, False])


def pruning_path(context: Context) -> Figure:
    """Return a panel for each data set, a line for each method.

    A point is the mean over the folds of the trees pruned at one alpha.
    """
    datasets, methods = context.item.datasets, context.item.methods
    points = path_points(context.frame)
    n_rows = -(-len(datasets) // _COLUMNS)
    n_columns = min(_COLUMNS, len(datasets))
    figure = new_figure(_HEIGHT * n_rows + _AROUND)
    panels = figure.subplots(n_rows, n_columns, squeeze=False, sharey=True).ravel()
    for axes, dataset in zip(panels, datasets, strict=False):
        _draw(axes, dataset, methods, points[points["dataset"] == dataset])
    for axes in panels[len(datasets) :]:
        axes.set_axis_off()
    for axes in panels[: len(datasets)][-n_columns:]:
        axes.set_xlabel("leaves (logarithmic)")
    figure.supylabel("test accuracy, minus that of the unpruned tree, in points", size="medium")
    legend_below(figure, panels[0].get_legend_handles_labels()[0], ncols=3)
    return conclude(figure, finding(points), _seen(points))


def _seen(points: pd.DataFrame) -> str:
    """Return between which sizes and accuracies the paths run, for each data set."""
    ends = points.groupby("dataset")[["leaves", "accuracy"]].agg(["min", "max"])
    sentences = [
        f"{name}: {row['leaves', 'min']:.0f} to {row['leaves', 'max']:.0f} leaves, "
        f"{100 * row['accuracy', 'min']:.0f} to {100 * row['accuracy', 'max']:.0f} %"
        for name, row in ends.iterrows()
    ]
    return f"Accuracy by leaves. {'; '.join(sentences)}"


def finding(points: pd.DataFrame) -> str:
    """Return how often trees of half of the leaves cost less than `_NEAR` points of accuracy."""
    paths = [path for _, path in points.groupby(["dataset", "method"])]
    count = 0
    for path in paths:
        full = path[path["leaves"] == path["leaves"].max()]["accuracy"].max()
        half = path[path["leaves"] <= path["leaves"].max() / 2]
        count += bool((half["accuracy"] > full - _NEAR / 100).any())
    return (
        f"On {count} of {len(paths)} paths a tree with half of the leaves "
        f"loses less than {_NEAR:g} point of accuracy"
    )


def _draw(axes: Axes, dataset: str, methods: Sequence[Method], points: pd.DataFrame) -> None:
    from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator, StrMethodFormatter

    for place, method in enumerate(methods):
        path = points[points["method"] == method.key]
        path = path[path["leaves"] >= min(_LEAST_LEAVES, path["leaves"].max())]
        if path.empty:
            continue
        change = 100 * (path["accuracy"] - path["accuracy"].iloc[0])
        axes.plot(path["leaves"], change, label=method.name, **line_style(place))
    axes.axhline(0, color="0.5", linewidth=0.6, zorder=0)
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=_TICKS))
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_locator(MaxNLocator(nbins=4, integer=True))
    axes.set_title(dataset)
    bare_spines(axes)
