"""How many bits describe a set of rules and the rows that it gets wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from retree import engine
from retree.arithmetic import entropies, row_sums, sum_of
from retree.trees.c45.rules.candidates import Candidate
from retree.trees.export.conditions import LevelSet
from retree.trees.mixed import Sample

RULES_COUNT = 0.5  # the part of the bits of rules that counts: they overlap and can be reordered

_IMPOSSIBLE = 1e6  # bits of an error where none is expected
_CERTAIN = 1e-6


def log2(values: NDArray[Any]) -> NDArray[np.float64]:
    """Return the logarithms to base 2 of positive numbers, and 0 of others."""
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
    """Return the bits of each rule: of its conditions in any order, and of their number.

    A condition takes the bits of its feature and those of its value. The features have shares in
    proportion to the bits of their values; their entropy is the former. A level takes the entropy
    of the levels; a threshold takes 1 + log2(number of values) / 2, where missing is one of the
    values; a condition that excludes a level takes a bit a level.

    Shapes: `n_levels` (n_features,), result (n_rules,).
    """
    of_value = np.array([_bits_of_value(sample, j, int(n)) for j, n in enumerate(n_levels)])
    whole = sum_of(of_value)
    of_feature = float(entropies(of_value[None, :] / whole)[0]) / redundancy if whole > 0 else 0.0
    is_subset = [[_asks_for_subset(c) for c in rule.conditions] for rule in rules]
    sizes = np.array([len(rule.conditions) for rule in rules], np.int64)
    bits = [
        sum(
            of_feature + (float(n_levels[c.feature]) if subset else of_value[c.feature])
            for c, subset in zip(rule.conditions, subsets, strict=True)
        )
        for rule, subsets in zip(rules, is_subset, strict=True)
    ]
    factorials = log2_factorials(int(sizes.max(initial=0)))
    return np.asarray(np.array(bits, float) + log2(sizes) - factorials[sizes])


def bits_of_exceptions(
    fires: NDArray[np.float64],
    wrong: NDArray[np.float64],
    missed: NDArray[np.float64],
    total: float,
) -> NDArray[np.float64]:
    """Return the bits that say which rows a set of rules of one class gets wrong.

    The number of errors takes log2(total) bits. Of the rows that the rules cover and of the others,
    the larger group is coded as if half of the errors fell into it, the smaller one by its own
    share of errors (Quinlan 1995).

    Shapes: `fires`, `wrong`, `missed` (n_sets,), result (n_sets,).
    `fires`, `wrong`, `missed`: weights of the rows that the rules cover, of those among them of
    other classes, and of the rows of the class that no rule covers.
    """
    half, is_larger = (wrong + missed) / 2, fires > total / 2
    start = log2(np.array([total]))[0]
    covered = _biased(fires, wrong, np.where(is_larger, half, wrong))
    others = _biased(total - fires, missed, np.where(is_larger, missed, half))
    return np.asarray(start + covered + others)


def _biased(
    n: NDArray[np.float64], errors: NDArray[np.float64], expected: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the bits of the places of `errors` among `n` rows, coded for `expected` of them."""
    rate = expected / np.where(n > 0, n, 1.0)
    bits = -errors * log2(rate) - (n - errors) * log2(1 - rate)
    bits = np.where(expected >= n - _CERTAIN, np.where(errors == n, 0.0, _IMPOSSIBLE), bits)
    return np.where(expected <= _CERTAIN, np.where(errors == 0, 0.0, _IMPOSSIBLE), bits)


def _asks_for_subset(condition: object) -> bool:
    """Whether a condition is one of a test that asks for some levels against all others."""
    return isinstance(condition, LevelSet) and condition.excluded


def _bits_of_value(sample: Sample, j: int, n_levels: int) -> float:
    """Return the bits of the value of a condition on feature `j`."""
    values = sample.X[:, j]
    is_known = ~np.isnan(values)
    if n_levels < 0:
        n_values = len(np.unique(values[is_known])) + (not is_known.all())
        return 1 + float(log2(np.array([float(n_values)]))[0]) / 2 if n_values > 1 else 0.0
    weight = np.bincount(values[is_known].astype(np.int64), sample.weight[is_known], n_levels)
    share = weight / sum_of(sample.weight)
    return float(row_sums((-share * log2(share))[None, :])[0])
