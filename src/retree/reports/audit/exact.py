"""Rules of the audit that sound tables cannot break: sums, counts, lattices, bounds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from retree.experiments.definition.audit_config import AuditPlan, OddSizes
from retree.experiments.definition.checks import CountCheck
from retree.experiments.definition.definitions import Paper
from retree.reports.audit.findings import Finding, PublishedCell, Ruling, cells_of, mean
from retree.reports.audit.published_cells import digits_of, units
from retree.reports.claims.answers import holding
from retree.reports.claims.claim_columns import published_numbers
from retree.reports.files import item_title
from retree.reports.formatting import number
from retree.reports.published import Published
from retree.statistics.consistency import (
    caught,
    deviations,
    fold_means,
    lattice,
    needed_correlation,
    reachable,
)
from retree.statistics.metrics import MetricKind, find_metric

# A rule that would let so many random numbers pass says nothing.
LEAST_POWER = 0.25
# Of the paired t-test behind the stars.
STAR_LEVEL = 0.05
_WEAK = {"<": "<=", ">": ">=", "<=": "<=", ">=": ">="}


def means_of_cells(paper: Paper, plan: AuditPlan, cells: pd.DataFrame) -> Ruling:
    """Ask whether published means are those of the cells, and if not, of which rows they are."""
    findings, judged = [], 0
    table = Published(paper).table()
    table = table.assign(unit=units(table))
    for name, metrics in plan.means.items():
        for metric, source in metrics.items():
            means = table[(table["table"] == name) & (table["metric"] == metric)]
            values = _grid(cells, source, metric)
            judged += len(means)
            allowed = (means["unit"].max() + _unit(cells, source, metric)) / 2
            found = _wrong_means(means, values, allowed * (1 + 1e-6), source)
            findings += [] if found is None else [found]
    says = "A published mean is the mean of the published cells, up to rounding."
    return Ruling("mean", says, judged, "means", 1.0, 0.0, tuple(findings))


def _wrong_means(
    means: pd.DataFrame, values: pd.DataFrame, allowed: float, source: str
) -> Finding | None:
    printed = means.set_index("method")["value"]
    gaps = (printed - values.mean()).reindex(printed.index)
    wrong = gaps.index[gaps.abs() > allowed]
    if wrong.empty:
        return None
    metric = str(means["metric"].iloc[0])
    wrong_means = [
        f"{m} {number(metric, printed[m])} for {number(metric, values[m].mean())}" for m in wrong
    ]
    rows = _block(printed, values, allowed)
    where = f" They are the means of {rows}." if rows else ""
    numbers = f"Not the means of {item_title(source)}: {', '.join(wrong_means)}.{where}"
    return Finding("mean", cells_of(means[means["method"].isin(wrong)]), numbers)


def _block(printed: pd.Series, values: pd.DataFrame, allowed: float) -> str:
    """Return the rows that follow each other whose means are all those published, "" if none."""
    if len(printed) < 2:
        return ""
    sums = np.vstack([np.zeros(len(printed)), values[printed.index].cumsum()])
    n = len(values)
    for length in range(n - 1, 1, -1):
        means = (sums[length:] - sums[:-length]) / length
        fits = np.flatnonzero((np.abs(means - printed.to_numpy()) <= allowed).all(axis=1))
        if len(fits):
            first, last = values.index[fits[0]], values.index[fits[0] + length - 1]
            return f"{length} of its {n} rows, {first} to {last}"
    return ""


def counts(paper: Paper, plan: AuditPlan, cells: pd.DataFrame) -> Ruling:
    """Ask whether the sets that a sentence counts can be counted in the table."""
    published, findings = Published(paper), []
    checks = {claim.name: claim for claim in paper.claims}
    for name in plan.recount:
        check = checks[name].check
        assert isinstance(check, CountCheck)
        counted = check.at_least if check.at_least is not None else check.at_most
        assert counted is not None
        find = published_numbers(published, check)
        weak = list(holding(replace(check, relation=_WEAK[check.relation]), find).values())
        strict = list(holding(replace(check, relation=check.relation[0]), find).values())
        most = weak.count(True) + weak.count(None)
        if not strict.count(True) <= counted <= most:
            numbers = f"“{checks[name].text}” The table gives {strict.count(True)}"
            ties = weak.count(True)
            numbers += f", {ties} with ties" if ties != strict.count(True) else ""
            numbers += f", {weak.count(None)} not readable" if None in weak else ""
            place = tuple(
                PublishedCell(check.item, "", check.label(key), check.metric) for key in check.of
            )
            findings.append(Finding("count", place, f"{numbers}, not {counted}."))
    says = "A number of data sets in the text is that of the table, counted with ties or without."
    return Ruling("count", says, len(plan.recount), "sentences", 1.0, 0.0, tuple(findings))


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


def marks(paper: Paper, plan: AuditPlan, cells: pd.DataFrame) -> Ruling:
    """Ask whether a star can be there, or be absent, at any correlation of the two columns."""
    findings, judged = [], 0
    for better, marked in plan.marks.items():
        pairs = cells[cells["method"] == better].merge(
            cells[cells["method"] == marked],
            on=["table", "dataset", "metric"],
            suffixes=("", "_marked"),
        )
        for index, pair in pairs[pairs["std"].notna()].iterrows():
            judged += 1
            if why := _star(pair, plan.runs):
                place = (*cells_of(pairs.loc[[index]]), _marked(pair, marked))
                findings.append(Finding("mark", place, why))
    says = (
        f"A star of the paired t-test at {STAR_LEVEL:.0%} is possible where there is one, and "
        "can be missing where there is none, at some correlation of the two columns."
    )
    return Ruling("mark", says, judged, "pairs", math.nan, 0.0, tuple(findings))


def _star(pair: pd.Series, runs: int) -> str:
    sign = -1 if find_metric(pair["metric"]).smaller_is_better else 1
    # Half a unit of either number may be lost to rounding.
    gap = sign * (pair["value"] - pair["value_marked"])
    starred = pair["marker_marked"] == "*"
    gap += pair["unit"] if starred else -pair["unit"]
    other = f"{pair['value_marked']:g}"
    needed = needed_correlation(gap, pair["std"], pair["std_marked"], runs, STAR_LEVEL)
    if starred and (gap <= 0 or needed > 1):
        return f"A star although {pair['value']:g} cannot be significantly better than {other}."
    if not starred and gap > 0 and needed < -1:
        return f"No star although {pair['value']:g} must be significantly better than {other}."
    return ""


def _marked(pair: pd.Series, method: str) -> PublishedCell:
    return PublishedCell(pair["table"], pair["dataset"], method, pair["metric"])


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


def _grid(cells: pd.DataFrame, table: str, metric: str) -> pd.DataFrame:
    """Return a published table, data sets by methods in the published order."""
    chosen = cells[(cells["table"] == table) & (cells["metric"] == metric)]
    wide = chosen.pivot(index="dataset", columns="method", values="value")
    return wide.reindex(index=chosen["dataset"].unique(), columns=chosen["method"].unique())


def _unit(cells: pd.DataFrame, table: str, metric: str) -> float:
    chosen = cells[(cells["table"] == table) & (cells["metric"] == metric)]
    return float(chosen["unit"].max())
