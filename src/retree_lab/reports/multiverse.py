"""The results of a paper under all combinations of what its text leaves open, and what was tried.

Functions of an item of kind ``computed``. A point of the multiverse is a method under one
interpretation of each thing that is left open, with all points of its grid or half of them. One
replicate is enough, since all points have the same folds.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from retree.errors import RetreeError, unknown_name
from retree_lab.experiments.definition.method import Method, load_method
from retree_lab.reports.compare_items import compare_values
from retree_lab.reports.comparison import Comparison, comparison_table
from retree_lab.reports.context import Context
from retree_lab.reports.figures import (
    COLOURS,
    MARKERS,
    bare_spines,
    conclude,
    legend_below,
    new_figure,
)
from retree_lab.reports.files import item_title
from retree_lab.reports.formatting import BLANK, RULE, number, percent
from retree_lab.reports.published import published_name
from retree_lab.reports.selection import best_test
from retree_lab.statistics import AGREEING, JUDGED
from retree_lab.statistics.metrics import find_metric, is_size

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# The values of a halved parameter, as places of the sorted grid.
GRIDS = {"all": slice(None), "1st, 3rd, …": slice(0, None, 2), "2nd, 4th, …": slice(1, None, 2)}
_SHARE = "The share is among all numbers of the method that can be judged, in one replicate."
_SIDES = ("reproduced", "published")
Numbers = Sequence[Comparison]


def multiverse(
    context: Context,
    *,
    metrics: tuple[str, ...],
    points: Mapping[str, Mapping[str, str]],
    baseline: str,
    shared: tuple[str, ...] = (),
    halved: str = "",
    used_in: str = "",
) -> pd.DataFrame:
    """Return a row for each point, with the share that agrees and the effect over the baseline.

    `metrics`: the first is that of the effect, a mean difference; the last one of a ratio of sizes.
    `points`: by key of a method, its interpretation of each thing that is left open.
    `baseline`: the published name of the methods that effects are over.
    `shared`: the things in which method and baseline are the same.
    `halved`: a tuned parameter whose values are ours, so that halves of its grid are points, too.
    `used_in`: the item whose methods are the points that retree uses, "" for none.
    """
    methods = {method.key: method for method in context.item.methods}
    names = list(dict.fromkeys(name for point in points.values() for name in point))
    used = set(context.paper.items[used_in]["methods"]) if used_in else set()
    numbers_by_point = {
        (key, grid): _numbers(context, method, metrics, halved, values)
        for key, method in methods.items()
        if method.missing is None
        for grid, values in _grids(context, method, halved)
    }
    bases = {
        tuple(points[key].get(name, "") for name in shared): numbers
        for (key, _), numbers in numbers_by_point.items()
        if published_name(methods[key]) == baseline
    }
    rows = []
    for (key, grid), numbers in numbers_by_point.items():
        method = methods[key]
        row: dict[str, Any] = {"method": published_name(method)}
        row |= {name: points[key].get(name, math.nan) for name in names}
        row["grid"] = grid if halved in method.tune else math.nan
        row["used"] = key in used and grid == "all"
        row["_used"] = "used" if row["used"] else math.nan
        row |= _agreement(numbers)
        if published_name(method) != baseline:
            base = bases[tuple(points[key].get(name, "") for name in shared)]
            row |= _effect(numbers, base, metrics)
        rows.append(row)
    table = pd.DataFrame(rows)
    table.attrs["notes"] = [RULE, _SHARE, *_sentences(table, metrics[0])]
    return table


def draw_multiverse(
    context: Context,
    rows: pd.DataFrame,
    *,
    metrics: tuple[str, ...],
    baseline: str,
    shared: tuple[str, ...] = (),
) -> Figure:
    """Return a panel for each method: the points by their effect and the share that agrees."""
    effects = rows.dropna(subset=["effect"])
    groups = list(effects.groupby("method", sort=False))
    figure = new_figure(1.35 * len(groups) + 1.1)
    panels = figure.subplots(len(groups), 1, squeeze=False)[:, 0]
    label = find_metric(metrics[0]).label
    for axes, (name, points) in zip(panels, groups, strict=True):
        _draw_panel(axes, points, list(shared))
        axes.set_xlabel(f"{name} − {baseline}, {label}")
    figure.supylabel("% of the numbers that agree", size="medium")
    named = {h.get_label(): h for axes in panels for h in axes.get_legend_handles_labels()[0]}
    legend_below(figure, list(named.values()), ncols=2)
    seen = " ".join(_sentences(rows, metrics[0]))
    return conclude(figure, _finding(groups, metrics[0], baseline), seen)


def _finding(groups: Sequence[tuple[Any, pd.DataFrame]], metric: str, baseline: str) -> str:
    """Return how far the effect moves that the open choices move most."""
    name, points = max(groups, key=lambda group: float(np.ptp(group[1]["effect"])))
    low, high = (number(metric, value, sign=True) for value in _range(points["effect"]))
    published = number(metric, float(points["published_effect"].iloc[0]), sign=True)
    return (
        f"Whatever the text leaves open, {name} − {baseline} is {low} to {high} "
        f"(published {published})"
    )


def _grids(context: Context, method: Method, halved: str) -> Iterator[tuple[str, set[Any] | None]]:
    """Yield the grids of a method by name, with the values of `halved`; None for all."""
    if halved not in method.tune:
        yield "all", None
        return
    values = sorted(context.paper.grid[halved])
    for name, part in GRIDS.items():
        yield name, {*values[part]}


def _numbers(
    context: Context,
    method: Method,
    metrics: Sequence[str],
    halved: str,
    values: set[Any] | None,
) -> Numbers:
    """Return the judged numbers of a method, its grid restricted to `values` of `halved`."""
    frame = context.frame[context.frame["method"] == method.key]
    if values is not None:
        frame = frame[[json.loads(params)[halved] in values for params in frame["params"]]]
    choices = best_test(frame)
    item, name = context.item, published_name(method)
    return context.judge(
        compare_values(item, (dataset, method, metric), choice, theirs)
        for dataset in item.datasets
        if (choice := choices.get((dataset, method.key))) is not None and len(choice.folds)
        for metric in metrics
        if (theirs := context.find_in_any_table(item.label(dataset), name, metric)) is not None
    )


def _agreement(numbers: Numbers) -> dict[str, Any]:
    judged = [c for c in numbers if c.verdict in JUDGED]
    agree = sum(c.verdict in AGREEING for c in judged)
    share = agree / len(judged) if judged else math.nan
    return {"n_numbers": len(judged), "agree": agree, "share": share}


def _effect(numbers: Numbers, base: Numbers, metrics: Sequence[str]) -> dict[str, Any]:
    """Return the effect over the baseline, ours and the published one on the same data sets."""
    # Data sets on which both are known and neither is a misprint.
    sound = ([c for c in some if not c.theirs.is_wrong] for some in (numbers, base))
    one, other = (comparison_table(some, ("dataset", "metric", *_SIDES)) for some in sound)
    both = one.merge(other, on=["dataset", "metric"], suffixes=("", "_base"))
    main, sizes = (both[both["metric"] == metric] for metric in (metrics[0], metrics[-1]))
    ours, theirs = (main[name] - main[f"{name}_base"] for name in _SIDES)
    row: dict[str, Any] = {"n_datasets": len(main)}
    row |= {"effect": ours.mean(), "published_effect": theirs.mean()}
    row |= {"above_base": int((ours > 0).sum()), "below_base": int((ours < 0).sum())}
    row["published_above"] = int((theirs > 0).sum())
    row["published_below"] = int((theirs < 0).sum())
    if is_size(metrics[-1]):
        # Geometric means of sizes plus one: trees may have a depth of 0.
        ratios = ((sizes[name] + 1) / (sizes[f"{name}_base"] + 1) for name in _SIDES)
        means = (math.exp(ratio.map(math.log).mean()) for ratio in ratios)
        row |= dict(zip(("ratio", "published_ratio"), means, strict=True))
    return row


def _sentences(table: pd.DataFrame, metric: str) -> Iterator[str]:
    """Yield how far the effects and shares move over the points."""
    if "effect" not in table:
        return
    for name, points in table.dropna(subset=["effect"]).groupby("method", sort=False):
        low, high = (number(metric, value, sign=True) for value in _range(points["effect"]))
        published = points["published_effect"].iloc[0]
        same = int((np.sign(points["effect"]) == np.sign(published)).sum())
        used = points[points["used"]]
        here = ""
        if len(used) == 1:
            here = f"; as retree interprets it {number(metric, used['effect'].item(), sign=True)}"
        yield (
            f"{name}: over {len(points)} combinations the mean difference "
            f"({find_metric(metric).label}) lies between {low} and {high} (published on the same "
            f"data sets: {number(metric, published, sign=True)}{here}). It has the published sign "
            f"in {same} of {len(points)}. Between {percent(points['share'].min())}% and "
            f"{percent(points['share'].max())}% of the numbers agree{_used_share(used, points)}."
        )


def _range(values: pd.Series) -> tuple[float, float]:
    return float(values.min()), float(values.max())


def _used_share(used: pd.DataFrame, points: pd.DataFrame) -> str:
    if len(used) != 1:
        return ""
    share = float(used["share"].iloc[0])
    more = int((points["share"] > share).sum())
    beside = f"and more in {more} of the {len(points) - 1} others"
    return f": {percent(share)}% as retree interprets it, {beside}"


def _draw_panel(axes: Axes, points: pd.DataFrame, shared: list[str]) -> None:
    from matplotlib.ticker import MaxNLocator

    keys = (
        points[shared].astype(str).agg(", ".join, axis=1) if shared else pd.Series("", points.index)
    )
    for i, (name, some) in enumerate(points.groupby(keys, sort=False)):
        axes.plot(
            some["effect"],
            100 * some["share"],
            MARKERS[i],
            color=COLOURS[i],
            label=": ".join([", ".join(shared), str(name)]) if shared else "one interpretation",
            fillstyle="none",
            markersize=4,
        )
    used = points[points["used"]]
    axes.plot(used["effect"], 100 * used["share"], "o", color="black", ms=7, fillstyle="none",
              label="as retree interprets it")  # fmt: skip
    published = points["published_effect"].iloc[0]
    axes.axvline(published, color="black", lw=0.8, ls="--", label="published")
    axes.axvline(0, color="grey", lw=0.4)
    axes.xaxis.set_major_locator(MaxNLocator(5))
    axes.set_ylim(-4, 104)  # so that no mark is cut
    bare_spines(axes)


_NOTE = (
    "An interpretation is any method that an item of the paper computes for the column; ours is "
    "one of them. What follows from the text was known before any number was compared. What was "
    "chosen by fit was chosen later, by the published numbers themselves, so their agreement is "
    "weaker evidence."
)


@dataclass(frozen=True, kw_only=True)
class Tried:
    """Interpretations of one thing that a paper leaves open, and how they were judged.

    Of `tried` interpretations those that `item` varies are computed; without a number all are.
    """

    chosen_by: str  # The numbers that the choice was made by
    judged_by: str = ""  # Those that had no part in it, "" for none
    tried: int = 0
    # How well the number is known: exactly, as it was noted while trying, or what is certain.
    known: Literal["", "about", "at least"] = ""
    item: str = ""


def tried_readings(context: Context, *, readings: Mapping[str, Tried]) -> pd.DataFrame:
    """Return a row for each thing that is left open, with how many of its readings are computed."""
    items, rows = context.paper.items, []
    for name, one in readings.items():
        if one.item and one.item not in items:
            raise unknown_name(f"item of {name}", one.item, items)
        computed = _points(items[one.item].get("vary")) if one.item else 0
        if not one.tried and not computed:
            raise RetreeError(f"{name} lacks tried, how many interpretations it has had.")
        tried = one.tried or computed
        text = f"{one.known} {tried:,}".strip()
        rows.append((name, tried, text, computed, one.item, one.chosen_by, one.judged_by))
    names = ["open", "tried", "_tried", "computed", "item", "chosen_by", "judged_by"]
    return pd.DataFrame(rows, columns=names)


def _points(vary: object) -> int:
    """Return how many points an item varies."""
    if isinstance(vary, Mapping):
        return math.prod(len(values) for values in vary.values())
    return len(vary) if isinstance(vary, list | tuple) else 0


def tried_by_column(
    context: Context,
    *,
    from_text: Mapping[str, str],
    by_fit: Mapping[str, str],
) -> pd.DataFrame:
    """Return a row for each method of the item: what was tried in its place, and where.

    `from_text`, `by_fit`: by published name, what follows from the text, and what was chosen by the
    published numbers.
    """
    names = [method.name for method in context.item.methods]
    for name in (*from_text, *by_fit):
        if name not in names:
            raise unknown_name("method", name, names)
    items_by_method: dict[str, dict[str, str]] = {name: {} for name in names}
    for item, options in context.paper.items.items():
        for key in (options.get("methods") or ()) if options.get("datasets") else ():
            method = load_method(key, context.paper.folder)
            name = context.paper.names.get(key) or published_name(method)
            if name in items_by_method and not options.get("own_names"):
                items_by_method[name].setdefault(key, item)
    rows = [
        {
            "method": name,
            "tried": len(keys),
            "where": ", ".join(map(item_title, dict.fromkeys(keys.values()))),
            "from_text": from_text.get(name, BLANK),
            "by_fit": by_fit.get(name, BLANK),
        }
        for name, keys in items_by_method.items()
    ]
    table = pd.DataFrame(rows)
    total = int(table["tried"].sum())
    chosen = ", ".join(name for name in names if name in by_fit) or "none"
    counted = f"{total} interpretations of {len(names)} columns. Chosen by fit, in part: {chosen}."
    table.attrs["notes"] = [counted, _NOTE]
    return table
