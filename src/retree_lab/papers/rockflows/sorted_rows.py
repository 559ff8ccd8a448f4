"""The cost of ten blocks of unshuffled rows, beside how sorted the files are by class."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pandas as pd
from scipy.stats import spearmanr

from retree_lab.reports.context import Context
from retree_lab.reports.figures import (
    COLOURS,
    bare_spines,
    conclude,
    legend_below,
    new_figure,
    spread,
)

from .datasets import known_sets
from .kinds import METRIC

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LEARNER = "J48"
SORTED, LOSS = 0.5, 5.0  # From which share a file counts as sorted, and from how many points a loss


def sorted_rows(context: Context) -> pd.DataFrame:
    """Return for each data set how sorted it is and its accuracies, the largest loss first."""
    table = pd.DataFrame(_rows(context)).sort_values("loss", kind="stable", ignore_index=True)
    table.attrs["notes"] = [*_notes(table)]
    return table


def _rows(context: Context) -> Iterator[dict[str, object]]:
    item = context.item
    (method,) = item.methods
    for dataset in item.datasets:
        files = known_sets()[dataset]
        label = item.label(dataset)
        values = [
            100 * context.published.find(table, label, LEARNER, METRIC).value
            for table in ("splits", "blocks")
        ]
        choice = context.best.get((dataset, method.key))
        splits, blocks = values
        is_sorted = not math.isnan(files.sorted_by_class + splits + blocks)
        if not is_sorted or choice is None or choice.folds.empty:
            continue
        shuffled = 100 * float(choice.folds["accuracy"].mean())
        yield {
            "dataset": label,
            "rows": files.rows,
            "classes": files.classes,
            "sorted": files.sorted_by_class,
            "splits": splits,
            "blocks": blocks,
            "shuffled": shuffled,
            "loss": blocks - splits,
            "shuffled_loss": shuffled - splits,
        }


def _notes(table: pd.DataFrame) -> Iterator[str]:
    yield (
        "“Sorted by class” is computed from the share of neighbouring rows of the same class. It "
        "is 1 where each class is one block of rows, and 0 on average in random order."
    )
    yield (
        "Four splits and ten blocks are J48's published accuracies. Ten shuffled folds are ours: "
        "10-fold cross-validation as Weka's Explorer makes it, stratified and shuffled with seed "
        "1. The splits train on three quarters of the rows, the others on nine tenths."
    )
    rho = spearmanr(table["sorted"], table["loss"]).statistic
    yield f"Spearman's correlation between sorted by class and blocks - splits is {rho:.2f}."
    for name, part in (
        (f"sorted by class above {SORTED}", table[table["sorted"] > SORTED]),
        ("the others", table[table["sorted"] <= SORTED]),
    ):
        lost, shuffled = (int((part[c] < -LOSS).sum()) for c in ("loss", "shuffled_loss"))
        yield (
            f"{lost} of the {len(part)} data sets with {name} lose more than {LOSS:.0f} points "
            f"with the blocks, and {shuffled} with the shuffled folds."
            if name != "the others"
            else f"Of the {len(part)} others, {lost} lose as much with the blocks, and {shuffled} "
            "with the shuffled folds."
        )


def loss_figure(context: Context, rows: pd.DataFrame) -> Figure:
    """Return the difference to the four splits against how sorted each file is."""
    figure = new_figure(3.6)
    axes = figure.subplots()
    curves = (
        ("shuffled_loss", "ten shuffled folds (ours)", "s", "0.5"),
        ("loss", "ten blocks (published)", "o", COLOURS[0]),
    )
    for column, name, marker, color in curves:
        axes.scatter(rows["sorted"], rows[column], s=10, marker=marker, facecolors="none",
                     edgecolors=color, linewidths=0.8, label=name)  # fmt: skip
    axes.axhline(0.0, color="0.5", linewidth=0.8)
    axes.set_xlabel("sorted by class (0: random order, 1: completely)")
    axes.set_ylabel("accuracy of J48 minus that\non the four splits, in points")
    worst = rows.nsmallest(4, "loss")
    heights = spread([float(loss) for loss in worst["loss"]], 3.5)
    places = [float(place) - 0.05 for place in worst["sorted"]]
    for x, height, name in zip(places, heights, worst["dataset"], strict=True):
        axes.text(x, height, name, ha="right", va="center")
    legend_below(figure, axes.get_legend_handles_labels()[0], ncols=2)
    bare_spines(axes)
    by_class = rows[rows["sorted"] > SORTED]
    blocks, shuffled = (int((by_class[c] < -LOSS).sum()) for c in ("loss", "shuffled_loss"))
    finding = (
        f"Of {len(by_class)} files sorted by class {blocks} lose more than {LOSS:.0f} points in "
        f"blocks, {shuffled} when shuffled"
    )
    return conclude(figure, finding, " ".join(_notes(rows)))
