"""What a table says of its own numbers: averages, ranks, best numbers, and columns that repeat."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from itertools import combinations

import numpy as np
import pandas as pd

from retree_lab.outside.reading import Number, OutsideTable
from retree_lab.reports.audit.published_cells import Finding, PublishedCell, Ruling, wrong_means
from retree_lab.statistics.metrics import METRICS

TABLE = "table"
# Of so few numbers nothing is said: they are equal, or in order, by chance.
LEAST = 4


def table_rulings(table: OutsideTable, metrics: Mapping[str, str]) -> list[Ruling]:
    """Return what the rules find that need nothing but a table.

    `metrics`: of each column that is judged, as `retree_lab.statistics.metrics` names it.
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
    """Return the unit of the last digit that a column gives: that of its finest number."""
    return min((cell.unit for cell in numbers.values()), default=1.0)


def _place(
    table: OutsideTable, metrics: Mapping[str, str], *places: tuple[str, str]
) -> tuple[PublishedCell, ...]:
    return tuple(PublishedCell(TABLE, name, m, metrics[m]) for name, m in places)


def _averages(table: OutsideTable, metrics: Mapping[str, str], values: pd.DataFrame) -> Ruling:
    """Ask whether averages are those of the numbers above them."""
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
    says = "An average is that of the numbers above it, up to rounding."
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
                text = f"The average rank of {m} is {rank:g}, and the table gives {low[m]:.4g}"
                text += f" to {high[m]:.4g}." if high[m] - low[m] > 1e-9 else "."
                findings.append(Finding("rank", _place(table, metrics, ("", m)), text))
    says = "An average rank is that of the numbers above it; equal numbers may have hidden digits."
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
            text = f"{columns[m][name].value:g} is bold, and not the best of {name}."
            findings.append(Finding("best", _place(table, metrics, (name, m)), text))
    says = "Where bold numbers are the best ones of their data sets, all of them are."
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
                text = f"{cell.value:g} is no share."
            elif cell.std > full * math.sqrt(2 * share * (1 - share)) + cell.unit + cell.std_unit:
                # Two folds, one of them right and one wrong, have the largest deviation.
                text = f"{cell.value:g} ± {cell.std:g}: no shares of this mean differ so much."
            else:
                continue
            findings.append(Finding("share", _place(table, metrics, (name, m)), text))
    says = "A share is from 0 to 1, and its deviation is one that shares can have."
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
            text = f"{a} is {full:g} − {b}: the one is an accuracy, and the other an error."
        else:
            continue
        places = [("", a), ("", b)]
        findings.append(Finding("columns", _place(table, metrics, *places), text))
    says = "No two columns are the same, or one minus the other."
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
