"""How much of a change comes from each of the steps to it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from retree.errors import RetreeError
from retree.forests.thinning import node_contributions
from retree_lab.experiments.definition.item import Item
from retree_lab.experiments.definition.method import Method
from retree_lab.reports.comparison import LEVEL, Comparison
from retree_lab.reports.context import Context, introduction
from retree_lab.reports.document import MEAN_CELL, Bullets, Document, Entry, Table, TableCell
from retree_lab.reports.fold_values import MethodPair, find_fold_values, find_pair
from retree_lab.reports.formatting import decimal, number
from retree_lab.reports.kinds import Kind
from retree_lab.reports.published import published_name
from retree_lab.reports.sections import Column, csv_table, page_table
from retree_lab.statistics import PairedTest
from retree_lab.statistics.metrics import find_metric
from retree_lab.statistics.paired_tests import find_test

from .kinds import correlation

_CSV = {
    **{"group": "group", "dataset": "pair.dataset", "step": "name", "published": "published"},
    **{"difference": "test.mean_difference", "p_value": "test.p_value"},
}


class Step(NamedTuple):
    """The change by the step called `name` on one data set; `published` is of all steps."""

    group: str
    name: str
    published: float
    pair: MethodPair
    test: PairedTest


@dataclass(frozen=True, kw_only=True)
class StepTable(Kind[list[Step]]):
    """A table for each group: what each step changes on each data set."""

    metrics: tuple[str, ...]
    steps: tuple[str, ...]
    # By title, the keys of the methods before the first step and after each.
    groups: Mapping[str, tuple[str, ...]]
    test: str = "corrected"  # One of `retree_lab.statistics.paired_tests`

    def method_keys(self) -> Iterable[str]:
        """Return the methods of all groups."""
        return {key for keys in self.groups.values() for key in keys}

    def check(self, item: Item) -> None:
        """Refuse more than one metric, and a group of another number of methods than steps."""
        find_test(self.test)
        if len(self.metrics) != 1:
            raise RetreeError(f"{item.name} is of one metric; give it metrics: [NAME].")
        for title, keys in self.groups.items():
            if len(keys) != len(self.steps) + 1:
                raise RetreeError(
                    f"{item.name}: {title} needs {len(self.steps) + 1} methods, the one before the "
                    "first step and one after each."
                )

    def compare(self, context: Context) -> list[Step]:
        """Return the steps by group, data set and step."""
        return list(self._steps(context))

    def tables(self, rows: list[Step]) -> Mapping[str, pd.DataFrame]:
        """Return the steps."""
        return {"": csv_table(_CSV, rows)}

    def document(self, context: Context, rows: list[Step]) -> Document:
        """Return a table for each group."""
        groups = itertools.groupby(rows, lambda step: step.group)
        tables = [_table(title, steps) for title, steps in groups]
        legend = [
            f"Changes of the {find_metric(self.metrics[0]).label}, in points; “both” is the change "
            "from the first to the last.",
            f"* differs from 0 at {LEVEL:.0%} by {find_test(self.test).words}.",
            "The row of means has in brackets the correlation with the published change over the "
            "data sets.",
        ]
        return Document(introduction(context), [*tables, Bullets(legend)])

    def _steps(self, context: Context) -> Iterator[Step]:
        item = context.item
        values = next(iter(find_fold_values(context, self.metrics[0]).values()))
        methods = {method.key: method for method in item.methods}
        for title, keys in self.groups.items():
            if not {*keys} <= {*methods}:
                continue
            chain = [methods[key] for key in keys]
            pairs = [*itertools.pairwise(chain), (chain[0], chain[-1])]
            for dataset in item.datasets:
                if all((dataset, method.name) in values.values for method in chain):
                    place = self.metrics[0], item.label(dataset)
                    published = _published_change(context, *pairs[-1], *place)
                    for name, (base, method) in zip([*self.steps, "both"], pairs, strict=True):
                        pair = find_pair(values, item, dataset, method.name, base.name)
                        yield Step(title, name, published, pair, pair.test(self.test))


def _published_change(
    context: Context, first: Method, last: Method, metric: str, dataset: str
) -> float:
    after, before = (
        context.published.datasets(published_name(method), metric).get(dataset, math.nan)
        for method in (last, first)
    )
    return after - before


def _table(title: str, steps: Iterable[Step]) -> Table:
    """Return the table of a group: a line for each data set, and one of means."""
    lines = [list(group) for _, group in itertools.groupby(steps, lambda step: step.pair.dataset)]
    signed = partial(number, lines[0][0].pair.metric, sign=True)
    places = {step.name: place for place, step in enumerate(lines[0])}

    def column(name: str) -> Column:
        step: Callable[[list[Step]], Step] = itemgetter(places[name])
        return Column(name, step, partial(_change, signed), lambda line: _sources([step(line)]))

    columns = [
        Column("data set", lambda line: line[0].pair.dataset),
        Column("published change", lambda line: signed(line[0].published)),
        *map(column, places),
    ]
    published = pd.Series([line[0].published for line in lines])
    means: list[Entry] = [MEAN_CELL, signed(float(published.mean()))]
    for group in zip(*lines, strict=True):
        ours = pd.Series([step.test.mean_difference for step in group])
        text = f"{signed(float(ours.mean()))} ({decimal(correlation(ours, published), 2)})"
        means.append(TableCell(text, sources=_sources(group)))
    return page_table(columns, lines, [means], title=title)


def _change(signed: Callable[[float], str], step: Step) -> str:
    return signed(step.test.mean_difference) + " *" * (step.test.p_value < LEVEL)


def _sources(steps: Iterable[Step]) -> list[Comparison]:
    """Return the means before and after each of `steps`."""
    return [number for step in steps for number in step.pair.numbers[::-1]]


Shares = tuple[float, ...]


def contributions(
    context: Context,
    *,
    trees: int,
    node: Shares,
    leaves: tuple[Shares, ...],
    labels: tuple[int, ...],
    ends: tuple[int, ...],
    forest: Shares,
    pruned: Shares,
    used: Shares,
) -> pd.DataFrame:
    """Return for each row its contribution at the node and at its leaf, and F after pruning.

    `node` and `leaves` are class shares, and `used` those at the node that the published results
    `pruned` follow from. `labels` are the classes of the rows and `ends` the leaves that they end
    in, both from 1; `forest` is the share of class 1 that the forest gives each row.

    Returns columns ``row``, ``label``, ``forest``, ``case`` (as in eq. 5: whether node and forest
    are right), ``at_node``, ``leaf_case``, ``at_leaf``, and the shares of class 1 after pruning:
    ``pruned`` by the node's shares, ``pruned_used`` by those that the paper used, and
    ``pruned_printed``.
    """
    _check(context, leaves, labels, ends)
    m, top, below = float(trees), np.array(node), np.array(leaves)
    rows: list[dict[str, Any]] = []
    for i, (label, end, share, published) in enumerate(
        zip(labels, ends, forest, pruned, strict=True)
    ):
        p, leaf = np.array([share, 1 - share]), below[end - 1]
        at = node_contributions([top, leaf], [p, p], [label - 1, label - 1], m)
        rows.append({
            **{"row": f"x{i}", "label": label, "forest": share},
            **{"case": _case(top, p, label - 1), "at_node": at[0]},
            **{"leaf_case": _case(leaf, p, label - 1), "at_leaf": at[1]},
            "pruned": share + (top[0] - leaf[0]) / m,
            "pruned_used": share + (used[0] - leaf[0]) / m,
            "pruned_printed": published,
        })  # fmt: skip
    table = pd.DataFrame(rows)
    table.attrs["notes"] = _notes(table, node, used)
    return table


def _check(
    context: Context, leaves: Sequence[Shares], labels: Sequence[int], ends: Sequence[int]
) -> None:
    """Refuse rows that end in no leaf, or not as many ends as labels."""
    if len(labels) != len(ends) or not {*ends} <= {*range(1, len(leaves) + 1)}:
        raise RetreeError(
            f"{context.item.name} needs an end for each label, from 1 to {len(leaves)}."
        )


def _notes(table: pd.DataFrame, node: Shares, used: Shares) -> list[str]:
    at_node, at_leaf = (float(table[name].sum()) for name in ("at_node", "at_leaf"))
    sums = [decimal(value, 4, sign=True) for value in (at_node, at_leaf, at_leaf - at_node)]
    verb = "keeps" if at_leaf >= at_node else "prunes"
    other = table.loc[~np.isclose(table["pruned_used"], table["pruned_printed"]), "row"]
    first, second = (", ".join(map(str, shares)) for shares in (node, used))
    return [
        "The case says whether the node, and then the forest, is right (t) or not (f), eq. "
        "(5); the contributions follow eqs. (6) to (9).",
        f"They sum to {sums[0]} at v and {sums[1]} at its leaves, so ConGain(v, F) = {sums[2]} "
        f"(eq. 4): FTCG with delta 0 {verb} the branches below v.",
        f"F' is the forest's share of class 1 after pruning at v: by the shares ({first}) that the "
        f"paper states for v, by the shares ({second}) that its results follow from, and as "
        f"printed. The one printed for {' and '.join(other)} does not follow from either.",
    ]


def _case(node: NDArray[np.float64], forest: NDArray[np.float64], label: int) -> str:
    return "".join("t" if shares.argmax() == label else "f" for shares in (node, forest))
