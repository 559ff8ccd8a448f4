"""Tables of means over the data sets (kind ``mean_table``)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from retree.experiments.definitions import Experiment, Item, Method
from retree.experiments.plan import Plan
from retree.experiments.store import Store
from retree.reports.comparison import (
    Comparison,
    compare_item,
    comparison_table,
    judge_mean,
    means_of_printed,
)
from retree.reports.files import csv_text, folder, item_title, write
from retree.reports.kinds.metric_table import introduction
from retree.reports.markup import Footnotes, bullets, markdown_table, tex_table
from retree.reports.published import MEAN, Published, known_wrong
from retree.reports.wording import (
    agreement_sentence,
    cell_text,
    decimals,
    number,
    verdict_legend,
)
from retree.statistics import verdict


@dataclass(frozen=True)
class Mean:
    """A mean over data sets.

    Attributes
    ----------
    comparison : Comparison
        The mean beside the printed one; its verdict is ``missing`` if data sets are missing.
    datasets : tuple of str
        The data sets that the mean is over.
    printed_mean : float
        Mean of the cells that the paper's other tables print for these data sets.
    """

    comparison: Comparison
    datasets: tuple[str, ...]
    printed_mean: float


def render(
    experiment: Experiment, item: Item, plan: Plan, frame: pd.DataFrame, store: Store
) -> list[Path]:
    """Write ``<item>.csv``, ``.md`` and ``.tex``, and return their paths."""
    means = compare_means(experiment, item, plan, frame, store)
    base = folder(experiment) / item.name
    table = comparison_table(mean.comparison for mean in means)
    return [
        write(base.with_suffix(".csv"), csv_text(table)),
        write(base.with_suffix(".md"), _markdown(experiment, item, plan, means)),
        write(base.with_suffix(".tex"), _tex(item, means)),
    ]


def compare_means(
    experiment: Experiment, item: Item, plan: Plan, frame: pd.DataFrame, store: Store | None = None
) -> list[Mean]:
    """Compare means over the data sets with the printed ones, by method and metric.

    A mean over N data sets with standard deviations s_i over the folds has the standard deviation
    ``sqrt(sum s_i**2) / N``. So has what is expected of one more run, data sets being independent.
    """
    cells = compare_item(experiment, item, plan, frame, store)
    return [
        _mean(experiment, item, method, metric, cells)
        for method in item.methods
        for metric in item.options["metrics"]
    ]


def _mean(
    experiment: Experiment, item: Item, method: Method, metric: str, cells: list[Comparison]
) -> Mean:
    paper = experiment.paper
    ours = [c for c in cells if (c.method, c.metric) == (method.name, metric)]
    known = [c for c in ours if not math.isnan(c.reproduced)]
    values = np.array([c.reproduced for c in known])
    mean = float(values.mean()) if known else math.nan
    std = math.sqrt(sum(c.reproduced_std**2 for c in known)) / len(known) if known else math.nan
    printed = Published(paper).find(item.name, MEAN, method.name, metric)
    n_folds, n_all = min((c.n_folds for c in known), default=0), _n_datasets(experiment, item)
    wrong = bool(known_wrong(paper, item.name, MEAN, method.name, metric))
    reason = "" if len(known) == n_all else f"mean over {len(known)} of {n_all} data sets"
    # A mean over other data sets than the paper's is no reproduction of the printed mean.
    judged = verdict(metric, math.nan if reason else mean, std, n_folds, printed.value, wrong)
    datasets = tuple(c.dataset for c in known)
    comparison = Comparison(
        MEAN, method.name, metric, mean, std, *printed, judged, n_folds, "", reason
    )
    return Mean(
        judge_mean(comparison, known),
        datasets,
        means_of_printed(paper, datasets, method.name, metric) if known else math.nan,
    )


def _n_datasets(experiment: Experiment, item: Item) -> int:
    return len(experiment.paper.items[item.name]["datasets"])


def _markdown(experiment: Experiment, item: Item, plan: Plan, means: Sequence[Mean]) -> str:
    notes = Footnotes()
    header, rows = _grid(item, means, notes)
    comparisons = [mean.comparison for mean in means]
    legend = [agreement_sentence(comparisons), *verdict_legend(comparisons)]
    text = introduction(experiment, item, plan)
    text += f"{markdown_table(header, rows)}\n{bullets(legend)}\n"
    text += _printed_means(experiment, item)
    lost = {m.comparison.reason: _missing(item, m) for m in means if m.comparison.reason}
    text += bullets([f"{reason}: without {names}." for reason, names in lost.items() if names])
    return (text + "\n" + notes.text()).rstrip() + "\n"


def _tex(item: Item, means: Sequence[Mean]) -> str:
    notes = Footnotes()
    header, rows = _grid(item, means, notes)
    caption, label = f"{item.caption}, reproduced (printed)", f"tab:{item.name}"
    legend = verdict_legend([mean.comparison for mean in means])
    return tex_table(header, rows, caption, label, [*legend, *notes.lines()])


def _grid(item: Item, means: Sequence[Mean], notes: Footnotes) -> tuple[list[str], list[list[str]]]:
    cells = {(m.comparison.method, m.comparison.metric): m for m in means}
    metrics = item.options["metrics"]
    header = ["method"]
    for metric in metrics:
        header += [metric, f"mean of the printed {metric} cells"]
    rows = []
    for method in item.methods:
        row = [method.name]
        for metric in metrics:
            mean = cells[method.name, metric]
            row.append(cell_text(mean.comparison, notes.mark(mean.comparison.reason)))
            row.append(number(metric, mean.printed_mean))
        rows.append(row)
    return header, rows


def _missing(item: Item, mean: Mean) -> str:
    return ", ".join(name for name in item.datasets if name not in mean.datasets)


def _printed_means(experiment: Experiment, item: Item) -> str:
    """Return the paper's printed means beside the means of its own printed columns."""
    paper, published = experiment.paper, Published(experiment.paper)
    datasets = experiment.paper.items[item.name]["datasets"]
    rows = []
    for metric in item.options["metrics"]:
        for method in item.methods:
            printed = published.find(item.name, MEAN, method.name, metric).value
            column = means_of_printed(paper, datasets, method.name, metric)
            # Half a unit of the last decimal of both the mean and the cells it is of.
            same = abs(printed - column) <= 1.01 * 10.0 ** -decimals(metric)
            answer = "yes" if same else "**no**"
            if math.isnan(printed - column):
                answer = ""
            texts = [number(metric, printed), number(metric, column)]
            rows.append([metric, method.name, *texts, answer])
    header = [
        "metric",
        "method",
        f"{item_title(item.name)} prints",
        "mean of the cells",
        "the same",
    ]
    return (
        "## The print against itself\n\n"
        f"What {item_title(item.name)} prints beside the means of the cells that the paper's other "
        f"tables print for single data sets.\n\n{markdown_table(header, rows, left=2)}\n"
    )
