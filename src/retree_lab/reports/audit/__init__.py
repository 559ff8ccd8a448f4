"""The audit of a paper's published tables: what in them is impossible or most unlikely, and why.

Nothing but the published numbers, the numbers of rows of the data sets and the paper's ``audit``
is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import pandas as pd

from retree.arithmetic import running_sum
from retree_lab.experiments.definition.claim_config import MEAN
from retree_lab.experiments.definition.definitions import AuditPlan, Paper
from retree_lab.reports.audit.published_cells import (
    LEVEL,
    Finding,
    PublishedCell,
    Ruling,
    counts,
    marks,
    means_of_cells,
    published_cells,
)
from retree_lab.reports.audit.single_tables import (
    granularity,
    integer_deviations,
    leaves_and_depth,
    parity,
    repeated_cells,
    spread_of_sets,
    unlikely_deviations,
)
from retree_lab.reports.document import Block, Document, Phrase, Prose, Text, ToPage
from retree_lab.reports.files import item_title
from retree_lab.reports.formatting import BLANK
from retree_lab.reports.published import known_wrong
from retree_lab.reports.sections import Getter, section
from retree_lab.statistics.metrics import find_metric

Rule = Callable[[AuditPlan, pd.DataFrame], Ruling]
# Rules about cells alone, whatever table they are of.
CELL_RULES: tuple[Rule, ...] = (
    *(granularity, parity, integer_deviations, leaves_and_depth, marks),
    *(unlikely_deviations, spread_of_sets, repeated_cells),
)


def audit_published(paper: Paper) -> list[Ruling]:
    """Apply all rules to the paper's published tables; none without an ``audit`` in its file."""
    if paper.audit is None or paper.published is None:
        return []
    cells = published_cells(paper, paper.audit)
    rulings = [
        means_of_cells(paper, paper.audit, cells),
        counts(paper, paper.audit),
        *(rule(paper.audit, cells) for rule in CELL_RULES),
    ]
    return [
        replace(ruling, findings=tuple(_with_errata(paper, f) for f in ruling.findings))
        for ruling in rulings
    ]


def _with_errata(paper: Paper, finding: Finding) -> Finding:
    reasons = (known_wrong(paper, *cell) for cell in finding.cells)
    return replace(finding, errata=tuple(dict.fromkeys(reason for reason in reasons if reason)))


def recount(cells: pd.DataFrame) -> pd.DataFrame:
    """Return on how many data sets each method has the best published number.

    `cells`: published cells, as from `retree_lab.reports.audit.published_cells.published_cells`.
    Returns ``table``, ``metric``, ``method``, ``sets`` (with a readable number), ``alone`` and
    ``best`` (the best number, without and with ties) and ``stars``; a row for each method of a
    table of more than one.
    """
    rows = []
    for (table, metric), group in cells.groupby(["table", "metric"], sort=False):
        wide = group.pivot(index="dataset", columns="method", values="value")
        wide = wide[group["method"].unique()]
        if wide.shape[1] < 2:
            continue
        least = find_metric(str(metric)).smaller_is_better
        best = wide.eq(wide.min(axis=1) if least else wide.max(axis=1), axis=0)
        alone = best[best.sum(axis=1) == 1]
        stars = group[group["marker"] == "*"]["method"].value_counts()
        for method in wide:
            counts = [wide[method].notna().sum(), alone[method].sum(), best[method].sum()]
            rows.append([table, metric, method, *map(int, counts), int(stars.get(method, 0))])
    columns = ["table", "metric", "method", "sets", "alone", "best", "stars"]
    return pd.DataFrame(rows, columns=columns)


# More names than these are not listed one by one.
N_NAMES = 3
_COLUMNS = ("paper", "rule", "table", "metric", "cells", "numbers", "chance", "errata")


def audit_document(paper: Paper, rulings: Sequence[Ruling], source: Prose) -> Document:
    """Return the page of the audit of a paper, which is cited as `source`."""
    blocks = [_finding_count(rulings), *_findings(rulings), *_rules(rulings), *_recount(paper)]
    return Document([], blocks, "Audit of the published tables", [source])


def audit_section(rulings: Sequence[Ruling]) -> list[Block]:
    """Return a section of the paper's page on how much was found; nothing without an audit."""
    if not rulings:
        return []
    how = " has the findings, the rules, and the tables counted again."
    more = Text(text=(Phrase("audit.md", ToPage("audit")), how))
    return [Text("Audit of the published tables"), _finding_count(rulings), more]


