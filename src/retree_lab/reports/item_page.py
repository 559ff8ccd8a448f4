"""The page of an item, what its numbers lead to, and the page of the values behind them."""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Any

from retree_lab.experiments.definition.definitions import Paper
from retree_lab.reports.comparison import Comparison
from retree_lab.reports.document import (
    MEAN_CELL,
    Block,
    Document,
    Entry,
    Phrase,
    Table,
    TableCell,
    Text,
    ToFolds,
    ToPage,
    ToValues,
    is_nested,
    text_of,
)
from retree_lab.reports.files import item_title
from retree_lab.reports.fold_groups import INSIDE
from retree_lab.reports.formatting import capitalized, exact, number, steps, verdict_words
from retree_lab.reports.kinds import ItemReport
from retree_lab.reports.published import MEAN, known_wrong
from retree_lab.reports.sections import grid_table, grouped
from retree_lab.statistics import Verdict, tolerance
from retree_lab.statistics.metrics import MetricKind, find_metric
from retree_lab.study.folders import named_on_pages

INTRODUCTION = (
    "The values of single data sets behind its means, ranks, contrasts and counts, with the "
    "published values in brackets. Click a value for its folds."
)
Sources = Sequence[Comparison]


@dataclass(frozen=True)
class ValueTable:
    """The values behind numbers of one metric over the same data sets."""

    item: str
    number: int  # Which table of the page, from 1
    metric: str
    datasets: tuple[str, ...]
    # The values by name of the method and data set.
    columns: dict[str, dict[str, Comparison]] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The metric, and over how many data sets and runs."""
        label = capitalized(find_metric(self.metric).label)
        values = [c for cells in self.columns.values() for c in cells.values()]
        runs = {c.n_replicates for c in values}
        words = [label, f"{len(self.datasets)} data sets"]
        if max(runs) > 1:
            words.append(f"means over {'up to ' * (len(runs) > 1)}{max(runs)} replicates")
        if any(is_nested(c.params) for c in values):
            words.append(INSIDE)
        return ", ".join(words)

    def can_take(self, sources: Sources) -> bool:
        """Return whether the values of a number can stand in the table, which has one of a kind."""
        datasets = _datasets(sources)
        present = [self.columns.get(c.method, {}).get(c.dataset) for c in sources]
        if sources[0].metric != self.metric or any(
            old is not None and (old.params, old.n_replicates) != (c.params, c.n_replicates)
            for old, c in zip(present, sources, strict=True)
        ):
            return False
        return datasets == self.datasets or (len(datasets) == 1 and None not in present)

    @property
    def blocks(self) -> list[Block]:
        """Heading and table, with the means; methods are rows if they are more."""
        heads = {
            method: TableCell(Phrase(method, place=ToValues(self.item, self.number, method)))
            for method in self.columns
        }
        starts: dict[str, Entry] = {name: name for name in self.datasets} | {MEAN: MEAN_CELL}
        entries: dict[tuple[str, str], Entry] = {}
        for method, cells in self.columns.items():
            entries |= {(name, method): _value(self.item, c) for name, c in cells.items()}
            (entries[MEAN, method],) = exact([fmean(c.reproduced for c in cells.values())])
        turned = "method" * (len(heads) > len(self.datasets))
        heading = Text(self.title, places=[ToValues(self.item, self.number)])
        return [heading, grid_table(starts, heads, entries, turned=turned)]


class Values:
    """The tables of values behind the numbers of an item."""

    def __init__(self, item: str, document: Document) -> None:
        self._item = item
        self._tables: list[ValueTable] = []
        every = [cell.sources for cell in document.cells if cell.sources]
        # A number of a single data set finds its values in a table of more of them.
        for sources in sorted(every, key=lambda sources: len(_datasets(sources)) == 1):
            for of_metric in _by_metric(sources):
                table = self._find(of_metric)
                for c in of_metric:
                    table.columns.setdefault(c.method, {})[c.dataset] = c

    def reference(self, sources: Sources) -> ToValues:
        """Return where the values are that a number is made of."""
        table = self._find(_by_metric(sources)[0])
        (first, *others) = dict.fromkeys((c.method, c.metric) for c in sources)
        return ToValues(self._item, table.number, "" if others else first[0])

    def page(self) -> Document | None:
        """Return the page, None if no number needs it."""
        if not self._tables:
            return None
        title = item_title(self._item)
        lead = (Phrase(title, ToPage(self._item)), f". {INTRODUCTION}")
        blocks = [block for table in self._tables for block in table.blocks]
        return Document([], blocks, f"Values behind {title}", [lead])

    def _find(self, sources: Sources) -> ValueTable:
        """Return the table that the values of a number stand in, a new one if there is none."""
        table = next((table for table in self._tables if table.can_take(sources)), None)
        if table is None:
            place = self._item, len(self._tables) + 1
            table = ValueTable(*place, sources[0].metric, _datasets(sources))
            self._tables.append(table)
        return table


def folds_of(item: str, c: Comparison) -> ToFolds | None:
    """Return the folds of a number of an item, None if it is no mean over folds."""
    is_mean = c.n_folds and c.params and c.dataset != MEAN
    return ToFolds(item, c.dataset, c.method, c.params) if is_mean else None


def place_of(c: Comparison) -> dict[Any, Entry]:
    """Return the item, data set, method and metric of a number, by table heading."""
    place = {"item": item_title(c.item), "data set": c.dataset}
    return {**place, "method": c.method, "metric": c.metric}


def linked_number(c: Comparison) -> TableCell:
    """Return a reproduced number, which leads to its folds or else to its table."""
    unit = math.nan if math.isnan(c.steps) else c.unit
    to = folds_of(c.item, c) or ToPage(c.item)
    return TableCell(number(c.metric, c.reproduced, unit=unit), to=to)


def _by_metric(sources: Sources) -> list[Sources]:
    return list(grouped(sources, lambda c: c.metric).values())


def _datasets(sources: Sources) -> tuple[str, ...]:
    return tuple(dict.fromkeys(c.dataset for c in sources))


def _value(item: str, c: Comparison) -> TableCell:
    """Return a value, which leads to its folds, and behind it the published one."""
    (text,) = exact([c.reproduced])
    published = "" if math.isnan(c.published) else f"({number(c.metric, c.published)})"
    return TableCell(text, published=published, to=folds_of(item, c))


def facts(c: Comparison, *others: str) -> tuple[str, ...]:
    """Return the facts on a number that are not beside it, and `others`, without empty ones."""
    judged = verdict_words(c.verdict)
    every = (judged, _spread(c), _difference(c), _test(c), *others, _parameters(c))
    return tuple(fact for fact in every if fact)


def _spread(c: Comparison) -> str:
    if math.isnan(c.reproduced_std):
        return ""
    folds = f"{c.n_folds} fold{'s' if c.n_folds > 1 else ''}"
    replicates = f", mean of {c.n_replicates} replicates" if c.n_replicates > 1 else ""
    return f"s = {number(c.metric, c.reproduced_std)} over {folds}{replicates}"


def _difference(c: Comparison) -> str:
    if math.isnan(c.difference):
        return ""
    return f"difference {number(c.metric, c.difference, sign=True)}{_allowed(c)}"


def _allowed(c: Comparison) -> str:
    if not math.isnan(c.steps):
        return f", {steps(c)}"
    if not math.isnan(c.low):
        return f", one replicate gives {number(c.metric, c.low)} to {number(c.metric, c.high)}"
    if find_metric(c.metric).kind == MetricKind.TIME or c.n_folds < 1:
        return ""
    below = c.reproduced < c.published
    allowed = tolerance(c.metric, c.reproduced_std, c.n_folds, c.published, below)
    return f", allowed {number(c.metric, allowed)}"


def _test(c: Comparison) -> str:
    if c.test is None or c.method == c.baseline or math.isnan(c.test.p_value):
        return ""
    difference = number(c.metric, c.test.mean_difference, sign=True)
    return f"against {c.baseline}: {difference}, t-test p = {c.test.p_value:.2g}"


def _parameters(c: Comparison) -> str:
    """Return the chosen grid point; where each fold has its own, the values that occur."""
    if c.params in ("", "{}"):
        return ""
    chosen = json.loads(c.params)
    points = chosen if isinstance(chosen, list) else [chosen]
    values = {name: list(dict.fromkeys(str(p[name]) for p in points)) for name in points[0]}
    texts = "; ".join(f"{name} = {', '.join(texts)}" for name, texts in values.items())
    # Each replicate chooses for itself.
    return f"first replicate: {texts}" if c.n_replicates > 1 else texts


def citation(paper: Paper) -> str:
    """Return the paper as its pages cite it."""
    end = "" if paper.title.endswith("?") else "."
    return f"{paper.authors}: {paper.title}{end} {paper.reference}."


def item_page(context: ItemReport) -> Document | None:
    """Return the page of an item, None if it has none."""
    document, item = context.document, context.item
    if document is None:
        return None
    values = Values(item.name, document)

    def led(entry: Entry) -> Entry:
        if isinstance(entry, str) or not _has_number(entry):
            return entry
        to = values.reference(entry.sources) if entry.sources else None
        if (c := entry.comparison) is None:
            return replace(entry, to=to, sources=())
        tooltip = facts(c, *entry.facts, _misprint(context, c))
        return replace(entry, to=to or folds_of(item.name, c), facts=tooltip, sources=())

    blocks = [
        replace(block, header=[*map(led, block.header)], rows=[[*map(led, r)] for r in block.rows])
        if isinstance(block, Table)
        else block
        for block in document.blocks
    ]
    title = f"{item_title(item.name)}: {item.caption}"
    # A sweep of the command line is of no paper.
    lead = [] if context.experiment.is_sweep else [citation(context.paper)]
    return replace(document, blocks=blocks, title=title, lead=lead)


def values_page(context: ItemReport) -> Document | None:
    """Return the page of the values behind an item's numbers, None if no number needs it."""
    return Values(context.item.name, context.document).page() if context.document else None


