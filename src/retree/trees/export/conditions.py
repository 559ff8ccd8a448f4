"""The conditions that the rows in a branch of a tree meet."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retree.trees.export.describe import MISSING, Words
from retree.trees.tree import CENTRES, OBLIQUE, Tree


@dataclass(frozen=True)
class Interval:
    """The condition ``low < x[feature] <= high``."""

    feature: int
    low: float = -math.inf
    high: float = math.inf

    def met_with(self, other: Interval) -> Interval:
        """Return the conjunction of both conditions."""
        return Interval(self.feature, max(self.low, other.low), min(self.high, other.high))

    def describe(self, words: Words) -> str:
        """Return the text of the condition."""
        name, low, high = words.feature(self.feature), self.low, self.high
        if low == -math.inf:
            return f"{name} <= {words.number(high)}"
        if high == math.inf:
            return f"{name} > {words.number(low)}"
        return f"{words.number(low)} < {name} <= {words.number(high)}"


@dataclass(frozen=True)
class LevelSet:
    """The condition that the level of a categorical feature is, or is not, one of `levels`."""

    feature: int
    levels: frozenset[int]
    excluded: bool = False

    def met_with(self, other: LevelSet) -> LevelSet:
        """Return the conjunction of both conditions."""
        if self.excluded and other.excluded:
            return LevelSet(self.feature, self.levels | other.levels, excluded=True)
        if self.excluded or other.excluded:
            some, none = (other, self) if self.excluded else (self, other)
            return LevelSet(self.feature, some.levels - none.levels)
        return LevelSet(self.feature, self.levels & other.levels)

    def describe(self, words: Words) -> str:
        """Return the text of the condition, which lists the other levels if they are fewer."""
        levels, excluded = self.levels, self.excluded
        names = None if words.levels is None else words.levels[self.feature]
        if names is not None and 0 < len(names) - len(levels) < len(levels) + excluded:
            levels, excluded = frozenset(range(len(names))) - levels, not excluded
        text = words.level_set(self.feature, sorted(levels), excluded=excluded)
        return f"{words.feature(self.feature)} {text}"


@dataclass(frozen=True, eq=False)
class HalfSpace:
    """The condition ``normal @ x <= threshold``, or its negation."""

    normal: NDArray[np.float64]
    threshold: float
    above: bool

    def describe(self, words: Words) -> str:
        """Return the text of the condition."""
        sign = ">" if self.above else "<="
        return f"{words.weighted_sum(self.normal)} {sign} {words.number(self.threshold)}"


@dataclass(frozen=True)
class NearestCentre:
    """The condition that `centre` is the nearest centre of `node`."""

    node: int
    centre: int

    def describe(self, words: Words) -> str:
        """Return the text of the condition."""
        n = len(words.tree.children_of(self.node))
        return f"nearest of {n} centres is {words.centre(self.node, self.centre)}"


@dataclass(frozen=True)
class Missing:
    """The condition that the value of a feature is missing."""

    feature: int

    def met_with(self, other: Missing) -> Missing:
        """Return the conjunction of both conditions."""
        return self

    def describe(self, words: Words) -> str:
        """Return the text of the condition."""
        return f"{words.feature(self.feature)} {MISSING}"


Condition = Interval | LevelSet | HalfSpace | NearestCentre | Missing


Joined = dict[tuple[type, int], Any]  # A condition a feature, or a node where they cannot be met


def joined(conditions: Joined, new: Condition) -> Joined:
    """Return `conditions` with a `new` one; two conditions on one feature are merged."""
    if isinstance(new, HalfSpace | NearestCentre):
        return conditions | {(type(new), len(conditions)): new}
    key = type(new), new.feature
    return conditions | {key: conditions[key].met_with(new) if key in conditions else new}


def condition_of(tree: Tree, node: int, branch: int) -> Condition:
    """Return the condition that the rows in a branch of `node` meet."""
    tests, j = tree.tests, int(tree.feature[node])
    threshold, subset = float(tests.threshold[node]), int(tests.subset[node])
    if tree.is_for_missing(node, branch):
        return Missing(j)
    if j == CENTRES:
        return NearestCentre(node, branch)
    if j == OBLIQUE:
        return HalfSpace(tests.normals[node], threshold, above=branch == 1)
    if not math.isnan(threshold):
        return Interval(j, high=threshold) if branch == 0 else Interval(j, low=threshold)
    if subset < 0:
        return LevelSet(j, frozenset([branch]))
    return LevelSet(j, frozenset(tests.left_levels.levels(subset)), excluded=branch == 1)
