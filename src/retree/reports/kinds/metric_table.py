"""Tables of a metric per data set and method (kind ``metric_table``)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from retree.experiments.definitions import Experiment, Item
from retree.experiments.plan import Plan
from retree.experiments.store import Store
from retree.reports.comparison import Comparison, compare_item, comparison_table
from retree.reports.coverage import coverage_notes, grid_sentence, protocol_sentence, tuned
from retree.reports.files import csv_text, folder, item_title, write
from retree.reports.markup import Footnotes, bullets, markdown_table, tex_table
from retree.reports.published import MEAN
from retree.reports.wording import (
    HOLE,
    agreement_sentence,
    cell_text,
    mark_legend,
    number,
    verdict_legend,
)
from retree.statistics.metrics import find_metric

Cells = dict[tuple[str, str, str], Comparison]


def render(
    experiment: Experiment, item: Item, plan: Plan, frame: pd.DataFrame, store: Store
) -> list[Path]:
    """Write ``<item>.csv``, ``.md`` and ``.tex``, and return their paths."""
    return write_tables(experiment, item, plan, compare_item(experiment, item, plan, frame, store))


def write_tables(
    experiment: Experiment, item: Item, plan: Plan, comparisons: Sequence[Comparison]
) -> list[Path]:
    """Write the files of a table; comparisons of `MEAN` become its last row."""
    base = folder(experiment) / item.name
    return [
        write(base.with_suffix(".csv"), csv_text(comparison_table(comparisons))),
        write(base.with_suffix(".md"), _markdown(experiment, item, plan, comparisons)),
        write(base.with_suffix(".tex"), _tex(item, plan, comparisons)),
    ]


def introduction(experiment: Experiment, item: Item, plan: Plan) -> str:
    """Return title, source, protocol and coverage of a table as Markdown."""
    paper = experiment.paper
    text = f"# {item_title(item.name)}: {item.caption}\n\n"
    text += f"{paper.authors}: {paper.title}. {paper.reference}.\n\n"
    used = {name: paper.grid[name] for name in tuned(item.methods)}
    sentences = [protocol_sentence(item.protocol, item.options.get("select"))]
    if used:
        sentences.append(
            f"Grid: {grid_sentence(used)}; the point of greatest mean test accuracy is shown, as "
            "in the paper (optimistic, since it is chosen on the test rows)."
        )
    return text + bullets([*sentences, *coverage_notes(experiment, item, plan)]) + "\n"


def _markdown(
    experiment: Experiment, item: Item, plan: Plan, comparisons: Sequence[Comparison]
) -> str:
    cells, notes = _by_place(comparisons), Footnotes()
    text = introduction(experiment, item, plan)
    for metric in item.options["metrics"]:
        header, rows = _grid(item, plan, cells, metric, notes)
        text += f"## {_heading(metric)}\n\n{markdown_table(header, rows)}\n"
    text += bullets([agreement_sentence(comparisons), *_legend(item, comparisons)]) + "\n"
    if any(c.metric == "optimism" for c in comparisons):
        text += _optimism(item, plan, cells, notes)
    return (text + notes.text()).rstrip() + "\n"


def _tex(item: Item, plan: Plan, comparisons: Sequence[Comparison]) -> str:
    cells, tables = _by_place(comparisons), []
    for metric in item.options["metrics"]:
        notes = Footnotes()
        header, rows = _grid(item, plan, cells, metric, notes)
        caption = f"{item.caption}: {find_metric(metric).label}, reproduced (printed)"
        legend = [*_legend(item, comparisons), *notes.lines()]
        tables.append(tex_table(header, rows, caption, f"tab:{item.name}-{metric}", legend))
    return "\n".join(tables)


def _heading(metric: str) -> str:
    label = find_metric(metric).label
    return label[0].upper() + label[1:]


def _by_place(comparisons: Sequence[Comparison]) -> Cells:
    return {(c.dataset, c.method, c.metric): c for c in comparisons}


def _grid(
    item: Item, plan: Plan, cells: Cells, metric: str, notes: Footnotes
) -> tuple[list[str], list[list[str]]]:
    """Return header and rows; a reason that a whole column has stands in the header."""
    heads = [m.name + notes.mark(plan.holes.get(m.key, "")) for m in item.methods]
    rows = []
    with_means = any(dataset == MEAN for dataset, _, _ in cells)
    for dataset in (*item.datasets, MEAN) if with_means else item.datasets:
        label = item.label(dataset)
        row = [label if dataset != MEAN else "**mean**"]
        for method in item.methods:
            cell = cells[label, method.name, metric]
            reason = "" if method.key in plan.holes else cell.reason
            row.append(cell_text(cell, notes.mark(reason)))
        rows.append(row)
    return ["data set", *heads], rows


def _legend(item: Item, comparisons: Sequence[Comparison]) -> list[str]:
    sentences = verdict_legend(comparisons)
    names = {m.key: m.name for m in item.methods}
    if (baseline := item.options.get("baseline")) in names:
        sentences.append(mark_legend(names[baseline], item.options["metrics"]))
    return sentences


def _optimism(item: Item, plan: Plan, cells: Cells, notes: Footnotes) -> str:
    """Return the table of nested accuracies and optimism, with a row of means."""
    methods = [m.name for m in item.methods if m.key not in plan.holes]
    rows = []
    for dataset in map(item.label, item.datasets):
        row = [dataset]
        for method in methods:
            nested = cells.get((dataset, method, "accuracy_nested"))
            optimism = cells.get((dataset, method, "optimism"))
            if nested is None or optimism is None:
                row.append(HOLE)
            else:
                row.append(_pair(nested, optimism) + notes.mark(nested.reason))
        rows.append(row)
    rows.append(["**mean**", *(_mean_pair(cells, method) for method in methods)])
    return (
        "## Nested selection\n\n"
        "Accuracy with the parameters chosen inside each training fold, and in brackets the "
        "optimism of choosing them on the test rows (accuracy above minus this one).\n\n"
        f"{markdown_table(['data set', *methods], rows)}\n"
    )


def _pair(nested: Comparison, optimism: Comparison) -> str:
    signed = number("optimism", optimism.reproduced, sign=True)
    return f"{number('accuracy', nested.reproduced)} ({signed})"


def _mean_pair(cells: Cells, method: str) -> str:
    means = []
    for metric in ("accuracy_nested", "optimism"):
        values = [c.reproduced for (_, m, q), c in cells.items() if (m, q) == (method, metric)]
        known = [value for value in values if not math.isnan(value)]
        means.append(float(np.mean(known)) if known else math.nan)
    return f"{number('accuracy', means[0])} ({number('optimism', means[1], sign=True)})"
