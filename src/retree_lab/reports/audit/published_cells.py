"""The published cells as the audit sees them, and what a rule says of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from retree.errors import UnknownNameError
from retree_lab.experiments.definition.claims import MEAN
from retree_lab.experiments.definition.definitions import AuditPlan, Paper
from retree_lab.reports.published import Published, known_wrong
from retree_lab.statistics.metrics import MetricKind, find_metric
from retree_lab.study import catalogue
from retree_lab.study.available import paper_sets

# How many false alarms a rule may raise on average in one table or group of pairs.
LEVEL = 0.05


class PublishedCell(NamedTuple):
    """A published cell."""

    table: str
    dataset: str
    method: str
    metric: str


@dataclass(frozen=True)
class Finding:
    """Something published that is impossible, or hardly possible."""

    rule: str  # Name of the rule that found it
    cells: tuple[PublishedCell, ...]  # The cells that it is about
    numbers: str  # What is wrong, with numbers
    # How many findings at least as unlikely a sound table gives on average; 0: impossible.
    chance: float = 0.0
    errata: tuple[str, ...] = ()  # What the paper's errata say of the cells


@dataclass(frozen=True)
class Ruling:
    """A rule applied to all of a paper."""

    rule: str  # Name of the rule, and what it asks
    says: str
    judged: int  # How many cells, pairs of cells, data sets or sentences it could judge
    of: str
    # Which share of random numbers the rule would find wrong; NaN for rules of chance.
    power: float = float("nan")
    expected: float = 0.0  # How many false alarms it raises on average if the tables are sound
    findings: Sequence[Finding] = ()


def cells_of(rows: pd.DataFrame) -> tuple[PublishedCell, ...]:
    """Return published rows as cells."""
    columns = [rows[name] for name in PublishedCell._fields]
    return tuple(PublishedCell(*names) for names in zip(*columns, strict=True))


def mean(values: Sequence[float]) -> float:
    """Return the arithmetic mean, NaN of nothing."""
    return sum(values) / len(values) if values else float("nan")


# How far a size or a time may be off that of another method, if no deviation is published.
_LIKE = 0.1
_PLACE = ["table", "dataset", "method", "metric"]


def published_cells(paper: Paper, plan: AuditPlan) -> pd.DataFrame:
    """Return the readable published numbers of single data sets, counts of data left out.

    Returns ``table``, ``dataset``, ``method``, ``metric``, ``value``, ``std``, ``marker``; ``kind``
    of the metric and ``full``, the value of 100 %; ``unit`` of the last digit; ``rows`` of the data
    set (NaN if not known); ``relative``, the log of the deviation as a multiple of what folds of
    independent rows give (shares) or of the value (sizes), NaN where there is none.
    """
    printed = Published(paper).table()
    counted = printed[printed["metric"] == "rows"]
    right = [not known_wrong(paper, *row) for row in counted[_PLACE].itertuples(index=False)]
    counts = counted[np.array(right, bool)].set_index("dataset")["value"]
    cells = printed[printed["value"].notna() & (printed["dataset"] != MEAN)]
    names = cells["dataset"].unique()
    keys = {label: key for key, label in paper.names.items() if key in paper_sets()}
    row_counts = {name: rows_of(keys.get(name, name)) for name in names if name not in counts}
    rows = {name: counts[name] if name in counts else row_counts[name] for name in names}
    return described(cells, rows, plan.folds)


def described(cells: pd.DataFrame, rows: Mapping[str, float], folds: int) -> pd.DataFrame:
    """Return cells with what the rules ask of them, see `published_cells`; counts are left out.

    `rows`: how many rows each data set has; `folds`: of the cross-validation.
    """
    metrics = {name: find_metric(name) for name in cells["metric"].unique()}
    cells = cells.assign(
        kind=cells["metric"].map({name: m.kind for name, m in metrics.items()}),
        full=cells["metric"].map({name: abs(m.scale) for name, m in metrics.items()}),
        unit=units(cells),
        rows=cells["dataset"].map(rows),
    )
    cells = cells[~cells["kind"].isin([MetricKind.COUNT, MetricKind.RATIO])].reset_index(drop=True)
    return cells.assign(relative=_relative(cells, folds))


def units(cells: pd.DataFrame) -> pd.Series:
    """Return the unit of the last digit that the cell's table gives of the cell's metric."""
    digits = cells[["value", "std"]].map(_digits).max(axis=1)
    return 10.0 ** -digits.groupby([cells["table"], cells["metric"]]).transform("max")


def windows(cells: pd.DataFrame, plan: AuditPlan) -> pd.DataFrame:
    """Return what `retree_lab.statistics.consistency.near_pairs` needs of the cells.

    The windows are one standard error of the value and of the deviation over the runs: in wider
    ones equal numbers are more frequent than the average. The lattice of a share has a step of one
    row, of a size one unit in one run.
    """
    runs = plan.runs
    share, size = cells["kind"] == MetricKind.SHARE, cells["kind"] == MetricKind.SIZE
    p = (cells["value"] / cells["full"]).where(share)
    variance = np.maximum(p * (1 - p), 1 / cells["rows"]) / cells["rows"]
    binomial = cells["full"] * np.sqrt(variance)
    like = binomial.where(share, _LIKE * cells["value"])
    error = (cells["std"] / math.sqrt(runs)).fillna(like)
    row = cells["full"] / (cells["rows"] * plan.repeats)
    step = row.where(share, cells["unit"].mask(size, 1 / runs))
    return cells[["value", "std"]].assign(
        step=np.fmax(step, cells["unit"]),
        window=np.fmax(error, cells["unit"]),
        std_window=np.maximum(cells["std"] / math.sqrt(2 * (runs - 1)), cells["unit"]),
    )


def digits_of(number: float, unit: float) -> str:
    """Return a number as it is published, with the digits of `unit`."""
    return f"{number:.{max(0, round(-math.log10(unit)))}f}"


def _relative(cells: pd.DataFrame, folds: int) -> pd.Series:
    p = (cells["value"] / cells["full"]).where(cells["kind"] == MetricKind.SHARE)
    binomial = cells["full"] * np.sqrt((p * (1 - p)).clip(lower=0) * folds / cells["rows"])
    expected = binomial.where(cells["kind"] == MetricKind.SHARE, cells["value"])
    ratio = cells["std"] / expected.where(expected > 0)
    is_compared = (ratio > 0) & cells["kind"].isin([MetricKind.SHARE, MetricKind.SIZE])
    return ratio.where(is_compared).astype(float).map(math.log, na_action="ignore")


def _digits(number: float) -> int:
    return 0 if math.isnan(number) else len(f"{number:.6f}".rstrip("0").partition(".")[2])


def rows_of(name: str) -> float:
    """Return how many rows a known data set has, those of its test file if it has one; or NaN."""
    if (module := paper_sets().get(name)) is not None:
        # Those of the test file, where there is one.
        return float(rows[-1]) if (rows := module.file_rows(name)) else math.nan
    try:
        return float(catalogue.find(name).expect["n_instances"])
    except UnknownNameError:
        return math.nan
