"""The page on all papers: what agrees, how far the rest is away, and which claims hold."""

from __future__ import annotations

import math
from pathlib import Path

import pandas as pd

from retree.experiments.definition.paper_config import load_paper
from retree.reports.agreement_power import pooled_skill
from retree.reports.claims.claim_counts import TOTAL, claims_overview
from retree.reports.document import Block, Document, Entry, Figure, Phrase, Table, TableCell, Text
from retree.reports.files import write
from retree.reports.formatting import BLANK, decimal
from retree.reports.markdown import to_markdown
from retree.reports.overview import agreement, read_distances, read_power
from retree.reports.references import ToFile
from retree.reports.rendered_tables import read_comparisons
from retree.statistics import Verdict
from retree.statistics.metrics import headline

_COLUMNS = {
    Verdict.EQUAL: "equal",
    Verdict.AGREES: "agree",
    Verdict.WEAK: "agree weakly",
    Verdict.EDGE: "at the edge",
    Verdict.DIFFERS: "differ",
    Verdict.EXPLAINED: "known misprints",
    Verdict.MISSING: "cannot be judged",
}


def write_overview_page(results: Path) -> Path:
    """Write ``README.md`` into the folder of the results, and return its path."""
    numbers = _agreement(read_comparisons(results), read_power(results))
    blocks = [*numbers, *_distances(results), *_claims(results)]
    document = Document([], blocks, "All papers", ["Written by `retree overview`."])
    return write(results / "README.md", to_markdown(document))


def _agreement(comparisons: pd.DataFrame, power: pd.DataFrame) -> list[Block]:
    text = (
        "Left: how many of the published numbers agree. Right: how far the reproduced numbers are "
        "away, accuracies in points and all others in per cent. A number agrees if it lies in the "
        "95 % prediction interval of one replicate of the protocol or, without replicates, within "
        "the tolerance from its folds. It agrees weakly if that interval also holds at least half "
        "of the other published numbers of its row. Of the numbers outside, those differ that "
        "remain at a false discovery rate of 5 %; the others are at the edge."
    )
    kinds = (
        "Kinds of numbers are counted apart, since they are not equally hard to reproduce. The "
        "last three columns are of the numbers judged by intervals or digits: the share that "
        "agrees, the share that would agree with our number for another method, and the skill, "
        "(right − wrong) / (1 − wrong)."
    )
    return [
        Text("Published and reproduced numbers"),
        Figure("overview.png", "Shares of the published numbers that agree, by paper"),
        Text(text=text),
        _by_paper(comparisons),
        Text("By kind of number", kinds),
        _by_kind(comparisons, power),
    ]


def _by_paper(comparisons: pd.DataFrame) -> Table:
    counts = agreement(comparisons, ["paper"]).set_index("paper")
    counts.loc[TOTAL] = counts.drop(columns="share").sum()
    rows: list[list[Entry]] = [
        [_linked(str(paper), "README.md"), *_counts(row)] for paper, row in counts.iterrows()
    ]
    return Table(["paper", "published numbers", *_COLUMNS.values()], rows)


def _by_kind(comparisons: pd.DataFrame, power: pd.DataFrame) -> Table:
    comparisons = comparisons.assign(kind=comparisons["metric"].map(headline))
    counts = agreement(comparisons, ["kind", "paper"])
    kinds = power["metric"].map(headline) if len(power) else pd.Series(dtype=str)
    rows: list[list[Entry]] = []
    for kind, some in counts.groupby("kind", sort=False):
        for _, row in some.iterrows():
            of = power[(kinds == kind) & (power["paper"] == row["paper"])]
            paper = _linked(str(row["paper"]), "README.md")
            rows.append([str(kind), paper, *_counts(row), *_shares(of)])
    header = ["kind", "paper", "published numbers", *_COLUMNS.values()]
    return Table([*header, "agree", "with a wrong method", "skill"], rows, left=2)


def _counts(row: pd.Series) -> list[str]:
    return [f"{row[name]:.0f}" for name in ("printed", *_COLUMNS)]


def _shares(power: pd.DataFrame) -> list[str]:
    right, wrong, skill = pooled_skill(power) if len(power) else (math.nan,) * 3
    shares = [BLANK if math.isnan(share) else f"{share:.0%}" for share in (right, wrong)]
    return [*shares, decimal(skill, 2)]


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
    return Phrase(load_paper(paper).called, ToFile(f"{paper}/{page}"))
