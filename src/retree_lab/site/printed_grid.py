"""A published table as a grid: coloured by how far each number is from ours, with what is known."""

from __future__ import annotations

import math
import re
import shlex
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Any

import pandas as pd

from retree_lab.experiments.definition.claim_config import MEAN
from retree_lab.experiments.definition.definitions import Origin
from retree_lab.reports.agreement.headlines import PARTS, parts_of
from retree_lab.reports.comparison import COUNTED, Comparison, Word
from retree_lab.reports.document import is_nested, slug
from retree_lab.reports.files import item_title
from retree_lab.reports.formatting import number
from retree_lab.reports.html import LEAST, WIDEST, boxed, element, embedded, link, name, text
from retree_lab.reports.item_page import folds_of
from retree_lab.reports.site_pages import (
    INSIDE,
    PUBLISHED,
    PrintedTable,
    View,
    printed_text,
    shown_unit,
)
from retree_lab.site.rendered_papers import FOLDS, PaperFiles
from retree_lab.statistics.metrics import OPTIMISM, find_metric
from retree_lab.study.folders import named_on_pages

_CHOICES = {PUBLISHED: "as published", INSIDE: "inside the training folds"}
_LETTERS = {word: word.name[0] for word in Word}
_NO_LEVEL = "-"
_STEPS = 100  # Places on the strip of replicates
_MOST = 600  # Numbers of a closed table


@dataclass(frozen=True)
class Grid:
    """A published table of a paper on its page."""

    files: PaperFiles
    table: PrintedTable
    fitted: Set[tuple[str, str]] = frozenset()  # Places of numbers that chose our interpretation

    @property
    def key(self) -> str:
        """The name of the table in the address of the page."""
        return f"{self.table.item}-{self.table.metric}"

    def html(self, is_open: bool) -> str:
        """Return the table with its switches below a line that opens it; if large, a link alone."""
        views = list(self.table.views())
        count = element("output", _count_words(views[0]), class_="rt-count")
        title = f"{item_title(self.table.item)}, {find_metric(self.table.metric).label}"
        if not is_open and len(self.table.numbers[PUBLISHED]) > _MOST:
            return element("p", f"{link(f'{self.table.item}.html', title)} {count}")
        inside = "".join(
            [
                self._switches(),
                boxed(self._table(views), title) + _BOX,
                embedded(self._data(views)),
            ]
        )
        opened = "<details open" if is_open else "<details"
        summary = element("summary", f"<b>{text(title)}</b> {count}")
        return f'{opened} class="rt-printed" data-key="{self.key}">{summary}{inside}</details>'

    def _switches(self) -> str:
        choices = {key: _CHOICES[key] for key in self.table.numbers}
        radios = "".join(
            f'<label><input type="radio" name="{self.key}-choice" value="{value}"'
            f"{' checked' * (i == 0)}> {text(words)}</label>"
            for i, (value, words) in enumerate(choices.items())
        )
        shown = element("fieldset", element("legend", "Our parameters are chosen") + radios)
        return element("form", shown * (len(choices) > 1), class_="rt-switches", hidden="")

    def _table(self, views: list[View]) -> str:
        columns = self.table.columns
        heads = [element("th", text("data set"), scope="col")]
        # Long names of Weka's learners may be broken where their words begin.
        names = [re.sub("(?<=[a-z])(?=[A-Z])", "<wbr>", name(method)) for method in columns]
        heads += [element("th", shown, scope="col") for shown in names]
        rows = []
        for dataset in self.table.rows:
            head = element("th", name("mean" if dataset == MEAN else dataset), scope="row")
            cells = (self._cell((dataset, method), views) for method in columns)
            rows.append(element("tr", head + "".join(cells)))
        parts = {"thead": element("tr", "".join(heads)), "tbody": "\n".join(rows)}
        content = "".join(element(tag, part) for tag, part in parts.items())
        return element("table", content, class_=f"rt rt-cells{' rt-dense' * self._is_wide}")

    @property
    def _is_wide(self) -> bool:
        """Whether a screen has no room for the table at the usual size."""
        numbers = [*map(printed_text, self.table.numbers[PUBLISHED].values())]
        each = max(LEAST, *map(len, numbers)) * len(self.table.columns)
        return max(map(len, self.table.rows)) + each > WIDEST

    def _cell(self, place: tuple[str, str], views: list[View]) -> str:
        if (c := self.table.numbers[PUBLISHED].get(place)) is None:
            return "<td></td>"
        levels = (view.levels.get(place) for view in views)
        codes = "".join(map(_code, (view.words.get(place) for view in views), levels))
        sign = c.word.sign if c.word else ""
        classes = [*([] if codes[1] == _NO_LEVEL else [f"d{codes[1]}"])]
        classes += ["rt-fit"] * (place in self.fitted)
        class_ = f' class="{" ".join(classes)}"' if classes else ""
        return f'<td{class_} data-s="{codes}">{printed_text(c)} <i>{sign}</i></td>'

    def _data(self, views: list[View]) -> dict[str, Any]:
        """Return the numbers from which the page's script picks one to show."""
        table, columns = self.table, self.table.columns
        named, metric = named_on_pages(self.files.name), find_metric(table.metric)
        of_cells = metric.column and metric.name != OPTIMISM
        whole = *(named if len(named) > 1 else (f"paper={named[0]}",)), f"item={table.item}"
        return {
            "item": [table.item, item_title(table.item)],
            "choices": {key: _CHOICES[key] for key in table.numbers},
            "counts": [*map(_count_words, views)],
            "words": {letter: [word.sign, word] for word, letter in _LETTERS.items()},
            "show": shlex.join(["retree", "show", *named, table.item]),
            "whole": shlex.join(["retree", "run", "--report", "--show", *whole]),
            "tail": f" --metric {metric.name}" if of_cells else "",
            "rows": [[label, shlex.quote(label), slug(label)] for label in table.rows],
            "columns": [[label, shlex.quote(label), slug(label)] for label in columns],
            "folds": FOLDS,
            "cells": [
                [self._known((dataset, method)) for method in columns] for dataset in table.rows
            ],
        }

    def _known(self, place: tuple[str, str]) -> list[Any] | int:
        if (own := self.table.numbers[PUBLISHED].get(place)) is None:
            return 0
        every = self.table.numbers.values()
        ours = [_ours(numbers[place]) for numbers in every if place in numbers]
        to = folds_of(self.table.item, own)
        led = to is not None and to.dataset in self.files.rendered.folds
        known = bool(own.dataset_key and own.method_key) and not math.isnan(own.reproduced)
        # 0: its table has a command; 1: it has one; 2, 3: its folds have a page, too.
        kind = led * (2 + is_nested(own.params)) or int(known)
        is_plain = not own.reason and all(one == [printed_text(own)] for one in ours)
        return kind if is_plain else [kind, own.reason, *ours]


