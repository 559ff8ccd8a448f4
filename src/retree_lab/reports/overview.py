"""All papers: the page and pictures of how much agrees, how far the rest is, and which claims hold.

Every count is one of `retree_lab.reports.agreement.counts.count_headlines`, every headline one of
`retree_lab.reports.agreement.headlines`, and ``headlines.csv`` has these.
"""

from __future__ import annotations

import math
from pathlib import Path

import pandas as pd

from retree.errors import RetreeError
from retree_lab.experiments.definition.definitions import Paper
from retree_lab.experiments.definition.paper_config import load_paper, papers_by_year
from retree_lab.reports.agreement.counts import (
    count_headlines,
    headline_words,
    is_judged_accuracy,
    published_numbers,
    read_comparisons,
    read_table,
)
from retree_lab.reports.agreement.headlines import (
    APART_RULE,
    by_paper_table,
    causes_by_paper,
    headlines,
    headlines_table,
)
from retree_lab.reports.agreement.skill import FILE as POWER
from retree_lab.reports.agreement.skill import pooled_skill
from retree_lab.reports.claims.claim_tables import TOTAL, claims_overview
from retree_lab.reports.document import (
    Block,
    Bullets,
    Document,
    Entry,
    Figure,
    Phrase,
    Table,
    TableCell,
    Text,
)
from retree_lab.reports.figures import save_figure, seen, style
from retree_lab.reports.files import csv_text, write
from retree_lab.reports.formatting import BLANK, decimal, percent
from retree_lab.reports.markdown import to_markdown
from retree_lab.reports.overview_figures import NAME as DOTS
from retree_lab.reports.overview_figures import dots_picture
from retree_lab.reports.references import ToFile
from retree_lab.reports.words import MARKS, NEAR_POINTS, Word
from retree_lab.statistics.metrics import headline

HEADLINES = "headlines.csv"


def write_overview(results: Path, folder: Path | None = None) -> list[Path]:
    """Draw how many numbers are near and all of them beside ours, and return the files.

    `folder`: where ``overview.svg`` goes with its numbers, and ``published.svg``; by default
    `results`.
    """
    cells = published_numbers(read_comparisons(results))
    if cells["reproduced"].isna().all():
        raise RetreeError(
            f"Nothing in {results} has a published number; render an item that has some."
        )
    base, files = folder or results, []
    if rows := headlines(cells, _papers(cells)):
        from retree_lab.reports.overview_figures import draw_overview

        with style():
            files += save_figure(draw_overview(rows), base / "overview")
        files.append(write(base / HEADLINES, csv_text(headlines_table(rows))))
    judged = cells[is_judged_accuracy(cells)]
    of_papers = {paper.called: judged[judged["paper"] == paper.name] for paper in _papers(judged)}
    if of_papers:
        files.append(write(base / DOTS, dots_picture(of_papers)))
    return files


def write_overview_page(results: Path, folder: Path | None = None) -> Path:
    """Write ``README.md`` into `folder`, by default that of the results, and return its path."""
    comparisons = read_comparisons(results)
    numbers = [*_agreement(results, comparisons), *_causes(comparisons)]
    blocks = [*numbers, *_claims(results)]
    document = Document([], blocks, "All papers", ["Written by `retree overview`."])
    return write((folder or results) / "README.md", to_markdown(document))


def read_power(results: Path) -> pd.DataFrame:
    """Return what the agreement of each paper's tables says, as ``power.csv`` behind ``paper``."""
    files = {paper: results / paper / POWER for paper in papers_by_year()}
    tables = [
        read_table(path, ("item", "metric")).assign(paper=paper)
        for paper, path in files.items()
        if path.exists()
    ]
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=["paper"])


def _papers(cells: pd.DataFrame) -> list[Paper]:
    """Return the papers of `cells`."""
    return [load_paper(str(paper)) for paper in cells["paper"].unique()]


