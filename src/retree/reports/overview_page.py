"""The page on all papers: what agrees, how far the rest is away, and which claims hold."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from retree.reports.claims.claim_counts import TOTAL, claims_overview
from retree.reports.document import Block, Document, Entry, Figure, Phrase, Table, TableCell, Text
from retree.reports.files import write
from retree.reports.markdown import to_markdown
from retree.reports.overview import agreement, read_distances
from retree.reports.references import ToFile
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
    blocks = [*_agreement(read_comparisons(results)), *_distances(results), *_claims(results)]
    document = Document([], blocks, "All papers", ["Written by `retree overview`."])
    return write(results / "README.md", to_markdown(document))


def _agreement(comparisons: pd.DataFrame) -> list[Block]:
    counts = agreement(comparisons, ["paper"]).set_index("paper")
    counts.loc[TOTAL] = counts.drop(columns="share").sum()
    rows: list[list[Entry]] = [
        [_linked(str(paper), "README.md"), *(f"{row[name]:.0f}" for name in ("printed", *_COLUMNS))]
        for paper, row in counts.iterrows()
    ]
    text = (
        "Each mark is a number of a published table beside the one reproduced here, in a panel for "
        "each kind of number. A number agrees if it lies in the 95 % prediction interval of one "
        "replicate of the protocol or, without replicates, within the tolerance from its folds. It "
        "agrees weakly if that interval excludes hardly anything."
    )
    return [
        Text("Published and reproduced numbers"),
        Figure("overview.png", "Reproduced against published numbers"),
        Text(text=text),
        Table(["paper", "published numbers", *_COLUMNS.values()], rows),
    ]


def _distances(results: Path) -> list[Block]:
    if not (tables := read_distances(results)):
        return []
    papers = (part for paper in tables for part in (", ", _words(paper, "chance.md")))
    text = (
        "All numbers of ",
        *tuple(papers)[1:],
        ", whose protocols have replicates or repeats here. The bars show how far each published "
        "value is from our mean, in standard deviations of one replicate. The line shows the same "
        "for our own replicates, each against the others, which is what chance gives. If the "
        "papers had run exactly what we run, the two shapes would be equal.",
    )
    caption = "Published minus reproduced, in standard deviations of one replicate"
    heading = Text("How far published numbers are from ours")
    return [heading, Figure("distances.png", caption), Text(text=text)]


def _claims(results: Path) -> list[Block]:
    counts = claims_overview(results)
    if counts.empty:
        return []
    rows: list[list[Entry]] = [
        [_linked(str(paper), "claims.md"), *(str(count) for count in row)]
        for paper, row in counts.iterrows()
    ]
    return [
        Text("Claims of the papers", "Statements of our own are not counted."),
        Table(["paper", *map(str, counts.columns)], rows),
    ]


def _linked(paper: str, page: str) -> Entry:
    return paper if paper == TOTAL else TableCell(_words(paper, page))


def _words(paper: str, page: str) -> Phrase:
    return Phrase(paper, ToFile(f"{paper}/{page}"))
