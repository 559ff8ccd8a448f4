"""Two versions of one table, row by row, and of a page or a picture, line by line."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from difflib import SequenceMatcher
from enum import StrEnum
from itertools import zip_longest
from typing import NamedTuple

import pandas as pd

from retree_lab.diffing.scope import UNAVAILABLE
from retree_lab.experiments.verifying.verification import Grade, grade_values
from retree_lab.statistics.metrics import METRICS, MetricKind

CELLS = "cells"
GONE, ABSENT = "no such row", "no number"


class ChangeKind(StrEnum):
    """The change of a row of a table."""

    MOVED = "moved"
    VERDICT = "verdict"
    CLAIM = "claim"
    BLANK = "blank"
    NEW = "new"
    PAGE = "page"


class TableLayout(NamedTuple):
    """How a table is read; all columns but the key's are compared."""

    key: tuple[str, ...]  # Columns that name a row
    # The column that holds a row's number; where it is empty there is none. "": each row counts
    # as one.
    value: str = ""


class Change(NamedTuple):
    """One entry that is not as committed."""

    item: str
    kind: ChangeKind
    cell: tuple[str, ...]  # The row: the values of its key
    column: str  # What of the row changed
    old: str  # As committed, and as they are now; of a blank, `new` is ``GONE`` or ``ABSENT``
    new: str

    @property
    def size(self) -> float:
        """Return the change of a number, relative to its committed value; 0 for other values."""
        old, new = _number(self.old), _number(self.new)
        move = abs(new - old) / (abs(old) or 1.0)
        return 0.0 if math.isnan(move) else move


NUMBERS = TableLayout(("dataset", "method", "metric"), "reproduced")
CLAIMS = TableLayout(("claim",))
FOLDS = TableLayout(("item", "dataset", "method", "params", "repeat", "fold", "inner"), "accuracy")
KINDS = {"verdict": ChangeKind.VERDICT, "here": ChangeKind.CLAIM}
# Of a fold, what is of the run that computed it, or only kept by some: never compared.
OF_A_RUN = [
    *("items", "key", "run", "fit_seconds", "cpu_seconds", "shared", "predictions", "tree"),
]
# Of a row on times, what is compared where another run measured them.
_OF_TIMES = (
    *(*NUMBERS.key, "reproduced", "published", "published_std", "verdict"),
    *("claim", "place", "text", "check", "published_numbers", "here"),
)
_TIMED = [m for m in METRICS.values() if m.kind in (MetricKind.TIME, MetricKind.RATIO)]


def layout_of(old: pd.DataFrame, new: pd.DataFrame) -> TableLayout:
    """Return how both versions of a table are read.

    Of a table that is neither numeric nor of claims every entry counts; its rows are named by the
    first columns, as few as name each row.
    """
    columns = list(dict.fromkeys([*old.columns, *new.columns]))
    if {*NUMBERS.key, "reproduced", "verdict"} <= set(columns):
        return NUMBERS
    if {*CLAIMS.key, "check", "here"} <= set(columns):
        return CLAIMS
    tables = [table.reindex(columns=columns, fill_value="") for table in (old, new)]
    n = 1
    while n < len(columns) and any(table.duplicated(columns[:n]).any() for table in tables):
        n += 1
    return TableLayout(tuple(columns[:n]))


def of_times(table: pd.DataFrame) -> pd.Series:
    """Return which rows of a numeric table, or of claims, are about times or their ratios."""
    if "metric" in table:
        return table["metric"].isin([metric.name for metric in _TIMED])
    if {*CLAIMS.key, "check"} <= set(table.columns):
        return table["check"].str.contains("|".join(re.escape(m.label) for m in _TIMED))
    return pd.Series(False, index=table.index)


