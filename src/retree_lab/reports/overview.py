"""All papers: the page and pictures of how much agrees, how far the rest is, and which claims hold.

Every count is one of `retree_lab.reports.agreement.count_headlines`, every headline one of
`retree_lab.reports.agreement.headlines`, and ``headlines.csv`` has these.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Any

import pandas as pd

from retree.errors import RetreeError
from retree_lab.experiments.definition.definitions import Cause, Paper
from retree_lab.experiments.definition.paper_config import load_paper, papers_by_year
from retree_lab.reports.agreement import (
    count_headlines,
    headline_words,
    is_judged_accuracy,
    published_numbers,
    read_comparisons,
    read_table,
)
from retree_lab.reports.agreement.headlines import (
    APART_RULE,
    causes_by_paper,
    headlines,
    headlines_table,
)
from retree_lab.reports.agreement.pictures import NAME as DOTS
from retree_lab.reports.agreement.pictures import dots_picture
from retree_lab.reports.agreement.skill import FILE as POWER
from retree_lab.reports.agreement.skill import pooled_skill
from retree_lab.reports.claims import TOTAL, claims_overview
from retree_lab.reports.comparison import MARKS, NEAR_POINTS, Word
from retree_lab.reports.document import (
    Block,
    Document,
    Entry,
    Figure,
    Phrase,
    TableCell,
    Text,
    ToFile,
)
from retree_lab.reports.figures import save_figure, seen, style
from retree_lab.reports.files import csv_text, write
from retree_lab.reports.markup import to_markdown
from retree_lab.reports.sections import Getter, section
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
        from retree_lab.reports.agreement.pictures import draw_overview

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
    """Read ``power.csv`` of all papers, the evidence of their tables, with a column ``paper``."""
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
        "folds, not even the paper's own program would be that close everywhere. “An exact rerun” "
        "says for how many numbers it would be, by Student's t from our replicates. “A wrong "
        "method” says how often our number for another column of the same table is as close. "
    )
    rule = ". ".join(
        f"{word.capitalize()} ({sign}): {meaning}" for word, (sign, meaning) in MARKS.items()
    )
    kinds = (
        "Kinds of numbers are counted separately, since they are not equally hard to reproduce. "
        "The last three columns are for the numbers judged by intervals or digits: the share that "
        "matches, the share that would match our number for another method, and the skill, (right "
        "− wrong) / (1 − wrong)."
    )
    linked = partial(_linked, "README.md")
    words = {str(word): f"{{{word}}}" for word in Word}
    counts = count_headlines(comparisons, ["paper"])
    by_kind = count_headlines(comparisons).sort_values("kind", kind="stable")
    power = read_power(results)
    shares = [_shares(row, power) for row in by_kind.to_dict("records")]
    by_kind[["right", "wrong", "skill"]] = shares
    return [
        Text("Published and reproduced numbers"),
        Figure("overview.svg", seen(results / "overview.svg")),
        Figure(DOTS, seen(results / DOTS)),
        Text(text=f"{near}{APART_RULE}"),
        *_headlines(comparisons),
        Text(text=rule),
        *section(
            "",
            counts,
            {"paper": linked, "all numbers": _said, "published numbers": "{published}", **words},
        ),
        *section(
            "By kind of number",
            by_kind,
            {
                **{"kind": "{kind}", "paper": linked, "published numbers": "{published}", **words},
                **{TableCell("match"): "{right:.0%}", "with a wrong method": "{wrong:.0%}"},
                "skill": "{skill:.2f}",
            },
            text=kinds,
            left=2,
        ),
    ]


def _headlines(comparisons: pd.DataFrame) -> list[Block]:
    """Return the table on the accuracies of each paper, and notes on their coverage."""
    papers = _papers(comparisons)
    columns: dict[str, Getter] = {
        "paper": lambda row: TableCell(Phrase(row.label, ToFile(f"{row.paper}/README.md"))),
        "checked of published": "coverage",
        f"within {NEAR_POINTS:g} point": lambda row: f"{row.near:,} ({row.near_words})",
        **{"an exact rerun": "possible_words", "a wrong method": "wrong_words"},
        "by its own rule": "strict_words",
    }
    whole = [f"{paper.called} published {paper.coverage}." for paper in papers if paper.coverage]
    return section("", headlines(comparisons, papers), columns, whole)


def _said(counts: Mapping[Hashable, Any]) -> str:
    return headline_words(counts, load_paper(counts["paper"]).not_judged)


def _shares(row: Mapping[Hashable, Any], power: pd.DataFrame) -> tuple[float, float, float]:
    """Return the shares of `pooled_skill` for one kind of number in a paper."""
    of_paper = power[power["paper"] == row["paper"]]
    if of_paper.empty:
        return math.nan, math.nan, math.nan
    return pooled_skill(of_paper[of_paper["metric"].map(headline) == row["kind"]])


def _causes(comparisons: pd.DataFrame) -> list[Block]:
    papers = {str(name): load_paper(str(name)) for name in comparisons["paper"].unique()}
    text = (
        "All numbers that differ, are at the edge or known misprints, or were computed and set "
        "aside. Each paper's page names the causes and what shows them; where it names none, the "
        "cause is open. Where numbers are judged by intervals, the last column says how many lie "
        "outside by chance; most of these are at the edge."
    )
    columns: dict[str, Getter] = {
        **{"paper": partial(_linked, "README.md"), "do not agree": "{numbers}"},
        **{str(cause): f"{{{cause}}}" for cause in Cause},
        "outside by chance, expected": "{expected:.0f}",
    }
    counts = causes_by_paper(papers, comparisons).rename_axis("paper").reset_index()
    counts["expected"] = counts["expected"].where(counts["expected"] > 0)
    return section("Why numbers do not agree", counts, columns, text=text)


def _claims(results: Path) -> list[Block]:
    counts = claims_overview(results)
    columns: dict[str, Getter] = {"paper": partial(_linked, "claims.md")}
    columns |= {str(name): itemgetter(name) for name in counts}
    text = "Statements of our own are not counted."
    rows = counts.rename_axis("paper").reset_index()
    return section("Claims of the papers", rows, columns, text=text)


def _linked(page: str, row: Mapping[Hashable, Any]) -> Entry:
    paper = str(row["paper"])
    if paper == TOTAL:
        return paper
    return TableCell(Phrase(load_paper(paper).called, ToFile(f"{paper}/{page}")))
