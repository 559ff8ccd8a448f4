"""Rules of the audit on what means, sentences and stars say of the numbers they are of."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd

from retree_lab.experiments.definition.claims import CountCheck, Relation
from retree_lab.experiments.definition.definitions import AuditPlan, Paper
from retree_lab.reports.audit.published_cells import Finding, PublishedCell, Ruling, cells_of, units
from retree_lab.reports.claims.answers import holding
from retree_lab.reports.claims.claim_numbers import published_numbers
from retree_lab.reports.files import item_title
from retree_lab.reports.formatting import number
from retree_lab.reports.published import Published
from retree_lab.statistics.consistency import needed_correlation
from retree_lab.statistics.metrics import find_metric

# Of the paired t-test behind the stars.
STAR_LEVEL = 0.05
_WEAK: dict[Relation, Relation] = {"<": "<=", ">": ">=", "<=": "<=", ">=": ">="}
_STRICT: dict[Relation, Relation] = {"<": "<", ">": ">", "<=": "<", ">=": ">"}


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
            allowed = (means["unit"].max() + _unit_of(cells, source, metric)) / 2
            finding = wrong_means(means, values, allowed * (1 + 1e-6), item_title(source))
            findings += [] if finding is None else [finding]
    says = "A published mean is the mean of the published cells, up to rounding."
    return Ruling("mean", says, judged, "means", 1.0, 0.0, findings)


def wrong_means(
    means: pd.DataFrame, values: pd.DataFrame, allowed: float, source: str
) -> Finding | None:
    """Return what is found if published means are not those of `values`, by more than `allowed`.

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
    says = "A number of data sets in the text is that of the table, counted with ties or without."
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
                place = (*cells_of(pairs.loc[[index]]), _marked(pair, marked))
                findings.append(Finding("mark", place, why))
    says = (
        f"A star of the paired t-test at {STAR_LEVEL:.0%} is possible where there is one, and "
        "can be missing where there is none, at some correlation of the two columns."
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


def _marked(pair: pd.Series, method: str) -> PublishedCell:
    return PublishedCell(pair["table"], pair["dataset"], method, pair["metric"])


def _grid(cells: pd.DataFrame, table: str, metric: str) -> pd.DataFrame:
    """Return a published table, data sets by methods in the published order."""
    chosen = cells[(cells["table"] == table) & (cells["metric"] == metric)]
    wide = chosen.pivot(index="dataset", columns="method", values="value")
    return wide.reindex(index=chosen["dataset"].unique(), columns=chosen["method"].unique())


def _unit_of(cells: pd.DataFrame, table: str, metric: str) -> float:
    """Return the unit of the last digit that a published table gives of a metric."""
    chosen = cells[(cells["table"] == table) & (cells["metric"] == metric)]
    return float(chosen["unit"].max())
