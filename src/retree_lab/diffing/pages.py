"""Two versions of a page or a picture, line by line."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest

from retree_lab.diffing.scope import UNAVAILABLE
from retree_lab.diffing.tables import GONE, Change, ChangeKind

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
    """Whether lines are all on data sets that are not here, and on each in one version only."""
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
