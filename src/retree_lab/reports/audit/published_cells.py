"""The published cells as the audit sees them, and rules on means, sentences and stars."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from retree.errors import UnknownNameError
from retree_lab.experiments.definition.claim_config import MEAN, CountCheck, Relation
from retree_lab.experiments.definition.definitions import AuditPlan, Paper
from retree_lab.reports.claims.answers import holding
from retree_lab.reports.claims.claim_numbers import published_numbers
from retree_lab.reports.files import item_title
from retree_lab.reports.formatting import number
from retree_lab.reports.published import Published, known_wrong
from retree_lab.statistics.consistency import needed_correlation
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
    """Return the columns that `retree_lab.statistics.consistency.near_pairs` needs.

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
    """Return how many rows a known data set, or its test file if it has one, has; or NaN."""
    if (module := paper_sets().get(name)) is not None:
        return float(rows[-1]) if (rows := module.file_rows(name)) else math.nan
    try:
        return float(catalogue.find(name).expect["n_instances"])
    except UnknownNameError:
        return math.nan


# Of the paired t-test behind the stars.
STAR_LEVEL = 0.05
_WEAK: dict[Relation, Relation] = {"<": "<=", ">": ">=", "<=": "<=", ">=": ">="}
_STRICT: dict[Relation, Relation] = {"<": "<", ">": ">", "<=": "<", ">=": ">"}


def means_of_cells(paper: Paper, plan: AuditPlan, cells: pd.DataFrame) -> Ruling:
    """Ask whether published means are the cells' means, and if not, which rows they are of."""
    findings, judged = [], 0
    table = Published(paper).table()
    table = table.assign(unit=units(table))
    for name, metrics in plan.means.items():
        for metric, source in metrics.items():
            means = table[(table["table"] == name) & (table["metric"] == metric)]
            values = _grid(cells, source, metric)
            judged += len(means)
            allowed = (means["unit"].max() + _unit_of(cells, source, metric)) / 2
            finding = wrong_means(means, values, allowed * (1 + 1e-6), item_title(source))
            findings += [] if finding is None else [finding]
    says = "A published mean is the mean of the published cells, up to rounding."
    return Ruling("mean", says, judged, "means", 1.0, 0.0, findings)


def wrong_means(
    means: pd.DataFrame, values: pd.DataFrame, allowed: float, source: str
) -> Finding | None:
    """Return a finding if published means are off the means of `values` by more than `allowed`.

    `means`: a row for each method; `values`: data sets by methods, of what is called `source`.
    """
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
    numbers = f"Not the means of {source}: {', '.join(wrong_means)}.{where}"
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


def counts(paper: Paper, plan: AuditPlan) -> Ruling:
    """Ask whether the sets that a sentence counts can be counted in the table."""
    published, findings = Published(paper), []
    checks = {claim.name: claim for claim in paper.claims}
    for name in plan.recount:
        check = checks[name].check
        assert isinstance(check, CountCheck)
        find = published_numbers(published, check)
        weak = list(holding(replace(check, relation=_WEAK[check.relation]), find).values())
        strict = list(holding(replace(check, relation=_STRICT[check.relation]), find).values())
        most = weak.count(True) + weak.count(None)
        low, high = check.at_least or 0, len(weak) if check.at_most is None else check.at_most
        if most < low or strict.count(True) > high:
            numbers = f"“{checks[name].text}” The table gives {strict.count(True)}"
            ties = weak.count(True)
            numbers += f", {ties} with ties" if ties != strict.count(True) else ""
            numbers += f", {weak.count(None)} not readable" if None in weak else ""
            place = tuple(
                PublishedCell(check.item, "", check.label(key), check.metric) for key in check.of
            )
            findings.append(Finding("count", place, f"{numbers}, not {low or high}."))
    says = "A number of data sets in the text equals the count in the table, with ties or without."
    return Ruling("count", says, len(plan.recount), "sentences", 1.0, 0.0, findings)


def marks(plan: AuditPlan, cells: pd.DataFrame) -> Ruling:
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
                other = PublishedCell(pair["table"], pair["dataset"], marked, pair["metric"])
                place = (*cells_of(pairs.loc[[index]]), other)
                findings.append(Finding("mark", place, why))
    says = (
        f"A star in the paired t-test at {STAR_LEVEL:.0%} is possible where there is one, and can "
        "be missing where there is none, at some correlation of the two columns."
    )
    return Ruling("mark", says, judged, "pairs", math.nan, 0.0, findings)


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


def _grid(cells: pd.DataFrame, table: str, metric: str) -> pd.DataFrame:
    """Return a published table, data sets by methods in the published order."""
    chosen = cells[(cells["table"] == table) & (cells["metric"] == metric)]
    wide = chosen.pivot(index="dataset", columns="method", values="value")
    return wide.reindex(index=chosen["dataset"].unique(), columns=chosen["method"].unique())


def _unit_of(cells: pd.DataFrame, table: str, metric: str) -> float:
    """Return the unit of the last digit that a published table gives of a metric."""
    chosen = cells[(cells["table"] == table) & (cells["metric"] == metric)]
    return float(chosen["unit"].max())
