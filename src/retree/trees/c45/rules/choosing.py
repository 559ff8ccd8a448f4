"""Selecting rules by the number of bits that describe them, and ordering them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from retree import engine
from retree.arithmetic import entropies, row_sums, running_sum, sum_of
from retree.trees.c45.rules.candidates import Candidate, unpacked
from retree.trees.export.conditions import LevelSet
from retree.trees.mixed import Sample


def log2(values: NDArray[Any]) -> NDArray[np.float64]:
    """Return the base-2 logarithms of positive numbers, and 0 for all others."""
    flat = np.ascontiguousarray(np.where(values > 0, values, 1.0), np.float64).reshape(-1)
    logs = np.empty(len(flat))
    engine.call("log2", flat, logs)
    return logs.reshape(np.shape(values))


def log2_factorials(n: int) -> NDArray[np.float64]:
    """Return log2(0!), …, log2(n!), shape (n + 1,)."""
    return log2(np.maximum(np.arange(n + 1.0), 1.0)).cumsum()


def bits_of_rules(
    rules: list[Candidate], sample: Sample, n_levels: NDArray[np.int32], redundancy: float
) -> NDArray[np.float64]:
    """Return the bits of each rule: those of its conditions, in any order, and of their number.

    A condition takes the bits of its feature and those of its value. Features have shares in
    proportion to the bits of their values, and the entropy of these shares is the bits of a
    feature. A level takes the entropy of the levels. A threshold takes
    ``1 + log2(number of values) / 2``, counting missing as a value. A condition that excludes a
    level takes one bit per level.

    Shapes: `n_levels` (n_features,), result (n_rules,).
    """
    of_value = np.array([_bits_of_value(sample, j, int(n)) for j, n in enumerate(n_levels)])
    whole = sum_of(of_value)
    of_feature = float(entropies(of_value[None, :] / whole)[0]) / redundancy if whole > 0 else 0.0
    is_subset = [[_asks_for_subset(c) for c in rule.conditions] for rule in rules]
    sizes = np.array([len(rule.conditions) for rule in rules], np.int64)
    bits = [
        running_sum(
            [
                of_feature + (float(n_levels[c.feature]) if subset else of_value[c.feature])
                for c, subset in zip(rule.conditions, subsets, strict=True)
            ]
        )
        for rule, subsets in zip(rules, is_subset, strict=True)
    ]
    factorials = log2_factorials(int(sizes.max(initial=0)))
    return np.asarray(np.array(bits, float) + log2(sizes) - factorials[sizes])


def _asks_for_subset(condition: object) -> bool:
    """Return whether a condition comes from a test that separates some levels from all others."""
    return isinstance(condition, LevelSet) and condition.excluded


def _bits_of_value(sample: Sample, j: int, n_levels: int) -> float:
    """Return the bits that the value in a condition on feature `j` takes."""
    values = sample.X[:, j]
    is_known = ~np.isnan(values)
    if n_levels < 0:
        n_values = len(np.unique(values[is_known])) + (not is_known.all())
        return 1 + float(log2(np.array([float(n_values)]))[0]) / 2 if n_values > 1 else 0.0
    weight = np.bincount(values[is_known].astype(np.int64), sample.weight[is_known], n_levels)
    share = weight / sum_of(sample.weight)
    return float(row_sums((-share * log2(share))[None, :])[0])


_MOST_TRIED = 10  # rules up to which all subsets are tried
_STARTS = 10
_TIE = 1e-9  # bits


class ClassRules:
    """The candidate rules of one class, and the cost of any subset of them.

    `matches`: which rows each rule covers; shape (n_rules, n_samples).
    `is_target`: which rows are of the class; shape (n_samples,).
    """

    def __init__(
        self,
        matches: Iterable[NDArray[np.bool_]],
        is_target: NDArray[np.bool_],
        weight: NDArray[np.float64],
        bits: NDArray[np.float64],
    ) -> None:
        # Rows that the same rules cover count together.
        covers = np.zeros((-(-len(bits) // 8), len(weight)), np.uint8)
        for k, rows in enumerate(matches):
            covers[k // 8] |= rows.astype(np.uint8) << np.uint8(7 - k % 8)
        covers = np.ascontiguousarray(covers.T)
        texts = covers.view(np.dtype((np.void, covers.shape[1]))).reshape(-1)
        _, first, group = np.unique(texts, return_index=True, return_inverse=True)
        self._covers, n_groups = covers[first], len(first)
        self._right = np.bincount(group, np.where(is_target, weight, 0.0), n_groups)
        self._wrong = np.bincount(group, np.where(is_target, 0.0, weight), n_groups)
        self._bits = bits
        self._total, self._of_class = sum_of(weight), sum_of(weight[is_target])

    def costs(self, subsets: NDArray[np.bool_], *, climbs: bool = False) -> NDArray[np.float64]:
        """Return the bits of each set of rules and of the rows it gets wrong, shape (n_sets,).

        Shapes: `subsets` (n_sets, n_rules).
        `climbs`: whether to first add or remove one rule at a time, as long as that saves bits.
        """
        costs = np.empty(len(subsets))
        weights = self._right, self._wrong, self._bits, self._total, self._of_class
        engine.call("rule_sets", self._covers, *weights, climbs, subsets, costs)
        return costs

    def cheapest(self, rng: RandomState) -> NDArray[np.bool_]:
        """Return the cheapest set that the search finds, a mask of shape (n_rules,).

        With up to ten rules all sets are tried. With more, hill climbing adds or removes the rule
        that saves the most bits. It starts once from the empty set and nine times from a random
        set.
        """
        n = len(self._bits)
        is_few = n <= _MOST_TRIED
        if is_few:
            numbers = np.arange(2**n)[:, None]
            subsets = (numbers >> np.arange(n)) % 2 == 1
        else:
            subsets = np.array([rng.random_sample(n) < k / _STARTS for k in range(_STARTS)])
        costs = self.costs(subsets, climbs=not is_few)
        return np.asarray(subsets[np.flatnonzero(costs <= costs.min() + _TIE)[0]])


def choose_rules(
    rules: list[Candidate],
    covers: list[NDArray[np.uint64]],
    bits: NDArray[np.float64],
    sample: Sample,
    n_classes: int,
    rng: RandomState,
) -> tuple[list[Candidate], int]:
    """Return the rules that are kept, in the order in which they are tried, and the default class.

    Shapes: `bits` (n_rules,).
    `covers`: the rows that each rule covers, `packed`.
    """
    chosen, n_rows = np.empty(0, np.int64), len(sample.y)
    codes = np.array([rule.code for rule in rules], np.int64)
    for c in range(n_classes):
        rules_of_class = np.flatnonzero(codes == c)
        if len(rules_of_class):
            each = (unpacked(covers[k], n_rows) for k in rules_of_class)
            of_class = ClassRules(each, sample.y == c, sample.weight, bits[rules_of_class])
            chosen = np.append(chosen, rules_of_class[of_class.cheapest(rng)])
    errors = np.array([rules[k].error for k in chosen])
    data = sample.y, sample.weight
    matches = np.empty((len(chosen), n_rows), np.bool_)
    for row, k in zip(matches, chosen, strict=True):
        row[:] = unpacked(covers[k], n_rows)
    order = order_rules(matches, codes[chosen], errors, *data, n_classes)
    chosen, matches = chosen[order], matches[order]
    default = default_class(np.asarray(matches.any(axis=0)), *data, n_classes)
    left = drop_harmful(matches, codes[chosen], default, *data)
    return [rules[chosen[k]] for k in left], default


def order_rules(
    matches: NDArray[np.bool_],
    codes: NDArray[np.int64],
    errors: NDArray[np.float64],
    y: NDArray[np.int32],
    weight: NDArray[np.float64],
    n_classes: int,
) -> NDArray[np.int64]:
    """Return the positions of rules in the order in which they are tried.

    The rules of a class are consecutive, lowest error first. The next class is the one whose rules
    cover the lowest weight of other classes, among the rows that no earlier class covers. Ties go
    to the first class and the first rule.

    Shapes: `matches` (n_rules, n_samples), `codes`, `errors` (n_rules,), `y`, `weight`
    (n_samples,), result (n_rules,).
    `codes`, `errors`: class of each rule and upper limit of its error rate.
    """
    by_class = {c: matches[codes == c].any(axis=0) for c in range(n_classes)}
    is_free = np.ones(len(y), np.bool_)
    order = np.empty(0, np.int64)
    while by_class:
        false = {c: sum_of(weight[is_free & m & (y != c)]) for c, m in by_class.items()}
        best = min(false, key=lambda c: false[c])
        is_free &= ~by_class.pop(best)
        rules_of_class = np.flatnonzero(codes == best)
        order = np.append(order, rules_of_class[np.argsort(errors[rules_of_class], kind="stable")])
    return order


def default_class(
    is_covered: NDArray[np.bool_], y: NDArray[np.int32], weight: NDArray[np.float64], n_classes: int
) -> int:
    """Return the class with the highest weight among the rows that no rule covers.

    Of tied classes, the one with the highest weight among all rows, and of these the first.
    """
    free = np.bincount(y[~is_covered], weight[~is_covered], n_classes)
    return int(np.lexsort((-np.bincount(y, weight, n_classes), -free))[0])


def drop_harmful(
    matches: NDArray[np.bool_],
    codes: NDArray[np.int64],
    default: int,
    y: NDArray[np.int32],
    weight: NDArray[np.float64],
) -> list[int]:
    """Return the positions of the rules that are left after harmful rules are dropped.

    Consider the rows that a rule is the first to cover. The rule is harmful if, without it, more
    weight of these rows would become right than would become wrong. The first harmful rule is
    dropped, then all rules are judged again.

    Shapes: `matches` (n_rules, n_samples), `codes` (n_rules,), `y`, `weight` (n_samples,).
    """
    left = list(range(len(codes)))
    while left:
        first, second = two_first([matches[k] for k in left])
        predicted = np.append(codes[left], default)
        with_it, without = predicted[first], predicted[second]
        gain = np.where(with_it == y, weight, 0.0) - np.where(without == y, weight, 0.0)
        gains = np.bincount(first, gain, len(left) + 1)[:-1]
        harmful = np.flatnonzero(gains < 0)
        if not len(harmful):
            break
        del left[int(harmful[0])]
    return left


def two_first(
    matches: Sequence[NDArray[np.bool_]],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first and the second rule that covers each row, n_rules where there is none.

    Shapes: result (n_samples,).
    `matches`: which rows each rule covers; at least one rule.
    """
    first = np.full(len(matches[0]), len(matches))
    second = first.copy()
    for k in reversed(range(len(matches))):
        rows = np.flatnonzero(matches[k])
        second[rows], first[rows] = first[rows], k
    return first, second
