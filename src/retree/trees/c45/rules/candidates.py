"""Candidate rules: one per leaf of a tree, without conditions that do not make it more accurate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retree import engine
from retree.arithmetic import sum_of
from retree.trees.export.conditions import Interval, LevelSet, condition_of
from retree.trees.mixed import Sample
from retree.trees.tree import Tree, majority_class

Condition = Interval | LevelSet

# Quantiles of the normal distribution to two decimals, which release 8 interpolates linearly.
_UPPER_TAILS = (0.0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.0)
_QUANTILES = (4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.0)
_LEAST_WEIGHT = 1.0  # of a leaf
_WORD_BITS = 64
_MOST_ERROR = 0.7  # a rule with a greater error never fires


@dataclass(frozen=True)
class Candidate:
    """A rule before rules are selected."""

    conditions: tuple[Condition, ...]  # Each is that of one branch of the tree
    code: int  # Position of the class that the rule predicts
    error: float  # The upper limit of its error rate


def find_candidates(
    tree: Tree, sample: Sample, confidence: float
) -> tuple[list[Candidate], list[NDArray[np.uint64]]]:
    """Return the distinct rules that the leaves of a tree give, in the order of the leaves.

    Conditions are dropped one by one, as long as dropping one does not raise the upper limit of the
    rule's error or its observed error. Each time the condition goes whose loss gives the lowest
    limit, the last one where limits tie. A rule is left out if it has no conditions, or is no
    better than the share of its class in all rows.

    Returns the rules, and the rows that each of them covers, `packed`.
    """
    candidates: dict[tuple[frozenset[Condition], int], tuple[Candidate, NDArray[np.uint64]]] = {}
    classes = majority_class(tree.value)
    whole = sum_of(sample.weight)
    targets = [packed(sample.y == c) for c in range(tree.counts.shape[1])]
    of_class = [sum_of(sample.weight[sample.y == c]) for c in range(len(targets))]
    met = _Path(tree, sample.X)
    for leaf in np.flatnonzero(tree.is_leaf & (tree.weight >= _LEAST_WEIGHT)).tolist():
        if leaf == 0:
            break  # a tree without a test
        code = int(classes[leaf])
        prior = (of_class[code] + 1) / (whole + 2)
        path, rows = met.to(leaf)
        kept, error = prune_conditions(rows, targets[code], sample.weight, confidence, 1 - prior)
        if len(kept) and error < 1 - prior and error <= _MOST_ERROR:
            conditions = tuple(path[d] for d in kept)
            covers = np.bitwise_and.reduce(rows[kept], axis=0)
            rule = Candidate(conditions, code, error)
            candidates.setdefault((frozenset(conditions), rule.code), (rule, covers))
    return [rule for rule, _ in candidates.values()], [rows for _, rows in candidates.values()]


class _Path:
    """The conditions on the path to a leaf, and the rows that meet each of them.

    Neighbouring leaves share most of their path, so a shared condition is evaluated once.
    """

    def __init__(self, tree: Tree, X: NDArray[np.float64]) -> None:
        self._tree, self._X = tree, X
        self._places: list[tuple[int, int]] = []
        self._conditions: list[Condition] = []
        self._rows: list[NDArray[np.uint64]] = []

    def to(self, leaf: int) -> tuple[list[Condition], NDArray[np.uint64]]:
        """Return the conditions from the root down, and the `packed` rows that meet each."""
        places = list(self._tree.path_to(leaf))
        pairs = enumerate(zip(self._places, places, strict=False))
        n_shared = next((d for d, (old, new) in pairs if old != new), len(self._places))
        for part in (self._conditions, self._rows):
            del part[n_shared:]
        for node, branch in places[n_shared:]:
            condition = condition_of(self._tree, node, branch)
            assert isinstance(condition, Interval | LevelSet)
            self._conditions.append(condition)
            self._rows.append(packed(satisfied([condition], self._X)[0]))
        self._places = places
        return list(self._conditions), np.array(self._rows)


def packed(rows: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Return a mask of rows as bits, shape (n_words,), the form that the engine takes."""
    bits = np.zeros(-(-len(rows) // _WORD_BITS) * (_WORD_BITS // 8), np.uint8)
    bits[: -(-len(rows) // 8)] = np.packbits(rows, bitorder="little")
    return bits.view("<u8").astype(np.uint64, copy=False)


def unpacked(words: NDArray[np.uint64], n_rows: int) -> NDArray[np.bool_]:
    """Return the mask, shape (n_rows,), from its `packed` bits."""
    octets = words.astype("<u8", copy=False).view(np.uint8)
    return np.unpackbits(octets, count=n_rows, bitorder="little").view(np.bool_)


def covered(rule: Any, X: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return a mask of the rows that meet all conditions of a rule, shape (n_samples,)."""
    return np.asarray(satisfied(rule.conditions, X).all(axis=0))


def satisfied(conditions: Sequence[Condition], X: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which rows meet each condition; rows without the value do not.

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
    met: NDArray[np.uint64],
    target: NDArray[np.uint64],
    weight: NDArray[np.float64],
    confidence: float,
    error_of_none: float,
) -> tuple[list[int], float]:
    """Return the conditions that are kept, and the upper limit of the error of the rule with them.

    Shapes: `met` (n_conditions, n_words), `target` (n_words,), `weight` (n_samples,).
    `met`, `target`: the rows that meet each condition and the rows of the class, both `packed`.
    Returns positions in ascending order; none if all conditions are dropped or no row meets them.
    """
    kept, error = np.empty(len(met), np.bool_), np.empty(1)
    weights = weight if (weight != 1).any() else np.empty(0)
    quantile = float(np.interp(confidence, _UPPER_TAILS, _QUANTILES))
    given = met, len(weight), target, weights, confidence, quantile, error_of_none
    engine.call("rule_conditions", *given, kept, error)
    return np.flatnonzero(kept).tolist(), float(error[0])
