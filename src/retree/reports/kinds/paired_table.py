"""Tables of methods in pairs, with the marks of paired tests (kind ``paired_table``)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from retree.experiments.definitions import Experiment, Item, Method
from retree.experiments.plan import Plan
from retree.experiments.store import Store
from retree.reports.comparison import (
    LEVEL,
    Comparison,
    compare_item,
    comparison_table,
    judge_by_prediction,
)
from retree.reports.files import csv_text, folder, write
from retree.reports.kinds.metric_table import introduction
from retree.reports.kinds.paired_marks import (
    Mark,
    find_marks,
    item_pairs,
    marks_table,
    printed_name,
)
from retree.reports.markup import Footnotes, bullets, markdown_table, tex_table
from retree.reports.published import Published, known_wrong
from retree.reports.wording import HOLE, agreement_sentence, cell_text, number, verdict_legend
from retree.statistics import verdict
from retree.statistics.metrics import find_metric

Grid = tuple[list[str], list[list[str]]]
_SIGNS = {"": "–"}


def render(
    experiment: Experiment, item: Item, plan: Plan, frame: pd.DataFrame, store: Store
) -> list[Path]:
    """Write ``<item>.csv``, ``.md`` and ``.tex``, and the marks as ``<item>_marks.csv``.

    The item's ``pairs`` are groups of methods and of what each is compared with, see
    `retree.reports.kinds.paired_marks.item_pairs`; each group is a table of its own.
    """
    comparisons = compare_item(experiment, item, plan, frame, store)
    marks = find_marks(experiment, item, frame)
    base = folder(experiment) / item.name
    shown = list(_beside_print(experiment, item, comparisons))
    legend = _legend(comparisons, shown)
    return [
        write(base.with_suffix(".csv"), csv_text(comparison_table(comparisons))),
        write(base.with_suffix(".md"), _markdown(experiment, item, plan, shown, marks, legend)),
        write(base.with_suffix(".tex"), _tex(item, shown, marks, legend)),
        write(base.with_name(f"{item.name}_marks.csv"), csv_text(marks_table(marks))),
    ]


def _beside_print(
    experiment: Experiment, item: Item, comparisons: Sequence[Comparison]
) -> Iterator[Comparison]:
    """Yield the comparisons, those of what is not printed with the column that it stands for."""
    names = {method.name: printed_name(method) for method in item.methods}
    published = Published(experiment.paper)
    for c in comparisons:
        place = item.name, c.dataset, names[c.method], c.metric
        printed, wrong = published.find(*place), bool(known_wrong(experiment.paper, *place))
        ours = c.metric, c.reproduced, c.reproduced_std, c.n_folds
        judged = verdict(*ours, printed.value, wrong)
        beside = replace(c, published=printed.value, published_std=printed.std, verdict=judged)
        if c.prediction is not None:
            beside = judge_by_prediction(beside, c.prediction, c.n_replicates)
        yield beside


def _markdown(
    experiment: Experiment,
    item: Item,
    plan: Plan,
    comparisons: Sequence[Comparison],
    marks: Sequence[Mark],
    legend: Sequence[str],
) -> str:
    text, notes = introduction(experiment, item, plan), Footnotes()
    for metric, title, pairs in _parts(item):
        header, rows = _grid(item, pairs, metric, comparisons, marks, notes)
        label = find_metric(metric).label
        text += f"## {title}: {label}\n\n{markdown_table(header, rows)}\n"
    text += bullets(legend) + "\n" + notes.text() + "\n" * bool(notes.lines())
    header, rows = _summary(item, marks)
    text += f"## Marks\n\n{markdown_table(header, rows, left=3)}\n{bullets([_SUMMARY])}"
    return text.rstrip() + "\n"


def _tex(
    item: Item, comparisons: Sequence[Comparison], marks: Sequence[Mark], legend: Sequence[str]
) -> str:
    tables = []
    for number_, (metric, title, pairs) in enumerate(_parts(item)):
        notes = Footnotes()
        header, rows = _grid(item, pairs, metric, comparisons, marks, notes)
        caption = f"{item.caption}. {title}: {find_metric(metric).label}, reproduced (printed)"
        lines = [*legend, *notes.lines()]
        tables.append(tex_table(header, rows, caption, f"tab:{item.name}-{number_}", lines))
    return "\n".join(tables)


def _parts(item: Item) -> Iterator[tuple[str, str, list[tuple[Method, Method]]]]:
    for metric in item.options["metrics"]:
        for title, pairs in item_pairs(item).items():
            yield metric, title, pairs


def _grid(
    item: Item,
    pairs: Sequence[tuple[Method, Method]],
    metric: str,
    comparisons: Sequence[Comparison],
    marks: Sequence[Mark],
    notes: Footnotes,
) -> Grid:
    """Return header and rows: for each pair the method, its base and the marks."""
    cells = {(c.dataset, c.method): c for c in comparisons if c.metric == metric}
    told = {(m.dataset, m.method): m for m in marks if m.metric == metric}
    header = ["data set"]
    for method, base in pairs:
        header += [method.name, base.name, "marks"]
    rows = []
    for label in map(item.label, item.datasets):
        row = [label]
        for method, base in pairs:
            both = [cells[label, m.name] for m in (method, base)]
            row += [cell_text(c, notes.mark(c.reason)) for c in both]
            row.append(_text(told.get((label, method.name))))
        rows.append(row)
    return header, [*rows, _means(item, pairs, metric, cells)]


def _means(
    item: Item,
    pairs: Sequence[tuple[Method, Method]],
    metric: str,
    cells: dict[tuple[str, str], Comparison],
) -> list[str]:
    row = ["**mean**"]
    for pair in pairs:
        for method in pair:
            found = [cells[item.label(d), method.name] for d in item.datasets]
            ours = number(metric, float(np.mean([c.reproduced for c in found])))
            printed = number(metric, float(np.mean([c.published for c in found])))
            row.append(ours if printed == HOLE else f"{ours} ({printed})")
        row.append("")
    return row


def _text(mark: Mark | None) -> str:
    if mark is None:
        return HOLE
    told = (mark.printed, mark.t_mark, mark.corrected_mark)
    return " ".join(HOLE if sign is None else _SIGNS.get(sign, sign) for sign in told)


def _legend(comparisons: Sequence[Comparison], shown: Sequence[Comparison]) -> list[str]:
    return [
        agreement_sentence(comparisons),
        *verdict_legend(shown),
        "What the print does not have is compared with the printed column of its place; that does "
        "not count as agreement.",
        "Marks, one after the other: the printed one; ours by the paired t-test over all folds, as "
        "in print; ours by the corrected resampled t-test of Nadeau and Bengio, since the training "
        f"sets overlap. * the left method is better than the right one at {LEVEL:.0%} (smaller, "
        "for nodes), ° it is worse, – neither.",
    ]


_SUMMARY = (
    "A mark agrees if it is the printed one. Data sets are counted; the printed marks are those of "
    "the printed pair of the same place."
)


def _summary(item: Item, marks: Sequence[Mark]) -> Grid:
    """Return how often each mark is given, and how often ours is the printed one."""
    header = ["pair", "against", "metric", "printed * / – / °", "t-test * / – / °", "agree"]
    header += ["corrected * / – / °", "agree"]
    groups: dict[tuple[str, str, str], list[Mark]] = {}
    for mark in marks:
        groups.setdefault((mark.method, mark.base, mark.metric), []).append(mark)
    rows = []
    for names, found in groups.items():
        row = [*names, _counts([m.printed for m in found])]
        for ours in ([m.t_mark for m in found], [m.corrected_mark for m in found]):
            pairs = [(a, m.printed) for a, m in zip(ours, found, strict=True)]
            same = [a == printed for a, printed in pairs if printed is not None]
            row += [_counts(ours), f"{sum(same)} of {len(same)}" if same else HOLE]
        rows.append(row)
    return header, rows


def _counts(signs: Sequence[str | None]) -> str:
    counts = Counter(signs)
    if counts[None] == len(signs):
        return HOLE
    return " / ".join(str(counts[sign]) for sign in ("*", "", "°"))
