"""Which rules are kept, their order, the class of rows that none covers, and rules that do harm."""

from __future__ import annotations

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from retree.arithmetic import row_sums, sum_of
from retree.trees.c45.rules.candidates import Candidate, covered
from retree.trees.c45.rules.coding import RULES_COUNT, bits_of_exceptions, log2_factorials
from retree.trees.mixed import Sample

_MOST_TRIED = 10  # rules up to which all subsets are tried
_STARTS = 10
_TIE = 1e-9  # bits
_AT_ONCE = 64  # rules whose rows are looked at together


class ClassRules:
    """The candidates of one class, and what any set of them costs.

    `matches`: which rows each rule covers; shape (n_rules, n_samples).
    `is_target`: which rows are of the class; shape (n_samples,).
    """

    def __init__(
        self,
        matches: NDArray[np.bool_],
        is_target: NDArray[np.bool_],
        weight: NDArray[np.float64],
        bits: NDArray[np.float64],
    ) -> None:
        # Rows that the same rules cover count together.
        packed, first, group = np.unique(
            np.packbits(matches, axis=0), axis=1, return_index=True, return_inverse=True
        )
        n_groups, group = packed.shape[1], group.reshape(-1)
        self._covers = np.ascontiguousarray(matches[:, first])
        self._right = np.bincount(group, np.where(is_target, weight, 0.0), n_groups)
        self._wrong = np.bincount(group, np.where(is_target, 0.0, weight), n_groups)
        self._bits, self._factorials = bits, log2_factorials(len(bits) + 1)
        self._total, self._of_class = sum_of(weight), sum_of(weight[is_target])
        # Of these the sums are exact in any order, so that zeros may be left out.
        self._is_whole = bool((weight == np.rint(weight)).all()) and self._total < 2**53

    def costs(self, subsets: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return the bits of each set of rules, shape (n_sets,).

        Shapes: `subsets` (n_sets, n_rules).
        """
        is_covered = np.array([self._covers[chosen].any(axis=0) for chosen in subsets])
        right = row_sums(is_covered * self._right)
        wrong = row_sums(is_covered * self._wrong)
        return self._costs(row_sums(subsets * self._bits), subsets.sum(axis=1), right, wrong)

    def cheapest(self, rng: RandomState) -> NDArray[np.bool_]:
        """Return the cheapest set that is found, shape (n_rules,), bool.

        All sets are tried of up to ten rules. Of more, hill climbing adds or removes the rule that
        saves most, from no rule and from nine random sets.
        """
        n = len(self._bits)
        if n <= _MOST_TRIED:
            numbers = np.arange(2**n)[:, None]
            subsets = (numbers >> np.arange(n)) % 2 == 1
        else:
            starts = [rng.random_sample(n) < k / _STARTS for k in range(_STARTS)]
            subsets = np.array([self._climb(start) for start in starts])
        costs = self.costs(subsets)
        return np.asarray(subsets[np.flatnonzero(costs <= costs.min() + _TIE)[0]])

    def _climb(self, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return the set from which neither adding nor removing a rule saves bits."""
        chosen, times = chosen.copy(), self._covers[chosen].sum(axis=0)
        turned = self._turned_weight(chosen, times, np.arange(len(times)))
        while True:
            savings = self.costs(chosen[None, :])[0] - self._neighbours(chosen, times, turned)
            best = int(savings.argmax())
            if savings[best] <= _TIE:
                return chosen
            # Only the groups that the rule covers change.
            groups = np.flatnonzero(self._covers[best])
            turned -= self._turned_weight(chosen, times, groups)
            times[groups] += -1 if chosen[best] else 1
            chosen[best] = not chosen[best]
            turned += self._turned_weight(chosen, times, groups)

    def _turned_weight(
        self, chosen: NDArray[np.bool_], times: NDArray[np.int64], groups: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return what becomes covered, or ceases to be, with each rule, shape (2, n_rules).

        Shapes: `chosen` (n_rules,), `times` (n_groups,), `groups` (n_looked_at,).
        `times`: how many of the chosen rules cover each group.
        Returns weights of the rows of the class, and of others.
        """
        found = np.empty((2, len(chosen)))
        if self._is_whole:
            groups = groups[times[groups] <= 1]
        is_free, is_single = times[groups] == 0, times[groups] == 1
        right, wrong = self._right[groups], self._wrong[groups]
        for first in range(0, len(chosen), _AT_ONCE):
            some = slice(first, first + _AT_ONCE)
            changes = np.where(chosen[some, None], is_single, is_free)
            changes &= self._covers[some, groups]
            found[0, some] = row_sums(changes * right)
            found[1, some] = row_sums(changes * wrong)
        return found

    def _neighbours(
        self, chosen: NDArray[np.bool_], times: NDArray[np.int64], turned: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the bits of the sets that differ from `chosen` in each rule."""
        sign, is_covered = np.where(chosen, -1, 1), times > 0
        right = sum_of(is_covered * self._right) + sign * turned[0]
        wrong = sum_of(is_covered * self._wrong) + sign * turned[1]
        bits = sum_of(chosen * self._bits) + sign * self._bits
        return self._costs(bits, chosen.sum() + sign, right, wrong)

    def _costs(
        self,
        bits: NDArray[np.float64],
        n_chosen: NDArray[np.integer],
        right: NDArray[np.float64],
        wrong: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        rules = bits - self._factorials[n_chosen]
        missed = self._of_class - right
        exceptions = bits_of_exceptions(right + wrong, wrong, missed, self._total)
        return RULES_COUNT * rules + exceptions


def choose_rules(
    rules: list[Candidate],
    bits: NDArray[np.float64],
    sample: Sample,
    n_classes: int,
    rng: RandomState,
) -> tuple[list[Candidate], int]:
    """Return the rules that are kept, in the order in which they are asked, and the default class.

    Shapes: `bits` (n_rules,).
    """
    matches, chosen = covered(rules, sample.X), np.empty(0, np.int64)
    codes = np.array([rule.code for rule in rules], np.int64)
    for c in range(n_classes):
        own = np.flatnonzero(codes == c)
        if len(own):
            of_class = ClassRules(matches[own], sample.y == c, sample.weight, bits[own])
            chosen = np.append(chosen, own[of_class.cheapest(rng)])
    errors = np.array([rules[k].error for k in chosen])
    data = sample.y, sample.weight
    chosen = chosen[order_rules(matches[chosen], codes[chosen], errors, *data, n_classes)]
    default = default_class(np.asarray(matches[chosen].any(axis=0)), *data, n_classes)
    left = drop_harmful(matches[chosen], codes[chosen], default, *data)
    return [rules[chosen[k]] for k in left], default


def order_rules(
    matches: NDArray[np.bool_],
    codes: NDArray[np.int64],
    errors: NDArray[np.float64],
    y: NDArray[np.int32],
    weight: NDArray[np.float64],
    n_classes: int,
) -> NDArray[np.int64]:
    """Return the positions of rules in the order in which they are asked.

    Rules of one class stand together, those of lowest error first. The next class is the one whose
    rules cover the lowest weight of other classes among the rows that no class before covers; the
    first class and the first rule of tied ones.

    Shapes: `matches` (n_rules, n_samples), `codes`, `errors` (n_rules,), `y`, `weight`
    (n_samples,), result (n_rules,).
    `codes`, `errors`: class of each rule and the upper limit of its error rate.
    """
    by_class = {c: matches[codes == c].any(axis=0) for c in range(n_classes)}
    is_free = np.ones(len(y), np.bool_)
    order = np.empty(0, np.int64)
    while by_class:
        false = {c: sum_of(weight[is_free & m & (y != c)]) for c, m in by_class.items()}
        best = min(false, key=lambda c: false[c])
        is_free &= ~by_class.pop(best)
        own = np.flatnonzero(codes == best)
        order = np.append(order, own[np.argsort(errors[own], kind="stable")])
    return order


def default_class(
    is_covered: NDArray[np.bool_], y: NDArray[np.int32], weight: NDArray[np.float64], n_classes: int
) -> int:
    """Return the class of most weight among the rows that no rule covers.

    Of tied ones the class of most weight among all rows, and of these the first.
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
    """Return the positions of the rules that are left when those that do harm are dropped.

    A rule does harm if, of the rows that it is the first to cover, more weight would be classified
    right without it than becomes wrong. The first of them goes, then all are judged again.

    Shapes: `matches` (n_rules, n_samples), `codes` (n_rules,), `y`, `weight` (n_samples,).
    """
    left = list(range(len(codes)))
    while left:
        first, second = two_first(matches[left])
        predicted = np.append(codes[left], default)
        with_it, without = predicted[first], predicted[second]
        gain = np.where(with_it == y, weight, 0.0) - np.where(without == y, weight, 0.0)
        gains = np.bincount(first, gain, len(left) + 1)[:-1]
        harmful = np.flatnonzero(gains < 0)
        if not len(harmful):
            break
        del left[int(harmful[0])]
    return left


def two_first(matches: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first and the second rule that cover each row, n_rules where there is none.

    Shapes: `matches` (n_rules, n_samples), result (n_samples,).
    """
    always = np.ones((1, matches.shape[1]), np.bool_)
    padded = np.concatenate([matches, always])
    first = padded.argmax(axis=0)
    padded[first, np.arange(padded.shape[1])] = False
    padded[-1] = True
    return first, padded.argmax(axis=0)
