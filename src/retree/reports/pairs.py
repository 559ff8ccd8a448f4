"""A method against another over the folds of the same cells."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from retree.experiments.definition.definitions import Item, Protocol
from retree.reports.compare_items import compare_folds
from retree.reports.comparison import LEVEL, Comparison
from retree.reports.fold_values import FoldValues
from retree.statistics import PairedTest, paired_t_test

NO_TEST = PairedTest(math.nan, math.nan, math.nan, 0, 0)


@dataclass(frozen=True)
class Pair:
    """A method and its base on one data set.

    Attributes
    ----------
    dataset, metric, method, base : str
        As published.
    ours, theirs : Series or None
        The values of both by (repeat, fold), None without results.
    protocol : Protocol
        How the rows were split.
    numbers : dict of str to Comparison
        The means of those that have results, by method.
    """

    dataset: str
    metric: str
    method: str
    base: str
    ours: pd.Series | None
    theirs: pd.Series | None
    protocol: Protocol
    numbers: Mapping[str, Comparison]

    @property
    def is_tested(self) -> bool:
        """Whether there are two methods, both with results."""
        return self.ours is not None and self.theirs is not None and self.method != self.base

    @property
    def sources(self) -> list[Comparison]:
        """Both means; only where it is tested."""
        return [self.numbers[name] for name in (self.method, self.base)]

    @cached_property
    def plain(self) -> PairedTest:
        """The paired t-test over the folds."""
        return self._test(paired_t_test)

    @cached_property
    def corrected(self) -> PairedTest:
        """The same, corrected for training sets that overlap (Nadeau and Bengio)."""
        return self._test(lambda a, b: compare_folds(a, b, self.protocol))

    def _test(self, compare: Callable[[pd.Series, pd.Series], PairedTest]) -> PairedTest:
        if self.ours is None or self.theirs is None or self.method == self.base:
            return NO_TEST
        return compare(*self.ours.align(self.theirs))


def find_pair(values: FoldValues, item: Item, dataset: str, method: str, base: str) -> Pair:
    """Return a method (its name) and its base on a data set (its key) of `item`."""
    ours, theirs = (values.values.get((dataset, name)) for name in (method, base))
    known = ((name, values.numbers.get((dataset, name))) for name in (method, base))
    numbers = {name: number for name, number in known if number is not None}
    place = item.label(dataset), values.metric.name, method, base
    return Pair(*place, ours, theirs, item.protocol, numbers)


def sign_of(test: PairedTest) -> int:
    """Return 1 or -1 for a significantly greater or smaller value, else 0."""
    if not test.p_value < LEVEL:
        return 0
    return 1 if test.mean_difference > 0 else -1
