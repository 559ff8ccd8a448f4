"""The verdicts of a whole table, for a part of it: a number is judged once.

Which numbers outside their intervals differ depends on all numbers of a table, and so does which
intervals exclude little. A part that is run takes these verdicts from the rendered table, or says
that they are open.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
from scipy.stats import false_discovery_control

from retree_lab.experiments.definition.definitions import Experiment
from retree_lab.experiments.definition.item import Item
from retree_lab.experiments.definition.item_config import located_item
from retree_lab.experiments.verifying.cell_difference import ROUNDING
from retree_lab.reports.comparison import LEVEL, Comparison, Judgement
from retree_lab.reports.published import Published
from retree_lab.reports.rendered_tables import read_comparison
from retree_lab.statistics import JUDGED, OUTSIDE, Verdict
from retree_lab.statistics.power import holds_half

OPEN = "{}: the whole table says which; render it with item={}, without datasets= and methods="
OUTSIDE_OR = "it lies outside its interval, and differs or is at the edge"
INSIDE_OR = "it lies in its interval, and agrees or agrees weakly"
_SAME = ("reproduced", "published", "low", "high")
Place = tuple[str, str, str]


def judged_as_whole(
    judged: Sequence[Comparison], experiment: Experiment, item: Item
) -> list[Comparison]:
    """Return numbers of a part of a table with the verdicts that the whole table gives them."""
    if not any(c.is_by_interval for c in judged):
        return list(judged)
    if (whole := _whole(experiment, item)) is None:
        return list(judged)
    rendered = _rendered(experiment, item.name)
    table = Published(experiment.paper).table()
    table = table[table["table"] == item.name]
    # What differs whatever the others are.
    p_values = [c.p_value for c in judged if c.is_by_interval]
    others = max(0, len(table) - len(p_values))
    surely = iter(false_discovery_control([*p_values, *[1.0] * others]) <= LEVEL)
    found = []
    for c in judged:
        if c.is_by_interval:
            differs = bool(next(surely))
            row = rendered.get((c.dataset, c.method, c.metric))
            if row is not None and _is_same(c, row):
                c = _with(c, Verdict(row["verdict"]))
            elif c.verdict in OUTSIDE:
                c = _with(c, Verdict.DIFFERS) if differs else _open(c, OUTSIDE_OR, item)
            else:
                c = _inside(c, table, whole)
        found.append(c)
    return found


def _whole(experiment: Experiment, item: Item) -> Item | None:
    """Return the whole item that `item` is a part of, None if it is whole."""
    if item.name not in experiment.paper.items:
        return None
    whole = located_item(experiment.paper, item.name, experiment.protocol, [], [])
    parts = [(i.datasets, [m.key for m in i.methods]) for i in (item, whole)]
    return None if parts[0] == (whole.datasets, parts[1][1]) else whole


def _rendered(experiment: Experiment, name: str) -> Mapping[Place, Mapping[Any, Any]]:
    """Return the rows of the rendered table that have a verdict, by place."""
    for folder in (experiment.committed, experiment.results):
        path = folder / experiment.paper.name / f"{name}.csv" if folder else None
        if path and path.exists() and (table := read_comparison(path)) is not None:
            rows = table[table["verdict"].isin(JUDGED)].to_dict("records")
            return {(row["dataset"], row["method"], row["metric"]): row for row in rows}
    return {}


def _is_same(c: Comparison, row: Mapping[Any, Any]) -> bool:
    """Whether a number, its interval and what is published are those of the rendered row."""
    return all(math.isclose(getattr(c, name), row[name], rel_tol=ROUNDING) for name in _SAME)


def _inside(c: Comparison, table: pd.DataFrame, whole: Item) -> Comparison:
    """Return a number in its interval judged by all that is published in its row."""
    row = table[(table["dataset"] == c.dataset) & (table["metric"] == c.metric)]
    names = {method.name for method in whole.methods} - {c.method}
    published = row.loc[row["method"].isin(names), "value"].dropna().tolist()
    if not published:
        return _open(c, INSIDE_OR, whole) if names else c
    return _with(c, Verdict.WEAK if holds_half(c.low, c.high, published) else Verdict.AGREES)


def _with(c: Comparison, verdict: Verdict) -> Comparison:
    return replace(c, judgement=replace(c.judgement, verdict=verdict))


def _open(c: Comparison, known: str, item: Item) -> Comparison:
    reason = OPEN.format(known, item.name)
    return replace(c, judgement=Judgement(Verdict.MISSING, reason), reason=reason)