def place(cells: Iterable[PublishedCell]) -> str:
    """Return where cells are: tables, data sets and methods, or how many of them."""
    cells = list(cells)
    tables = _few((item_title(name) for name in dict.fromkeys(c.table for c in cells)), "tables")
    datasets = _few(
        dict.fromkeys(c.dataset for c in cells if c.dataset not in ("", MEAN)), "data sets"
    )
    methods = _few(dict.fromkeys(c.method for c in cells if c.method), "methods")
    return ": ".join([tables, ", ".join(part for part in (datasets, methods) if part)])


def _few(names: Iterable[str], what: str) -> str:
    names = list(names)
    return ", ".join(names) if len(names) <= N_NAMES else f"{len(names)} {what}"


def _finding_count(rulings: Sequence[Ruling]) -> Text:
    """Return how many findings there are, and how many false alarms are expected."""
    findings = [finding for ruling in rulings for finding in ruling.findings]
    judged = [ruling for ruling in rulings if ruling.judged]
    text = "From the published cells alone"
    if not judged:
        return Text(text=f"{text}, nothing can be judged: too few are readable.")
    expected = running_sum([ruling.expected for ruling in judged])
    rules = "one rule finds" if len(judged) == 1 else f"{len(judged)} rules find"
    words = f"{len(findings)} errors or oddities" if findings else "nothing wrong or odd"
    words = "one error or oddity" if len(findings) == 1 else words
    text += f", {rules} {words} (about {expected:.2g} expected in a paper without errors)."
    return Text(text=text)


def _findings(rulings: Sequence[Ruling]) -> list[Block]:
    findings = [finding for ruling in rulings for finding in ruling.findings]
    columns: dict[str, Getter] = {
        **{"rule": "rule", "where": lambda f: place(f.cells), "what": "numbers"},
        "by chance": lambda f: f"{f.chance:.1g}" if f.chance else "impossible",
        "what is known": lambda f: " ".join(f.errata) or BLANK,
    }
    return section("", findings, columns, left=5)


def _rules(rulings: Sequence[Ruling]) -> list[Block]:
    columns: dict[str, Getter] = {
        **{"rule": "rule", "what it asks": "says", "judged": lambda r: f"{r.judged} {r.of}"},
        "would catch": lambda r: f"{r.power:.0%}" if r.judged and r.power >= 0 else BLANK,
        "expected": lambda r: f"{r.expected:.2g}" if r.judged else BLANK,
        "found": lambda r: len(r.findings),
    }
    notes = [
        "“Would catch” is the share of random numbers that the rule would find wrong.",
        "“Expected” is the number of false alarms in sound tables. Some rules cannot be broken by "
        f"sound tables. The others give at most {LEVEL:g} for each table or group of pairs.",
        "“By chance” says how many findings at least this unlikely a sound table or group has on "
        "average.",
        "A cell is not judged where the possible numbers are too dense to say anything.",
    ]
    return section("The rules", rulings, columns, notes, left=2)


def _recount(paper: Paper) -> list[Block]:
    assert paper.audit is not None
    tallies = recount(published_cells(paper, paper.audit))
    title = "Counted again"
    if tallies.empty:
        return [Text(title, "Too few cells are readable.")]
    columns = {
        **{"table": "{table:title}", "metric": "{metric}", "method": "{method}"},
        **{"data sets": "{sets}", "best alone": "{alone}", "best with ties": "{best}"},
        "stars": "{stars}",
    }
    note = "On how many data sets a method has the best published number; a smaller tree is better."
    return section(title, tallies, columns, text=note, left=3)


def audit_table(paper: Paper, rulings: Sequence[Ruling]) -> pd.DataFrame:
    """Return a row for each finding, as in ``audit.csv``."""
    rows = []
    for ruling in rulings:
        for finding in ruling.findings:
            cells = finding.cells
            where = "; ".join(" ".join(filter(None, (c.dataset, c.method))) for c in cells)
            tables = " ".join(dict.fromkeys(c.table for c in cells))
            metrics = " ".join(dict.fromkeys(c.metric for c in cells))
            evidence = [finding.numbers, finding.chance, " ".join(finding.errata)]
            rows.append([paper.name, finding.rule, tables, metrics, where, *evidence])
    return pd.DataFrame(rows, columns=list(_COLUMNS))
