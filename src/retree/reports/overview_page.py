"""The page on all papers: what agrees, how far the rest is away, and which claims hold."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from retree.reports.claims.overview import TOTAL, claims_overview
from retree.reports.files import write
from retree.reports.markup import markdown_table
from retree.reports.overview import agreement, read_distances
from retree.reports.rendered_tables import read_comparisons
from retree.statistics import Verdict

_COLUMNS = {
    Verdict.EQUAL: "equal",
    Verdict.AGREES: "agree",
    Verdict.WEAK: "agree weakly",
    Verdict.DIFFERS: "differ",
    Verdict.EXPLAINED: "known misprints",
    Verdict.MISSING: "cannot be judged",
}


def write_overview_page(results: Path) -> Path:
    """Write ``README.md`` into the folder of the results, and return its path.

    Raises
    ------
    RetreeError
        If there is nothing to compare, a file of claims is broken, or the folder cannot be written.
    """
    parts = [_agreement(read_comparisons(results)), _distances(results), _claims(results)]
    text = "# All papers\n\nWritten by `retree overview`.\n\n" + "\n".join(filter(None, parts))
    return write(results / "README.md", text)


def _agreement(comparisons: pd.DataFrame) -> str:
    counts = agreement(comparisons, ["paper"]).set_index("paper")
    counts.loc[TOTAL] = counts.drop(columns="share").sum()
    rows = [
        [_linked(str(paper), "README.md"), *(f"{row[name]:.0f}" for name in ("printed", *_COLUMNS))]
        for paper, row in counts.iterrows()
    ]
    return (
        "## Published and reproduced numbers\n\n"
        "![Reproduced against published numbers](overview.png)\n\n"
        "Each mark is a number of a published table beside the one reproduced here, in a panel for "
        "each kind of number. A number agrees if it lies in the 95 % prediction interval of one "
        "replicate of the protocol or, without replicates, within the tolerance from its folds. It "
        "agrees weakly if that interval excludes hardly anything.\n\n"
        + markdown_table(["paper", "published numbers", *_COLUMNS.values()], rows)
    )


def _distances(results: Path) -> str:
    if not (tables := read_distances(results)):
        return ""
    papers = ", ".join(_linked(paper, "chance.md") for paper in tables)
    return (
        "## How far published numbers are from ours\n\n"
        "![Published minus reproduced, in standard deviations of one replicate](distances.png)\n\n"
        f"All numbers of {papers}, whose protocols have replicates or repeats here. The bars show "
        "how far each published value is from our mean, in standard deviations of one replicate. "
        "The line shows the same for our own replicates, each against the others, which is what "
        "chance gives. If the papers had run exactly what we run, the two shapes would be equal.\n"
    )


def _claims(results: Path) -> str:
    counts = claims_overview(results)
    if counts.empty:
        return ""
    rows = [
        [_linked(str(paper), "claims.md"), *(str(count) for count in row)]
        for paper, row in counts.iterrows()
    ]
    return "## Claims of the papers\n\nStatements of our own are not counted.\n\n" + markdown_table(
        ["paper", *map(str, counts.columns)], rows
    )


def _linked(paper: str, page: str) -> str:
    return paper if paper == TOTAL else f"[{paper}]({paper}/{page})"
