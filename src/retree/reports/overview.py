"""All cells of all papers: reproduced against printed, and how many agree."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from retree.errors import RetreeError
from retree.reports.comparison import CSV_COLUMNS
from retree.reports.figures import COLOURS, bare_spines, save_figure, style
from retree.statistics import Verdict
from retree.statistics.metrics import Kind, find_metric
from retree.study.composing import available

Colours = Mapping[str, str]

# Verdict: marker, and size of it in points.
_MARKS = {
    Verdict.AGREES: ("o", 3.2),
    Verdict.WEAK: ("s", 3.2),
    Verdict.DIFFERS: ("x", 5.0),
    Verdict.EXPLAINED: ("^", 5.0),
}
_WORDS = {
    Verdict.AGREES: "agrees",
    Verdict.WEAK: "agrees, but weakly",
    Verdict.DIFFERS: "differs",
    Verdict.EXPLAINED: "printed wrongly",
}
_TITLES = {
    Kind.SIZE: "sizes of trees",
    Kind.RATIO: "ratios of times",
    Kind.COUNT: "counts",
    Kind.SCORE: "scores",
    Kind.SHARE: "gains and weights",
}


def read_comparisons(results: Path) -> pd.DataFrame:
    """Return all cells of the numeric tables of all papers, printed or not.

    Parameters
    ----------
    results : Path
        Folder of the rendered files; of it ``<paper>/<item>.csv`` is read if it has the columns of
        a numeric table.

    Returns
    -------
    DataFrame
        The columns of the csv, behind ``paper`` and ``item``; ``verdict`` and ``method`` are ""
        where they are empty.

    Raises
    ------
    RetreeError
        If there is no such table.
    """
    tables = []
    for paper in available("paper"):
        for path in sorted((results / paper).glob("*.csv")):
            if (table := read_comparison(path)) is not None:
                tables.append(table.assign(paper=paper, item=path.stem))
    if not tables:
        raise RetreeError(f"There are no tables in {results}; render them with retree report.")
    return pd.concat(tables, ignore_index=True)[["paper", "item", *CSV_COLUMNS]]


def read_comparison(path: Path) -> pd.DataFrame | None:
    """Return the cells of an item's csv, None if it is not a numeric table's.

    Raises
    ------
    RetreeError
        If the file cannot be read.
    """
    table = read_table(path, ("dataset", "method", "metric", "verdict", "params"))
    return table if tuple(table.columns) == CSV_COLUMNS else None


def read_table(path: Path, texts: Collection[str]) -> pd.DataFrame:
    """Return a csv; of the columns `texts` every cell is a text, of others the empty one is NaN.

    Raises
    ------
    RetreeError
        If the file cannot be read.
    """
    try:
        columns = pd.read_csv(path, nrows=0).columns
        return pd.read_csv(
            path,
            dtype=dict.fromkeys(columns.intersection(list(texts)), str),
            keep_default_na=False,
            na_values={name: [] if name in texts else [""] for name in columns},
        )
    except (OSError, ValueError) as error:
        raise RetreeError(f"{path} cannot be read ({error}); render it anew.") from error


def judged(comparisons: pd.DataFrame) -> pd.DataFrame:
    """Return the cells that are printed and have a verdict, ``missing`` among them."""
    return comparisons[(comparisons["verdict"] != "") & comparisons["published"].notna()]


def agreement(comparisons: pd.DataFrame, by: Sequence[str] = ("paper", "item")) -> pd.DataFrame:
    """Count the printed cells by verdict.

    Parameters
    ----------
    comparisons : DataFrame
        As from `read_comparisons`.
    by : sequence of str, default=("paper", "item")
        Columns that make a row.

    Returns
    -------
    DataFrame
        Columns `by`, one for each verdict, ``printed``, and ``share``: of the cells that agree or
        differ those that agree, weakly or not, NaN if there is none.
    """
    cells = judged(comparisons)
    verdicts = [str(verdict) for verdict in Verdict]
    grouped = cells.groupby(list(by), sort=False)["verdict"]
    rows = [
        [*(key if isinstance(key, tuple) else (key,)), *((values == v).sum() for v in verdicts)]
        for key, values in grouped
    ]
    counts = pd.DataFrame(rows, columns=[*by, *verdicts])
    counts["printed"] = counts[verdicts].sum(axis=1).astype(int)
    agree = counts[Verdict.AGREES] + counts[Verdict.WEAK]
    compared = agree + counts[Verdict.DIFFERS]
    counts["share"] = (agree / compared).where(compared > 0)
    return counts


def write_overview(results: Path, folder: Path | None = None) -> list[Path]:
    """Draw the reproduced numbers against the printed ones and return the files.

    Accuracies and errors (as 100 - error) stand on a linear scale, all other numbers on a
    logarithmic one.

    Parameters
    ----------
    results : Path
        Folder of the rendered files.
    folder : Path, optional
        Where ``overview.png`` and ``overview.svg`` go, by default to `results`.

    Raises
    ------
    RetreeError
        If there is nothing to compare, or the folder cannot be written.
    """
    cells = judged(read_comparisons(results)).dropna(subset=["reproduced"])
    if cells.empty:
        raise RetreeError(f"Nothing in {results} is printed; render an item with printed numbers.")
    with style():
        figure = _draw(cells)
        try:
            return save_figure(figure, (folder or results) / "overview")
        finally:
            plt.close(figure)


def _draw(cells: pd.DataFrame) -> Figure:
    is_share = cells["metric"].map(lambda name: find_metric(name).column == "accuracy")
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.0, 5.1))
    colours = _colours(cells)
    _draw_shares(left, cells[is_share], colours)
    _draw_sizes(right, cells[~is_share], colours)
    for axes, part in ((left, cells[is_share]), (right, cells[~is_share])):
        axes.set(xlabel="printed", ylabel="reproduced", aspect="equal")
        bare_spines(axes)
        counts = part["verdict"].value_counts()
        agree = counts.get(Verdict.AGREES, 0) + counts.get(Verdict.WEAK, 0)
        differ = counts.get(Verdict.DIFFERS, 0)
        text = f"{agree} of {agree + differ} agree"
        axes.text(0.97, 0.03, text, transform=axes.transAxes, ha="right", size=10.5, weight="bold")
    _legend(figure, cells, colours)
    figure.subplots_adjust(left=0.065, right=0.975, bottom=0.2, top=0.93, wspace=0.17)
    return figure


def _draw_shares(axes: Axes, cells: pd.DataFrame, colours: Colours) -> None:
    scales = cells["metric"].map(lambda name: find_metric(name).scale)
    # Percent of the rows that are classified rightly, whatever the paper prints.
    shares = {
        name: np.where(scales < 0, 100 - cells[name], cells[name] * 100 / scales.abs())
        for name in ("published", "reproduced")
    }
    low = np.floor(min((v.min() for v in shares.values() if len(v)), default=0.0) / 10) * 10
    axes.set(xlim=(low, 101), ylim=(low, 101))
    axes.set_title("accuracy in % (an error as 100 − error)", size=10)
    _points(axes, cells.assign(**shares), colours)


def _draw_sizes(axes: Axes, cells: pd.DataFrame, colours: Colours) -> None:
    kinds = set(cells["metric"].map(lambda name: find_metric(name).kind))
    # A tree may have no level at all, and a gain be negative, which a logarithm cannot show.
    for scale in (axes.set_xscale, axes.set_yscale):
        scale("symlog", linthresh=1.0, linscale=0.4)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter("{x:,.0f}")
    values = cells[["published", "reproduced"]].to_numpy()
    ends = 1.3 * values.min(initial=-0.1), 1.6 * values.max(initial=1.0)
    axes.set(xlim=ends, ylim=ends)
    axes.set_title(", ".join(title for kind, title in _TITLES.items() if kind in kinds), size=10)
    _points(axes, cells, colours)


def _points(axes: Axes, cells: pd.DataFrame, colours: Colours) -> None:
    low, high = axes.get_xlim()
    axes.plot([low, high], [low, high], color="0.35", linewidth=0.8, zorder=1)
    axes.grid(color="0.92", linewidth=0.6, zorder=0)
    for paper, colour in colours.items():
        for verdict, (marker, size) in _MARKS.items():
            part = cells[(cells["paper"] == paper) & (cells["verdict"] == verdict)]
            fill = colour if verdict == Verdict.AGREES else "none"
            axes.plot(
                part["published"],
                part["reproduced"],
                linestyle="none",
                marker=marker,
                markersize=size,
                markerfacecolor=fill,
                markeredgecolor=colour,
                markeredgewidth=0.0 if verdict == Verdict.AGREES else 1.1,
                alpha=0.6 if verdict == Verdict.AGREES else 0.95,
                zorder=2 if verdict == Verdict.AGREES else 3,
                clip_on=False,
            )


def _colours(cells: pd.DataFrame) -> Colours:
    return dict(zip(dict.fromkeys(cells["paper"]), itertools.cycle(COLOURS), strict=False))


def _legend(figure: Figure, cells: pd.DataFrame, colours: Colours) -> None:
    counts = agreement(cells, ["paper"]).set_index("paper")
    papers = [
        Line2D([], [], color=colour, marker="o", linestyle="none", markersize=6, label=label)
        for paper, colour in colours.items()
        for label in [f"{paper} ({counts['printed'][paper]})"]
    ]
    marks = [
        Line2D(
            [],
            [],
            color="0.25",
            marker=marker,
            linestyle="none",
            markersize=size + 1,
            markerfacecolor="0.25" if verdict == Verdict.AGREES else "none",
            label=_WORDS[verdict],
        )
        for verdict, (marker, size) in _MARKS.items()
        if (cells["verdict"] == verdict).any()
    ]
    for handles, height in ((papers, 0.055), (marks, 0.0)):
        figure.legend(
            handles=handles,
            ncols=len(handles),
            loc="lower center",
            bbox_to_anchor=(0.5, height),
            fontsize=10,
            frameon=False,
            handletextpad=0.2,
            columnspacing=1.6,
        )
