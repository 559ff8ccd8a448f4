"""Checks of a table against itself: averages, ranks, best numbers, and columns that repeat."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd
from scipy.stats import binom

from retree.errors import RetreeError
from retree_lab.experiments.definition.definitions import AuditPlan
from retree_lab.outside.reading import Number, OutsideTable
from retree_lab.reports.audit import CELL_RULES
from retree_lab.reports.audit.published_cells import (
    Finding,
    PublishedCell,
    Ruling,
    described,
    wrong_means,
)
from retree_lab.reports.audit.single_tables import granularity, integer_deviations
from retree_lab.statistics.metrics import METRICS
from retree_lab.study.catalogue import find_known

TABLE = "table"
# Of so few numbers nothing is said: they are equal, or in order, by chance.
LEAST = 4


def table_rulings(table: OutsideTable, metrics: Mapping[str, str]) -> list[Ruling]:
    """Apply the rules that need nothing but a table, and return their findings.

    `metrics`: the metric of each column to judge, as `retree_lab.statistics.metrics` names it.
    """
    values = _values(table, metrics)
    return [
        _averages(table, metrics, values),
        _ranks(table, metrics, values),
        _best(table, metrics),
        _shares(table, metrics),
        _columns(table, metrics, values),
    ]


def _values(table: OutsideTable, methods: Iterable[str]) -> pd.DataFrame:
    """Return the numbers of some columns, NaN where there is none."""
    columns = {m: {name: c.value for name, c in table.column(m).items()} for m in methods}
    return pd.DataFrame(columns, index=list(table.datasets), dtype=np.float64)


def unit_of(numbers: Mapping[str, Number]) -> float:
    """Return the unit of a column's last digit, by its finest number."""
    return min((cell.unit for cell in numbers.values()), default=1.0)


def _place(
    table: OutsideTable, metrics: Mapping[str, str], *places: tuple[str, str]
) -> tuple[PublishedCell, ...]:
    return tuple(PublishedCell(TABLE, name, m, metrics[m]) for name, m in places)


def _averages(table: OutsideTable, metrics: Mapping[str, str], values: pd.DataFrame) -> Ruling:
    """Ask whether averages follow from the numbers above them."""
    findings = []
    whole = [m for m in table.means if m in metrics and values[m].notna().all()]
    for metric in dict.fromkeys(metrics[m] for m in whole):
        columns = [m for m in whole if metrics[m] == metric]
        printed = [[TABLE, "", m, metric, table.means[m].value] for m in columns]
        means = pd.DataFrame(printed, columns=[*PublishedCell._fields, "value"])
        units = [table.means[m].unit + unit_of(table.column(m)) for m in columns]
        finding = wrong_means(
            means, values[columns], max(units) / 2 * (1 + 1e-6), "the numbers above"
        )
        findings += [] if finding is None else [finding]
    says = "An average equals the average of the numbers above it, up to rounding."
    return Ruling("mean", says, len(whole), "averages", 1.0, 0.0, tuple(findings))


def _ranks(table: OutsideTable, metrics: Mapping[str, str], values: pd.DataFrame) -> Ruling:
    """Ask whether average ranks are possible, whichever way ties and hidden digits fell."""
    findings = []
    ranked = [m for m in metrics if m in table.ranks]
    complete = values[ranked].dropna()
    judged = ranked if len(ranked) > 1 and len(complete) == len(values) else []
    if judged:
        # 1 is the best rank.
        signed = complete if _smaller_is_better(metrics[ranked[0]]) else -complete
        low, high = (signed.rank(axis=1, method=how).mean() for how in ("min", "max"))
        for m in judged:
            rank, slack = table.ranks[m].value, table.ranks[m].unit * (0.5 + 1e-6)
            if not low[m] - slack <= rank <= high[m] + slack:
                text = f"The average rank of {m} is {rank:g}, but the table gives {low[m]:.4g}"
                text += f" to {high[m]:.4g}." if high[m] - low[m] > 1e-9 else "."
                findings.append(Finding("rank", _place(table, metrics, ("", m)), text))
    says = "An average rank follows from the numbers above it, whose hidden digits may break ties."
    return Ruling("rank", says, len(judged), "average ranks", math.nan, 0.0, tuple(findings))


