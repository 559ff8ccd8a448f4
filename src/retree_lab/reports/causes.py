"""Why published numbers do not agree: the causes that a paper's file names, counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from retree.errors import unknown_name
from retree_lab.experiments.definition.causes import Cause, Numbers, of_erratum
from retree_lab.experiments.definition.definitions import Paper
from retree_lab.reports.comparison import LEVEL
from retree_lab.reports.document import Block, Bullets, Entry, Table, TableCell, Text
from retree_lab.reports.files import item_title
from retree_lab.reports.formatting import BLANK
from retree_lab.reports.headlines import published_numbers
from retree_lab.reports.published import Published
from retree_lab.statistics import JUDGED, OUTSIDE, Verdict
from retree_lab.study.folders import PAPER
from retree_lab.yaml_files import located

STEM = "causes"
# What is said of the numbers that no entry names.
UNNAMED = "No cause is named."
_COUNTS = {
    Verdict.DIFFERS: "differ",
    Verdict.EDGE: "at the edge",
    Verdict.EXPLAINED: "known misprints",
    Verdict.MISSING: "set aside",
}
COLUMNS = ("cause", "program", "numbers", "evidence", *map(str, _COUNTS), "together")
_RULE = (
    "Each number is counted once, by the first entry that names it. Counted are the numbers that "
    "differ, that are at the edge or known misprints, and those that were computed, came out "
    "otherwise, and were set aside. A cause other than open is named only where the results show "
    "it."
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
    is_free = pd.Series(True, index=cells.index)
    entries = [*map(of_erratum, paper.errata), *paper.causes]
    rows = []
    for place, entry in enumerate(entries):
        is_named = is_free & are_named(cells, entry.numbers)
        is_free &= ~is_named
        if is_named.any() or place >= len(paper.errata):
            what = "; ".join(map(_words, entry.numbers))
            said = [str(entry.cause), entry.program, what, entry.evidence]
            rows.append([*said, *_counts(cells[is_named])])
    rows.append([str(Cause.OPEN), "", "all others", UNNAMED, *_counts(cells[is_free])])
    return pd.DataFrame(rows, columns=list(COLUMNS))


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
    rows: list[list[Entry]] = [
        [f"{cause}: {program}" if program else cause, named, shows, *map(str, counts)]
        for cause, program, named, shows, *counts in counted.itertuples(index=False, name=None)
    ]
    totals = counted[[*map(str, _COUNTS), "together"]].sum()
    total: list[Entry] = [TableCell(t, strong=True, sums=True) for t in map(str, totals)]
    rows.append([TableCell("all", strong=True, sums=True), "", "", *total])
    header = ["cause", "numbers", "what shows it", *_COUNTS.values(), "together"]
    notes = [_RULE, *chance_note(numbers), *_idle_note(counted)]
    return [Text("Why numbers do not agree"), Table(header, rows, left=3), Bullets(notes)]


def chance_note(numbers: pd.DataFrame) -> list[str]:
    """Return how many of the numbers that differ or are at the edge are expected by chance."""
    if not (expected := expected_outside(numbers)):
        return []
    return [
        f"About {expected:.0f} numbers are expected to lie outside their 95 % intervals by chance. "
        "Most of these are at the edge."
    ]


def _idle_note(counted: pd.DataFrame) -> list[str]:
    n_idle = int((counted["together"].iloc[:-1] == 0).sum())
    some = f"{n_idle} entries name" if n_idle > 1 else "1 entry names"
    return [f"{some} no number that does not agree and is rendered here."] if n_idle else []


def causes_by_paper(papers: Mapping[str, Paper], numbers: pd.DataFrame) -> pd.DataFrame:
    """Return, by paper, how many numbers have which cause, those ``expected`` by chance beside.

    `numbers`: rows with the columns of a rendered csv, behind ``paper`` and ``item``.
    """
    rows = {}
    for name, of_paper in numbers.groupby("paper", sort=False):
        counted = count_causes(papers[str(name)], of_paper)
        by_cause = counted.groupby("cause")["together"].sum()
        counts = {str(cause): int(by_cause.get(str(cause), 0)) for cause in Cause}
        expected = expected_outside(of_paper)
        rows[name] = {"numbers": sum(counts.values()), **counts, "expected": expected}
    table = pd.DataFrame.from_dict(rows, orient="index")
    return table[table["numbers"] > 0] if len(table) else table


def by_paper_table(counts: pd.DataFrame, names: Mapping[str, Entry]) -> Table:
    """Return `causes_by_paper` as a table; `names` are what its papers are shown as."""
    rows: list[list[Entry]] = []
    for paper, row in counts.iterrows():
        *by_cause, expected = row
        chance = f"{expected:.0f}" if expected else BLANK
        rows.append([names[str(paper)], *(str(int(count)) for count in by_cause), chance])
    header = ["paper", "do not agree", *map(str, Cause), "outside by chance, expected"]
    return Table(header, rows)


def are_named(cells: pd.DataFrame, named: Sequence[Numbers]) -> pd.Series:
    """Return which of `cells`, rows behind ``item``, are among the numbers that are `named`."""
    is_named = pd.Series(False, index=cells.index)
    for numbers in named:
        fits = pd.Series(True, index=cells.index)
        for column, names in numbers.by_column.items():
            fits &= cells[column].isin(names)
        is_named |= fits
    return is_named


def _counts(cells: pd.DataFrame) -> list[int]:
    counts = [int((cells["verdict"] == verdict).sum()) for verdict in _COUNTS]
    return [*counts, sum(counts)]


def _words(numbers: Numbers) -> str:
    named = dict(numbers.by_column)
    if "item" in named:
        named["item"] = tuple(map(item_title, named["item"]))
    return ": ".join(", ".join(names) for names in named.values())
