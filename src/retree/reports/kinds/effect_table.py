"""Contrasts between methods as effects over the data sets (kind ``effect_table``)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from retree.experiments.definitions import Experiment, Item
from retree.experiments.plan import Plan
from retree.experiments.store import Store
from retree.reports.comparison import NOTHING, Comparison, comparison_table
from retree.reports.figures import COLOURS, bare_spines, save_figure, style
from retree.reports.files import csv_text, folder, write
from retree.reports.kinds.contrasts import Contrast, Groups, find_contrasts
from retree.reports.kinds.metric_table import introduction
from retree.reports.markup import Footnotes, bullets, markdown_table, tex_table
from retree.reports.published import MEAN, Published, known_wrong
from retree.reports.wording import HOLE, agreement_sentence, cell_text, number, verdict_legend
from retree.statistics import verdict
from retree.statistics.effects import Effect, cohen_d_z, mean_difference, win_tie_loss

GAIN, METRIC = "accuracy_gain_pct", "accuracy_pct"
_LEVEL = 0.95
_LEGEND = [
    "A contrast is the mean of one group of methods less that of another, on the mean over the "
    "data sets; its verdict is by the spread over the folds, on these data sets.",
    "The interval takes the data sets for a sample of others (Student's t over their differences, "
    "95 %). d_z is the mean difference over its standard deviation between data sets, with the "
    "interval of the noncentral t. Wins, ties and losses count data sets.",
]


def compare_effects(
    experiment: Experiment, item: Item, plan: Plan, frame: pd.DataFrame
) -> list[Comparison]:
    """Compare the contrasts that are the item's ``readings`` with the printed ones.

    Parameters
    ----------
    experiment, item, plan, frame
        As for `retree.reports.comparison.compare_item`.

    Returns
    -------
    list of Comparison
        By contrast (as method): the means over the data sets, and then each data set.
    """
    contrasts = find_contrasts(item, _groups(item), frame, METRIC)
    n_all = len(experiment.paper.items[item.name]["datasets"])
    means = [_mean(experiment, item, contrast, n_all) for contrast in contrasts]
    singles = [
        Comparison(str(d), c.name, GAIN, float(v), math.nan, *NOTHING, "", len(c.by_fold), "{}")
        for c in contrasts
        for d, v in c.differences.items()
    ]
    return [*means, *singles]


def _mean(experiment: Experiment, item: Item, contrast: Contrast, n_all: int) -> Comparison:
    place = item.name, MEAN, contrast.name, GAIN
    printed = Published(experiment.paper).find(*place)
    wrong = bool(known_wrong(experiment.paper, *place))
    n_sets, n_folds = len(contrast.of), len(contrast.by_fold)
    ours = float(contrast.differences.mean()) if n_sets else math.nan
    std = float(contrast.by_fold.std()) if n_folds > 1 else math.nan
    reason = "" if n_sets == n_all else f"mean over {n_sets} of {n_all} data sets"
    judged = verdict(GAIN, math.nan if reason else ours, std, max(n_folds, 1), printed.value, wrong)
    return Comparison(MEAN, contrast.name, GAIN, ours, std, *printed, judged, n_folds, "{}", reason)


def _groups(item: Item) -> list[Groups]:
    return [Groups(**contrast) for contrast in item.options["readings"].values()]


@style()
def render(
    experiment: Experiment, item: Item, plan: Plan, frame: pd.DataFrame, store: Store
) -> list[Path]:
    """Write ``<item>.csv``, ``.md`` and ``.tex``, and the figure as ``.png`` and ``.svg``."""
    comparisons = compare_effects(experiment, item, plan, frame)
    contrasts = find_contrasts(item, _groups(item), frame, METRIC)
    means = [c for c in comparisons if c.dataset == MEAN]
    notes = Footnotes()
    header, rows = _grid(contrasts, means, notes)
    legend = [*_LEGEND, agreement_sentence(means), *verdict_legend(means)]
    text = introduction(experiment, item, plan) + markdown_table(header, rows) + "\n"
    text += bullets(legend) + "\n" + notes.text()
    lines = [*legend, *notes.lines()]
    base = folder(experiment) / item.name
    tex = tex_table(header, rows, item.caption, f"tab:{item.name}", lines)
    files = [
        write(base.with_suffix(".csv"), csv_text(comparison_table(comparisons))),
        write(base.with_suffix(".md"), text.rstrip() + "\n"),
        write(base.with_suffix(".tex"), tex),
    ]
    return [*files, *save_figure(_figure(contrasts, means), base)] if contrasts else files


def _grid(
    contrasts: Sequence[Contrast], means: Sequence[Comparison], notes: Footnotes
) -> tuple[list[str], list[list[str]]]:
    rows = []
    for contrast, mean in zip(contrasts, means, strict=True):
        a, b = contrast.of.to_numpy(), contrast.than.to_numpy()
        gain, d_z = mean_difference(a, b, level=_LEVEL), cohen_d_z(a, b, level=_LEVEL)
        inside = gain.low <= mean.published <= gain.high
        printed = HOLE if math.isnan(mean.published) else "yes" if inside else "no"
        rows.append(
            [
                contrast.name,
                cell_text(mean, notes.mark(mean.reason)),
                _interval(gain),
                printed,
                f"{d_z.estimate:.2f} {_interval(d_z)}".replace("-", "−"),
                str(win_tie_loss(a, b)),
            ]
        )
    header = ["contrast", "points (printed)", "95 % interval", "print inside"]
    return [*header, "d_z", "wins/ties/losses"], rows


def _interval(effect: Effect) -> str:
    if math.isnan(effect.low):
        return HOLE
    return f"[{number(GAIN, effect.low, sign=True)}, {number(GAIN, effect.high, sign=True)}]"


def _figure(contrasts: Sequence[Contrast], means: Sequence[Comparison]) -> Figure:
    figure = Figure(figsize=(6.4, 0.42 * len(contrasts) + 1.2), layout="constrained")
    axes = figure.subplots()
    for place, (contrast, mean) in enumerate(zip(contrasts, means, strict=True)):
        _draw(axes, -place, contrast, mean)
    axes.axvline(0, color="0.6", linewidth=0.8, zorder=0)
    axes.set_yticks([-i for i in range(len(contrasts))], [c.name for c in contrasts])
    axes.set_xlabel("difference of accuracies in points")
    bare_spines(axes)
    handles, labels = axes.get_legend_handles_labels()
    named = dict(zip(labels, handles, strict=True))
    figure.legend(
        named.values(), named.keys(), loc="outside upper center", ncols=len(named), frameon=False
    )
    return figure


def _draw(axes: Axes, place: int, contrast: Contrast, mean: Comparison) -> None:
    values = contrast.differences.to_numpy()
    level = np.full(len(values), float(place))
    axes.plot(values, level, "o", color="0.55", markersize=3, markerfacecolor="none",
              label="a data set")  # fmt: skip
    effect = mean_difference(contrast.of, contrast.than, level=_LEVEL)
    axes.plot([effect.low, effect.high], [place, place], color=COLOURS[0], linewidth=2,
              label="95 % interval")  # fmt: skip
    axes.plot(effect.estimate, place, "D", color=COLOURS[0], markersize=5, label="mean")
    if not math.isnan(mean.published):
        axes.plot(mean.published, place, "x", color=COLOURS[1], markersize=7,
                  markeredgewidth=1.8, label="printed")  # fmt: skip
