"""How much of a change comes from each of the steps to it (kind ``step_table``)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from retree.experiments.definitions import Experiment, Item, Method
from retree.experiments.plan import Plan
from retree.experiments.store import Store
from retree.reports.comparison import LEVEL
from retree.reports.files import csv_text, folder, write
from retree.reports.kinds.metric_table import introduction
from retree.reports.kinds.paired_marks import printed_name
from retree.reports.markup import bullets, markdown_table
from retree.reports.published import Published
from retree.reports.selection import best_test
from retree.reports.wording import HOLE, number
from retree.statistics import corrected_resampled_t_test
from retree.statistics.metrics import find_metric


@dataclass(frozen=True)
class Step:
    """What one step changes on one data set.

    Attributes
    ----------
    group, dataset, step : str
        Title of the steps, data set as printed, and name of the step.
    printed : float
        The printed change over all steps.
    difference, p_value : float
        The reproduced change, and that of the corrected resampled t-test.
    """

    group: str
    dataset: str
    step: str
    printed: float
    difference: float
    p_value: float


def render(
    experiment: Experiment, item: Item, plan: Plan, frame: pd.DataFrame, store: Store
) -> list[Path]:
    """Write ``<item>.csv`` and ``.md``.

    The item's ``steps`` are the names of the steps, and its ``groups`` by title the keys of the
    methods before the first step and after each.
    """
    steps = list(_steps(experiment, item, frame))
    table = pd.DataFrame([asdict(s) for s in steps], columns=list(Step.__annotations__))
    base = folder(experiment) / item.name
    return [
        write(base.with_suffix(".csv"), csv_text(table)),
        write(base.with_suffix(".md"), _markdown(experiment, item, plan, table)),
    ]


def _steps(experiment: Experiment, item: Item, frame: pd.DataFrame) -> Iterator[Step]:
    (metric,) = item.options["metrics"]
    measure, best = find_metric(metric).of, best_test(frame)
    methods = {method.key: method for method in item.methods}
    for title, keys in item.options["groups"].items():
        chain = [methods[key] for key in keys if key in methods]
        if len(chain) < len(keys):
            continue
        for dataset in item.datasets:
            chosen = [best.get((dataset, method.key)) for method in chain]
            folds = [measure(c.folds) for c in chosen if c is not None and not c.folds.empty]
            if len(folds) < len(chain):
                continue
            label = item.label(dataset)
            printed = _printed(experiment, chain[0], chain[-1], label, metric)
            pairs = [*itertools.pairwise(folds), (folds[0], folds[-1])]
            for name, (before, after) in zip([*item.options["steps"], "both"], pairs, strict=True):
                test = corrected_resampled_t_test(*after.align(before), 1 / item.protocol.folds)
                yield Step(title, label, name, printed, test.mean_difference, test.p_value)


def _printed(
    experiment: Experiment, first: Method, last: Method, dataset: str, metric: str
) -> float:
    published = Published(experiment.paper)
    values = [
        published.datasets(printed_name(m), metric).get(dataset, math.nan) for m in (last, first)
    ]
    return values[0] - values[1]


def _markdown(experiment: Experiment, item: Item, plan: Plan, table: pd.DataFrame) -> str:
    (metric,) = item.options["metrics"]
    text, names = introduction(experiment, item, plan), [*item.options["steps"], "both"]
    for title, part in table.groupby("group", sort=False):
        rows = [
            _row(metric, str(d), cells, names) for d, cells in part.groupby("dataset", sort=False)
        ]
        rows.append(_means(metric, part, names))
        header = ["data set", "printed change", *names]
        text += f"## {title}\n\n{markdown_table(header, rows)}\n"
    label = find_metric(metric).label
    return text + bullets(
        [
            f"Changes of the {label}, in points; both is from the first to the last.",
            rf"\* differs from 0 at {LEVEL:.0%} by the corrected resampled t-test.",
            "In the row of means, in brackets, the correlation with the printed change over the "
            "data sets.",
        ]
    )


def _row(metric: str, dataset: str, cells: pd.DataFrame, names: list[str]) -> list[str]:
    steps = cells.set_index("step")
    texts = [dataset, number(metric, float(steps["printed"].iloc[0]), sign=True)]
    for name in names:
        value, p_value = float(steps["difference"][name]), float(steps["p_value"][name])
        texts.append(number(metric, value, sign=True) + (r" \*" if p_value < LEVEL else ""))
    return texts


def _means(metric: str, part: pd.DataFrame, names: list[str]) -> list[str]:
    values = part.pivot(index="dataset", columns="step", values="difference")
    printed = part.drop_duplicates("dataset").set_index("dataset")["printed"]
    texts = ["**mean**", number(metric, float(printed.mean()), sign=True)]
    for name in names:
        mean = number(metric, float(values[name].mean()), sign=True)
        texts.append(f"{mean} ({_correlation(values[name], printed)})")
    return texts


def _correlation(ours: pd.Series, printed: pd.Series) -> str:
    a, b = ours.align(printed)
    if len(a) < 3 or np.ptp(a.to_numpy()) == 0:
        return HOLE
    return f"{np.corrcoef(a, b)[0, 1]:.2f}".replace("-", "−")
