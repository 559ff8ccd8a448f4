"""Rules of the audit on what chance alone hardly gives: deviations out of line, repeated cells."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd

from retree.experiments.definition.audit_config import AuditPlan
from retree.experiments.definition.definitions import Paper
from retree.reports.audit.findings import LEVEL, Finding, Ruling, cells_of
from retree.reports.audit.published_cells import digits_of, windows
from retree.reports.files import item_title
from retree.statistics.consistency import (
    expected_repeats,
    near_pairs,
    outlying_cells,
    outlying_rows,
)
from retree.statistics.metrics import MetricKind, find_metric

# Fewer rows or columns have no median to speak of.
LEAST = 4


def deviations(paper: Paper, plan: AuditPlan, cells: pd.DataFrame) -> Ruling:
    """Ask whether a deviation is in line with those of its data set or of its method."""
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
        "in line with the others of its data set or with the others of its method."
    )
    found = tuple(findings)
    return Ruling("deviation", says, judged, "cells", math.nan, tables * LEVEL, found)


def spread_of_sets(paper: Paper, plan: AuditPlan, cells: pd.DataFrame) -> Ruling:
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
    says = "The least deviation on a data set is in line with the least ones on the other sets."
    found = tuple(findings)
    return Ruling("spread", says, judged, "data sets", math.nan, metrics * LEVEL, found)


def repeated_cells(paper: Paper, plan: AuditPlan, cells: pd.DataFrame) -> Ruling:
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
        "Two cells have the same value, and deviation, only as often as cells that near each "
        "other do by chance; judged apart for pairs of one data set, of one method and of neither, "
        "within a table and between tables."
    )
    found = tuple(findings)
    return Ruling("repeat", says, judged, "pairs", math.nan, expected, found)


def _families(group: pd.DataFrame, pairs: pd.DataFrame) -> list[pd.Series]:
    """Return what distinguishes pairs: sharing data set, method or neither, and table."""
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
    text = f"All deviations are {low:.2g} to {high:.2g} {of}; on the median set the least one is"
    return f"{text} {usual:.2g}."


def _measure(kind: MetricKind) -> str:
    return "times that of independent rows" if kind == MetricKind.SHARE else "of the mean"
