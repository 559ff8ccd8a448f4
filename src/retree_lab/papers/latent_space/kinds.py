"""Searches beside the published numbers, and data sets in the plane that shows them best."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from retree.trees.latent.transforms import SVDRotation
from retree_lab.experiments.definition.method import Method
from retree_lab.reports.compare_items import compare_values
from retree_lab.reports.comparison import Comparison, comparison_table
from retree_lab.reports.context import Context, introduction
from retree_lab.reports.document import Bullets, Document, Entry, Table, TableCell, number_cell
from retree_lab.reports.figures import (
    WIDTH,
    bare_spines,
    conclude,
    draw_classes,
    legend_below,
    new_figure,
)
from retree_lab.reports.formatting import BLANK, number, verdict_legend
from retree_lab.reports.kinds import NumericKind, refuse_several
from retree_lab.reports.published import NOTHING, PublishedValue, published_name, read_measured
from retree_lab.reports.sections import grouped
from retree_lab.statistics import AGREEING
from retree_lab.statistics.metrics import find_metric

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

_WRITTEN = "algorithm as written"
_COLUMNS = [
    *("dataset", "method", "metric"),
    *("reproduced", "reproduced_std", "published", "published_std", "difference", "verdict"),
    *("n_folds", "params"),
]


@dataclass(frozen=True, kw_only=True)
class SearchTable(NumericKind):
    """A table for each algorithm and metric: results of its searches beside the published ones."""

    metrics: tuple[str, ...]
    # File in the folder of the paper with what another laboratory measured: ``dataset``, ``method``
    # and ``metric`` as published, ``value`` and ``std``.
    others: str
    others_name: str  # Whose numbers these are
    note: str  # What is to be said of them

    def compare(self, context: Context) -> Sequence[Comparison]:
        """Return the number of each search beside the published one of its algorithm."""
        return context.judge(self._compared(context))

    def comparisons(self, context: Context, rows: Sequence[Comparison]) -> Sequence[Comparison]:
        """Return none: the published numbers are judged once, in their own tables."""
        return ()

    def tables(self, rows: Sequence[Comparison]) -> Mapping[str, pd.DataFrame]:
        """Return the rows as a csv file that is not counted among the published numbers' tables."""
        return {"": comparison_table(rows)[_COLUMNS]} if rows else {}

    def document(self, context: Context, rows: Sequence[Comparison]) -> Document:
        """Return the tables, each with how many of its numbers agree."""
        others = read_measured(context.paper, self.others)
        algorithms = grouped(context.item.methods, published_name)
        tables = [
            self._table(rows, algorithm, methods, metric, others)
            for algorithm, methods in algorithms.items()
            for metric in self.metrics
        ]
        legend = [self.note, *verdict_legend(rows)]
        return Document(introduction(context), [*tables, Bullets(legend)])

    def _compared(self, context: Context) -> Iterator[Comparison]:
        runs = context.runs
        for dataset in context.item.datasets:
            label = context.item.label(dataset)
            for method in context.item.methods:
                choice = context.best.get((dataset, method.key))
                for metric in self.metrics:
                    places = context.published.places(published_name(method), metric)
                    if choice is None or label not in places:
                        continue
                    place = dataset, method, metric
                    run = runs.find(dataset, method.key, metric)
                    yield compare_values(context.item, place, choice, places[label][1], run)

    def _table(
        self,
        rows: Sequence[Comparison],
        algorithm: str,
        methods: Sequence[Method],
        metric: str,
        others: Mapping[tuple[str, ...], PublishedValue],
    ) -> Table:
        names = [method.name for method in methods]
        cells = {(c.dataset, c.method): c for c in rows if c.metric == metric and c.method in names}
        lines: list[list[Entry]] = []
        for dataset in dict.fromkeys(label for label, _ in cells):
            row = [cells.get((dataset, name)) for name in names]
            theirs = others.get((dataset, algorithm, metric), NOTHING)
            first = next(c for c in row if c is not None)
            published = replace(
                first, reproduced=first.published, reproduced_std=first.published_std
            )
            lines.append(
                [
                    dataset,
                    TableCell(number_cell(published).text),
                    *(_own_cell(c) for c in row),
                    _with_std(metric, theirs),
                ]
            )
        agreeing = [_count(c for (_, m), c in cells.items() if m == name) for name in names]
        lines.append([TableCell("agree", sums=True), "", *agreeing, ""])
        searches = [str(method.about.get("interpretation", _WRITTEN)) for method in methods]
        header = ["data set", "published", *searches, self.others_name]
        return Table(header, lines, title=f"{algorithm}: {find_metric(metric).label}")


