"""What the numbers of papers say, in one frame; every headline is a row of it.

README, start page, overview, pages of papers and findings say of a paper's accuracies what a
`Headline` says. Numbers of other programs, and those whose interpretation was chosen by fit, have
rows of their own.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from retree_lab.experiments.definition.causes import Origin
from retree_lab.experiments.definition.definitions import Paper
from retree_lab.experiments.definition.paper_config import load_paper
from retree_lab.reports.causes import are_named, check_names
from retree_lab.reports.formatting import BLANK, percent
from retree_lab.reports.headlines import (
    count_headlines,
    headline_words,
    is_judged_accuracy,
    near_by_chance,
    published_numbers,
)
from retree_lab.reports.page_template import fill
from retree_lab.reports.published import SECOND_HAND, Published
from retree_lab.reports.rendered_tables import KNOWN_BY
from retree_lab.reports.words import NEAR_POINTS
from retree_lab.statistics.metrics import ACCURACIES, headline

TEMPLATE = "verdict.md"
PARTS = {Origin.PROGRAM: "other programs", Origin.FIT: "chosen by fit"}
APART_RULE = (
    "Columns of programs that are not the authors' own are counted apart, and so are numbers whose "
    "interpretation or data set was chosen by its fit to them. The total is unknown where numbers "
    "are second hand, not copied from the paper itself."
)


@dataclass(frozen=True)
class Headline:
    """What is said of the accuracies of a paper, or of a part of them: a row of the frame."""

    paper: str
    called: str
    part: str  # "other programs", "chosen by fit", or "" for all others
    # How many accuracies and errors the paper publishes, in all parts; None if that is not known
    published: int | None
    checked: int  # Those of the part that are judged here
    near: int  # Those of them within 1 point of ours
    possible: float  # The share that an exact rerun on other folds would reach, NaN if unknown
    wrong: float  # The share that ours of other methods reach
    strict: int  # Those that agree by the paper's own rule
    by_digits: bool  # Whether that rule is the printed digit

    @property
    def label(self) -> str:
        """The paper, and which part of it."""
        return ", ".join(filter(None, (self.called, self.part)))

    @property
    def near_share(self) -> float:
        """The share of accuracies within 1 point of ours."""
        return self.near / self.checked

    @property
    def coverage(self) -> str:
        """How many accuracies are checked, of how many that the paper publishes."""
        known = "(total unknown)" if self.published is None else f"of {self.published:,}"
        return f"{self.checked:,} {known}"

    @property
    def near_words(self) -> str:
        """How many accuracies are within 1 point of ours."""
        return f"{percent(self.near_share)} %"

    @property
    def possible_words(self) -> str:
        """What an exact rerun on other folds would reach, "—" if unknown."""
        return _percent(self.possible)

    @property
    def wrong_words(self) -> str:
        """What ours of other methods reach, "—" if unknown."""
        return _percent(self.wrong)

    @property
    def strict_words(self) -> str:
        """How many agree by the paper's own rule."""
        return f"{self.strict:,} of {self.checked:,} {'=' if self.by_digits else '±'}"

    @property
    def sentence(self) -> str:
        """All of it in words."""
        rule = "Equal to the printed digit" if self.by_digits else "Inside the interval"
        checked = self.coverage + " published" * (self.published is not None)
        return (
            f"{self.label}: {self.near:,} of {self.checked:,} accuracies within {NEAR_POINTS:g} "
            f"point ({self.near_words}). An exact rerun: {self.possible_words}. A wrong method: "
            f"{self.wrong_words}. {rule}: {self.strict:,}. Checked: {checked}."
        )


def _percent(share: float) -> str:
    return BLANK if math.isnan(share) else f"{percent(share)} %"


