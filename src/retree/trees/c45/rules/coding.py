"""How many bits describe rules."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from retree import engine
from retree.arithmetic import entropies, row_sums, running_sum, sum_of
from retree.trees.c45.rules.candidates import Candidate
from retree.trees.export.conditions import LevelSet
from retree.trees.mixed import Sample


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
