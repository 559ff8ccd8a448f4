"""The headline of a paper, and the causes of disagreement.

README, start page, overview, pages of papers and findings say of a paper's accuracies what a
`Headline` says. Numbers of other programs, and those whose interpretation was chosen by fit, have
rows of their own.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from retree.errors import unknown_name
from retree_lab.experiments.definition.definitions import Cause, Numbers, Origin, Paper, of_erratum
from retree_lab.experiments.definition.paper_config import load_paper
from retree_lab.reports.agreement import (
    KNOWN_BY,
    count_headlines,
    headline_words,
    is_judged_accuracy,
    near_by_chance,
    published_numbers,
)
from retree_lab.reports.comparison import LEVEL, NEAR_POINTS
from retree_lab.reports.document import Block, Entry, TableCell
from retree_lab.reports.files import item_title
from retree_lab.reports.formatting import BLANK, percent
from retree_lab.reports.page_template import fill
from retree_lab.reports.published import SECOND_HAND, Published
from retree_lab.reports.sections import Getter, section
from retree_lab.statistics import JUDGED, OUTSIDE, Verdict
from retree_lab.statistics.metrics import ACCURACIES, headline
from retree_lab.study.folders import PAPER
from retree_lab.yaml_files import located

STEM = "causes"
# Said of the numbers that no entry names.
UNNAMED = "No cause is named."
_COUNTS = {
    Verdict.DIFFERS: "differ",
    Verdict.EDGE: "at the edge",
    Verdict.EXPLAINED: "known misprints",
    Verdict.MISSING: "set aside",
}
COLUMNS = ("cause", "program", "numbers", "evidence", *map(str, _COUNTS), "together")
_RULE = (
    "Each number is counted once, in the first entry that names it. We count numbers that differ, "
    "that are at the edge or are known misprints, and those that were computed, did not agree and "
    "were set aside. A cause other than open is named only where the results show it."
)


def disagreeing(numbers: pd.DataFrame) -> pd.DataFrame:
    """Return the published numbers that are not ours.

    `numbers`: rows with the columns of a rendered csv, behind ``item``.
    """
    cells = published_numbers(numbers)
    ours, theirs = (cells[name].astype(float) for name in ("reproduced", "published"))
    aside = (cells["verdict"] == Verdict.MISSING) & ours.notna() & ~np.isclose(ours, theirs)
    return cells[cells["verdict"].isin([*OUTSIDE, Verdict.EXPLAINED]) | aside]


def expected_outside(numbers: pd.DataFrame) -> float:
    """Return how many numbers are outside their 95 % intervals by chance, on average."""
    cells = published_numbers(numbers)
    return LEVEL * int((cells["verdict"].isin(JUDGED) & cells["low"].notna()).sum())


def count_causes(paper: Paper, numbers: pd.DataFrame) -> pd.DataFrame:
    """Return the entries of a paper's list with how many numbers each is the cause of.

    `numbers`: as of `disagreeing`, of this paper.
    Columns are `COLUMNS`. Known misprints come first, as far as there are any among the numbers.
    The last row has the numbers that no entry names.
    """
    check_names(paper)
    cells = disagreeing(numbers)
    entries = [*map(of_erratum, paper.errata), *paper.causes]
    first = pd.Series(len(entries), cells.index)
    for place, entry in reversed([*enumerate(entries)]):
        first[are_named(cells, entry.numbers)] = place
    said = [(str(e.cause), e.program, "; ".join(map(_words, e.numbers)), e.evidence)
            for e in entries]  # fmt: skip
    table = pd.DataFrame([*said, (str(Cause.OPEN), "", "all others", UNNAMED)])
    for verdict in _COUNTS:
        numbers_of = first[cells["verdict"] == verdict].value_counts()
        table[str(verdict)] = numbers_of.reindex(table.index, fill_value=0)
    table["together"] = table[list(map(str, _COUNTS))].sum(axis=1)
    is_shown = (table["together"] > 0) | (table.index >= len(paper.errata))
    return table[is_shown].set_axis(COLUMNS, axis=1).reset_index(drop=True)


def check_names(paper: Paper) -> None:
    """Refuse causes, and numbers that are counted apart, which the paper publishes nothing of."""
    published = Published(paper).table().rename(columns={"table": "item"})
    named = {(STEM, str(i)): entry.numbers for i, entry in enumerate(paper.causes)}
    named |= {("apart", str(i)): entry.numbers for i, entry in enumerate(paper.apart)}
    for place, numbers in named.items():
        with located(paper.folder / PAPER, [*place, "numbers"]):
            for column, names in (p for n in numbers for p in n.by_column.items()):
                valid = list(dict.fromkeys(published[column].astype(str)))
                if unknown := [name for name in names if name not in valid]:
                    raise unknown_name(f"{column} of published numbers", unknown[0], valid)


def causes_section(paper: Paper, numbers: pd.DataFrame) -> list[Block]:
    """Return the list of causes as a section of the paper's page; nothing where none is named."""
    if not paper.causes or numbers.empty:
        return []
    counted = count_causes(paper, numbers)
    counts = {**{head: str(verdict) for verdict, head in _COUNTS.items()}, "together": "together"}
    totals = map(str, counted[list(counts.values())].sum())
    columns: dict[str, Getter] = {
        "cause": lambda row: ": ".join(filter(None, (row["cause"], row["program"]))),
        **{"numbers": "{numbers}", "what shows it": "{evidence}"},
        **{head: f"{{{name}}}" for head, name in counts.items()},
    }
    strong = partial(TableCell, strong=True, sums=True)
    total: list[Entry] = [strong("all"), "", "", *map(strong, totals)]
    notes = [_RULE, *_notes(numbers, counted)]
    return section("Why numbers do not agree", counted, columns, notes, left=3, last=[total])