def with_command(page: Document, context: ItemReport) -> Document:
    """Return the page of an item with the command that shows the folds behind its numbers."""
    document, item = context.document, context.item
    numbers = [c for cell in document.cells for c in _numbers(cell)] if document else []
    datasets = item.datasets_by_label
    methods = {method.name: method.key for method in item.methods}
    named_numbers = (c for c in numbers if c.dataset in datasets and c.method in methods)
    first = next((c for c in named_numbers if folds_of(item.name, c)), None)
    if first is None:
        return page
    named = named_on_pages(context.paper.name)
    place = *named, item.name, datasets[first.dataset], methods[first.method]
    site = f"retree site {' '.join(named)}" if len(named) > 1 else "make site"
    words = (
        f"`{shlex.join(['retree', 'show', *place])}` shows the folds behind {first.method} on "
        f"{first.dataset}. On the site (`{site}`) each number links to its folds or values."
    )
    return replace(page, blocks=[*page.blocks, Text(text=words)])


def _has_number(cell: TableCell) -> bool:
    """Return whether a number is shown, and not that there is none."""
    has_number = cell.comparison is not None or bool(cell.sources)
    return has_number and any(sign.isdigit() for sign in text_of(cell.text))


def _numbers(cell: TableCell) -> list[Comparison]:
    return [*([cell.comparison] if cell.comparison else []), *cell.sources]


def _misprint(context: ItemReport, c: Comparison) -> str:
    """Return why a published number is known to be wrong, "" if it is not."""
    place = context.item.name, c.dataset, c.method, c.metric
    return known_wrong(context.paper, *place) if c.verdict == Verdict.EXPLAINED else ""