def _ours(c: Comparison) -> list[Any]:
    """Return our number, its interval, and on a strip what is published, that and replicates."""
    unit = shown_unit(c) if not math.isnan(c.steps) else math.nan
    shown = number(c.metric, c.reproduced, unit=unit)
    if math.isnan(c.low) or not c.runs:
        return [shown]
    ends = [number(c.metric, end) for end in (c.low, c.high)]
    values = [c.published, c.low, c.high, *c.runs]
    low, high = min(values), max(values)
    steps = [round(_STEPS * (v - low) / (high - low)) if high > low else 0 for v in values]
    return [shown, *ends, c.n_replicates, *steps]


def _code(word: Word | None, level: int | None) -> str:
    """Return the attributes of a number for the page's script: its word and its colour."""
    return f"{_LETTERS[word] if word else '-'}{_NO_LEVEL if level is None else level + 3}"


def _count_words(view: View) -> str:
    counts = view.counts
    judged = sum(counts[word] for word in COUNTED)
    if not judged:
        return Word.UNCHECKED
    others = ", ".join(f"{counts[word]:,} {word}" for word in COUNTED[1:])
    return f"{counts[Word.MATCH]:,} of {judged:,} {Word.MATCH}, {others}"


def _legend(grids: Sequence[Grid]) -> str:
    """Return the legend of all tables: their colours and signs."""
    there = sum((next(grid.table.views()).counts for grid in grids), Counter[Word]())
    signs = [f"{word.sign} {word}: {word.meaning}" for word in Word if there[word]]
    scale = "".join(element("span", class_=f"d{level}") for level in range(7))
    scale = element("span", scale, class_="rt-scale", aria_hidden="true")
    keys = [f"the colour shows the direction, not the match: ours is higher {scale} published is "
            "higher, by 0.5, 1, 2 points or tenths of a size"]  # fmt: skip
    keys += map(text, signs)
    keys += ["hatched: our interpretation or data were chosen to fit these numbers"] * any(
        grid.fitted for grid in grids
    )
    return element("p", "".join(element("span", key) for key in keys), class_="rt-legend")


_BOX = (
    '<aside class="rt-one" aria-label="The chosen number" hidden><div role="status"></div>'
    '<div class="rt-more"></div></aside>'
)


def printed_grids(files: PaperFiles, comparisons: pd.DataFrame) -> str:
    """Return the published tables of a paper, the largest one open; "" without any."""
    fitted = comparisons[parts_of(files.paper, comparisons) == PARTS[Origin.FIT]]
    grids = []
    for table in files.rendered.tables:
        own = fitted[(fitted["item"] == table.item) & (fitted["metric"] == table.metric)]
        places = zip(own["dataset"], own["method"], strict=True)
        grids.append(Grid(files, table, frozenset(places)))
    if not grids:
        return ""
    first = max(grids, key=lambda grid: len(grid.table.numbers[PUBLISHED]))
    return "\n".join([_legend(grids), *(grid.html(grid is first) for grid in grids)])
