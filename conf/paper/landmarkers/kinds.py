"""Whose error rates the published landmarkers are: of the learner named, or of the default one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import pandas as pd

from retree.reports.context import Context
from retree.reports.figures import conclude, legend_below, new_figure
from retree.reports.selection import OUTER

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BOTH, NAMED, DEFAULT, NEITHER = "both", "as named alone", "by default alone", "neither"
# Distinguishable with any colour vision.
COLOURS = {BOTH: "#999999", NAMED: "#0072b2", DEFAULT: "#d55e00", NEITHER: "#f0e442"}


def error_rates(context: Context, *, defaults: Mapping[str, str]) -> pd.DataFrame:
    """Return the published error rates, ours as named and by default, and which are equal.

    `defaults`: by the published name of a landmarker, the method of its default learner.
    """
    ours = _error_rates(context)
    keys = {method.name: method.key for method in context.item.methods}
    rows = []
    for learner, default in defaults.items():
        for dataset in context.item.datasets:
            label = context.item.label(dataset)
            theirs = context.published.find("table1", label, learner, "error_rate").value
            pair = [ours.get((dataset, key), math.nan) for key in (keys[learner], default)]
            if not any(map(math.isnan, (theirs, *pair))):
                rows.append((learner, label, theirs, *pair, whose(theirs, *pair)))
    names = ["learner", "dataset", "published", "named", "default", "whose"]
    return pd.DataFrame(rows, columns=names)


def counts(context: Context, *, defaults: Mapping[str, str]) -> pd.DataFrame:
    """Return on how many data sets each landmarker is equal to which error rate."""
    found = error_rates(context, defaults=defaults)
    every = found.assign(learner="all with options")[found["learner"] != "DecisionStump"]
    rows = []
    for learner, part in pd.concat([found, every]).groupby("learner", sort=False):
        n = part["whose"].value_counts()
        numbers = [int(n.get(kind, 0)) for kind in (BOTH, NAMED, DEFAULT, NEITHER)]
        rows.append((learner, len(part), *numbers))
    names = ["learner", "n_datasets", "both", "named", "default", "neither"]
    return pd.DataFrame(rows, columns=names)


def whose(published: float, named: float, default: float) -> str:
    """Return which of two error rates is the published one, to all digits."""
    is_named, is_default = (
        math.isclose(ours, published, rel_tol=1e-14) for ours in (named, default)
    )
    if is_named and is_default:
        return BOTH
    return NAMED if is_named else DEFAULT if is_default else NEITHER


def whose_figure(context: Context, rows: pd.DataFrame) -> Figure:
    """Return a grid of data sets and landmarkers, coloured by whose error rate is published."""
    kinds = list(COLOURS)
    grid = rows.pivot(index="dataset", columns="learner", values="whose")
    grid = grid.reindex(index=rows["dataset"].unique(), columns=rows["learner"].unique())
    codes = grid.map(kinds.index).to_numpy()
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    figure = new_figure(0.15 * len(grid) + 1.5)
    axes = figure.subplots()
    axes.pcolormesh(
        codes, cmap=ListedColormap(list(COLOURS.values())), vmin=-0.5, vmax=3.5, edgecolors="none"
    )
    axes.set_xticks([i + 0.5 for i in range(grid.shape[1])], grid.columns, rotation=45, ha="right")
    axes.set_yticks([i + 0.5 for i in range(len(grid))], grid.index)
    axes.invert_yaxis()
    handles = [
        Patch(
            color=colour, label=f"equal to {kind}" if kind in (BOTH, NEITHER) else f"equal {kind}"
        )
        for kind, colour in COLOURS.items()
    ]
    legend_below(figure, handles, ncols=2)
    n = rows["whose"].value_counts()
    finding = f"{n.get(DEFAULT, 0)} of {len(rows)} error rates are the default learners' alone"
    counts = "; ".join(f"equal {kind}: {n.get(kind, 0)}" for kind in kinds)
    return conclude(figure, finding, f"A grid of {len(grid)} data sets. {counts}")


def _error_rates(context: Context) -> dict[tuple[str, str], float]:
    """Return wrong rows over all rows by data set and method, over both folds."""
    frame = context.frame
    done = frame[(frame["inner"] == OUTER) & (frame["status"] == "done")]
    found = {}
    for (dataset, method), folds in done.groupby(["dataset", "method"], sort=False):
        if len(folds) == context.item.protocol.folds:
            wrong = ((1 - folds["accuracy"]) * folds["n_test"]).round().sum()
            found[str(dataset), str(method)] = float(wrong / folds["n_test"].sum())
    return found
