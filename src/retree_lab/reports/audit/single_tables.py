"""Numbers of one table that cannot be, or hardly."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from retree_lab.experiments.definition.definitions import AuditPlan, OddSizes
from retree_lab.reports.audit.published_cells import (
    LEVEL,
    Finding,
    PublishedCell,
    Ruling,
    cells_of,
    digits_of,
    mean,
    windows,
)
from retree_lab.reports.files import item_title
from retree_lab.statistics.consistency import (
    caught,
    deviations,
    expected_repeats,
    fold_means,
    lattice,
    near_pairs,
    outlying_cells,
    outlying_rows,
    reachable,
)
from retree_lab.statistics.metrics import MetricKind, find_metric

# A rule that would let so many random numbers pass says nothing.
LEAST_POWER = 0.25


def granularity(plan: AuditPlan, cells: pd.DataFrame) -> Ruling:
    """Ask whether a mean can be one of shares of rows, or of whole numbers (GRIM)."""
    says = (
        "A mean over folds, of shares of rows or of whole numbers, is a fraction with a known "
        "denominator (GRIM)."
    )
    why = "no such fraction rounds to it"
    judged = [(cell, _reachable(cell, plan), why) for cell in cells.itertuples()]
    return _lattice_ruling("granularity", says, judged)


def parity(plan: AuditPlan, cells: pd.DataFrame) -> Ruling:
    """Ask whether sizes of binary trees add up to an odd or even number, as they must."""
    judged = []
    for odd in plan.odd:
        for cell in cells[cells["metric"] == odd.metric].itertuples():
            if not odd.datasets or cell.dataset in odd.datasets:
                judged.append((cell, _odd_sums(cell, plan, odd), _other_number(plan, odd)))
    says = (
        "A binary tree has an odd number of nodes, so the total over a known number of trees is "
        "odd or even as that number is."
    )
    return _lattice_ruling("parity", says, judged)


def integer_deviations(plan: AuditPlan, cells: pd.DataFrame) -> Ruling:
    """Ask whether whole numbers of a published mean can have the published deviation (GRIMMER)."""
    odd = {entry.metric: entry for entry in plan.odd}
    findings, powers = [], []
    sizes = cells[(cells["kind"] == MetricKind.SIZE) & cells["std"].notna()]
    for index, cell in sizes.iterrows():
        entry = odd.get(cell["metric"])
        if entry is not None and entry.members > 1:
            continue
        total = round(cell["value"] * plan.runs)
        is_odd = entry is not None and (not entry.datasets or cell["dataset"] in entry.datasets)
        possible = deviations(total, plan.runs, is_odd, cell["std"], cell["unit"])
        power = caught(cell["std"], cell["unit"], possible)
        if power >= LEAST_POWER:
            powers.append(power)
            # 1.3499 is published as 1.4 where a program rounds to two digits first.
            if not reachable(cell["std"], 1.1 * cell["unit"], possible):
                numbers = f"No {plan.runs} whole numbers of mean {cell['value']:g} have the "
                numbers += f"deviation {cell['std']:g}."
                findings.append(Finding("integers", cells_of(sizes.loc[[index]]), numbers))
    says = "Whole numbers with the published mean can have the published deviation (GRIMMER)."
    return Ruling("integers", says, len(powers), "cells", mean(powers), 0.0, findings)


def leaves_and_depth(plan: AuditPlan, cells: pd.DataFrame) -> Ruling:
    """Ask whether a tree has at least one leaf more than levels."""
    sizes = cells[cells["metric"].isin(["depth", "leaves"])]
    place = ["table", "dataset", "method"]
    depth, leaves = (sizes[sizes["metric"] == name] for name in ("depth", "leaves"))
    pairs = leaves.merge(depth, on=place, suffixes=("", "_depth"))
    # Both numbers may have lost half a unit to rounding.
    short = pairs[pairs["value"] + pairs["unit"] + 1e-9 < pairs["value_depth"] + 1]
    findings = [
        Finding(
            "leaves",
            cells_of(short.loc[[index]]),
            f"{row['value']:g} leaves are too few for a depth of {row['value_depth']:g}.",
        )
        for index, row in short.iterrows()
    ]
    says = "A tree of depth d has at least d + 1 leaves, and the same is true of means over trees."
    return Ruling("leaves", says, len(pairs), "pairs", math.nan, 0.0, findings)


def _reachable(cell: Any, plan: AuditPlan) -> np.ndarray | None:
    """Return the means that the cell can be, near it; None if nothing is known."""
    if cell.kind == MetricKind.SIZE:
        return lattice(1 / plan.runs, 0.0, cell.value, cell.unit)
    if cell.kind != MetricKind.SHARE or math.isnan(cell.rows):
        return None
    rows = int(cell.rows)
    if rows % plan.folds == 0:
        # A cut number is on average half a unit too low.
        low = cell.unit / 2 if plan.cut else 0.0
        step = cell.full / (rows * plan.repeats)
        return lattice(step, 0.0, cell.value + low, cell.unit) - low
    # Of many repeats the sums of unequal folds are dense; a large set's are in any case.
    if plan.repeats > 1 or (rows / plan.folds) ** 2 > 10 * cell.full / cell.unit:
        return None
    # The paper may also have counted over all folds at once.
    together = np.arange(rows + 1) / rows
    return cell.full * np.concatenate([fold_means(rows, plan.folds), together])


def _odd_sums(cell: Any, plan: AuditPlan, odd: OddSizes) -> np.ndarray:
    trees = plan.runs * odd.members
    return lattice(2 / plan.runs, (trees % 2) / plan.runs, cell.value, cell.unit)


def _other_number(plan: AuditPlan, odd: OddSizes) -> str:
    trees = f"{plan.runs} · {odd.members} trees" if odd.members > 1 else f"{plan.runs} trees"
    right, wrong = ("odd", "even") if plan.runs * odd.members % 2 else ("even", "odd")
    why = f"{plan.runs} times the size is {wrong}, but {trees} of odd sizes have an {right} total"
    return why + (f", so not every forest has {odd.members}" if odd.members > 1 else "")


def _lattice_ruling(
    rule: str, says: str, judged: Sequence[tuple[Any, np.ndarray | None, str]]
) -> Ruling:
    """Return the ruling on cells, the numbers that each can be, and what else is wrong.

    There is one finding for each data set.
    """
    powers: list[float] = []
    wrong: dict[tuple[str, str, str], list[Any]] = {}
    for cell, numbers, why in judged:
        if numbers is None:
            continue
        power = caught(cell.value, cell.unit, numbers)
        if power < LEAST_POWER:
            continue
        powers.append(power)
        if not reachable(cell.value, cell.unit, numbers):
            wrong.setdefault((cell.dataset, cell.metric, why), []).append(cell)
    findings = [
        Finding(
            rule,
            tuple(PublishedCell(c.table, c.dataset, c.method, c.metric) for c in cells),
            f"{', '.join(digits_of(c.value, c.unit) for c in cells)}: {why}.",
        )
        for (_, _, why), cells in wrong.items()
    ]
    return Ruling(rule, says, len(powers), "cells", mean(powers), 0.0, findings)


# Fewer rows or columns have no median to speak of.
LEAST = 4


def unlikely_deviations(plan: AuditPlan, cells: pd.DataFrame) -> Ruling:
    """Ask whether a deviation is in line with its data set or with its method."""
    findings, judged, tables = [], 0, 0
    for _, group in cells[cells["relative"].notna()].groupby(["table", "metric"], sort=False):
        logs = group.pivot(index="dataset", columns="method", values="relative")
        if min(logs.shape) < LEAST:
            continue
        tables, judged = tables + 1, judged + len(group)
        chances = outlying_cells(logs, plan.runs - 1) * len(group)
        for index, cell in group.iterrows():
            chance = float(chances.loc[cell["dataset"]][cell["method"]])
            if chance <= LEVEL:
                text = _deviation_sentence(cell, logs)
                findings.append(Finding("deviation", cells_of(group.loc[[index]]), text, chance))
    says = (
        "A deviation, as a multiple of what folds of independent rows give or of the mean size, is "
        "in line with the others on its data set or with the others of its method."
    )
    return Ruling("deviation", says, judged, "cells", math.nan, tables * LEVEL, findings)


def spread_of_sets(plan: AuditPlan, cells: pd.DataFrame) -> Ruling:
    """Ask whether all deviations on a data set are greater than on the others."""
    findings, judged, metrics = [], 0, 0
    for metric, group in cells[cells["relative"].notna()].groupby("metric", sort=False):
        least = group.groupby("dataset", sort=False)["relative"].min()
        if len(least) < LEAST:
            continue
        metrics, judged = metrics + 1, judged + len(least)
        chances = outlying_rows(least, plan.runs - 1) * len(least)
        for name, chance in chances[chances <= LEVEL].items():
            rows = group[group["dataset"] == name]
            sentence = _spread_sentence(str(metric), rows, least)
            findings.append(Finding("spread", cells_of(rows), sentence, float(chance)))
    says = "The smallest deviation on a data set is in line with those on the other data sets."
    return Ruling("spread", says, judged, "data sets", math.nan, metrics * LEVEL, findings)


def repeated_cells(plan: AuditPlan, cells: pd.DataFrame) -> Ruling:
    """Ask whether cells with the same numbers may do so by chance."""
    findings, judged, expected = [], 0, 0.0
    for _, group in cells.groupby("metric", sort=False):
        group = group.reset_index(drop=True)
        pairs = near_pairs(windows(group, plan), float(group["unit"].min()))
        judged += len(group) * (len(group) - 1) // 2
        flagged = []
        for _, family in pairs.groupby(_families(group, pairs)):
            family = family.assign(expected=expected_repeats(family["chance"]))
            surprising = family[family["expected"] <= LEVEL]
            expected += float(surprising["expected"].max()) if len(surprising) else 0.0
            flagged.append(surprising[surprising["equal"]])
        findings += list(_repeats(group, pd.concat(flagged))) if flagged else []
    says = (
        "Two cells have the same value and deviation only as often as cells that close to each "
        "other do by chance. Pairs on one data set, of one method, and of neither are judged "
        "separately, within a table and between tables."
    )
    return Ruling("repeat", says, judged, "pairs", math.nan, expected, findings)


def _families(group: pd.DataFrame, pairs: pd.DataFrame) -> list[pd.Series]:
    """Return whether the two cells of each pair share their data set, method and table."""
    same = {
        name: pd.Series(
            group[name].to_numpy()[pairs["first"]] == group[name].to_numpy()[pairs["second"]],
            pairs.index,
        )
        for name in ("dataset", "method", "table")
    }
    return [same["dataset"].rename("d"), same["method"].rename("m"), same["table"].rename("t")]


def _repeats(group: pd.DataFrame, equal: pd.DataFrame) -> Iterator[Finding]:
    """Return a finding for each number that is published more than once."""
    equal = equal.sort_values("expected", kind="stable")
    texts = {int(position): _printed(group.iloc[int(position)]) for position in equal["first"]}
    for text, pairs in equal.groupby(equal["first"].map(texts), sort=False):
        rows = group.loc[sorted({*pairs["first"], *pairs["second"]})]
        places = [f"{c.method} on {c.dataset} ({item_title(c.table)})" for c in cells_of(rows)]
        sentence = f"{text} is published for {' and '.join(places)}."
        yield Finding("repeat", cells_of(rows), sentence, float(pairs["expected"].min()))


def _printed(cell: pd.Series) -> str:
    std = "" if math.isnan(cell["std"]) else f"±{digits_of(cell['std'], cell['unit'])}"
    return digits_of(cell["value"], cell["unit"]) + std


def _deviation_sentence(cell: pd.Series, logs: pd.DataFrame) -> str:
    row, column = logs.loc[cell["dataset"]].median(), logs[cell["method"]].median()
    ratio, of = math.exp(cell["relative"]), _measure(cell["kind"])
    usual = f"{math.exp(row):.2g} on {cell['dataset']} and {math.exp(column):.2g} with"
    text = f"{_printed(cell)}: the deviation is {ratio:.2g} {of}; the median is {usual}"
    return f"{text} {cell['method']}."


def _spread_sentence(metric: str, rows: pd.DataFrame, least: pd.Series) -> str:
    low, high = math.exp(rows["relative"].min()), math.exp(rows["relative"].max())
    of, usual = _measure(find_metric(metric).kind), math.exp(float(np.median(least)))
    text = f"All deviations are {low:.2g} to {high:.2g} {of}; on the median set the smallest one is"
    return f"{text} {usual:.2g}."


def _measure(kind: MetricKind) -> str:
    return "times that of independent rows" if kind == MetricKind.SHARE else "of the mean"
