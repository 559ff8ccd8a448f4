"""Facts on the criteria, and which of their parameters come out best."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from retree_lab.reports.context import Context
from retree_lab.reports.figures import COLOURS, bare_spines, conclude, new_figure
from retree_lab.reports.fold_values import find_fold_values
from retree_lab.reports.kinds import refuse_nested
from retree_lab.reports.selection import Choices
from retree_lab.statistics import friedman_test, wilcoxon_signed_rank, win_tie_loss

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def method_facts(context: Context, *, facts: tuple[str, ...]) -> pd.DataFrame:
    """Return the `facts` that methods have under ``about``, and whether each runs here.

    What the paper gives instead of a fact, or of the name, is there as ``published_<fact>``, and
    stands in brackets in ``_<fact>``.
    """
    methods = context.item.methods
    rows = pd.DataFrame({"method": [method.name for method in methods]})
    notes = ["If the paper says something else, it is in brackets."]
    for fact in ("name", *facts):
        published, column = f"published_{fact}", "method" if fact == "name" else fact
        if fact != "name":
            rows[fact] = [str(method.about.get(fact, "")) for method in methods]
        theirs = [
            str(method.about.get(published, entry))
            for method, entry in zip(methods, rows[column], strict=True)
        ]
        differs = rows[column] != theirs
        rows[f"_{column}"] = rows[column].where(
            ~differs, rows[column] + " (published: " + theirs + ")"
        )
        if fact == "name" or any(published in method.about for method in methods):
            rows[published] = theirs
        if fact != "name" and differs.any():
            names = " and ".join(rows.loc[differs, "method"])
            notes.append(f"The published {fact} is wrong for {names}.")
    rows["runs"] = ["yes" if method.missing is None else "no" for method in methods]
    rows.attrs["notes"] = [*notes, *(f"{m.name}: {m.missing}" for m in methods if m.missing)]
    return rows


RULES = ("leaf", "kept")


def growing_rules(
    context: Context, *, columns: Mapping[str, tuple[str, str]], against: str
) -> pd.DataFrame:
    """Return each column of Table 2 under both growing rules, beside the others under the same.

    `columns`: by key in Table 2, the keys under lines 14 and 15 of Algorithm 1, and without them.
    `against`: the column that the others are compared with.
    """
    keys = {method.name: method.key for method in context.item.methods}
    (by_fold,) = find_fold_values(context, "accuracy").values()
    means = by_fold.means.rename(columns=keys)
    pairs = {name: pair for name, pair in columns.items() if set(pair) <= set(means)}
    names = {
        pair[0]: str(m.about.get("stands_for", m.name))
        for m in context.item.methods
        for pair in pairs.values()
        if m.key == pair[0]
    }
    tables = [
        means[[pair[i] for pair in pairs.values()]].set_axis(list(pairs), axis=1).dropna()
        for i in range(len(RULES))
    ]
    ranks = [friedman_test(table).average_ranks for table in tables]
    in_table2 = context.paper.items["table2"]["methods"]
    rows = []
    for name, pair in pairs.items():
        row: dict[str, object] = {
            "method": names[pair[0]],
            "rule": next(rule for rule, key in zip(RULES, pair, strict=True) if key in in_table2),
            "difference": float((tables[0][name] - tables[1][name]).mean()),
        }
        for rule, table, rank in zip(RULES, tables, ranks, strict=True):
            row |= {rule: float(table[name].mean()), f"rank_{rule}": rank[name]}
            if against in pairs:
                count = win_tie_loss(table[name], table[against])
                row |= {f"wins_{rule}": count.wins, f"ties_{rule}": count.ties}
                row |= {f"losses_{rule}": count.losses}
                test = wilcoxon_signed_rank(table[name], table[against])
                row[f"p_{rule}"] = test.p_value if name != against else math.nan
        rows.append(row)
    return pd.DataFrame(rows)


HATCHES = ("", "////", "....")


def best_parameters(
    context: Context, *, parameters: Mapping[str, tuple[str, ...]], axes: Mapping[str, str]
) -> Figure:
    """Return a panel for each parameter, bars for each method: on how many sets a value is best.

    `parameters` says the methods (keys) that each is counted for; those that the item was
    restricted from are left out. `axes` are what parameters are called.
    """
    refuse_nested(context.item)
    names = {method.key: method.name for method in context.item.methods}
    grid, best = context.paper.grid, context.best
    figure = new_figure(1.5 * len(parameters) + 0.4)
    panels = figure.subplots(len(parameters), 1, squeeze=False)[:, 0]
    lines = []
    for i, (parameter, keys) in enumerate(parameters.items()):
        counts = {names[key]: best_values(best, key, parameter) for key in keys if key in names}
        _draw_panel(panels[i], counts, list(grid[parameter]))
        panels[i].set_xlabel(axes.get(parameter, parameter))
        lines.append(_words(axes.get(parameter, parameter), counts, list(grid[parameter])))
        totals = {counter.total() for counter in counts.values()}
        panels[i].set_ylabel(f"of {max(totals)} data sets" if len(totals) == 1 else "data sets")
    findings, seen = zip(*lines, strict=True)
    return conclude(figure, findings[0], ". ".join(seen))


def _words(
    parameter: str, counts: Mapping[str, Counter[float]], values: Sequence[float]
) -> tuple[str, str]:
    """Return how often a value of the lower half of a grid is best, and all counts."""
    half = values[: len(values) // 2]
    low = sum(counter[value] for counter in counts.values() for value in half)
    total = sum(counter.total() for counter in counts.values())
    finding = f"In {low} of {total} cases the {parameter} is at most {half[-1]}"
    sentences = (
        f"{name} {', '.join(f'{v:g} on {n}' for v, n in sorted(counter.items()))}"
        for name, counter in counts.items()
    )
    return finding, f"Data sets by {parameter}: {'; '.join(sentences)}"


def best_values(best: Choices, method: str, parameter: str) -> Counter[float]:
    """Return on how many data sets each value of `parameter` is the best one."""
    chosen = [choice.params for (_, key), choice in sorted(best.items()) if key == method]
    return Counter(json.loads(params)[parameter] for params in chosen if params)


def _draw_panel(axes: Axes, counts: dict[str, Counter[float]], values: list[float]) -> None:
    from matplotlib.ticker import MaxNLocator

    places, width = np.arange(len(values)), 0.8 / max(1, len(counts))
    for i, (name, counter) in enumerate(counts.items()):
        axes.bar(
            places + (i - (len(counts) - 1) / 2) * width,
            [counter[value] for value in values],
            width,
            color=COLOURS[i],
            edgecolor="black",
            linewidth=0.4,
            hatch=HATCHES[i % len(HATCHES)],
            label=name,
        )
    axes.set_xticks(places, [str(value) for value in values], rotation=45 if len(values) > 9 else 0)
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_ylim(bottom=0)
    bare_spines(axes)
    if counts:
        axes.legend(loc="best")
