"""How each of a paper's csv files is read."""

from __future__ import annotations

import re

import pandas as pd

from retree.diffing.changes import TableLayout
from retree.experiments.verifying.cell_difference import RESULTS
from retree.statistics.metrics import METRICS, MetricKind

CELLS = "cells"
NUMBERS = TableLayout(
    ("dataset", "method", "metric"),
    "reproduced",
    (
        "reproduced",
        "reproduced_std",
        "published",
        "published_std",
        "verdict",
        "n_folds",
        "params",
        "low",
        "high",
        "n_replicates",
    ),
)
CLAIMS = TableLayout(
    ("claim",), None, ("published", "published_numbers", "here", "here_numbers", "outcome")
)
FOLDS = TableLayout(
    ("item", "dataset", "method", "params", "repeat", "fold", "inner"),
    "accuracy",
    (*RESULTS, "n_test"),
)
# What of a row about times is that of a run.
_OF_A_RUN = ("reproduced_std", "n_folds", "params", "here_numbers")
_TIMED = [
    metric for metric in METRICS.values() if metric.kind in (MetricKind.TIME, MetricKind.RATIO)
]


def layout_of(stem: str, old: pd.DataFrame, new: pd.DataFrame) -> TableLayout:
    """Return how both versions of ``<stem>.csv`` are read.

    Of a table that is neither numeric nor of claims every entry counts; its rows are named by the
    first columns, as few as name each row.
    """
    columns = list(dict.fromkeys([*old.columns, *new.columns]))
    if {*NUMBERS.key, "reproduced", "verdict"} <= set(columns):
        return NUMBERS
    if {*CLAIMS.key, *CLAIMS.columns} <= set(columns):
        return CLAIMS
    tables = [table.reindex(columns=columns, fill_value="") for table in (old, new)]
    n = next((n for n in range(1, len(columns)) if _name_rows(tables, columns[:n])), len(columns))
    return TableLayout(tuple(columns[:n]), None, tuple(columns[n:]))


def of_times(table: pd.DataFrame) -> pd.Series:
    """Return which rows of a numeric table, or of claims, are about times or their ratios."""
    if "metric" in table:
        return table["metric"].isin([metric.name for metric in _TIMED])
    if {*CLAIMS.key, "check"} <= set(table.columns):
        return table["check"].str.contains("|".join(re.escape(m.label) for m in _TIMED))
    return pd.Series(False, index=table.index)


def without_times(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table that says of a time only that there is one."""
    timed = of_times(table)
    columns = {name: table[name].mask(timed, "") for name in _OF_A_RUN if name in table}
    if "reproduced" in table:
        there = timed & (table["reproduced"] != "")
        columns["reproduced"] = table["reproduced"].mask(there, "measured")
    return table.assign(**columns)


def _name_rows(tables: list[pd.DataFrame], columns: list[str]) -> bool:
    return not any(table.duplicated(columns).any() for table in tables)
