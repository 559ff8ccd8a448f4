"""Rules of the audit that sound tables cannot break: sums, counts, lattices, bounds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from retree.experiments.definition.audit_config import AuditPlan, OddSizes
from retree.experiments.definition.definitions import Paper
from retree.reports.audit.findings import Finding, PublishedCell, Ruling, cells_of, mean
from retree.reports.audit.published_cells import digits_of
from retree.statistics.consistency import caught, deviations, fold_means, lattice, reachable
from retree.statistics.metrics import MetricKind

# A rule that would let so many random numbers pass says nothing.
LEAST_POWER = 0.25


def granularity(paper: Paper, plan: AuditPlan, cells: pd.DataFrame) -> Ruling:
    """Ask whether a mean can be one of shares of rows, or of whole numbers (GRIM)."""
    says = (
        "A mean over the folds of shares of rows, or of whole numbers, is a fraction of known "
        "denominator (GRIM)."
    )
    why = "no fraction of its kind is rounded to it"
    judged = [(cell, _reachable(cell, plan), why) for cell in cells.itertuples()]
    return _lattice_ruling("granularity", says, judged)


def parity(paper: Paper, plan: AuditPlan, cells: pd.DataFrame) -> Ruling:
    """Ask whether sizes of binary trees add up to an odd or even number, as they must."""
    judged = []
    for odd in plan.odd:
        for cell in cells[cells["metric"] == odd.metric].itertuples():
            if not odd.datasets or cell.dataset in odd.datasets:
                judged.append((cell, _odd_sums(cell, plan, odd), _other_number(plan, odd)))
    says = (
        "A binary tree has an odd number of nodes, so the total of a known number of them is odd "
        "or even as that number is."
    )
    return _lattice_ruling("parity", says, judged)


def integer_deviations(paper: Paper, plan: AuditPlan, cells: pd.DataFrame) -> Ruling:
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
        found = deviations(total, plan.runs, is_odd, cell["std"], cell["unit"])
        power = caught(cell["std"], cell["unit"], found)
        if power >= LEAST_POWER:
            powers.append(power)
            # 1.3499 is published as 1.4 where a program rounds to two digits first.
            if not reachable(cell["std"], 1.1 * cell["unit"], found):
                numbers = f"No {plan.runs} whole numbers of mean {cell['value']:g} have the "
                numbers += f"deviation {cell['std']:g}."
                findings.append(Finding("integers", cells_of(sizes.loc[[index]]), numbers))
    says = "Whole numbers of the published mean can have the published deviation (GRIMMER)."
    return Ruling("integers", says, len(powers), "cells", mean(powers), 0.0, tuple(findings))


def leaves_and_depth(paper: Paper, plan: AuditPlan, cells: pd.DataFrame) -> Ruling:
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
    says = "A tree of depth d has at least d + 1 leaves, and so have means of trees."
    return Ruling("leaves", says, len(pairs), "pairs", math.nan, 0.0, tuple(findings))


def _reachable(cell: Any, plan: AuditPlan) -> np.ndarray | None:
    """Return the means that the cell can be, near it; None if nothing is known."""
    if cell.kind == MetricKind.SIZE:
        return lattice(1 / plan.runs, 0.0, cell.value, cell.unit)
    if cell.kind != MetricKind.SHARE or math.isnan(cell.rows):
        return None
    rows = int(cell.rows)
    if rows % plan.folds == 0:
        # What is cut is on average half a unit too low.
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
            tuple(PublishedCell(c.table, c.dataset, c.method, c.metric) for c in found),
            f"{', '.join(digits_of(c.value, c.unit) for c in found)}: {why}.",
        )
        for (_, _, why), found in wrong.items()
    ]
    return Ruling(rule, says, len(powers), "cells", mean(powers), 0.0, tuple(findings))
