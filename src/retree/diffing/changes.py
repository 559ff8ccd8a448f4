"""Two versions of one table, cell by cell."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import pandas as pd

from retree.experiments.verifying.cell_difference import Grade, grade_values

GONE, ABSENT = "no such row", "no number"


class ChangeKind(StrEnum):
    """What happened to a cell of a table."""

    MOVED = "moved"
    VERDICT = "verdict"
    CLAIM = "claim"
    BLANK = "blank"
    NEW = "new"


class TableLayout(NamedTuple):
    """How a table is read."""

    key: tuple[str, ...]  # Columns that name a row
    # The column that holds a row's number; where it is empty there is none. None: each row counts
    # as one.
    value: str | None
    columns: tuple[str, ...]  # Columns that are compared


@dataclass(frozen=True)
class Change:
    """One entry that is not as committed."""

    item: str
    kind: ChangeKind
    cell: tuple[str, ...]  # The row: the values of its key
    column: str  # What of the row changed
    old: str  # As committed, and as they are now; of a blank, `new` is ``GONE`` or ``ABSENT``
    new: str

    @property
    def size(self) -> float:
        """How far a number moved, in units of its committed value; 0 if it is no number."""
        old, new = _number(self.old), _number(self.new)
        move = abs(new - old) / (abs(old) or 1.0)
        return 0.0 if math.isnan(move) else move


KINDS = {"verdict": ChangeKind.VERDICT, "outcome": ChangeKind.CLAIM}


def compare_rows(
    item: str, committed: pd.DataFrame, current: pd.DataFrame, layout: TableLayout, exact: bool
) -> Iterator[Change]:
    """Yield what differs between two versions of a table, by row.

    `exact`: whether numbers must be the same, or but for the last bits, see `grade_values`.
    """
    if committed.equals(current):
        return
    both = _merged(committed, current, layout)
    lost = both["had"] & ~both["has"]
    for row in both[lost].to_dict("records"):
        new = GONE if row["_merge"] == "left_only" else ABSENT
        yield _change(
            item, ChangeKind.BLANK, row, layout, _text(row, layout, "old", "present"), new
        )
    for row in both[both["has"] & ~both["had"]].to_dict("records"):
        old = GONE if row["_merge"] == "right_only" else ABSENT
        yield _change(item, ChangeKind.NEW, row, layout, old, _text(row, layout, "new", "present"))
    stays = both[(both["_merge"] == "both") & (both["had"] == both["has"])]
    for column in layout.columns:
        old, new = f"{column}.old", f"{column}.new"
        for row in stays[stays[old] != stays[new]].to_dict("records"):
            if _differ(row[old], row[new], exact):
                kind = KINDS.get(column, ChangeKind.MOVED)
                cell = tuple(row[name] for name in layout.key)
                yield Change(item, kind, cell, column, row[old], row[new])


def _merged(committed: pd.DataFrame, current: pd.DataFrame, layout: TableLayout) -> pd.DataFrame:
    """Return both tables side by side, with `had` and `has` where there is a number."""
    key, names = list(layout.key), [*layout.key, *layout.columns]
    old, new = (
        table.reindex(columns=names, fill_value="").rename(
            columns={name: f"{name}.{end}" for name in layout.columns}
        )
        for table, end in ((committed, "old"), (current, "new"))
    )
    both = old.merge(new, on=key, how="outer", indicator=True)
    both["_merge"] = both["_merge"].astype(str)
    both = both.fillna("")
    if layout.value is None:
        had, has = both["_merge"] != "right_only", both["_merge"] != "left_only"
    else:
        had, has = both[f"{layout.value}.old"] != "", both[f"{layout.value}.new"] != ""
    return both.assign(had=had, has=has)


def _change(
    item: str,
    kind: ChangeKind,
    row: Mapping[Hashable, str],
    layout: TableLayout,
    old: str,
    new: str,
) -> Change:
    cell = tuple(row[name] for name in layout.key)
    return Change(item, kind, cell, layout.value or "", old, new)


def _text(row: Mapping[Hashable, str], layout: TableLayout, end: str, otherwise: str) -> str:
    return row[f"{layout.value}.{end}"] if layout.value else otherwise


def _differ(old: str, new: str, exact: bool) -> bool:
    """Whether two unequal texts are unequal numbers too, or no numbers."""
    before, after = _number(old), _number(new)
    if math.isnan(before) or math.isnan(after):
        return True
    grade = grade_values(before, after)
    return grade == Grade.DIFFERENT or (exact and grade == Grade.LAST_BITS)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
