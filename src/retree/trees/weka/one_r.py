"""Weka's OneR: rules on one feature."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags

from retree.trees.declaring import changed, declare, parameter
from retree.trees.decreases import GINI
from retree.trees.mixed import Sample
from retree.trees.parameters import WithCategories, WithClassWeight, WithSmoothing
from retree.trees.tree import LEAF, NO_ROWS, Tree
from retree.trees.validation import number
from retree.trees.weka.growing import ExactShares

Floats = NDArray[np.float64]


class Rules(NamedTuple):
    """The rules of one feature: one per interval or level, and one for missing values."""

    correct: float  # weight of the training rows that they are right about
    cuts: Floats | None  # (n_rules - 1,) between intervals, which begin with them; None of levels
    counts: Floats  # (n_rules + 1, n_classes), the last ones of the rows that lack the value


@declare("one_r")
class OneRClassifier(WithCategories, WithClassWeight, WithSmoothing, ExactShares):
    """OneR (Holte 1993) as in Weka: rules on the one feature that classifies most rows correctly.

    A numeric feature is cut into intervals. An interval grows value by value until a class has
    `min_bucket_size` rows in it and the next value mostly belongs to another class. Neighbouring
    intervals of the same class are joined. A categorical feature has a rule for each level. Ties go
    to the first class and to the first feature.

    Missing values have their own rule. A level that no training row has, or a missing value if none
    was missing in training, is predicted as the first class, as in Weka. That is the first class
    that the category type of y declares, even if it has no rows; it is then in ``classes_``, too.
    Numeric features without any values are left out, as in Weka 3.6; Weka 3.9 cannot handle them.
    Values above 0.9e308 cannot be separated, in Weka neither, because the middle between them is
    infinite. Otherwise Weka 3.6.14 and 3.9.7 give the same rules. Releases before 3.6.10 fill
    intervals row by row, in the order of Weka's quicksort.

    `predict_proba` gives the class shares of the training rows, where Weka gives the predicted
    class a probability of 1. Use ``vote="votes"`` in bagging to get Weka's votes.

    Parameters
    ----------
    min_bucket_size : int or float
        Minimum number (or weight) of rows of one class in an interval, except in the last one.

    Attributes
    ----------
    tree_ : Tree
        The rules as a tree that tests one feature.

    References
    ----------
    Holte R.C. (1993). Very simple classification rules perform well on most commonly used
    datasets. Machine Learning 11, 63-90.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from retree import OneRClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> print(OneRClassifier().fit(X[:, 2:], y).export_rules())
    IF x[1] <= 0.8 THEN 0 (50 rows, 100 %)
    IF 0.8 < x[1] <= 1.75 THEN 1 (54 rows, 90.7 %)
    IF x[1] > 1.75 THEN 2 (46 rows, 97.8 %)
    IF x[1] is missing THEN 0 (no rows)
    """

    min_bucket_size: float = parameter(default=6, check=number(1))

    declares = changed(in_forests=True, weights="exact", knows_first_class=True)
    impurity = GINI

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags

    def grow(self, sample: Sample, rng: Any) -> Tree:
        """Find the rules on the best feature, and return them as a tree."""
        best: tuple[int, Rules] | None = None
        for j, n_levels in enumerate(self.n_levels.tolist()):
            rules = self._rules(sample, j, n_levels)
            if rules and (best is None or rules.correct > best[1].correct):
                best = j, rules
        if best is None:
            whole = np.bincount(sample.y, sample.weight, len(self.classes_)).astype(np.float64)
            return Tree.leaf(len(self.n_levels), whole)
        return tree_of_rules(len(self.n_levels), *best)

    def _rules(self, sample: Sample, j: int, n_levels: int) -> Rules | None:
        """Return the rules on feature `j`, None if it cannot have any."""
        column, has_value = sample.X[:, j], ~np.isnan(sample.X[:, j])
        if n_levels == 0 or (n_levels < 0 and not has_value.any()):
            return None
        if n_levels > 0:
            places = np.where(has_value, column, n_levels).astype(np.intp)
            counts = self._count(sample, places, n_levels + 1)
            return Rules(float(counts.max(axis=1).sum()), None, counts)
        values = np.unique(column[has_value])
        counts = self._count(sample, np.searchsorted(values, column), len(values) + 1)
        ends, correct = intervals(counts[:-1], self.min_bucket_size)
        starts = np.append(0, ends[:-1])
        merged = np.vstack((np.add.reduceat(counts[:-1], starts), counts[-1:]))
        # Halves, so that the sum stays finite.
        cuts = values[ends[:-1] - 1] / 2 + values[ends[:-1]] / 2
        if not len(cuts):  # a test nevertheless: what lacks the value goes elsewhere
            cuts = np.nextafter(values[-1:], np.inf)
            merged = np.insert(merged, 1, merged[0] * NO_ROWS, axis=0)
        return Rules(correct + float(counts[-1].max()), cuts, merged)

    def _count(self, sample: Sample, places: NDArray[np.intp], n_places: int) -> Floats:
        """Return the weight of each class at each place, shape (n_places, n_classes)."""
        k = len(self.classes_)
        counts = np.bincount(places * k + sample.y, sample.weight, n_places * k)
        return counts.astype(np.float64).reshape(n_places, k)


def intervals(counts: Floats, min_bucket_size: float) -> tuple[NDArray[np.intp], float]:
    """Return the end of each interval, as a number of values, and the weight classified correctly.

    Shapes: `counts` (n_values, n_classes), first result (n_intervals,).
    """
    buckets: list[tuple[list[float], int]] = []
    for at, new in enumerate(counts.tolist(), 1):
        if buckets:
            old, _ = buckets[-1]
            if max(old) < min_bucket_size or _first_most(old) == _first_most(new):
                new = [a + b for a, b in zip(old, new, strict=True)]
                buckets.pop()
        buckets.append((new, at))
    classes = [_first_most(counts_of_bucket) for counts_of_bucket, _ in buckets] + [-1]
    ends = [end for i, (_, end) in enumerate(buckets) if classes[i] != classes[i + 1]]
    return np.array(ends, np.intp), sum(max(counts_of_bucket) for counts_of_bucket, _ in buckets)


def _first_most(counts: list[float]) -> int:
    return counts.index(max(counts))


def tree_of_rules(n_features: int, feature: int, rules: Rules) -> Tree:
    """Return a tree that finds a value's interval by binary search, or has a branch per level."""
    parents, thresholds = [-1], [np.nan]
    n_rules, k = len(rules.counts) - 1, rules.counts.shape[1]
    # What no training row has is predicted as the first class.
    unseen = np.append(NO_ROWS, np.zeros(k - 1))
    of_rule = np.where(rules.counts.any(axis=1, keepdims=True), rules.counts, unseen)
    counts = [rules.counts.sum(axis=0)]

    def add_leaf(parent: int, rule: int) -> None:
        parents.append(parent)
        thresholds.append(np.nan)
        counts.append(of_rule[rule])

    def divide(node: int, low: int, high: int) -> None:
        """Add the tests that separate the rules from `low` to before `high`, starting at `node`."""
        assert rules.cuts is not None
        middle = (low + high) // 2
        thresholds[node] = float(np.nextafter(rules.cuts[middle - 1], -np.inf))
        for first, last in ((low, middle), (middle, high)):
            if last - first == 1:
                add_leaf(node, first)
                continue
            parents.append(node)
            thresholds.append(np.nan)
            counts.append(rules.counts[first:last].sum(axis=0))
            divide(len(parents) - 1, first, last)

    if rules.cuts is not None:
        divide(0, 0, n_rules)
    else:
        for rule in range(n_rules):
            add_leaf(0, rule)
    add_leaf(0, n_rules)
    is_root = np.arange(len(parents)) == 0
    is_leaf = np.isnan(thresholds) & ~is_root
    return Tree.from_parents(
        np.array(parents),
        n_features=n_features,
        feature=np.where(is_leaf, LEAF, feature).astype(np.int32),
        threshold=np.array(thresholds),
        counts=np.array(counts),
        missing_branch=is_root,
    )