def _best(table: OutsideTable, metrics: Mapping[str, str]) -> Ruling:
    """Ask whether the bold number of a data set is its best, where most are."""
    findings, judged = [], 0
    for metric in dict.fromkeys(metrics.values()):
        best = min if _smaller_is_better(metric) else max
        columns = {m: table.column(m) for m in metrics if metrics[m] == metric}
        is_best: dict[tuple[str, str], bool] = {}  # Of bold numbers
        for name in table.datasets:
            cells = {m: column[name] for m, column in columns.items() if name in column}
            bold = [m for m, cell in cells.items() if cell.bold]
            if len(cells) > len(bold):
                first = best(cell.value for cell in cells.values())
                is_best |= {(name, m): cells[m].value == first for m in bold}
        wrong = [place for place, right in is_best.items() if not right]
        if len(is_best) < LEAST or len(wrong) > len(is_best) / 4:
            continue
        judged += len(is_best)
        for name, m in wrong:
            text = f"{columns[m][name].value:g} is bold, but not the best on {name}."
            findings.append(Finding("best", _place(table, metrics, (name, m)), text))
    says = "Where bold marks the best number of a data set, every bold number is the best."
    return Ruling("best", says, judged, "bold numbers", math.nan, 0.0, tuple(findings))


def _shares(table: OutsideTable, metrics: Mapping[str, str]) -> Ruling:
    """Ask whether accuracies are from 0 to 100 %, and deviations not above what those allow."""
    findings, judged = [], 0
    for m in metrics:
        full = METRICS[metrics[m]].most if metrics[m] in METRICS else math.nan
        for name, cell in table.column(m).items() if full > 0 else ():
            judged += 1
            share = cell.value / full
            if not 0 <= share <= 1:
                text = f"{cell.value:g} is not between 0 and {full:g}."
            elif cell.std > full * math.sqrt(2 * share * (1 - share)) + cell.unit + cell.std_unit:
                # Two folds, one of them right and one wrong, have the largest deviation.
                text = f"{cell.value:g} ± {cell.std:g}: numbers from 0 to {full:g} with this "
                text += "mean cannot vary so much."
            else:
                continue
            findings.append(Finding("share", _place(table, metrics, (name, m)), text))
    says = "An accuracy or error is from 0 to 100 %, and its deviation fits its mean."
    return Ruling("share", says, judged, "cells", math.nan, 0.0, tuple(findings))


def _columns(table: OutsideTable, metrics: Mapping[str, str], values: pd.DataFrame) -> Ruling:
    """Ask whether two columns are the same, or one is what the other lacks to 1 or 100."""
    findings, judged = [], 0
    columns = {m: values[m].to_numpy() for m in metrics}
    units = {m: unit_of(table.column(m)) for m in metrics}
    for a, b in combinations(metrics, 2):
        both = ~np.isnan(columns[a] + columns[b])
        first, second = columns[a][both], columns[b][both]
        if len(set(first)) < LEAST:
            continue
        judged += 1
        unit, total = max(units[a], units[b]), first + second
        if (first == second).all():
            text = f"{a} and {b} have the same {len(first)} numbers."
        elif full := next((f for f in (1.0, 100.0) if (abs(total - f) <= unit * 1.01).all()), None):
            text = f"{a} is {full:g} − {b}: one is an accuracy, the other an error."
        else:
            continue
        places = [("", a), ("", b)]
        findings.append(Finding("columns", _place(table, metrics, *places), text))
    says = "No two columns are equal, and none is 1 minus another."
    return Ruling("columns", says, judged, "pairs of columns", math.nan, 0.0, tuple(findings))


def repeated_columns(table: OutsideTable, methods: Iterable[str]) -> list[str]:
    """Return which of some columns have the same numbers as one before them."""
    values = _values(table, methods)
    return list(values.columns[values.T.duplicated()])


def _smaller_is_better(metric: str) -> bool:
    return metric not in ("accuracy", "accuracy_pct")


def frame(table: OutsideTable, metrics: Mapping[str, str]) -> pd.DataFrame:
    """Return the numbers as rows, with the columns of a file of published numbers."""
    rows = [
        [TABLE, name, m, metrics[m], cell.value, cell.std, cell.mark]
        for m in metrics
        for name, cell in table.column(m).items()
    ]
    columns = [*PublishedCell._fields, "value", "std", "marker"]
    return pd.DataFrame(rows, columns=columns).astype({"value": np.float64, "std": np.float64})


# Cross-validations that are tried where none is named. What 5 folds give, 10 may give, too.
USUAL_FOLDS = (5, 10)
# A cross-validation is taken for that of the table if random numbers would fit it as rarely as
# this, and if no more than this share of the numbers does not.
SURE, EXCEPTIONS = 1e-4, 0.1
# A column of which so many numbers are no shares is of something else.
_OTHERS = 1 / 4
_WORDS = {
    "accuracy": r"\bacc(?:urac(?:y|ies))?\b",
    "error": r"\b(?:err(?:or)?s?|misclassif\w*|error rate)\b",
    # At the end: "REPTree depth 3" may be a method.
    "nodes": r"\b(?:nodes|leaves|size|depth|rules)\W*$",
    "time": r"\b(?:times?|seconds?|secs?|ms)\b",
}


