"""A rule for each leaf of a tree, without the conditions that do not make it more accurate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retree.arithmetic import sum_of
from retree.trees.export.conditions import Interval, LevelSet, condition_of
from retree.trees.mixed import Sample
from retree.trees.pruning.error_based import estimated_errors
from retree.trees.tree import Tree, majority_class

Condition = Interval | LevelSet

# Quantiles of the normal distribution to two decimals, which release 8 interpolates linearly.
_UPPER_TAILS = (0.0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.0)
_QUANTILES = (4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.0)
_NO_ERROR, _ONE_ERROR = 1e-6, 0.9999  # release 8 allows for rounding
_NEAR_ALL = 0.67  # of the rows that are right, the part added where nearly all are wrong
_LEAST_WEIGHT = 1.0  # of a leaf
_MOST_ERROR = 0.7  # a rule with a greater error never fires


@dataclass(frozen=True)
class Candidate:
    """A rule before rules are chosen."""

    conditions: tuple[Condition, ...]  # Each is that of one branch of the tree
    code: int  # Position of the class that the rule predicts
    error: float  # The upper limit of its error rate


def find_candidates(tree: Tree, sample: Sample, confidence: float) -> list[Candidate]:
    """Return the different rules that the leaves of a tree leave, in the order of the leaves.

    The condition without which the rule has the lowest upper limit of its error is dropped, the
    last of tied ones, as long as the limit or the observed error does not rise for some condition.
    A rule without conditions, or no better than the share of its class in all rows, is no rule.
    """
    found: dict[tuple[frozenset[Condition], int], Candidate] = {}
    classes = majority_class(tree.value)
    whole = sum_of(sample.weight)
    for leaf in np.flatnonzero(tree.is_leaf & (tree.weight >= _LEAST_WEIGHT)).tolist():
        is_target = sample.y == classes[leaf]
        prior = (sum_of(sample.weight[is_target]) + 1) / (whole + 2)
        path = _path(tree, leaf)
        kept, error = prune_conditions(
            satisfied(path, sample.X), is_target, sample.weight, confidence, 1 - prior
        )
        if len(kept) and error < 1 - prior and error <= _MOST_ERROR:
            conditions = tuple(path[d] for d in kept)
            rule = Candidate(conditions, int(classes[leaf]), error)
            found.setdefault((frozenset(conditions), rule.code), rule)
    return list(found.values())


def covered(rules: Sequence[Any], X: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which rows meet all `conditions` of each rule, shape (n_rules, n_samples)."""
    matches = [satisfied(rule.conditions, X).all(axis=0) for rule in rules]
    return np.array(matches, np.bool_).reshape(len(rules), len(X))


def satisfied(conditions: Sequence[Condition], X: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which rows meet each condition; where the value is missing, it is not met.

    Shapes: `X` (n_samples, n_features), result (n_conditions, n_samples).
    """
    met = np.empty((len(conditions), len(X)), np.bool_)
    for row, condition in zip(met, conditions, strict=True):
        values = X[:, condition.feature]
        if isinstance(condition, Interval):
            row[:] = (values > condition.low) & (values <= condition.high)
        else:
            row[:] = np.isin(values, list(condition.levels)) != condition.excluded
            row &= ~np.isnan(values)
    return met


def prune_conditions(
    met: NDArray[np.bool_],
    is_target: NDArray[np.bool_],
    weight: NDArray[np.float64],
    confidence: float,
    error_of_none: float,
) -> tuple[list[int], float]:
    """Return the conditions that are left, and the upper limit of the error of the rule with them.

    Shapes: `met` (n_conditions, n_samples), `is_target` (n_samples,), `weight` (n_samples,).
    Returns positions, ascending; empty if none is left or no row meets them.
    """
    n = len(met)
    kept = list(range(n))
    # Of a row that misses one condition, `missed` is the condition's number from 1 on; else 0.
    misses, n_missed, missed = ~met, *np.zeros((2, met.shape[1]), np.int32)
    for number, own in enumerate(misses, 1):
        n_missed += own
        missed += own * np.int32(number)
    while kept:
        near = np.flatnonzero(n_missed <= 1)
        place, wrong = missed[near], ~is_target[near]
        total = np.bincount(place, weight[near], n + 1)
        errors = np.bincount(place[wrong], weight[near][wrong], n + 1)
        total[1:] += total[0]
        errors[1:] += errors[0]
        rates = upper_error_rates(errors, total, confidence, error_of_none)
        actual = errors / np.where(total > 0, total, 1.0)
        others = np.array(kept) + 1
        if not ((rates[others] <= rates[0]) | (actual[others] <= actual[0])).any():
            return (kept, float(rates[0])) if total[0] > 0 else ([], error_of_none)
        worst = int(others[::-1][rates[others[::-1]].argmin()]) - 1
        kept.remove(worst)
        n_missed -= misses[worst]
        missed -= misses[worst] * np.int32(worst + 1)
    return [], error_of_none


def upper_error_rates(
    errors: NDArray[Any], total: NDArray[Any], confidence: float, error_of_none: float = 1.0
) -> NDArray[np.float64]:
    """Return the upper confidence limits of error rates as release 8 approximates them.

    The limit is that of a binomial share, by the normal approximation with continuity correction;
    exact for no error, and linear between none and one. `estimated_errors` has the same as in J48,
    with a quantile of more digits.

    Shapes: `errors`, `total` (n_rules,), result (n_rules,).
    `errors`, `total`: weights of the rows that are wrong, and of all.
    """
    none = total <= 0
    n = np.where(none, 1.0, total)
    exact = estimated_errors(np.column_stack([n, np.zeros(len(n))]), confidence)
    one = _added(np.ones(len(n)), n, confidence)
    few = exact + errors * (one - exact)
    added = np.where(errors < _ONE_ERROR, few, _added(errors, n, confidence))
    added = np.where(errors < _NO_ERROR, exact, added)
    return np.where(none, error_of_none, (errors + added) / n)


def _added(
    errors: NDArray[np.float64], n: NDArray[np.float64], confidence: float
) -> NDArray[np.float64]:
    """Return what the limit adds to one error or more."""
    z = float(np.interp(confidence, _UPPER_TAILS, _QUANTILES))
    square, more = z * z, errors + 0.5
    inside = np.maximum(square * (more * (1 - more / n) + square / 4), 0.0)
    limit = n * (more + square / 2 + np.sqrt(inside)) / (n + square)
    return np.where(more >= n, _NEAR_ALL * (n - errors), limit - errors)


def _path(tree: Tree, leaf: int) -> list[Condition]:
    """Return the conditions that lead to a leaf, that of the root first."""
    conditions: list[Condition] = []
    for node, branch in tree.path_to(leaf):
        condition = condition_of(tree, node, branch)
        assert isinstance(condition, Interval | LevelSet)
        conditions.append(condition)
    return conditions
