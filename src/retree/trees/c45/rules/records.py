"""Rules with their record on the training rows, in words, and those that are true of one row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retree.arithmetic import sum_of
from retree.trees.c45.rules.candidates import Candidate, Condition
from retree.trees.export.describe import Words, format_number, format_share


@dataclass(frozen=True, eq=False)
class ProductionRule:
    """A rule of C4.5rules with its record on the training rows."""

    # All must be met; at most one interval and one set of levels a feature, in their order. A
    # condition on a missing value is not met.
    conditions: tuple[Condition, ...]
    prediction: Any
    error: float  # Upper confidence limit of the error rate, by which rules are ordered
    # Training rows (or their weights) of each class that the rule covers, whether or not a rule
    # before it covers them too; shape (n_classes,).
    counts: NDArray[np.float64]
    support: float  # Share of all training rows that the rule covers
    confidence: float  # Share of the predicted class in the rows that the rule covers
    lift: float  # `confidence` over the share of the predicted class in all training rows


@dataclass(frozen=True, eq=False)
class RulesExplanation:
    """Why a list of rules predicts what it does for one row."""

    prediction: Any
    # The first rule that covers the row; None if none does, so that it is the default class.
    fired: ProductionRule | None
    also: tuple[ProductionRule, ...]  # The rules after it that cover the row, too, in their order
    text: str  # The same in words, which ``print`` shows

    def __str__(self) -> str:
        return self.text


def record_of(
    rule: Candidate, label: Any, counts: NDArray[Any], whole: NDArray[Any]
) -> ProductionRule:
    """Return a rule with its record.

    Shapes: `counts`, `whole` (n_classes,).
    `counts`, `whole`: weight of each class in the rows that the rule covers, and in all.
    """
    weight, total = sum_of(counts), sum_of(whole)
    share = float(counts[rule.code] / weight)
    return ProductionRule(
        conditions=merged(rule.conditions),
        prediction=label,
        error=rule.error,
        counts=counts,
        support=weight / total,
        confidence=share,
        lift=float(share / (whole[rule.code] / total)),
    )


def merged(conditions: tuple[Condition, ...]) -> tuple[Condition, ...]:
    """Return the conditions with those on one feature in one, in the order of the features."""
    merged: dict[tuple[int, type], Any] = {}
    for condition in conditions:
        key = condition.feature, type(condition)
        known = merged.get(key)
        merged[key] = condition if known is None else known.met_with(condition)
    return tuple(merged[key] for key in sorted(merged, key=lambda key: key[0]))


def rule_line(words: Words, rule: ProductionRule, code: int) -> str:
    """Return a rule in words."""
    conditions = " AND ".join(condition.describe(words) for condition in rule.conditions)
    rows = words.rows(sum_of(rule.counts))
    share, lift = format_share(rule.confidence), format_number(rule.lift, 2)
    return f"IF {conditions} THEN {words.class_name(code)} ({rows}, {share}, lift {lift})"
