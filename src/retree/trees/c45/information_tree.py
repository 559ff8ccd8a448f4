"""What ID3 and C4.5 share: growing by information, and the division of rows without a value."""

from __future__ import annotations

from typing import Any

from numpy.random import RandomState

from retree.arithmetic import sum_of
from retree.trees.base import BaseTreeClassifier
from retree.trees.c45.growing import C45Rule, grow_c45
from retree.trees.declaring import parameter, parameters
from retree.trees.decreases import ENTROPY
from retree.trees.mixed import Grower, Sample
from retree.trees.parameters import (
    WithCategories,
    WithClassWeight,
    WithDepth,
    WithFilling,
    WithLimits,
    WithPruning,
    WithSmoothing,
    WithThreads,
)
from retree.trees.pruning.alpha_choice import Grow
from retree.trees.validation import rows_or_share
from retree.trees.weighted_columns import WeightedColumns, presorted_grower


@parameters
class InformationTreeClassifier(
    WithDepth,
    WithPruning,
    WithCategories,
    WithFilling,
    WithClassWeight,
    WithSmoothing,
    WithLimits,
    WithThreads,
    BaseTreeClassifier,
):
    """A classifier whose rows go down every branch of a test of which they lack the value.

    A branch gets a part of such a row's weight in proportion to its own, in training as in
    prediction. With `fill_missing` there are no such rows.

    Parameters
    ----------
    min_cases : int or float
        At least two branches of a test must have this weight; a float in (0, 1) is that part of the
        whole weight, rounded up.

    Attributes
    ----------
    tree_ : Tree
        The grown tree. A branch that no training row takes is a leaf of weight 0 with the class
        shares of its parent.
    """

    min_cases: float = parameter(default=1, check=rows_or_share(1))

    _divides_missing = True
    _grows_in_forests = True
    _impurity = ENTROPY
    _weights = "scaled"

    def _growing(
        self, sample: Sample, rng: RandomState, columns: WeightedColumns | None = None
    ) -> Grow:
        rule = self._rule(sum_of(sample.weight))

        def grow(part: Sample) -> Any:
            own = columns if part is sample else None
            return grow_c45(part, self._n_levels, len(self.classes_), rule, own)

        return grow

    def _grower(self, sample: Sample) -> Grower:
        return presorted_grower(sample, self._n_levels, len(self.classes_))

    def _rule(self, weight: float) -> C45Rule:
        """Return the rule of growing on rows of this `weight`."""
        raise NotImplementedError
