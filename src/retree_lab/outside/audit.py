"""The audit of a table without a study: what in it cannot be, by itself and its data sets' rows."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd
from scipy.stats import binom

from retree.errors import RetreeError
from retree_lab.experiments.definition.definitions import AuditPlan
from retree_lab.outside.reading import OutsideTable
from retree_lab.outside.rules import frame, repeated_columns, table_rulings
from retree_lab.reports.audit import CELL_RULES
from retree_lab.reports.audit.published_cells import Ruling, described
from retree_lab.reports.audit.single_tables import granularity, integer_deviations
from retree_lab.study.catalogue import find_known

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
    known = {d: getattr(find_known(d), "rows", math.nan) for d in table.datasets}
    rows = {d: float(given.get(d, n)) for d, n in known.items()}
    cells = frame(table, read)
    inferred = folds is None
    plan = _inferred(cells, rows) if folds is None else AuditPlan(folds, repeats)
    rulings = table_rulings(table, read)
    if plan is not None:
        # Of equal columns one is enough: each of their numbers would be found again.
        once = cells[~cells["method"].isin(repeated_columns(table, read))]
        found = described(once, rows, plan.folds)
        # That would be impossible only if the folds were certain.
        unsure = (integer_deviations,) if inferred else ()
        rulings += [rule(plan, found) for rule in CELL_RULES if rule not in unsure]
    return Audited([r for r in rulings if r.judged], metrics, plan, inferred, rows)


def column_metric(head: str, cells: list[object], metric: str = "") -> str:
    """Return what a column is of: accuracies, errors, sizes, or "" for what is not judged.

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
            f"The column {head!r} mixes units: {small[0]:g} is a share of 1, and {great[0]:g} one "
            "of 100. Write all of them in one."
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
    """Whether numbers of this metric are shares of right or wrong rows; "" may be any."""
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
