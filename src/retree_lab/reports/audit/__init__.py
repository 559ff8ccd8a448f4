"""The audit of a paper's published tables: what in them is impossible or most unlikely, and why.

Nothing but the published numbers, the numbers of rows of the data sets and the paper's ``audit``
is used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pandas as pd

from retree_lab.experiments.definition.definitions import AuditPlan, Paper
from retree_lab.reports.audit import between_tables, single_tables
from retree_lab.reports.audit.published_cells import Finding, Ruling, published_cells
from retree_lab.reports.published import known_wrong

Rule = Callable[[AuditPlan, pd.DataFrame], Ruling]
# What can be asked of cells alone, whatever table they are of.
CELL_RULES: tuple[Rule, ...] = (
    single_tables.granularity,
    single_tables.parity,
    single_tables.integer_deviations,
    single_tables.leaves_and_depth,
    between_tables.marks,
    single_tables.unlikely_deviations,
    single_tables.spread_of_sets,
    single_tables.repeated_cells,
)


def audit_published(paper: Paper) -> list[Ruling]:
    """Apply all rules to the paper's published tables; none without an ``audit`` in its file."""
    if paper.audit is None or paper.published is None:
        return []
    cells = published_cells(paper, paper.audit)
    rulings = [
        between_tables.means_of_cells(paper, paper.audit, cells),
        between_tables.counts(paper, paper.audit),
        *(rule(paper.audit, cells) for rule in CELL_RULES),
    ]
    return [
        replace(ruling, findings=tuple(_with_errata(paper, f) for f in ruling.findings))
        for ruling in rulings
    ]


def _with_errata(paper: Paper, finding: Finding) -> Finding:
    reasons = (known_wrong(paper, *cell) for cell in finding.cells)
    return replace(finding, errata=tuple(dict.fromkeys(reason for reason in reasons if reason)))
