"""A method against another over the folds of the same cells."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import pandas as pd

from retree_lab.experiments.definition.item import Item
from retree_lab.experiments.definition.protocol import Protocol
from retree_lab.reports.compare_items import compare_folds
from retree_lab.reports.comparison import LEVEL, Comparison
from retree_lab.reports.fold_values import FoldValues
from retree_lab.statistics import PairedTest


@dataclass(frozen=True)
class MethodPair:
    """A method and its base on one data set.

    Attributes
    ----------
    selection : str
        As in `retree_lab.reports.fold_values.FoldValues`.
    metric, dataset, method, base : str
        As published.
    values : sequence of (Series or None)
        Those of method and base by (repeat, fold), None without results.
    numbers : sequence of Comparison
        The means of those that have results.
    protocol : Protocol
        How the rows were split.
    reason : str
        Why there is no value or no test, or what to know of it.
    """

    selection: str
    metric: str
    dataset: str
    method: str
    base: str
    values: Sequence[pd.Series | None]
    numbers: Sequence[Comparison]
    protocol: Protocol
    reason: str
    _known: dict[str, PairedTest] = field(default_factory=dict, init=False, repr=False)

    @property
    def is_tested(self) -> bool:
        """Whether there are two methods, both with results."""
        return self.method != self.base and all(values is not None for values in self.values)

    @property
    def plain(self) -> PairedTest:
        """The paired t-test over the folds."""
        return self.test("paired")

    @property
    def corrected(self) -> PairedTest:
        """The same, corrected for training sets that overlap (Nadeau and Bengio)."""
        return self.test("corrected")

    def test(self, name: str) -> PairedTest:
        """The test over the folds that `retree_lab.statistics.paired_tests` has by this name."""
        ours, theirs = self.values
        if ours is None or theirs is None or not self.is_tested:
            return PairedTest(math.nan, math.nan, math.nan, 0, 0)
        if name not in self._known:
            self._known[name] = compare_folds(*ours.align(theirs), self.protocol, name)
        return self._known[name]


def find_pair(
    fold_values: FoldValues, item: Item, dataset: str, method: str, base: str
) -> MethodPair:
    """Return a method (its name) and its base on a data set (its key) of `item`."""
    places = [(dataset, name) for name in (method, base)]
    values = [fold_values.values.get(place) for place in places]
    reason = fold_values.reasons.get(places[0], "")
    if values[0] is not None and values[1] is None:
        reason = f"no test: {base}: {fold_values.reasons[places[1]]}"
    numbers = [fold_values.numbers[place] for place in places if place in fold_values.numbers]
    names = fold_values.selection, fold_values.metric.name, item.label(dataset), method, base
    return MethodPair(*names, values, numbers, item.protocol, reason)


def sign_of(test: PairedTest) -> int:
    """Return 1 or -1 for a significantly greater or smaller value, else 0."""
    if not test.p_value < LEVEL:
        return 0
    return 1 if test.mean_difference > 0 else -1
