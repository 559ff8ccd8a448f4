"""Tables with a row a method, in groups that each have a baseline (kind ``grouped_table``)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from retree.experiments.definitions import Experiment, Item, Method
from retree.experiments.plan import Plan
from retree.experiments.store import Store
from retree.reports.comparison import LEVEL, Comparison, compare_item, comparison_table
from retree.reports.files import csv_text, folder, write
from retree.reports.kinds.metric_table import introduction
from retree.reports.markup import Footnotes, bullets, markdown_table, tex_table
from retree.reports.wording import HOLE, cell_text, number

Cells = dict[tuple[str, str, str], Comparison]


def render(
    experiment: Experiment, item: Item, plan: Plan, frame: pd.DataFrame, store: Store
) -> list[Path]:
    """Write ``<item>.csv``, ``.md`` and ``.tex``, and return their paths.

    The item's ``baselines`` are keys of methods: each starts a group, which goes up to the next.
    """
    groups = _groups(item)
    comparisons = [c for group in groups for c in compare_item(experiment, group, plan, frame)]
    base = folder(experiment) / item.name
    return [
        write(base.with_suffix(".csv"), csv_text(comparison_table(comparisons))),
        write(base.with_suffix(".md"), _markdown(experiment, item, plan, groups, comparisons)),
        write(base.with_suffix(".tex"), _tex(item, groups, comparisons)),
    ]


def _groups(item: Item) -> list[Item]:
    """Return the item once for each baseline, with the methods of its group."""
    groups: list[list[Method]] = []
    for method in item.methods:
        if not groups or method.key in item.options["baselines"]:
            groups.append([])
        groups[-1].append(method)
    return [
        replace(item, methods=tuple(group), options={**item.options, "baseline": group[0].key})
        for group in groups
    ]


def _markdown(
    experiment: Experiment,
    item: Item,
    plan: Plan,
    groups: Sequence[Item],
    comparisons: Sequence[Comparison],
) -> str:
    notes, text = Footnotes(), introduction(experiment, item, plan)
    for metric in item.options["metrics"]:
        rows = _rows(item, groups, comparisons, metric, notes)
        table = markdown_table(["method", *map(item.label, item.datasets), "mean"], rows)
        text += f"## {metric.capitalize()}\n\n{table}\n"
    return (text + bullets([_legend(groups)]) + "\n" + notes.text()).rstrip() + "\n"


def _tex(item: Item, groups: Sequence[Item], comparisons: Sequence[Comparison]) -> str:
    tables = []
    for metric in item.options["metrics"]:
        notes = Footnotes()
        rows = _rows(item, groups, comparisons, metric, notes)
        header = ["method", *map(item.label, item.datasets), "mean"]
        caption = f"{item.caption}: {metric}"
        legend = [_legend(groups), *notes.lines()]
        tables.append(tex_table(header, rows, caption, f"tab:{item.name}-{metric}", legend))
    return "\n".join(tables)


def _rows(
    item: Item,
    groups: Sequence[Item],
    comparisons: Sequence[Comparison],
    metric: str,
    notes: Footnotes,
) -> list[list[str]]:
    cells: Cells = {(c.dataset, c.method, c.metric): c for c in comparisons}
    rows = []
    for method in (method for group in groups for method in group.methods):
        found = [cells[item.label(d), method.name, metric] for d in item.datasets]
        texts = [cell_text(c, notes.mark(c.reason)) for c in found]
        values = [c.reproduced for c in found]
        mean = HOLE if any(map(math.isnan, values)) else number(metric, float(np.mean(values)))
        rows.append([method.name, *texts, mean])
    return rows


def _legend(groups: Sequence[Item]) -> str:
    names = ", ".join(group.methods[0].name for group in groups)
    return (
        f"▲ greater, ▼ smaller than the value of the unpruned tree of the same kind ({names}; "
        f"paired t-test over the folds at {LEVEL:.0%})."
    )
