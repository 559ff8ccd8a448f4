"""What is odd about the published table: impossible numbers, copied columns, another file."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from retree.reports.context import Context
from retree.reports.document import Bullets, Document, Table
from retree.reports.kind import FrameKind
from retree.study.archive_index import PREFIX, archived_rows, archived_sets

from .accuracies import copies, is_possible, published_accuracies

_COLUMNS = ["kind", "what", "with", "count", "of", "points"]
IMPOSSIBLE, COPY, CHANCE = "impossible", "copy", "chance"
ZERO_R = "ZeroR_weka"
# More rows than that give any number of one digit.
_MOST_ROWS = 1000
# Up to so many rows give a third of the numbers of one digit, or fewer.
_FEW_ROWS = 330
# Columns less than so many points above ZeroR are listed.
_NEAR = 5.0


@dataclass(frozen=True, kw_only=True)
class Oddities(FrameKind):
    """Numbers that no count of test rows gives, copied columns, and sets of another file."""

    # Published names of data sets on which columns of Weka are listed that hardly beat ZeroR.
    other_file: tuple[str, ...] = ()

    def compare(self, context: Context) -> pd.DataFrame:
        """Return a row for each data set with impossible numbers and each column that is odd."""
        table = published_accuracies(context.paper.folder)
        rows = [[IMPOSSIBLE, name, "", *counts, ""] for name, counts in impossible(table).items()]
        rows += [[COPY, *pair, ""] for pair in copies(table)]
        above = above_zero_r(table.loc[list(self.other_file)])
        rows += [[CHANCE, name, ZERO_R, "", "", points] for name, points in above.items()]
        return pd.DataFrame(rows, columns=_COLUMNS)

    def document(self, context: Context, rows: pd.DataFrame) -> Document:
        """Return both lists."""
        parts = {kind: rows[rows["kind"] == kind] for kind in (IMPOSSIBLE, COPY, CHANCE)}
        odd = parts[IMPOSSIBLE][["what", "count", "of"]].astype(str).values.tolist()
        same = parts[COPY][["what", "with", "count", "of"]].astype(str).values.tolist()
        table = published_accuracies(context.paper.folder)
        return Document(
            ["Computed from the published table and the numbers of rows: nothing is run."],
            [
                Table(
                    ["data set", "impossible", "of"],
                    odd,
                    title="Numbers that no count of test rows gives",
                ),
                Bullets([_RULE]),
                Table(
                    ["column", "column", "equal on", "of"],
                    same,
                    left=2,
                    title="Columns that are equal on nine tenths of the sets",
                ),
                *_chance(parts[CHANCE]["what"], parts[CHANCE]["points"], self.other_file),
                *_counted(table),
            ],
        )


def _counted(table: pd.DataFrame) -> list[Table | Bullets]:
    """Return over which rows the columns of each program can be counted."""
    header = ["program", "numbers", "all rows", "published folds", "folds of n / 4 rows, rounded"]
    lines = [[str(cell) for cell in row] for row in possible_counts(table).itertuples()]
    rule = (
        "How many numbers are shares of so many rows, cut or rounded after one digit, on data sets "
        f"without a test file of at most {_FEW_ROWS} rows where the published folds have fewer or "
        "more test rows than the set. Halves are rounded to the even number, as R does."
    )
    return [Table(header, lines, title="Over which rows the numbers are counted"), Bullets([rule])]


def _chance(names: pd.Series, points: pd.Series, sets: tuple[str, ...]) -> list[Table | Bullets]:
    """Return the columns that hardly beat ZeroR on `sets`, and how far the others are from it."""
    if not sets:
        return []
    of, near = dict(zip(names, points, strict=True)), points < _NEAR
    lines = [[name, f"{round(value, 1) + 0.0:.1f}"] for name, value in of.items() if value < _NEAR]
    header = ["column", "points above ZeroR"]
    rule = (
        f"Means over {', '.join(sets)}: the columns of Weka that are less than {_NEAR:.0f} points "
        "above ZeroR, which says the most frequent class. Copies of ZeroR are left out. The other "
        f"{sum(~near)} columns are at least {points[~near].min():.1f} points above it. IB1 and IBk "
        f"are both one nearest neighbour, at {of['IB1_weka']:.1f} and {of['IBk_weka']:.1f} points, "
        "so they were not run on the same file."
    )
    title = "Columns of Weka that hardly beat the most frequent class on some sets"
    return [Table(header, lines, title=title), Bullets([rule])]


_RULE = (
    "The numbers are right test rows over all test rows, cut or rounded after one digit. Looked at "
    f"are data sets of at most {_MOST_ROWS} test rows: all columns where there is a test file, "
    "those of Weka elsewhere, since the others are means over four folds of unequal size."
)


def possible_counts(table: pd.DataFrame) -> pd.DataFrame:
    """Return how many numbers of each program can be counts over three numbers of rows.

    A row for each program, the columns: numbers, possible over all rows of the set, over the test
    rows of the published folds, over four folds of a quarter of the rows, rounded.
    """
    files = {name: archived_sets()[f"{PREFIX}{name}"][0] for name in table.index}
    sets = {
        name: (file.rows, file.fold_rows, 4 * round(file.rows / 4))
        for name, file in files.items()
        if file.fold_rows not in (0, file.rows) and 0 < file.rows <= _FEW_ROWS
    }
    programs = table.columns.str.rpartition("_").get_level_values(2)
    found = {}
    for program in sorted(set(programs)):
        values = table.loc[list(sets), programs == program].stack().dropna()
        possible = [[is_possible(v, n) for n in sets[name]] for (name, _), v in values.items()]
        found[program] = [len(values), *map(sum, zip(*possible, strict=True))]
    columns = ["numbers", "all_rows", "published_folds", "quarters"]
    return pd.DataFrame.from_dict(found, orient="index", columns=columns)


def above_zero_r(table: pd.DataFrame) -> pd.Series:
    """Return by how many points on average each column of Weka is above ZeroR, rising.

    Columns that are ZeroR's on all sets, or that lack one, are left out.
    """
    weka = table.filter(like="_weka").dropna(axis=1)
    points = weka.sub(table[ZERO_R], axis=0)
    means = points.loc[:, (points != 0).any()].mean().round(2)
    # Adding 0 turns -0.0 into 0.0.
    return means.sort_values(kind="stable") + 0.0


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
