"""Tables of training times, compared as ratios (kind ``time_table``)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from retree.experiments.definitions import Experiment, Item
from retree.experiments.plan import Plan
from retree.experiments.store import Store
from retree.reports.comparison import Comparison, compare_item, comparison_table
from retree.reports.files import csv_text, folder, write
from retree.reports.kinds.metric_table import introduction
from retree.reports.markup import Footnotes, bullets, markdown_table, tex_table
from retree.reports.provenance import machine_sentence
from retree.reports.wording import agreement_sentence, cell_text, verdict_legend
from retree.statistics import verdict

CPU, WALL, RATIO = "train_ms_10_trees", "train_wall_ms_10_trees", "train_time_ratio"


def render(
    experiment: Experiment, item: Item, plan: Plan, frame: pd.DataFrame, store: Store
) -> list[Path]:
    """Write ``<item>.csv``, ``.md`` and ``.tex``, and return their paths."""
    comparisons = compare_times(experiment, item, plan, frame)
    base = folder(experiment) / item.name
    machine = machine_sentence(frame, store)
    text = introduction(experiment, item, plan) + _markdown(item, plan, comparisons, machine)
    return [
        write(base.with_suffix(".csv"), csv_text(comparison_table(comparisons))),
        write(base.with_suffix(".md"), text),
        write(base.with_suffix(".tex"), _tex(item, plan, comparisons, machine)),
    ]


def compare_times(
    experiment: Experiment, item: Item, plan: Plan, frame: pd.DataFrame
) -> list[Comparison]:
    """Return CPU and wall times of ten trees, and the ratios of CPU times to a method's.

    The printed times are those of another machine, so they have no verdict. Their ratios to the
    time of the item's ``reference`` (key of a method) on the same data set are held against ours.

    Parameters
    ----------
    experiment, item, plan, frame
        As for `retree.reports.comparison.compare_item`.
    """
    timed = replace(item, options={**item.options, "metrics": [CPU, WALL]})
    times = compare_item(experiment, timed, plan, frame)
    reference = _reference(item)
    base = {c.dataset: c for c in times if (c.method, c.metric) == (reference, CPU)}
    comparisons = []
    for cpu, wall in zip(times[::2], times[1::2], strict=True):
        comparisons += [cpu, wall]
        if reference not in ("", cpu.method):
            comparisons.append(_ratio(cpu, base[cpu.dataset]))
    return comparisons


def _reference(item: Item) -> str:
    """Return the name of the method that times are divided by, "" if the item lacks it."""
    key = item.options["reference"]
    return next((method.name for method in item.methods if method.key == key), "")


def _ratio(time: Comparison, base: Comparison) -> Comparison:
    ours = _quotient(time.reproduced, base.reproduced)
    theirs = _quotient(time.published, base.published)
    n_folds = 0 if math.isnan(ours) else min(time.n_folds, base.n_folds)
    return replace(
        time,
        metric=RATIO,
        reproduced=ours,
        reproduced_std=math.nan,
        published=theirs,
        published_std=math.nan,
        verdict=verdict(RATIO, ours, math.nan, max(n_folds, 1), theirs),
        n_folds=n_folds,
        reason=time.reason or base.reason,
    )


def _quotient(time: float, base: float) -> float:
    # A clock of coarse ticks may show no time at all.
    return time / base if base else math.nan


def _sections(item: Item) -> dict[str, str]:
    """Return the heading of each table, by its metric."""
    headings = {CPU: "CPU time of ten trees in ms", WALL: "Wall time of ten trees in ms"}
    if reference := _reference(item):
        headings[RATIO] = f"CPU time in units of that of {reference}"
    return headings


def _markdown(item: Item, plan: Plan, comparisons: Sequence[Comparison], machine: str) -> str:
    notes, text = Footnotes(), ""
    for metric, heading in _sections(item).items():
        header, rows = _grid(item, plan, comparisons, metric, notes)
        text += f"## {heading}\n\n{markdown_table(header, rows)}\n"
    text += f"{bullets(_legend(item, comparisons, machine))}\n{notes.text()}"
    return text.rstrip() + "\n"


def _tex(item: Item, plan: Plan, comparisons: Sequence[Comparison], machine: str) -> str:
    tables = []
    for metric, heading in _sections(item).items():
        notes = Footnotes()
        header, rows = _grid(item, plan, comparisons, metric, notes)
        caption = f"{item.caption}: {heading}, reproduced (printed)"
        legend = [*_legend(item, comparisons, machine), *notes.lines()]
        tables.append(tex_table(header, rows, caption, f"tab:{item.name}-{metric}", legend))
    return "\n".join(tables)


def _grid(
    item: Item, plan: Plan, comparisons: Sequence[Comparison], metric: str, notes: Footnotes
) -> tuple[list[str], list[list[str]]]:
    cells = {(c.dataset, c.method): c for c in comparisons if c.metric == metric}
    methods = [m for m in item.methods if metric != RATIO or m.name != _reference(item)]
    rows = [
        [d, *(_text(plan, cells[d, m.name], m.key, notes) for m in methods)] for d in item.datasets
    ]
    heads = [m.name + notes.mark(plan.holes.get(m.key, "")) for m in methods]
    return ["data set", *heads], rows


def _text(plan: Plan, cell: Comparison, key: str, notes: Footnotes) -> str:
    """Return a cell's text; a reason that a whole column has stands in the header."""
    return cell_text(cell, "" if key in plan.holes else notes.mark(cell.reason))


def _legend(item: Item, comparisons: Sequence[Comparison], machine: str) -> list[str]:
    n_trees = item.protocol.folds * item.protocol.repeats
    sentences = [
        machine,
        f"A time is ten times the mean over the {n_trees} training sets, of the fit alone; "
        "no other cell ran beside it."
        if item.protocol.alone
        else f"A time is ten times the mean over the {n_trees} training sets; other cells ran "
        "beside, so times are rough.",
        "In brackets stand the printed times, of another machine and other programs. They are not "
        "judged; their ratios are.",
        agreement_sentence(comparisons),
        *verdict_legend(comparisons),
    ]
    return [sentence for sentence in sentences if sentence]
