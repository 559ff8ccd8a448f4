"""The per-fold rows behind a paper's items, for reading elsewhere."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from retree.experiments.definitions import Experiment
from retree.experiments.plan import Plan
from retree.reports.files import csv_text, folder, write

ORDER = ["dataset", "method", "point", "repeat", "fold", "inner", "key"]
KEY_DIGITS = 16
SECONDS = {"fit_seconds": 4, "cpu_seconds": 4}


def write_cells(experiment: Experiment, entries: Sequence[tuple[Plan, pd.DataFrame]]) -> Path:
    """Write ``cells.csv.gz``, one row for each cell, and return its path.

    The columns are those of the results frame after ``items``, the names of the items that use
    the cell; ``method`` is the printed name, and of the key the first 16 digits are given.

    Parameters
    ----------
    experiment : Experiment
        Names the folder.
    entries : sequence of (Plan, DataFrame)
        The items' plans and results.
    """
    tables = [_rows(plan, frame) for plan, frame in entries if not frame.empty]
    table = pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=["items"])
    if tables:
        items = table.groupby("key")["items"].agg(" ".join)
        table = table.drop_duplicates("key").sort_values(ORDER, kind="stable")
        table["items"] = table["key"].map(items)
        table["key"] = table["key"].str[:KEY_DIGITS]
    # Without a time in its header the archive is the same every time.
    content = gzip.compress(csv_text(table.round(SECONDS)).encode(), mtime=0)
    return write(folder(experiment) / "cells.csv.gz", content)


def _rows(plan: Plan, frame: pd.DataFrame) -> pd.DataFrame:
    names = {method.key: method.name for method in plan.item.methods}
    table = frame.assign(method=frame["method"].map(names))
    table.insert(0, "items", plan.item.name)
    return table
