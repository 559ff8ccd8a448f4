"""A fitted list of rules in words, and why it predicts what it does for one row."""

from __future__ import annotations

from functools import partial
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_scalar
from sklearn.utils.validation import check_is_fitted

from retree.arithmetic import sum_of
from retree.trees.c45.rules.candidates import covered
from retree.trees.c45.rules.records import ProductionRule, RulesExplanation, rule_line
from retree.trees.export.describe import Names, Words, format_number
from retree.trees.interchange.methods import Pickled
from retree.trees.mixed import MixedInput
from retree.trees.rows import input_names, one_row
from retree.trees.tree import Tree


class RuleExports(Pickled, MixedInput):
    """Words for an estimator that has found ``rules_``."""

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
        """Return the rules in words, a line each, and a last line with the default class.

        Parameters
        ----------
        feature_names, class_names : sequence or None, default=None
            Names of features and classes; by default those seen in `fit`.
        decimals : int, default=4
            Decimals of thresholds.

        Returns
        -------
        str
            In brackets the training rows that the rule covers, its confidence and its lift.
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
        """Return why the rules predict what they do for one row.

        Parameters
        ----------
        row : array-like of shape (n_features,) or (1, n_features), Series or DataFrame
            With the columns seen in `fit`; NaN where missing.
        feature_names, class_names : sequence or None, default=None
            Names of features and classes; by default those seen in `fit`.
        decimals : int, default=4
            Decimals of thresholds.

        Returns
        -------
        RulesExplanation
            The rule that fired with its confidence and lift, and those that cover the row, too.

        Raises
        ------
        ValueError
            If there is not one row of as many values as there are features.
        """
        check_is_fitted(self)
        check_scalar(decimals, "decimals", Integral, min_val=0)
        rows = self._checked_rows(one_row(row, self))
        words, codes = self._words(feature_names, class_names, decimals), self._codes.tolist()
        first, *others = [*np.flatnonzero(covered(self.rules_, rows)).tolist(), -1]
        lines = [rule_line(words, self.rules_[k], codes[k]) for k in (first, *others) if k >= 0]
        fired = lines[0] if lines else self._default_line(words)
        text = [f"Prediction: {words.class_name(codes[first])}", f"  {fired}"]
        text += ["Also true of the row:", *(f"  {line}" for line in lines[1:])] * (len(lines) > 1)
        return RulesExplanation(
            self.classes_[codes[first]],
            self.rules_[first] if first >= 0 else None,
            tuple(self.rules_[k] for k in others if k >= 0),
            "\n".join(text),
        )

    def _words(
        self, feature_names: Names | None, class_names: Names | None, decimals: int
    ) -> Words:
        """Return how conditions and classes are called, by default as in `fit`."""
        if feature_names is None:
            feature_names = input_names(self)
        class_names = self.classes_ if class_names is None else class_names
        levels: Any = self.categories_
        number = partial(format_number, decimals=decimals)
        return Words(self.tree_, feature_names, class_names, levels, number)

    def _default_line(self, words: Words) -> str:
        """Return in words what holds where no rule covers a row."""
        rest = words.rows(sum_of(self.default_counts_))
        return f"OTHERWISE {words.class_name(int(self._codes[-1]))} ({rest})"
