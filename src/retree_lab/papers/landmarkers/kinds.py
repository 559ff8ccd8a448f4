"""Whose scores the published landmarkers are: of the learner named, or of the default one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from retree_lab.reports.context import Context
from retree_lab.reports.figures import conclude, legend_below, new_figure
from retree_lab.reports.selection import OUTER

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BOTH, NAMED, DEFAULT, NEITHER = "both", "name only", "default only", "neither"
# Distinguishable with any colour vision.
COLOURS = {BOTH: "#999999", NAMED: "#0072b2", DEFAULT: "#d55e00", NEITHER: "#f0e442"}
# What is published, and by what our cells are scored.
METRICS = {
    "error_rate": "accuracy",
    "kappa": "sklearn.metrics:cohen_kappa_score",
    "auc": "estimators.py:weighted_auc",
}
LABELS = {"all": "all three scores", "error_rate": "error rate", "kappa": "kappa", "auc": "AUC"}
COLUMNS = ["both", "named", "default", "neither"]
STUMP = "DecisionStump"  # which has no options
KEYS = ["learner", "dataset", "metric"]
# Its classes are called 0 and 1 here, and RandomTree draws by the text of a row.
LEFT_OUT = ("RandomTree", "10093 banknote-authentication")
Scores = Mapping[tuple[str, str, str], float]


def scores(context: Context, *, defaults: Mapping[str, str]) -> pd.DataFrame:
    """Return the published scores, ours as named and by default, and which are equal.

    `defaults`: by the published name of a landmarker, the name of its default learner.
    """
    ours, rows = _scores(context), []
    for learner, default in defaults.items():
        for metric in METRICS:
            for dataset in map(context.item.label, context.item.datasets):
                if (default, dataset) == LEFT_OUT:
                    continue
                place = learner, dataset, metric
                theirs = context.published.find("table1", dataset, learner, metric).value
                pair = [ours.get(key, math.nan) for key in (place, (default, dataset, metric))]
                if not any(map(math.isnan, (theirs, *pair))):
                    rows.append((*place, theirs, *pair, whose(theirs, *pair)))
    frame = pd.DataFrame(rows, columns=[*KEYS, "published", "named", "default", "whose"])
    return frame.assign(title=frame["learner"] + ", " + frame["metric"].map(LABELS))


def counts(context: Context, *, defaults: Mapping[str, str]) -> pd.DataFrame:
    """Return how many scores of each landmarker are equal to which learner's."""
    frame = scores(context, defaults=defaults)
    frame = pd.concat([frame, _with_options(frame).assign(learner="all with options")])
    rows = []
    for (metric, learner), part in pd.concat([frame.assign(metric="all"), frame]).groupby(
        ["metric", "learner"], sort=False
    ):
        n = part["whose"].value_counts()
        numbers = [int(n.get(kind, 0)) for kind in COLOURS]
        rows.append((learner, metric, LABELS[str(metric)], len(part), *numbers))
    return pd.DataFrame(rows, columns=["learner", "metric", "label", "n_scores", *COLUMNS])


def whole_sets(context: Context, *, defaults: Mapping[str, str]) -> pd.DataFrame:
    """Return for each data set how many scores of learners with options are equal to which."""
    frame = _with_options(scores(context, defaults=defaults))
    table = pd.crosstab(frame["dataset"], frame["whose"]).reindex(
        index=frame["dataset"].unique(), columns=list(COLOURS), fill_value=0
    )
    table.columns = pd.Index(COLUMNS)
    return table.rename_axis("dataset").reset_index()


def whose(published: float, named: float, default: float) -> str:
    """Return which of two scores is the published one, to twelve digits."""
    is_named, is_default = (
        math.isclose(ours, published, rel_tol=1e-12, abs_tol=1e-15) for ours in (named, default)
    )
    if is_named and is_default:
        return BOTH
    return NAMED if is_named else DEFAULT if is_default else NEITHER


def whose_figure(context: Context, rows: pd.DataFrame) -> Figure:
    """Return a grid of data sets and landmarkers, coloured by whose scores are published.

    Of each landmarker three columns stand side by side: error rate, kappa, AUC.
    """
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    sets = list(rows["dataset"].unique())
    kinds = [kind for kind in COLOURS if (rows["whose"] == kind).any()]
    learners = list(rows["learner"].unique())
    grid = rows.pivot(index="dataset", columns=KEYS[::2], values="whose").reindex(
        index=sets, columns=pd.MultiIndex.from_product([learners, METRICS])
    )
    codes = grid.map(kinds.index, na_action="ignore").to_numpy(np.float64)
    figure = new_figure(0.2 * len(sets) + 1.3)
    axes = figure.subplots()
    axes.pcolormesh(codes, cmap=ListedColormap([COLOURS[kind] for kind in kinds]))
    axes.hlines(range(len(sets)), 0, codes.shape[1], colors="w")
    axes.vlines(range(0, codes.shape[1], len(METRICS)), 0, len(sets), colors="w", linewidths=3)
    middles = [(i + 0.5) * len(METRICS) for i in range(len(learners))]
    axes.set_xticks(middles, learners, rotation=40, ha="right")
    axes.set_yticks([i + 0.5 for i in range(len(sets))], sets)
    axes.invert_yaxis()
    handles = [Patch(color=COLOURS[kind], label=f"matches {kind}") for kind in kinds]
    legend_below(figure, handles, ncols=2)
    n = rows["whose"].value_counts()
    counts = "; ".join(f"matches {kind}: {n[kind]}" for kind in kinds)
    return conclude(figure, _finding(rows), f"A grid of {len(sets)} data sets. {counts}")


def _with_options(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[rows["learner"] != STUMP]


def _finding(rows: pd.DataFrame) -> str:
    """Return a sentence: on how many data sets the default learners have these scores."""
    is_default = _with_options(rows)["whose"].isin([DEFAULT, BOTH])
    sets = is_default.groupby(rows["dataset"]).all()
    return f"On {sets.sum()} of {len(sets)} data sets all are scores of the default learners"


def _scores(context: Context) -> dict[tuple[str, str, str], float]:
    """Return our scores by the name of a method, data set and metric."""
    frame = context.frame
    done = frame[(frame["inner"] == OUTER) & (frame["status"] == "done")]
    names = {method.key: method.name for method in context.item.methods}
    by_place = {}
    for cell in done.to_dict("records"):
        place = names[cell["method"]], context.item.label(cell["dataset"])
        by_place[(*place, "kappa")], by_place[(*place, "auc")] = (
            cell[METRICS["kappa"]],
            cell[METRICS["auc"]],
        )
        wrong = cell["n_test"] - round(cell["accuracy"] * cell["n_test"])
        by_place[(*place, "error_rate")] = wrong / cell["n_test"]
    return by_place
