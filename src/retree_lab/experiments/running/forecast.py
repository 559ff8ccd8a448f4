"""How long the rest of a run will take, by what its finished cells took."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from retree_lab.experiments.storing.outcome import Outcome

Pair = tuple[str, str]


class Forecast:
    """The cells of a run that are left, and their seconds as far as they are known.

    `pairs`: data set and method of each cell, by its key.
    `expected`: seconds of a cell by earlier runs, None where there are none.
    `sizes`: rows times features of each data set.
    """

    def __init__(
        self,
        pairs: Mapping[str, Pair],
        expected: Mapping[Pair, float | None],
        sizes: Mapping[str, float],
    ) -> None:
        self.cells, self.finished, self.failed, self.measured = len(pairs), 0, 0, 0.0
        self._pairs, self._expected, self._sizes = pairs, expected, sizes
        self._left = Counter(pairs.values())
        self._seconds: dict[Pair, float] = {}  # Of cells that this run has finished
        self._counts = Counter[Pair]()

    def finish(self, outcomes: Sequence[Outcome]) -> None:
        """Note what finished cells took."""
        self.finished += len(outcomes)
        self.failed += sum(outcome.error is not None for outcome in outcomes)
        for outcome in outcomes:
            pair = self._pairs[outcome.key]
            self._left[pair] -= 1
            if (seconds := outcome.fit_seconds) is not None:
                self._seconds[pair] = self._seconds.get(pair, 0.0) + seconds
                self._counts[pair] += 1
                self.measured += seconds

    def drop(self, keys: Collection[str]) -> None:
        """Note that another run has computed some cells."""
        self.cells -= len(keys)
        self._left.subtract(self._pairs[key] for key in keys)

    def left(self) -> tuple[float, int]:
        """Return the seconds of fits that are left, and of how many cells nothing is known."""
        costs = [(self._cost(pair), count) for pair, count in self._left.items() if count]
        known = sum(cost * count for cost, count in costs if cost is not None)
        return known, sum(count for cost, count in costs if cost is None)

    def _cost(self, pair: Pair) -> float | None:
        """Return the seconds of a cell: measured, else expected, else scaled by the data's size."""
        if count := self._counts[pair]:
            return self._seconds[pair] / count
        if (expected := self._expected[pair]) is not None:
            return expected * self._pace()
        others = [other for other in self._counts if other[1] == pair[1]]
        size = sum(self._counts[other] * self._sizes[other[0]] for other in others)
        total = sum(self._seconds[other] for other in others)
        return total / size * self._sizes[pair[0]] if size else None

    def _pace(self) -> float:
        """Return how many times as long as expected the finished cells took."""
        before = {pair: self._expected[pair] for pair in self._counts}
        known = {pair: seconds for pair, seconds in before.items() if seconds is not None}
        expected = sum(seconds * self._counts[pair] for pair, seconds in known.items())
        return sum(self._seconds[pair] for pair in known) / expected if expected else 1.0