def without_times(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table that says of a time only that there is one."""
    timed = of_times(table)
    columns = {str(n): table[n].mask(timed, "") for n in table if n not in _OF_TIMES}
    if "reproduced" in table:
        there = timed & (table["reproduced"] != "")
        columns["reproduced"] = table["reproduced"].mask(there, "measured")
    return table.assign(**columns)


def compare_rows(
    item: str, committed: pd.DataFrame, current: pd.DataFrame, layout: TableLayout, exact: bool
) -> Iterator[Change]:
    """Yield what differs between two versions of a table, by row.

    `exact`: whether numbers must be the same, or but for the last bits, see `grade_values`.
    """
    if committed.equals(current):
        return
    columns = [n for n in dict.fromkeys([*committed, *current]) if n not in layout.key]
    if exact and len(committed.columns) and len(current.columns):
        for name in sorted({*committed} ^ {*current}):
            had, has = (name if name in t else "no such column" for t in (committed, current))
            yield Change(item, ChangeKind.MOVED, (), "column", had, has)
    old, new = (_by_key(table, layout, columns) for table in (committed, current))
    for key in old | new:
        before, after = old.get(key), new.get(key)
        had, has = _number_of(before, layout), _number_of(after, layout)
        place = (key[:-1], layout.value)
        if had and not has:
            yield Change(item, ChangeKind.BLANK, *place, had, GONE if after is None else ABSENT)
        elif has and not had:
            yield Change(item, ChangeKind.NEW, *place, GONE if before is None else ABSENT, has)
        elif before != after and before is not None and after is not None:
            for column in columns:
                if _differ(before[column], after[column], exact):
                    kind = KINDS.get(column, ChangeKind.MOVED)
                    yield Change(item, kind, key[:-1], column, before[column], after[column])


def _by_key(
    table: pd.DataFrame, layout: TableLayout, columns: list[str]
) -> dict[tuple[str, ...], dict[str, str]]:
    """Return the compared entries by key; a number at the end of equal ones sets them apart."""
    key = list(layout.key)
    table = table.reindex(columns=key + columns, fill_value="").fillna("")
    table = table.assign(number=table.groupby(key).cumcount().astype(str) if len(table) else "")
    names = zip(*(table[name] for name in [*key, "number"]), strict=True)
    values = zip(*(table[name] for name in columns), strict=True) if columns else [()] * len(table)
    return {name: dict(zip(columns, v, strict=True)) for name, v in zip(names, values, strict=True)}


def _number_of(row: dict[str, str] | None, layout: TableLayout) -> str:
    """Return the text of a row, "" if it has none."""
    if row is None:
        return ""
    return row[layout.value] if layout.value else "present"


def _differ(old: str, new: str, exact: bool) -> bool:
    """Return whether two texts are unequal, and unequal numbers too or no numbers."""
    before, after = _number(old), _number(new)
    if old == new or math.isnan(before) or math.isnan(after):
        return old != new
    grade = grade_values(before, after)
    return grade == Grade.DIFFERENT or (exact and grade == Grade.LAST_BITS)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


# What a page says of today's code, and not of results.
_OF_TODAY = re.compile(r"^(?:## Unverified|- \S+: (?:never verified|unverified since .*))$")
# What it says of data sets that are not here.
_ABSENCE = re.compile(r"Unavailable data sets|not available here|^- Left out: ")
# How much of a line is shown on both sides of what changed, and how much at most.
_AROUND, _LONGEST = 30, 120


def compare_lines(
    name: str, committed: str, current: str, lost: Collection[str], skipped: Counter[str]
) -> Iterator[Change]:
    """Yield the lines that differ.

    `lost`: names of the data sets that are not here. Lines on one of them may be there in one
    version only; they are counted in `skipped`.
    """
    (places, old), (_, new) = (_lines(text) for text in (committed, current))
    named = re.compile("|".join(rf"(?<![\w-]){re.escape(n)}(?![\w-])" for n in lost) or "(?!)")
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for kind, a, b, c, d in matcher.get_opcodes():
        before, after = old[a:b], new[c:d]
        if kind == "equal":
            continue
        if lost and _is_of_lost(before, after, named):
            skipped[UNAVAILABLE] += len(before)
            continue
        for i, (was, now) in enumerate(zip_longest(before, after, fillvalue=GONE), start=a):
            line = places[i] if i < len(places) else len(places) + 1
            yield Change(name, ChangeKind.PAGE, (f"line {line}",), "", *_shortened(was, now))


def _lines(text: str) -> tuple[list[int], list[str]]:
    """Return the numbers of the lines that are compared, and the lines."""
    every = enumerate(text.split("\n"), start=1)
    kept = [(i, line) for i, line in every if line and not _OF_TODAY.match(line)]
    return [i for i, _ in kept], [line for _, line in kept]


def _is_of_lost(before: Sequence[str], after: Sequence[str], named: re.Pattern[str]) -> bool:
    """Return whether lines are all on absent data sets, and on each in one version only."""
    sides = [
        [set(named.findall(line)) for line in side if not _ABSENCE.search(line)]
        for side in (before, after)
    ]
    if not all(names for side in sides for names in side):
        return False
    return set().union(*sides[0]).isdisjoint(set().union(*sides[1]))


def _shortened(old: str, new: str) -> tuple[str, str]:
    """Return two lines without what they have in common, but for some of it around."""
    if max(len(old), len(new)) <= _LONGEST or GONE in (old, new):
        return old[:_LONGEST], new[:_LONGEST]
    start = next(i for i in range(len(old) + 1) if old[i : i + 1] != new[i : i + 1])
    start = max(0, start - _AROUND)
    return old[start : start + 2 * _AROUND], new[start : start + 2 * _AROUND]
