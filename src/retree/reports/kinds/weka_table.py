"""Tables as Weka's experimenter prints them: v, blank or * against a baseline (``weka_table``)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path

import pandas as pd

from retree.experiments.definitions import Experiment, Item
from retree.experiments.plan import Plan
from retree.experiments.store import Store
from retree.reports.comparison import LEVEL
from retree.reports.files import csv_text, folder, write
from retree.reports.fold_values import TITLES
from retree.reports.kinds.metric_table import introduction
from retree.reports.kinds.weka_cells import (
    GREATER,
    SAME,
    SMALLER,
    TESTS,
    Cell,
    is_corrected,
    weka_cells,
)
from retree.reports.markup import Footnotes, bullets, markdown_table, tex_table
from retree.reports.wording import number
from retree.statistics.metrics import find_metric

COUNTS = f"({GREATER}/ /{SMALLER})"


def render(
    experiment: Experiment, item: Item, plan: Plan, frame: pd.DataFrame, store: Store
) -> list[Path]:
    """Write ``<item>.csv``, ``.md`` and ``.tex``, and return their paths.

    The item's ``baseline`` is the key of a method (else the first one with results), its ``test``
    ``corrected`` (the default) or ``paired``.

    Raises
    ------
    UnknownNameError
        If there is no such test.
    """
    cells = list(weka_cells(item, plan, frame))
    base = folder(experiment) / item.name
    table = pd.DataFrame(cells, columns=[field.name for field in fields(Cell)])
    return [
        write(base.with_suffix(".csv"), csv_text(table)),
        write(base.with_suffix(".md"), _markdown(experiment, item, plan, cells)),
        write(base.with_suffix(".tex"), _tex(item, plan, cells)),
    ]


def _markdown(experiment: Experiment, item: Item, plan: Plan, cells: Sequence[Cell]) -> str:
    notes, text = Footnotes(), introduction(experiment, item, plan)
    for heading, part in _parts(cells):
        header, rows = _grid(item, plan, part, notes)
        # A pair of bare stars would set what is between them in italics.
        escaped = [[text.replace("*", r"\*") for text in row] for row in rows]
        text += f"## {heading}\n\n{markdown_table(header, escaped)}\n"
    legend = [sentence.replace("*", r"\*") for sentence in _legend(item, cells)]
    return (text + bullets(legend) + "\n" + notes.text()).rstrip() + "\n"


def _tex(item: Item, plan: Plan, cells: Sequence[Cell]) -> str:
    tables = []
    for heading, part in _parts(cells):
        notes = Footnotes()
        header, rows = _grid(item, plan, part, notes)
        label = f"tab:{item.name}-{part[0].metric}-{part[0].selection}"
        legend = [*_legend(item, part), *notes.lines()]
        tables.append(tex_table(header, rows, f"{item.caption}: {heading}", label, legend))
    return "\n".join(tables)


def _parts(cells: Sequence[Cell]) -> list[tuple[str, list[Cell]]]:
    """Return the cells of each table under its heading."""
    parts: dict[tuple[str, str], list[Cell]] = {}
    for cell in cells:
        parts.setdefault((cell.metric, cell.selection), []).append(cell)
    titled = len({selection for _, selection in parts}) > 1
    return [
        (_heading(metric) + (f": {TITLES[selection].lower()}" if titled else ""), part)
        for (metric, selection), part in parts.items()
    ]


def _heading(metric: str) -> str:
    label = find_metric(metric).label
    return label[0].upper() + label[1:]


def _grid(
    item: Item, plan: Plan, cells: Sequence[Cell], notes: Footnotes
) -> tuple[list[str], list[list[str]]]:
    """Return header and rows, the baseline's column first and the counts of the marks last."""
    baseline, by_place = cells[0].baseline, {(c.dataset, c.method): c for c in cells}
    methods = sorted((m for m in item.methods), key=lambda m: m.name != baseline)
    heads = [
        f"({i}) {m.name}{notes.mark(plan.holes.get(m.key, ''))}"
        for i, m in enumerate(methods, start=1)
    ]
    rows = []
    for dataset in item.datasets:
        row = [dataset]
        for method in methods:
            cell = by_place[dataset, method.name]
            reason = "" if method.key in plan.holes else cell.reason
            value = number(cell.metric, cell.mean)
            row.append(f"{value} {cell.mark}".rstrip() + notes.mark(reason))
        rows.append(row)
    counts = _counts(cells)
    return ["data set", *heads], [*rows, [COUNTS, *(counts.get(m.name, "") for m in methods)]]


def _counts(cells: Sequence[Cell]) -> Mapping[str, str]:
    """Return by method on how many data sets it is greater, not different and smaller."""
    marks: dict[str, Counter[str]] = {}
    for cell in cells:
        if not math.isnan(cell.p_value):
            marks.setdefault(cell.method, Counter())[cell.mark] += 1
    return {
        name: f"({count[GREATER]}/{count[SAME]}/{count[SMALLER]})" for name, count in marks.items()
    }


def _legend(item: Item, cells: Sequence[Cell]) -> list[str]:
    if not cells or not cells[0].baseline:
        return ["No method has results."]
    share = f", test share 1/{item.protocol.folds}" if is_corrected(item) else ""
    n_dropped = sum(cell.n_dropped for cell in cells)
    sentences = [
        f"{GREATER} greater, {SMALLER} smaller than the value of (1) {cells[0].baseline} at "
        f"{LEVEL:.0%} ({TESTS['corrected' if is_corrected(item) else 'paired']} over the "
        f"folds{share}); {COUNTS} counts the data sets that were tested.",
    ]
    if n_dropped:
        sentences.append(f"{n_dropped} folds are left out since only one of two methods has them.")
    return sentences
