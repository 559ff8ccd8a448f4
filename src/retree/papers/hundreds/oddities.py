"""What is odd about the published table: impossible numbers, and columns that are copies."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from retree.papers.hundreds.accuracies import copies, is_possible, published_accuracies
from retree.reports.context import Context
from retree.reports.document import Bullets, Document, Table, Tex
from retree.reports.kind import FrameKind
from retree.study.archive_index import PREFIX, archived_rows

_COLUMNS = ["kind", "what", "with", "count", "of"]
IMPOSSIBLE, COPY = "impossible", "copy"
# More rows than that give any number of one digit.
_MOST_ROWS = 1000


@dataclass(frozen=True, kw_only=True)
class Oddities(FrameKind):
    """Numbers that no count of test rows gives, and columns that are equal on nearly all sets."""

    def compare(self, context: Context) -> pd.DataFrame:
        """Return a row for each data set with impossible numbers and for each two equal columns."""
        table = published_accuracies(context.paper.folder)
        rows = [[IMPOSSIBLE, name, "", *counts] for name, counts in impossible(table).items()]
        rows += [[COPY, *pair] for pair in copies(table)]
        return pd.DataFrame(rows, columns=_COLUMNS)

    def document(self, context: Context, rows: pd.DataFrame) -> Document:
        """Return both lists."""
        parts = {kind: rows[rows["kind"] == kind] for kind in (IMPOSSIBLE, COPY)}
        odd = parts[IMPOSSIBLE][["what", "count", "of"]].astype(str).values.tolist()
        same = parts[COPY][["what", "with", "count", "of"]].astype(str).values.tolist()
        return Document(
            ["Computed from the published table and the numbers of rows: nothing is run."],
            [
                Table(
                    ["data set", "impossible", "of"],
                    odd,
                    title="Numbers that no count of test rows gives",
                    tex=Tex(context.item.caption),
                ),
                Bullets([_RULE]),
                Table(
                    ["column", "column", "equal on", "of"],
                    same,
                    left=2,
                    title="Columns that are equal on nine tenths of the sets",
                ),
            ],
        )


_RULE = (
    "The numbers are right test rows over all test rows, cut or rounded after one digit. Looked at "
    f"are data sets of at most {_MOST_ROWS} test rows: all columns where there is a test file, "
    "those of Weka elsewhere, since the others are means over four folds of unequal size."
)


def impossible(table: pd.DataFrame) -> dict[str, tuple[int, int]]:
    """Return for each data set how many numbers are impossible, and of how many; none: left out."""
    weka = [str(name) for name in table if str(name).endswith("_weka")]
    found = {}
    for dataset, values in table.iterrows():
        sizes = archived_rows(f"{PREFIX}{dataset}")
        if not sizes or sizes[-1] > _MOST_ROWS:
            continue
        known = (values if len(sizes) > 1 else values[weka]).dropna()
        count = sum(not is_possible(value, sizes[-1]) for value in known)
        if count:
            found[str(dataset)] = (count, len(known))
    return found
