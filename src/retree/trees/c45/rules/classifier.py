"""C4.5rules (Quinlan 1993, chapter 5) as an estimator."""

from __future__ import annotations

from functools import partial
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state, check_scalar
from sklearn.utils.validation import check_is_fitted

from retree.arithmetic import row_sums, sum_of
from retree.trees.base import ProbabilisticClassifier, one_row
from retree.trees.c45.growing import C45Rule, grow_c45
from retree.trees.c45.rules.candidates import Candidate, find_candidates, satisfied
from retree.trees.c45.rules.coding import bits_of_rules
from retree.trees.c45.rules.ordering import default_class, drop_harmful, order_rules, two_first
from retree.trees.c45.rules.records import (
    ProductionRule,
    RulesExplanation,
    merged,
    rule_line,
)
from retree.trees.c45.rules.selection import ClassRules
from retree.trees.export.describe import Names, Words, format_number
from retree.trees.interchange.methods import Pickled
from retree.trees.mixed import MixedInput, Sample
from retree.trees.pruning.error_based import collapse
from retree.trees.tree import Tree
from retree.trees.validation import depth_limit


class C45RulesClassifier(ProbabilisticClassifier, Pickled, MixedInput):
    """C4.5rules: an ordered list of rules, made from an unpruned C4.5 tree.

    1. Each leaf of the tree gives a rule. Conditions are dropped one at a time as long as the
       upper limit of the rule's error does not rise, or its error in training does not; of all
       training rows, not those of the leaf alone. Equal rules, and rules no better than the share
       of their class, are left out.
    2. For each class a set of rules is chosen whose description takes the fewest bits: half those
       of the rules and those of the rows that they get wrong. All sets of up to ten rules are
       tried; of more, hill climbing adds or removes rules from ten starts, nine of them random.
    3. Rules of a class stand together, those of lowest limit first; the class whose rules cover
       the fewest rows of other classes, not covered before, comes next. A row is given the class
       of the first rule that covers it; if there is none, the default class, which is the most
       frequent one among such training rows.
    4. Rules without which fewer training rows are classified wrong are dropped.

    The steps are those of the book. Where it and the program, release 8, differ, this follows the
    program: exceptions are coded as in Quinlan (1995), errors are limited by quantiles of two
    decimals, interpolated, and step 4. Unlike the program, rules are equal only if their thresholds
    have the same sign; the random starts are others; and the tree is that of `C45Classifier`, whose
    thresholds and choice of tests are J48's.

    Parameters
    ----------
    confidence : float, default=0.25
        Confidence of the limits of errors, in (0, 0.5]; a smaller one drops more conditions.
    min_cases : int, default=2
        At least two branches of a test must have this weight, see `C45Classifier`.
    redundancy : float, default=1.0
        More than 1 if features are redundant: conditions take fewer bits, so more rules are chosen.
    binary_splits : bool, default=False
        Whether a categorical test asks for one level against all others.
    max_depth : int or None, default=None
        Greatest depth of the tree.
    categorical_features : "from_dtype", None or array-like, default="from_dtype"
        As in `C45Classifier`.
    random_state : int, RandomState or None, default=0
        Draws the starts of hill climbing.

    Attributes
    ----------
    rules_ : list of ProductionRule
        In the order in which they are asked.
    default_class_ : object
        Class of rows that no rule covers.
    default_counts_ : ndarray of shape (n_classes,)
        Training rows (or their weights) of each class that no rule covers.
    tree_ : Tree
        The tree that the rules come from.
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted.
    categories_ : list of (pandas Index or None)
        Levels of each categorical column, None for a numeric one.
    n_features_in_ : int
        Number of features seen in `fit`.

    References
    ----------
    Quinlan J. R. (1993). C4.5: Programs for Machine Learning. Morgan Kaufmann. Chapter 5.

    Quinlan J. R. (1995). MDL and categorical theories (continued). Proceedings of the Twelfth
    International Conference on Machine Learning, 464-470.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from retree import C45RulesClassifier
    >>> iris = load_iris(as_frame=True)
    >>> names = iris.target_names[iris.target]
    >>> X = iris.data.rename(columns=lambda name: name.removesuffix(" (cm)"))
    >>> print(C45RulesClassifier().fit(X, names).export_rules())
    IF petal width <= 0.6 THEN setosa (50 rows, 100 %, lift 3)
    IF petal length <= 4.9 AND 0.6 < petal width <= 1.7 THEN versicolor (48 rows, 97.9 %, lift 2.94)
    IF petal width > 1.7 THEN virginica (46 rows, 97.8 %, lift 2.93)
    IF petal length > 4.9 THEN virginica (46 rows, 95.7 %, lift 2.87)
    OTHERWISE setosa (no rows)
    """

    tree_: Tree
    classes_: NDArray[Any]

    def __init__(
        self,
        confidence: float = 0.25,
        min_cases: int = 2,
        redundancy: float = 1.0,
        binary_splits: bool = False,
        max_depth: int | None = None,
        categorical_features: Any = "from_dtype",
        random_state: int | RandomState | None = 0,
    ) -> None:
        self.confidence = confidence
        self.min_cases = min_cases
        self.redundancy = redundancy
        self.binary_splits = binary_splits
        self.max_depth = max_depth
        self.categorical_features = categorical_features
        self.random_state = random_state

    def fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> C45RulesClassifier:
        """Grow the tree and make rules of it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers, and any values in categorical columns; NaN where missing.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights, not negative, as in `C45Classifier`; errors and bits count with them.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter or the data is not as described.
        """
        check_scalar(self.confidence, "confidence", Real, min_val=0, max_val=0.5,
                     include_boundaries="right")  # fmt: skip
        check_scalar(self.min_cases, "min_cases", Integral, min_val=1)
        check_scalar(self.redundancy, "redundancy", Real, min_val=0, include_boundaries="neither")
        depth = depth_limit(self.max_depth)
        sample = self._checked_classes(X, y, sample_weight).with_mean_weight()
        rule = C45Rule(
            min_cases=float(self.min_cases),
            mdl_correction=True,
            binary_splits=bool(self.binary_splits),
            max_depth=depth,
            n_declared=self._n_declared,
        )
        self.tree_ = collapse(grow_c45(sample, self._n_levels, len(self.classes_), rule))
        candidates = find_candidates(self.tree_, sample, self.confidence)
        self._choose(candidates, sample)
        return self

    def _choose(self, rules: list[Candidate], sample: Sample) -> None:
        """Set the rules that are chosen from the candidates, in their order, and the default."""
        matches = _covered(rules, sample.X)
        codes = np.array([rule.code for rule in rules], np.int64)
        bits = bits_of_rules(rules, sample, self._n_levels, float(self.redundancy))
        rng, chosen = check_random_state(self.random_state), np.empty(0, np.int64)
        for c in range(len(self.classes_)):
            own = np.flatnonzero(codes == c)
            if len(own):
                of_class = ClassRules(matches[own], sample.y == c, sample.weight, bits[own])
                chosen = np.append(chosen, own[of_class.cheapest(rng)])
        errors = np.array([rules[k].error for k in chosen])
        data = sample.y, sample.weight
        order = order_rules(matches[chosen], codes[chosen], errors, *data, len(self.classes_))
        chosen = chosen[order]
        is_covered = np.asarray(matches[chosen].any(axis=0))
        default = default_class(is_covered, *data, len(self.classes_))
        left = drop_harmful(matches[chosen], codes[chosen], default, *data)
        self._keep([rules[chosen[k]] for k in left], default, sample)

    def _keep(self, rules: list[Candidate], default: int, sample: Sample) -> None:
        """Set the rules with their records, and what is said of rows that none covers."""
        matches, n_classes = _covered(rules, sample.X), len(self.classes_)
        whole = np.bincount(sample.y, sample.weight, n_classes)
        total = sum_of(whole)
        self.rules_ = []
        for rule, own in zip(rules, matches, strict=True):
            counts: NDArray[Any] = np.bincount(sample.y[own], sample.weight[own], n_classes)
            weight = sum_of(counts)
            share = float(counts[rule.code] / weight)
            self.rules_.append(
                ProductionRule(
                    conditions=merged(rule.conditions),
                    prediction=self.classes_[rule.code],
                    error=rule.error,
                    counts=counts,
                    support=weight / total,
                    confidence=share,
                    lift=float(share / (whole[rule.code] / total)),
                )
            )
        free = ~matches.any(axis=0)
        self.default_class_ = self.classes_[default]
        self.default_counts_ = np.bincount(sample.y[free], sample.weight[free], n_classes)
        shares = self.default_counts_ if free.any() else whole
        self._shares = np.array([*(rule.counts for rule in self.rules_), shares])
        self._shares /= row_sums(self._shares)[:, None]
        self._codes = np.array([*(rule.code for rule in rules), default])

    def apply(self, X: ArrayLike) -> NDArray[np.int64]:
        """Return the position in `rules_` of the first rule that covers each row, or -1.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        rows = self._checked_rows(X)
        covered = [satisfied(list(r.conditions), rows).all(axis=0) for r in self.rules_]
        first = two_first(np.array(covered, np.bool_).reshape(len(covered), len(rows)))[0]
        return np.where(first < len(self.rules_), first, -1)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the class of the first rule that covers each row, or the default class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        first = self.apply(X)
        return self.classes_[self._codes[first]]

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the class shares of the training rows that each row's rule covers.

        For a row without a rule they are those of the training rows without one (of all, if each
        has one). A rule may be chosen although its class is not the greatest of its shares; then
        `predict` follows the rule.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        first = self.apply(X)
        return np.asarray(self._shares[first])

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
        covers = [satisfied(list(rule.conditions), rows).all() for rule in self.rules_]
        first, *others = [*np.flatnonzero(covers).tolist(), -1]
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
            positions = [f"x[{j}]" for j in range(self.n_features_in_)]
            feature_names = getattr(self, "feature_names_in_", positions)
        class_names = self.classes_ if class_names is None else class_names
        levels: Any = self.categories_
        number = partial(format_number, decimals=decimals)
        return Words(self.tree_, feature_names, class_names, levels, number)

    def _default_line(self, words: Words) -> str:
        """Return in words what holds where no rule covers a row."""
        rest = words.rows(sum_of(self.default_counts_))
        return f"OTHERWISE {words.class_name(int(self._codes[-1]))} ({rest})"


def _covered(rules: list[Candidate], X: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which rows each rule covers, shape (n_rules, n_samples)."""
    covered = [satisfied(list(rule.conditions), X).all(axis=0) for rule in rules]
    return np.array(covered, np.bool_).reshape(len(rules), len(X))