def _agreement(results: Path, comparisons: pd.DataFrame) -> list[Block]:
    near = (
        f"Accuracies and errors within {NEAR_POINTS:g} point of ours. Where a protocol draws its "
        "folds, not even the paper's own program would be that near everywhere: an exact rerun "
        "says on how many numbers it would be, by Student's t from our replicates. A wrong method "
        "says how often our number of another column of the same table is as near. "
    )
    rule = ". ".join(
        f"{word.capitalize()} ({sign}): {meaning}" for word, (sign, meaning) in MARKS.items()
    )
    kinds = (
        "Kinds of numbers are counted apart, since they are not equally hard to reproduce. The "
        "last three columns are of the numbers judged by intervals or digits: the share that "
        "matches, the share that would match our number for another method, and the skill, "
        "(right − wrong) / (1 − wrong)."
    )
    return [
        Text("Published and reproduced numbers"),
        Figure("overview.svg", seen(results / "overview.svg")),
        Figure(DOTS, seen(results / DOTS)),
        Text(text=f"{near}{APART_RULE}"),
        *_headlines(comparisons),
        Text(text=rule),
        _by_paper(comparisons),
        Text("By kind of number", kinds),
        _by_kind(comparisons, read_power(results)),
    ]


def _headlines(comparisons: pd.DataFrame) -> list[Block]:
    """Return what is said of the accuracies of each paper, and what the coverage counts."""
    papers = _papers(comparisons)
    rows: list[list[Entry]] = [
        [
            TableCell(Phrase(row.label, ToFile(f"{row.paper}/README.md"))),
            *(row.coverage, f"{row.near:,} ({row.near_words})"),
            *(row.possible_words, row.wrong_words, row.strict_words),
        ]
        for row in headlines(comparisons, papers)
    ]
    header = ["paper", "checked of published", f"within {NEAR_POINTS:g} point"]
    header += ["an exact rerun", "a wrong method", "by its own rule"]
    whole = [f"{paper.called} published {paper.coverage}." for paper in papers if paper.coverage]
    return [Table(header, rows), *([Bullets(whole)] if whole else [])] if rows else []


def _by_paper(comparisons: pd.DataFrame) -> Table:
    """Return the numbers of each paper by verdict."""
    rows: list[list[Entry]] = []
    for row in count_headlines(comparisons, ["paper"]).to_dict("records"):
        said = headline_words(row, load_paper(row["paper"]).not_judged)
        numbers = [str(row[name]) for name in ("published", *Word)]
        rows.append([_linked(row["paper"], "README.md"), said, *numbers])
    header = ["paper", "all numbers", "published numbers", *Word]
    return Table(header, rows)


def _by_kind(comparisons: pd.DataFrame, power: pd.DataFrame) -> Table:
    counts = count_headlines(comparisons)
    kinds = power["metric"].map(headline) if len(power) else pd.Series(dtype=str)
    rows: list[list[Entry]] = []
    for kind, some in counts.groupby("kind", sort=True):
        for row in some.to_dict("records"):
            of = power[(kinds == kind) & (power["paper"] == row["paper"])]
            paper = _linked(str(row["paper"]), "README.md")
            numbers = [str(row[name]) for name in ("published", *Word)]
            rows.append([str(kind), paper, *numbers, *_shares(of)])
    header = ["kind", "paper", "published numbers", *Word]
    return Table([*header, "match", "with a wrong method", "skill"], rows, left=2)


def _shares(power: pd.DataFrame) -> list[str]:
    right, wrong, skill = pooled_skill(power) if len(power) else (math.nan,) * 3
    shares = [BLANK if math.isnan(share) else f"{percent(share)}%" for share in (right, wrong)]
    return [*shares, decimal(skill, 2)]


def _causes(comparisons: pd.DataFrame) -> list[Block]:
    papers = {str(name): load_paper(str(name)) for name in comparisons["paper"].unique()}
    counts = causes_by_paper(papers, comparisons)
    if counts.empty:
        return []
    names = {str(name): _linked(str(name), "README.md") for name in counts.index}
    text = (
        "All numbers that differ, are at the edge or known misprints, or were computed and set "
        "aside. The page of a paper names their causes and what shows them; the cause of all "
        "others is open. Where intervals judge, the last column says how many numbers lie outside "
        "by chance; most of these are at the edge."
    )
    return [Text("Why numbers do not agree", text), by_paper_table(counts, names)]


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
