"""A data set in the plane that shows its classes best, before and after SVD."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from retree.datasets import Dataset, load_dataset
from retree.experiments.definition.item import Item
from retree.reports.context import Context
from retree.reports.figures import (
    WIDTH,
    bare_spines,
    draw_classes,
    legend_below,
    new_figure,
    panel_letter,
)
from retree.reports.kind import Kind, refuse_several
from retree.statistics.separation import best_pair
from retree.trees.latent.transforms import SVDRotation

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D


@dataclass(frozen=True, kw_only=True)
class Projection(Kind[None]):
    """All rows of one data set in the original and in the latent space.

    Each space is shown in the plane of its two features of greatest scatter ratio
    (`retree.statistics.separation.best_pair`). A data set that is unavailable leaves no figure.
    """

    def check(self, item: Item) -> None:
        """Refuse an item of more than one data set."""
        refuse_several(item, "draws")

    def draw(self, context: Context, rows: None) -> Iterator[tuple[str, Figure]]:
        """Yield the figure."""
        name = context.item.datasets[0]
        if name not in context.plan.unavailable:
            yield "", _figure(load_dataset(name, sources=context.experiment.sources))


def _figure(dataset: Dataset) -> Figure:
    X = dataset.X.to_numpy(dtype=np.float64)
    labels, codes = np.unique(dataset.y.to_numpy(dtype=str), return_inverse=True)
    classes = [f"class {label}" for label in labels]
    spaces = {
        "original space": (X, [str(column) for column in dataset.X]),
        "latent space": (SVDRotation().fit_transform(X), [f"y{i + 1}" for i in range(X.shape[1])]),
    }
    figure = new_figure(WIDTH / len(spaces) + 0.75)
    panels = figure.subplots(1, len(spaces))
    for i, (axes, (space, (rows, names))) in enumerate(zip(panels, spaces.items(), strict=True)):
        _draw(axes, f"{panel_letter(i)} {space}", rows, codes, names, classes)
    legend_below(figure, [_opaque(line) for line in panels[0].get_lines()], ncols=len(labels))
    return figure


def _opaque(line: Line2D) -> Line2D:
    """Return the mark of a class for the legend, which can be seen."""
    from matplotlib.lines import Line2D

    mark = Line2D([], [])
    mark.update_from(line)
    mark.set(alpha=1, markersize=4, markeredgewidth=1, label=line.get_label())
    return mark


def _draw(
    axes: Axes,
    title: str,
    rows: NDArray[np.float64],
    codes: NDArray[np.intp],
    names: Sequence[str],
    classes: Sequence[str],
) -> None:
    pair = best_pair(rows, codes)
    plane = [pair.first, pair.second]
    draw_classes(axes, rows[:, plane], codes, classes, size=1.5, alpha=0.35)
    axes.set_xlabel(names[pair.first])
    axes.set_ylabel(names[pair.second])
    axes.set_title(f"{title}\nscatter ratio {pair.scatter_ratio:.2f}")
    bare_spines(axes)
