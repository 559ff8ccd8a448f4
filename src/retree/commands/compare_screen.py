"""What ``retree compare`` prints: an estimator of one's own beside the methods of a paper."""

from __future__ import annotations

import pandas as pd
from rich.console import Console

from retree.experiments.definition.item import Item
from retree.experiments.definition.method import Method
from retree.reports.compare_items import compare_folds
from retree.reports.formatting import number
from retree.screen import print_table, say
from retree.statistics.metrics import Metric

KEY, LEVEL = "own", 0.05


def print_comparison(folds: pd.DataFrame, item: Item, metric: Metric, console: Console) -> None:
    """Print means of a metric, significant differences from the own method marked, and counts."""
    shown = set(folds["method"])
    own, *others = (method for method in item.methods if method.key in shown)
    rows = []
    by_pair = {pair: rows.set_index(["repeat", "fold"]) for pair, rows in _groups(folds)}
    counts = {method.key: [0, 0, 0, 0] for method in others}
    for name in item.datasets:
        ours, cells = by_pair.get((name, KEY)), []
        for method in others:
            theirs = by_pair.get((name, method.key))
            mark = _judge(metric, ours, theirs, item, counts[method.key])
            cells.append(_mean(metric, theirs) + mark)
        rows.append([item.label(name), _mean(metric, ours), *cells])
    print_table(["data set", *(method.name for method in (own, *others))], rows, console)
    if lost := [method.name for method in item.methods if method.key not in shown]:
        say(f"Nothing that is committed is current: {', '.join(lost)}.", console)
    say(
        f"Mean {metric.label} over the folds of all replicates that are there, with parameters "
        "chosen inside the training folds. ‡: chosen on the test rows, since nothing else is "
        "committed.",
        console,
    )
    say(
        f"▲, ▼: significantly better or worse than {own.name} by the t-test corrected for "
        f"overlapping training sets, at {LEVEL:.0%}, over the folds that both have; "
        f"{'smaller' if metric.smaller_is_better else 'greater'} is better. On how many data sets "
        f"{own.name} is",
        console,
    )
    heads = ("better", "worse", "significantly better", "significantly worse", "replicates")
    rows = [[m.name, *map(str, counts[m.key]), _replicates(folds, m)] for m in others]
    print_table(["than", *heads], rows, console)


def _replicates(folds: pd.DataFrame, method: Method) -> str:
    """Return how many replicates a method has on the data sets."""
    rows = folds[folds["method"] == method.key]
    counts = rows.groupby("dataset")["replicate"].nunique()
    low, high = counts.min(), counts.max()
    return f"{low}" if low == high else f"{low} to {high}"


def _groups(folds: pd.DataFrame) -> list[tuple[tuple[str, str], pd.DataFrame]]:
    groups = folds.groupby(["dataset", "method"], sort=False)
    return [((str(key[0]), str(key[1])), rows) for key, rows in groups if isinstance(key, tuple)]


def _mean(metric: Metric, rows: pd.DataFrame | None) -> str:
    if rows is None:
        return "–"
    mark = "‡" if rows["chosen_on_test"].any() else ""
    return f"{number(metric.name, float(metric.of(rows).mean()))}{mark}"


def _judge(
    metric: Metric,
    ours: pd.DataFrame | None,
    theirs: pd.DataFrame | None,
    item: Item,
    counts: list[int],
) -> str:
    """Count how the own method compares with another one, and return the other one's mark."""
    if ours is None or theirs is None:
        return ""
    a, b = metric.of(theirs).align(metric.of(ours), join="inner")
    if a.isna().any() or b.isna().any() or a.empty:
        return ""
    test = compare_folds(a, b, item.protocol)
    difference, sure = test.mean_difference, test.p_value < LEVEL
    if difference == 0:
        return ""
    behind = int((difference > 0) != metric.smaller_is_better)
    counts[behind] += 1
    counts[2 + behind] += sure
    return " " + "▼▲"[behind] if sure else ""
