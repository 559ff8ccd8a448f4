"""Right test rows as Weka 3.6.8 itself counts them, a check of those that are computed here."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import NamedTuple

from retree.reports.context import Context
from retree.reports.document import Table
from retree.study.archive_index import PREFIX

from .accuracies import pooled

WEKA_COUNTS = "weka_counts.csv"
RULE = (
    "Weka's own counts are those of release 3.6.8, compiled from its source. Known before: the "
    "counts of this release, or the same ones of another, were looked at when the method was "
    "written. Made later: the method was not changed after they were seen."
)
_HEADER = ["method", "known before", "of these equal", "made later", "of these equal"]


class WekaCount(NamedTuple):
    """What Weka counts for a data set and a method."""

    correct: int  # Right test rows, and all
    total: int
    known: bool  # Whether the count was known when the method was written


def weka_counts(paper: Path) -> dict[tuple[str, str], WekaCount]:
    """Return the counts by the data set's name here, without prefix, and the method's published."""
    with (paper / WEKA_COUNTS).open(newline="", encoding="utf-8") as file:
        return {
            (row["dataset"], row["method"]): WekaCount(
                int(row["correct"]), int(row["total"]), row["known"] == "yes"
            )
            for row in csv.DictReader(file)
        }


def counts_table(context: Context) -> Table:
    """Return how many counts of each method are Weka's, on sets known before and on others."""
    theirs = weka_counts(context.paper.folder)
    lines = []
    for method in context.item.methods:
        found = {True: [0, 0], False: [0, 0]}
        for dataset in context.item.datasets:
            choice = context.best.get((dataset, method.key))
            count = theirs.get((dataset.removeprefix(PREFIX), method.name))
            if choice is None or choice.folds.empty or count is None:
                continue
            found[count.known][0] += 1
            found[count.known][1] += pooled(choice.folds) == (count.correct, count.total)
        lines.append([method.name, *(str(n) for known in (True, False) for n in found[known])])
    return Table(_HEADER, lines, title="Right test rows as many as Weka counts")