def headlines(comparisons: pd.DataFrame, papers: Sequence[Paper]) -> list[Headline]:
    """Return the rows of those of `papers` whose accuracies are judged, each one's own first.

    `comparisons`: cells as from `retree_lab.reports.rendered_tables.read_comparisons`.
    """
    cells = published_numbers(comparisons)
    return [
        row for paper in papers for row in _of_paper(paper, cells[cells["paper"] == paper.name])
    ]


def headlines_table(rows: Sequence[Headline]) -> pd.DataFrame:
    """Return headlines as the frame that they are, with the share that is near."""
    table = pd.DataFrame([asdict(row) for row in rows]).astype({"published": "Int64"})
    return table.assign(near_share=[row.near_share for row in rows])


def _of_paper(paper: Paper, cells: pd.DataFrame) -> list[Headline]:
    judged = cells[is_judged_accuracy(cells)]
    if judged.empty:
        return []
    judged = judged.join(near_by_chance(judged)).assign(part=parts_of(paper, judged))
    published = _n_published(paper, cells)
    by_digits = bool(judged["steps"].notna().any())
    rows = []
    for part in ("", *PARTS.values()):
        own = judged[judged["part"] == part]
        if len(own):
            (counts,) = count_headlines(own, []).to_dict("records")
            n_wrong = int(own["n_wrong"].sum())
            wrong = own["wrong"].sum() / n_wrong if n_wrong else math.nan
            chance = float(own["possible"].mean(skipna=False)), float(wrong)
            near = counts["accuracies"], counts["near"], *chance, counts["strict"]
            rows.append(Headline(paper.name, paper.called, part, published, *near, by_digits))
    return rows


def _n_published(paper: Paper, cells: pd.DataFrame) -> int | None:
    """Return how many accuracies and errors a paper publishes, None if that is not known.

    Whoever copied numbers may have left others out, and we have not seen the paper.
    """
    if paper.coverage is not None:
        return paper.coverage.numbers
    table = Published(paper).table()
    copied = table.loc[table["marker"] == SECOND_HAND, "metric"].map(headline)
    return None if (copied == ACCURACIES).any() else int((cells["kind"] == ACCURACIES).sum())


def parts_of(paper: Paper, cells: pd.DataFrame) -> pd.Series:
    """Return which part of a paper each number is counted in, "" for its own."""
    found = pd.Series("", cells.index)
    if paper.apart:
        check_names(paper)
    for entry in reversed(paper.apart):
        found[are_named(cells, entry.numbers)] = PARTS[entry.origin]
    found[cells[KNOWN_BY] == "results"] = PARTS[Origin.FIT]
    return found


@dataclass(frozen=True)
class Evidence:
    """What the numbers of a paper say."""

    paper: Paper
    counts: Mapping[Hashable, Any]  # A row of `retree_lab.reports.headlines.count_headlines`
    headlines: Sequence[Headline]  # What is said of its accuracies, none if none is judged
    verdict: str  # What was found, in a sentence or two; "" if the paper's folder says nothing

    @property
    def words(self) -> str:
        """How many of all its numbers agree, in words."""
        return headline_words(self.counts, self.paper.not_judged)


def find_evidence(name: str, results: Path, comparisons: pd.DataFrame) -> Evidence:
    """Return what the numbers of a paper, or of an opened study, say.

    `comparisons`: cells as from `retree_lab.reports.rendered_tables.read_comparisons`.
    """
    paper = load_paper(name)
    (counts,) = count_headlines(comparisons[comparisons["paper"] == name], []).to_dict("records")
    return Evidence(paper, counts, headlines(comparisons, [paper]), _verdict(paper, results))


def _verdict(paper: Paper, results: Path) -> str:
    """Return the verdict, "" if there is none, or no whole results that it could be of."""
    template, folder = paper.folder / TEMPLATE, results / paper.name
    is_whole = all(any(folder.glob(f"{item}[._]*")) for item in paper.items)
    if not (is_whole and template.is_file()):
        return ""
    return " ".join(fill(template.read_text(), results, paper.name, template).split())
