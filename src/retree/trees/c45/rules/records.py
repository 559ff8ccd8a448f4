"""Rules with their record on the training rows, their text, and explanations for one row."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_scalar
from sklearn.utils.validation import check_is_fitted

from retree.arithmetic import sum_of
from retree.trees.c45.rules.candidates import Candidate, Condition, covered
from retree.trees.export.conditions import Joined, joined
from retree.trees.export.describe import Names, Words, format_number, format_share
from retree.trees.interchange.methods import Pickled
from retree.trees.mixed import MixedInput
from retree.trees.rows import input_names, one_row
from retree.trees.tree import Tree


@dataclass(frozen=True, eq=False)
class ProductionRule:
    """A rule of C4.5rules with its record on the training rows."""

    # A row must meet all of them; a condition on a missing value is not met. There is at most one
    # interval and one set of levels per feature.
    conditions: tuple[Condition, ...]
    prediction: Any
    error: float  # Upper confidence limit of the error rate, by which rules are ordered
    # Number (or weight) of the training rows of each class that the rule covers, including rows
    # that an earlier rule covers; shape (n_classes,).
    counts: NDArray[np.float64]
    support: float  # Share of all training rows that the rule covers
    confidence: float  # Share of the predicted class in the rows that the rule covers
    lift: float  # `confidence` over the share of the predicted class in all training rows


@dataclass(frozen=True, eq=False)
class RulesExplanation:
    """The reasons for the prediction of a list of rules for one row."""

    prediction: Any
    # The first rule that covers the row; None if none does, so that the default class is predicted.
    fired: ProductionRule | None
    also: tuple[ProductionRule, ...]  # Later rules that cover the row, too, in their order
    text: str  # The same in words, which ``print`` shows

    def __str__(self) -> str:
        return self.text


def record_of(
    rule: Candidate, label: Any, counts: NDArray[Any], whole: NDArray[Any]
) -> ProductionRule:
    """Return a rule with its record.

    Shapes: `counts`, `whole` (n_classes,).
    `counts`, `whole`: weight of each class among the rows that the rule covers, and among all rows.
    """
    weight, total = sum_of(counts), sum_of(whole)
    conditions: Joined = {}
    for condition in rule.conditions:
        conditions = joined(conditions, condition)
    share = float(counts[rule.code] / weight)
    return ProductionRule(
        conditions=tuple(sorted(conditions.values(), key=lambda each: each.feature)),
        prediction=label,
        error=rule.error,
        counts=counts,
        support=weight / total,
        confidence=share,
        lift=float(share / (whole[rule.code] / total)),
    )


def rule_line(words: Words, rule: ProductionRule, code: int) -> str:
    """Return the text of a rule."""
    conditions = " AND ".join(condition.describe(words) for condition in rule.conditions)
    rows = words.rows(sum_of(rule.counts))
    share, lift = format_share(rule.confidence), format_number(rule.lift, 2)
    return f"IF {conditions} THEN {words.class_name(code)} ({rows}, {share}, lift {lift})"


class RuleExports(Pickled, MixedInput):
    """Texts and explanations of an estimator with ``rules_``."""

    tree_: Tree
    classes_: NDArray[Any]
    rules_: list[ProductionRule]
    default_counts_: NDArray[Any]
    _codes: NDArray[np.int64]  # classes of the rules, and the default class

    def export_rules(
        self,
        *,
        feature_names: Names | None = None,
        class_names: Names | None = None,
        decimals: int = 4,
    ) -> str:
        """Return the rules as text, one line per rule and a last line with the default class.

        Parameters
        ----------
        feature_names, class_names : sequence or None, default=None
            Names of features and classes; by default those seen in `fit`.
        decimals : int, default=4
            Number of decimals of thresholds.

        Returns
        -------
        str
            In brackets: the number of training rows that the rule covers, its confidence and its
            lift.
        """
        check_is_fitted(self)
        check_scalar(decimals, "decimals", Integral, min_val=0)
        words, codes = self._words(feature_names, class_names, decimals), self._codes.tolist()
        lines = [rule_line(words, rule, c) for rule, c in zip(self.rules_, codes[:-1], strict=True)]
        return "\n".join([*lines, self._default_line(words)])

    def explain(
        self,
        row: Any,
        *,
        feature_names: Names | None = None,
        class_names: Names | None = None,
        decimals: int = 4,
    ) -> RulesExplanation:
        """Explain the prediction of the rules for one row.

        Parameters
        ----------
        row : array-like of shape (n_features,) or (1, n_features), Series or DataFrame
            One row with the columns seen in `fit`; NaN where a value is missing.
        feature_names, class_names : sequence or None, default=None
            Names of features and classes; by default those seen in `fit`.
        decimals : int, default=4
            Number of decimals of thresholds.

        Returns
        -------
        RulesExplanation
            The rule that fired, with its confidence and lift, and the other rules that cover the
            row.

        Raises
        ------
        ValueError
            If `row` is not exactly one row with one value per feature.
        """
        check_is_fitted(self)
        check_scalar(decimals, "decimals", Integral, min_val=0)
        rows = self.checked_rows(one_row(row, self))
        words, codes = self._words(feature_names, class_names, decimals), self._codes.tolist()
        first, *others = [*(k for k, r in enumerate(self.rules_) if covered(r, rows)[0]), -1]
        lines = [rule_line(words, self.rules_[k], codes[k]) for k in (first, *others) if k >= 0]
        fired = lines[0] if lines else self._default_line(words)
        text = [f"Prediction: {words.class_name(codes[first])}", f"  {fired}"]
        text += ["Also true of the row:", *(f"  {line}" for line in lines[1:])] * (len(lines) > 1)
        return RulesExplanation(
            self.class_order_[codes[first]],
            self.rules_[first] if first >= 0 else None,
            tuple(self.rules_[k] for k in others if k >= 0),
            "\n".join(text),
        )

    def _words(
        self, feature_names: Names | None, class_names: Names | None, decimals: int
    ) -> Words:
        """Return the names of features and classes, by default those seen in `fit`."""
        if feature_names is None:
            feature_names = input_names(self)
        class_names = self._class_names(class_names)
        levels: Any = self.categories_
        number = partial(format_number, decimals=decimals)
        return Words(self.tree_, feature_names, class_names, levels, number)

    def _default_line(self, words: Words) -> str:
        """Return the text of the default rule, for rows that no rule covers."""
        rest = words.rows(sum_of(self.default_counts_))
        return f"OTHERWISE {words.class_name(int(self._codes[-1]))} ({rest})"
