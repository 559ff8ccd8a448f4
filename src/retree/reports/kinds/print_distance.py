"""How far each printed column is from several methods that it may be (kind ``print_distance``)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from retree.experiments.definitions import Experiment, Item, Method
from retree.experiments.plan import Plan
from retree.experiments.store import Store
from retree.reports.comparison import Comparison, compare_values
from retree.reports.files import csv_text, folder, write
from retree.reports.kinds.metric_table import introduction
from retree.reports.kinds.paired_marks import printed_name
from retree.reports.markup import bullets, markdown_table
from retree.reports.published import Printed, Published, known_wrong
from retree.reports.selection import best_test
from retree.reports.wording import HOLE, RULE, number
from retree.statistics import Verdict
from retree.statistics.metrics import is_size

NEAR = 0.1
_COLUMNS = ["printed", "method", "metric", "n_datasets", "agrees", "mean_difference"]
_COLUMNS += ["mean_abs_difference", "ratio", "within_10_percent"]


@dataclass(frozen=True)
class _Column:
    """The cells of one printed column beside those of a method."""

    method: Method
    metric: str
    cells: list[Comparison]


def render(
    experiment: Experiment, item: Item, plan: Plan, frame: pd.DataFrame, store: Store
) -> list[Path]:
    """Write ``<item>.csv`` and ``.md``.

    A method is compared with the column that it ``stands_for``, whichever of the item's ``tables``
    prints it; cells that are known to be printed wrongly are left out.
    """
    found = _columns(experiment, item, frame)
    table = pd.DataFrame([_summary(column) for column in found if column.cells], columns=_COLUMNS)
    base = folder(experiment) / item.name
    return [
        write(base.with_suffix(".csv"), csv_text(table)),
        write(base.with_suffix(".md"), _markdown(experiment, item, plan, table)),
    ]


def _columns(experiment: Experiment, item: Item, frame: pd.DataFrame) -> Iterator[_Column]:
    best = best_test(frame)
    for metric in item.options["metrics"]:
        for method in item.methods:
            cells = []
            for dataset in item.datasets:
                names = (item.label(dataset), printed_name(method), metric)
                choice, printed = best.get((dataset, method.key)), _find(experiment, item, names)
                if choice is not None and not choice.folds.empty and not math.isnan(printed.value):
                    cells.append(compare_values(names, choice, printed, False))
            yield _Column(method, metric, cells)


def _find(experiment: Experiment, item: Item, names: tuple[str, str, str]) -> Printed:
    """Return what is printed of a cell and not known to be wrong."""
    published = Published(experiment.paper)
    for table in item.options["tables"]:
        printed = published.find(table, *names)
        if not math.isnan(printed.value) and not known_wrong(experiment.paper, table, *names):
            return printed
    return Printed(math.nan, math.nan)


def _summary(column: _Column) -> list[object]:
    ours = np.array([c.reproduced for c in column.cells])
    theirs = np.array([c.published for c in column.cells])
    sized = is_size(column.metric)
    return [
        printed_name(column.method),
        column.method.about.get("reading", column.method.name),
        column.metric,
        len(ours),
        sum(c.verdict == Verdict.AGREES for c in column.cells),
        float(np.mean(ours - theirs)),
        float(np.mean(np.abs(ours - theirs))),
        float(np.exp(np.mean(np.log(ours / theirs)))) if sized else math.nan,
        int(np.sum(np.abs(ours - theirs) <= NEAR * theirs)) if sized else math.nan,
    ]


def _markdown(experiment: Experiment, item: Item, plan: Plan, table: pd.DataFrame) -> str:
    header = ["printed column", "as", "agree", "mean difference", "mean abs. difference"]
    text = introduction(experiment, item, plan)
    for metric, part in table.groupby("metric", sort=False):
        name, sized = str(metric), is_size(str(metric))
        rows = [_row(name, row, sized) for row in part.to_dict("records")]
        extra = ["mean ratio", f"within {NEAR:.0%}"] if sized else []
        title = name.removesuffix("_pct").capitalize()
        text += f"## {title}\n\n{markdown_table([*header, *extra], rows, left=2)}\n"
    return text + bullets([RULE, "The mean ratio, reproduced over printed, is geometric."])


def _row(metric: str, row: dict[object, object], sized: bool) -> list[str]:
    numbers = {name: float(str(row[name])) for name in _COLUMNS[3:]}
    n_datasets = int(numbers["n_datasets"])
    texts = [str(row["printed"]), str(row["method"]), f"{numbers['agrees']:.0f} of {n_datasets}"]
    texts.append(number(metric, numbers["mean_difference"], sign=True))
    texts.append(number(metric, numbers["mean_abs_difference"]))
    if sized:
        ratio = numbers["ratio"]
        texts.append(HOLE if math.isnan(ratio) else f"{ratio:.2f}")
        texts.append(f"{numbers['within_10_percent']:.0f} of {n_datasets}")
    return texts
