"""Growing on rows in Weka's order, for REPTree and RandomTree."""

from __future__ import annotations

from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from retree import engine
from retree.arithmetic import sum_of
from retree.trees.base import BaseTreeClassifier
from retree.trees.declaring import Declared, changed, parameters
from retree.trees.decreases import ENTROPY
from retree.trees.mixed import Sample
from retree.trees.tree import Tree
from retree.trees.weighted_columns import make_weighted_columns

_LARGEST_TABLE = 2**22


@parameters
class WithJavaSeed(Declared):
    """Java's random numbers.

    Parameters
    ----------
    random_state : int, RandomState or None
        An int is the seed of Java's generator, any int of 32 bits; 1 is Weka's default. A
        RandomState or None draws that seed.
    """

    random_state: int | RandomState | None = 1


class ExactShares(BaseTreeClassifier):
    """A tree of Weka that predicts its highest share, compared exactly, unlike J48."""

    declares = changed(exact_votes=True)

    def _predicted_codes(self, X: ArrayLike) -> NDArray[np.int64]:
        return self._shares(X).argmax(axis=1)


class ExactTreeClassifier(WithJavaSeed, ExactShares):
    """A tree of Weka that grows by information gain and divides rows without a tested value."""

    declares = changed(
        divides_missing=True, draws=True, in_forests=True, keeps_draws=True, weights="scaled"
    )
    impurity = ENTROPY

    def generator(self) -> Any:
        """Return the seed of Java's generator, or the generator that draws it."""
        return self.random_state

    def share(self, sample: Sample) -> Sample:
        """Return the sample with its columns sorted."""
        return sample._replace(shared=SortedRows(sample, self.n_levels, len(self.classes_)))

    def in_rows(self, sample: Sample) -> Sample:
        """Return the sample unchanged: columns that trees share may hold rows of weight 0."""
        return sample


def java_seed(random_state: int | RandomState | None) -> int:
    """Return the seed of Java's generator; it is drawn unless `random_state` is a number."""
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31))


class Rows(NamedTuple):
    """The rows of a tree, in Weka's order."""

    numbers: NDArray[np.int32]  # one by one
    weight: Any  # of each row of the sample, shape (n_samples,), or what the engine sees of it
    # Whether no value is missing and weights are whole: no sum then depends on an order.
    is_exact: bool


class SortedRows:
    """Rows from which trees grow, with columns sorted once."""

    def __init__(self, sample: Sample, n_levels: NDArray[np.int32], n_classes: int) -> None:
        columns = make_weighted_columns(sample, n_levels, n_classes)
        self.n_features = columns.X.shape[1]
        self._start = engine.view(columns.X), engine.view(columns.y)
        arrays = columns.entries, columns.codes, columns.n_levels
        self._end = (*[engine.view(array) for array in arrays], n_classes)
        self._is_complete = not bool(np.isnan(columns.X).any())
        self._ones = engine.view(np.ones(len(columns.y)))
        most = min(max(sum_of(sample.weight), len(sample.y)), _LARGEST_TABLE)
        self._terms = np.empty(int(most) + 1)
        engine.call("n_log_n", self._terms)

    def rows(self, sample: Sample) -> Rows:
        """Return the rows of positive weight in `sample`, or its rows as they were drawn."""
        weight, drawn = sample.weight, sample.drawn
        if drawn is not None:
            return self.drawn(drawn)
        rows = np.flatnonzero(weight > 0).astype(np.int32)
        is_exact = self._is_complete and bool((weight == np.rint(weight)).all())
        return Rows(rows, weight, is_exact)

    def drawn(self, drawn: NDArray[np.int32]) -> Rows:
        """Return rows as drawn for one tree, or for several trees, shape (n_trees, n_drawn)."""
        return Rows(drawn, self._ones, self._is_complete)

    def grow(self, function: str, rows: Rows, rule: Any, *seeds: NDArray[np.int64]) -> list[Tree]:
        """Grow trees by a function of the engine."""
        given = *self._start, rows.weight, *self._end, rows.numbers, *seeds, self._terms, rule
        parent, *arrays = engine.call(function, *given)
        names = ("feature", "threshold", "counts", "row_sums")
        return Tree.several(parent, self.n_features, **dict(zip(names, arrays, strict=True)))
