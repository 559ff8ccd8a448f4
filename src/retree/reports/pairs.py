"""A method against another over the folds of the same cells."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import pandas as pd

from retree.experiments.definition.item import Item
from retree.experiments.definition.protocol import Protocol
from retree.reports.compare_items import compare_folds
from retree.reports.comparison import LEVEL, Comparison
from retree.reports.fold_values import FoldValues
from retree.statistics import PairedTest, paired_t_test


@dataclass(frozen=True)
class MethodPair:
    """A method and its base on one data set.

    Attributes
    ----------
    selection : str
        As in `retree.reports.fold_values.FoldValues`.
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

    @property
    def is_tested(self) -> bool:
        """Whether there are two methods, both with results."""
        return self.method != self.base and all(values is not None for values in self.values)

    @cached_property
    def plain(self) -> PairedTest:
        """The paired t-test over the folds."""
        return self._test(paired_t_test)

    @cached_property
    def corrected(self) -> PairedTest:
        """The same, corrected for training sets that overlap (Nadeau and Bengio)."""
        return self._test(partial(compare_folds, protocol=self.protocol))

    def _test(self, compare: Callable[[pd.Series, pd.Series], PairedTest]) -> PairedTest:
        ours, theirs = self.values
        if ours is None or theirs is None or not self.is_tested:
            return PairedTest(math.nan, math.nan, math.nan, 0, 0)
        return compare(*ours.align(theirs))


def find_pair(found: FoldValues, item: Item, dataset: str, method: str, base: str) -> MethodPair:
    """Return a method (its name) and its base on a data set (its key) of `item`."""
    places = [(dataset, name) for name in (method, base)]
    values = [found.values.get(place) for place in places]
    reason = found.reasons.get(places[0], "")
    if values[0] is not None and values[1] is None:
        reason = f"no test: {base}: {found.reasons[places[1]]}"
    numbers = [found.numbers[place] for place in places if place in found.numbers]
    names = found.selection, found.metric.name, item.label(dataset), method, base
    return MethodPair(*names, values, numbers, item.protocol, reason)


def sign_of(test: PairedTest) -> int:
    """Return 1 or -1 for a significantly greater or smaller value, else 0."""
    if not test.p_value < LEVEL:
        return 0
    return 1 if test.mean_difference > 0 else -1