def _notes(numbers: pd.DataFrame, counted: pd.DataFrame) -> Iterator[str]:
    """Yield how many numbers are outside by chance, and how many entries are idle."""
    if expected := expected_outside(numbers):
        yield (
            f"About {expected:.0f} numbers are expected to lie outside their 95 % intervals by "
            "chance. Most of these are at the edge."
        )
    if n_idle := int((counted["together"].iloc[:-1] == 0).sum()):
        some = f"{n_idle} entries name" if n_idle > 1 else "1 entry names"
        yield f"{some} no number that disagrees and is rendered here."


def causes_by_paper(papers: Mapping[str, Paper], numbers: pd.DataFrame) -> pd.DataFrame:
    """Return, by paper, how many numbers have which cause, those ``expected`` by chance beside.

    `numbers`: rows with the columns of a rendered csv, behind ``paper`` and ``item``.
    """
    rows = {}
    for name, of_paper in numbers.groupby("paper", sort=False):
        by_cause = count_causes(papers[str(name)], of_paper).groupby("cause")["together"].sum()
        counts = by_cause.reindex(list(map(str, Cause)), fill_value=0).to_dict()
        n_numbers, expected = int(by_cause.sum()), expected_outside(of_paper)
        rows[name] = {"numbers": n_numbers, **counts, "expected": expected}
    columns = ["numbers", *map(str, Cause), "expected"]
    table = pd.DataFrame.from_dict(rows, orient="index", columns=columns if not rows else None)
    return table[table["numbers"] > 0]


def are_named(cells: pd.DataFrame, named: Sequence[Numbers]) -> pd.Series:
    """Return which of `cells`, rows behind ``item``, are among the numbers that are `named`."""
    is_named = pd.Series(False, index=cells.index)
    for numbers in named:
        columns = numbers.by_column
        is_named |= cells[list(columns)].isin({c: list(n) for c, n in columns.items()}).all(axis=1)
    return is_named


def _words(numbers: Numbers) -> str:
    named = dict(numbers.by_column)
    if "item" in named:
        named["item"] = tuple(map(item_title, named["item"]))
    return ": ".join(", ".join(names) for names in named.values())


TEMPLATE = "verdict.md"
PARTS = {Origin.PROGRAM: "other programs", Origin.FIT: "chosen by fit"}
APART_RULE = (
    "Results of other people's programs are counted separately, and so are numbers by which we "
    "chose the interpretation or the data set. The total is unknown if numbers are second hand, "
    "that is, not copied from the paper itself."
)


@dataclass(frozen=True)
class Headline:
    """The statement on the accuracies of a paper, or of a part of them: a row of the frame."""

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
        """Return a text on the numbers of accuracies that are checked and that are published."""
        total = "(total unknown)" if self.published is None else f"of {self.published:,}"
        return f"{self.checked:,} {total}"

    @property
    def near_words(self) -> str:
        """Return the share of accuracies within 1 point of ours, as text."""
        return f"{percent(self.near_share)} %"

    @property
    def possible_words(self) -> str:
        """The share that an exact rerun on other folds would reach, "—" if unknown."""
        return _percent(self.possible)

    @property
    def wrong_words(self) -> str:
        """The share that our numbers of other methods reach, "—" if unknown."""
        return _percent(self.wrong)

    @property
    def strict_words(self) -> str:
        """Return the number of accuracies that agree by the paper's own rule, as text."""
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
    """Return the rows of all `papers` whose accuracies are judged, each one's own first.

    `comparisons`: cells as from `retree_lab.reports.agreement.read_comparisons`.
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
        of_part = judged[judged["part"] == part]
        if len(of_part):
            (counts,) = count_headlines(of_part, []).to_dict("records")
            n_wrong = int(of_part["n_wrong"].sum())
            wrong = of_part["wrong"].sum() / n_wrong if n_wrong else math.nan
            chance = float(of_part["possible"].mean(skipna=False)), float(wrong)
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
    names = pd.Series("", cells.index)
    if paper.apart:
        check_names(paper)
    for entry in reversed(paper.apart):
        names[are_named(cells, entry.numbers)] = PARTS[entry.origin]
    names[cells[KNOWN_BY] == "results"] = PARTS[Origin.FIT]
    return names


@dataclass(frozen=True)
class Evidence:
    """The numbers of a paper, counted and in words."""

    paper: Paper
    counts: Mapping[Hashable, Any]  # A row of `retree_lab.reports.agreement.count_headlines`
    headlines: Sequence[Headline]  # What is said of its accuracies, none if none is judged
    verdict: str  # What was found, in a sentence or two; "" if the paper's folder says nothing

    @property
    def words(self) -> str:
        """Return a text on the number of all its numbers that agree."""
        return headline_words(self.counts, self.paper.not_judged)


def find_evidence(name: str, results: Path, comparisons: pd.DataFrame) -> Evidence:
    """Collect the evidence from the numbers of a paper or of an opened study.

    `comparisons`: cells as from `retree_lab.reports.agreement.read_comparisons`.
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
