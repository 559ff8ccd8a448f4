"""The values of single data sets behind an item's means, ranks, contrasts and counts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import fmean

from retree.reports.comparison import Comparison
from retree.reports.document import Document
from retree.reports.files import item_title
from retree.reports.fold_groups import FOLDS, INSIDE, anchor, folds_file, is_nested, slug
from retree.reports.formatting import capitalized, exact, number
from retree.reports.markup import markdown_table
from retree.reports.published import MEAN
from retree.statistics.metrics import find_metric

INTRODUCTION = (
    "The values of single data sets behind its means, ranks, contrasts and counts, with the "
    "published values in brackets. Click a value for its folds."
)
Sources = Sequence[Comparison]


@dataclass(frozen=True)
class ValueTable:
    """What numbers of one metric over the same data sets are made of.

    Attributes
    ----------
    anchor : str
        The name of its place on the page.
    metric : str
    datasets : tuple of str
    columns : dict of str to dict of str to Comparison
        The values by name of the method and data set.
    """

    anchor: str
    metric: str
    datasets: tuple[str, ...]
    columns: dict[str, dict[str, Comparison]] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The metric, and over how many data sets and runs."""
        label = capitalized(find_metric(self.metric).label)
        values = [c for cells in self.columns.values() for c in cells.values()]
        runs = {c.n_replicates for c in values}
        parts = [label, f"{len(self.datasets)} data sets"]
        if max(runs) > 1:
            parts.append(f"means over {'up to ' * (len(runs) > 1)}{max(runs)} replicates")
        if any(is_nested(c.params) for c in values):
            parts.append(INSIDE)
        return ", ".join(parts)

    def anchor_of(self, method: str) -> str:
        """Return the name of the place of a column."""
        return f"{self.anchor}-{slug(method)}"

    def can_take(self, sources: Sources) -> bool:
        """Whether the values of a number can stand in the table, which has one of a kind."""
        datasets = _datasets(sources)
        known = [self.columns.get(c.method, {}).get(c.dataset) for c in sources]
        if sources[0].metric != self.metric or any(
            old is not None and (old.params, old.n_replicates) != (c.params, c.n_replicates)
            for old, c in zip(known, sources, strict=True)
        ):
            return False
        return datasets == self.datasets or (len(datasets) == 1 and None not in known)

    def grid(self, item: str) -> list[list[str]]:
        """Return header and rows in Markdown, with the means; methods are rows if they are more."""
        heads = [f'<a id="{self.anchor_of(method)}"></a>{method}' for method in self.columns]
        rows = [
            [dataset, *(_value(item, cells[dataset]) for cells in self.columns.values())]
            for dataset in self.datasets
        ]
        means = (fmean(c.reproduced for c in cells.values()) for cells in self.columns.values())
        grid = [["data set", *heads], *rows, ["**mean**", *exact(means)]]
        if len(self.columns) <= len(self.datasets):
            return grid
        (_, *names), *columns = zip(*grid, strict=True)
        return [["method", *names], *map(list, columns)]


class Values:
    """The tables of values behind the numbers of an item.

    Parameters
    ----------
    item : str
    document : Document
        What stands on the item's page.
    """

    def __init__(self, item: str, document: Document) -> None:
        self._item = item
        self._tables: list[ValueTable] = []
        every = [cell.sources for cell in document.cells if cell.sources]
        # A number of a single data set finds its values in a table of more of them.
        for sources in sorted(every, key=lambda sources: len(_datasets(sources)) == 1):
            for own in _by_metric(sources):
                table = self._find(own)
                for c in own:
                    table.columns.setdefault(c.method, {})[c.dataset] = c

    @property
    def file(self) -> str:
        """The file of the values, from the folder of the paper's results."""
        return f"{FOLDS}/{self._item}_values.md"

    def address(self, sources: Sources) -> str:
        """Return where the values are that a number is made of."""
        table = self._find(_by_metric(sources)[0])
        (first, *others) = dict.fromkeys((c.method, c.metric) for c in sources)
        return f"{self.file}#{table.anchor if others else table.anchor_of(first[0])}"

    def page(self) -> str:
        """Return the file in Markdown, "" if no number needs it."""
        if not self._tables:
            return ""
        title = item_title(self._item)
        parts = [f"# Values behind {title}\n", f"[{title}](../{self._item}.md). {INTRODUCTION}\n"]
        for table in self._tables:
            parts.append(f'<a id="{table.anchor}"></a>\n\n## {table.title}\n')
            header, *rows = table.grid(self._item)
            parts.append(markdown_table(header, rows))
        return "\n".join(parts)

    def _find(self, sources: Sources) -> ValueTable:
        """Return the table that the values of a number stand in, a new one if there is none."""
        found = next((table for table in self._tables if table.can_take(sources)), None)
        if found is None:
            anchor = f"values-{len(self._tables) + 1}"
            found = ValueTable(anchor, sources[0].metric, _datasets(sources))
            self._tables.append(found)
        return found


def folds_address(item: str, c: Comparison) -> str:
    """Return where the folds of a number of an item are, "" if it is no mean over folds."""
    is_mean = c.n_folds and c.params and c.dataset != MEAN
    return f"{folds_file(c.dataset)}#{anchor(item, c.method, c.params)}" if is_mean else ""


def linked_number(item: str, c: Comparison) -> str:
    """Return a reproduced number in Markdown, which leads to its folds or else to its table."""
    unit = math.nan if math.isnan(c.steps) else c.unit
    return (
        f"[{number(c.metric, c.reproduced, unit=unit)}]({folds_address(item, c) or f'{item}.md'})"
    )


def _by_metric(sources: Sources) -> list[Sources]:
    metrics = dict.fromkeys(c.metric for c in sources)
    return [[c for c in sources if c.metric == metric] for metric in metrics]


def _datasets(sources: Sources) -> tuple[str, ...]:
    return tuple(dict.fromkeys(c.dataset for c in sources))


def _value(item: str, c: Comparison) -> str:
    """Return a value with a link to its folds, and behind it the published one."""
    (text,), address = exact([c.reproduced]), folds_address(item, c)
    shown = f"[{text}]({address.removeprefix(f'{FOLDS}/')})" if address else text
    return shown if math.isnan(c.published) else f"{shown} ({number(c.metric, c.published)})"