@dataclass(frozen=True)
class Audited:
    """The findings of the audit of a table."""

    rulings: list[Ruling]  # Those that could judge something
    metrics: Mapping[str, str]  # By column, "" for one that is not judged
    plan: AuditPlan | None  # The cross-validation, None if none fits
    inferred: bool  # Whether it follows from the numbers
    rows: Mapping[str, float]  # How many rows each data set has, NaN if not known


def audit(
    table: OutsideTable, folds: int | None, repeats: int, sizes: Mapping[str, int]
) -> Audited:
    """Apply all rules to a table.

    `folds`, `repeats`: of the cross-validation; None: those of `USUAL_FOLDS` that the numbers fit.
    `sizes`: rows of data sets that are not known, or not by this name.

    Raises
    ------
    RetreeError
        If a column has shares of 1 and of 100 at once.
    """
    metrics = {
        m: column_metric(f"{m} {table.metric}", list(table.column(m).values()), table.metric)
        for m in table.methods
    }
    read = {m: metric for m, metric in metrics.items() if metric}
    given = {**table.sizes, **sizes}
    usual_rows = {d: getattr(find_known(d), "rows", math.nan) for d in table.datasets}
    rows = {d: float(given.get(d, n)) for d, n in usual_rows.items()}
    cells = frame(table, read)
    inferred = folds is None
    plan = _inferred(cells, rows) if folds is None else AuditPlan(folds, repeats)
    rulings = table_rulings(table, read)
    if plan is not None:
        # Of equal columns one is enough: each of their numbers would be found again.
        once = cells[~cells["method"].isin(repeated_columns(table, read))]
        published = described(once, rows, plan.folds)
        # That would be impossible only if the folds were certain.
        unsure = (integer_deviations,) if inferred else ()
        rulings += [rule(plan, published) for rule in CELL_RULES if rule not in unsure]
    return Audited([r for r in rulings if r.judged], metrics, plan, inferred, rows)


def column_metric(head: str, cells: list[object], metric: str = "") -> str:
    """Return the metric of a column: accuracies, errors or sizes; "" if it is not judged.

    `metric`: what is said of the whole table. Without it most numbers have to be shares.

    Raises
    ------
    RetreeError
        If some numbers seem to be shares of 1, and some of 100.
    """
    values = [getattr(cell, "value", math.nan) for cell in cells]
    words = head.replace("_", " ")
    if re.search(_WORDS["time"], words, re.IGNORECASE):
        return ""
    if re.search(_WORDS["nodes"], words, re.IGNORECASE) and any(v > 1 for v in values):
        return "nodes"
    if not is_share(metric):
        return ""
    small = [v for v in values if 0 < v < 1]
    great = [v for v in values if v > 1]
    if len(small) >= 2 and len(great) >= 2 and min(great) > 10 * max(small):
        raise RetreeError(
            f"The column {head!r} mixes units: {small[0]:g} looks like a share of 1, and "
            f"{great[0]:g} like a percentage. Use one unit."
        )
    is_error = re.search(_WORDS["error"], words, re.IGNORECASE)
    inside = sum(0 <= v <= 1 for v in values)
    full = 1 if inside > len(values) / 2 and not metric.endswith("_pct") else 100
    outside = sum(not 0 <= v <= full for v in values)
    # One number is a misprint, also of three.
    if not metric and (outside > max(1, len(values) * _OTHERS) or 2 * outside >= len(values)):
        return ""
    return ("error" if is_error else "accuracy") + ("" if full == 1 else "_pct")


def is_share(metric: str) -> bool:
    """Return whether numbers of this metric are shares of right or wrong rows; "" may be any."""
    words = metric.replace("_", " ")
    return not metric or any(
        re.search(_WORDS[kind], words, re.IGNORECASE) for kind in ("accuracy", "error")
    )


def _inferred(cells: pd.DataFrame, rows: Mapping[str, float]) -> AuditPlan | None:
    """Return the usual cross-validation that the numbers fit far better than by chance."""
    best: tuple[int, AuditPlan] | None = None
    for folds in USUAL_FOLDS if len(cells) else ():
        plan = AuditPlan(folds)
        ruling = granularity(plan, described(cells, rows, folds))
        wrong = sum(len(finding.cells) for finding in ruling.findings)
        if not ruling.judged or wrong > EXCEPTIONS * ruling.judged:
            continue
        chance = float(binom.cdf(wrong, ruling.judged, ruling.power))
        if chance <= SURE and (best is None or wrong < best[0]):
            best = wrong, plan
    return None if best is None else best[1]
