"""What rules of stopping do to the trees that grow without them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from retree.errors import RetreeError
from retree.experiments.definition.item import Item
from retree.reports.compare_items import compare_item
from retree.reports.comparison import Comparison
from retree.reports.context import Context
from retree.reports.coverage import introduction
from retree.reports.document import Bullets, Document, Entry, Table, TableCell
from retree.reports.formatting import BLANK, number
from retree.reports.kind import NumericKind

_METRICS = ("accuracy", "leaves")
_LEGEND = (
    "Accuracy and leaves are means over the data sets; in brackets on how many of them the tree is "
    "more and less accurate than without the rule, and smaller."
)


@dataclass(frozen=True, kw_only=True)
class StoppingTable(NumericKind):
    """A row for each rule, and for no rule; columns for each kind of tree."""

    # Keys of the methods without a rule, one of each kind of tree. With ``_RULE`` appended they are
    # the keys of the methods with that rule.
    baselines: tuple[str, ...]
    rules: Mapping[str, str]  # The rules, and what they say
    always: str  # A sentence on the rules that hold in every tree

    def method_keys(self) -> Iterable[str]:
        """Return the methods with and without rules."""
        return [f"{base}{end}" for end in ("", *self._ends) for base in self.baselines]

    def check(self, item: Item) -> None:
        """Refuse an item that lacks a kind of tree with one of the rules."""
        known = {method.key for method in item.methods}
        if lacking := [key for key in self.method_keys() if key not in known]:
            raise RetreeError(f"{item.name} needs the methods {', '.join(lacking)}.")

    def compare(self, context: Context) -> Sequence[Comparison]:
        """Return the numbers by method, data set and metric."""
        return compare_item(context, _METRICS)

    def document(self, context: Context, rows: Sequence[Comparison]) -> Document:
        """Return the table."""
        names = {method.key: method.name for method in context.item.methods}
        header = ["rule"]
        for base in self.baselines:
            header += [f"{names[base]}: {metric}" for metric in _METRICS]
        lines: list[list[Entry]] = []
        for end, words in zip(("", *self._ends), ("none", *self.rules.values()), strict=True):
            line: list[Entry] = [words]
            for base in self.baselines:
                for metric in _METRICS:
                    own = _values(rows, names[f"{base}{end}"], metric)
                    without = _values(rows, names[base], metric) if end else []
                    line.append(_entry(metric, own, without))
            lines.append(line)
        legend = Bullets([_LEGEND, self.always])
        return Document(introduction(context), [Table(header, lines), legend])

    @property
    def _ends(self) -> list[str]:
        return [f"_{rule}" for rule in self.rules]


def _values(rows: Sequence[Comparison], method: str, metric: str) -> list[Comparison]:
    return [c for c in rows if (c.method, c.metric) == (method, metric)]


def _entry(metric: str, own: list[Comparison], bases: list[Comparison]) -> Entry:
    """Return the mean of a rule, and on how many data sets it differs from no rule."""
    values = np.array([c.reproduced for c in own])
    if not len(values) or np.isnan(values).any():
        return BLANK
    text = number(metric, float(values.mean()))
    if bases:
        differences = values - [c.reproduced for c in bases]
        more, less = int((differences > 0).sum()), int((differences < 0).sum())
        text += f" ({more}, {less})" if metric == "accuracy" else f" ({less})"
    return TableCell(text, sources=own)