def _own_cell(comparison: Comparison | None) -> Entry:
    """Return a number without the published one, which has a column of its own."""
    return BLANK if comparison is None else replace(number_cell(comparison), published="")


def _with_std(metric: str, theirs: PublishedValue) -> str:
    text = number(metric, theirs.value)
    return text if math.isnan(theirs.std) else f"{text}±{number(metric, theirs.std)}"


def _count(comparisons: Iterator[Comparison]) -> str:
    judged = [c.verdict for c in comparisons if c.verdict]
    return f"{sum(verdict in AGREEING for verdict in judged)} of {len(judged)}"


def projection(context: Context) -> Figure:
    """Return all rows of the one data set in the original and in the latent space.

    Each space is shown in the plane of its two features with the highest scatter ratio
    (`best_pair` of ``separation.py``).
    """
    refuse_several(context.item, "draws")
    dataset = context.dataset(context.item.datasets[0])
    X = dataset.X.to_numpy(dtype=np.float64)
    labels, codes = np.unique(dataset.y.to_numpy(dtype=str), return_inverse=True)
    classes = [f"class {label}" for label in labels]
    spaces = {
        "original space": (X, [str(column) for column in dataset.X]),
        "latent space": (SVDRotation().fit_transform(X), [f"y{i + 1}" for i in range(X.shape[1])]),
    }
    figure = new_figure(WIDTH / len(spaces) + 0.75)
    panels = figure.subplots(1, len(spaces))
    for letter, axes, (space, (rows, names)) in zip("ab", panels, spaces.items(), strict=True):
        _draw(axes, f"({letter}) {space}", rows, codes, names, classes)
    legend_below(figure, [_opaque(line) for line in panels[0].get_lines()], ncols=len(labels))
    ratios = [best_pair(rows, codes).scatter_ratio for rows, _ in spaces.values()]
    seen = ", ".join(f"{r:.2f} in the {space}" for r, space in zip(ratios, spaces, strict=True))
    words = f"{len(codes):,} rows in two planes; scatter ratios: {seen}"
    return conclude(figure, scatter_finding(*ratios), words)


def scatter_finding(original: float, latent: float) -> str:
    """Return the scatter ratios of two spaces, which is not how well they separate classes."""
    return (
        f"In the two best axes the scatter ratio is {original:.2f} in the original space and "
        f"{latent:.2f} in the latent one"
    )


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


Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Pair:
    """Two features, the lower first, and the scatter ratio of the classes in their plane."""

    first: int
    second: int
    scatter_ratio: float


def best_pair(X: Matrix, codes: NDArray[np.intp]) -> Pair:
    """Return the two features with the highest scatter ratio, ties to the lowest.

    The scatter ratio of a plane is Fisher's criterion ``trace(W^-1 B)``, W and B the scatter
    matrices within and between the classes (Fukunaga 1990, eq. 10.5). It does not change under
    scaling, shifting or turning within the plane. A plane in which the classes have no spread
    within a direction (W singular) has the ratio 0.

    Shapes: `X` (n_samples, n_features), `codes` (n_samples,).
    """
    if X.shape[1] < 2:
        raise ValueError(f"A plane needs two features, but X has {X.shape[1]}.")
    within, between = _scatter(X, codes)
    first, second = np.triu_indices(X.shape[1], k=1)
    a, b, c = within[first, first], within[first, second], within[second, second]
    # trace(W^-1 B) of a 2 x 2 matrix W, by its adjugate.
    mixed = c * between[first, first] + a * between[second, second] - 2 * b * between[first, second]
    determinant = a * c - b * b
    # Rounding leaves a singular matrix a determinant of either sign.
    regular = determinant > 1e-12 * a * c
    ratio = np.divide(mixed, determinant, out=np.zeros_like(mixed), where=regular)
    best = int(ratio.argmax())
    return Pair(int(first[best]), int(second[best]), float(ratio[best]))


def _scatter(X: Matrix, codes: NDArray[np.intp]) -> tuple[Matrix, Matrix]:
    """Return the scatter matrices within and between classes, (n_features, n_features) each."""
    within = np.zeros((X.shape[1], X.shape[1]))
    between = np.zeros_like(within)
    centre = X.mean(axis=0)
    for code in np.unique(codes):
        rows = X[codes == code]
        mean = rows.mean(axis=0)
        within += (rows - mean).T @ (rows - mean)
        between += len(rows) * np.outer(mean - centre, mean - centre)
    return within, between
