"""C4.5rules (Quinlan 1993, chapter 5) as an estimator."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from retree.arithmetic import row_sums
from retree.trees.base import ProbabilisticClassifier
from retree.trees.c45.c45_growing import C45Rule, grow_c45
from retree.trees.c45.rules.candidates import Candidate, covered, find_candidates
from retree.trees.c45.rules.choosing import bits_of_rules, choose_rules
from retree.trees.c45.rules.records import RuleExports, record_of
from retree.trees.declaring import changed, declare, parameter
from retree.trees.mixed import Sample
from retree.trees.parameters import WithCategories, WithDepth
from retree.trees.pruning.by_errors import collapse
from retree.trees.validation import depth_limit, number, whole


@declare()
class C45RulesClassifier(WithDepth, WithCategories, ProbabilisticClassifier, RuleExports):
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
    confidence : float
        Confidence of the limits of errors, in (0, 0.5]; a smaller one drops more conditions.
    min_cases : int
        At least two branches of a test must have this weight, see `C45Classifier`.
    redundancy : float
        More than 1 if features are redundant: conditions take fewer bits, so more rules are chosen.
    binary_splits : bool
        Whether a categorical test asks for one level against all others.
    max_depth : int or None
        Maximum depth of the tree.
    random_state : int, RandomState or None
        Draws the starts of hill climbing.

    Attributes
    ----------
    rules_ : list of ProductionRule
        In the order in which they are asked.
    default_class_ : object
        Class of rows that no rule covers.
    default_counts_ : ndarray of shape (n_classes,)
        Training rows (or their weights) of each class that no rule covers, in the order of
        ``class_order_``, as the counts of the rules.
    class_order_ : ndarray of shape (n_classes,)
        Class labels; the first one wins ties. If y is of a category type, its order, else that of
        ``classes_``.
    tree_ : Tree
        The tree that the rules come from.

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

    confidence: float = parameter(default=0.25, check=number(0, 0.5, "right"))
    min_cases: int = parameter(default=2, check=whole(1))
    redundancy: float = parameter(default=1.0, check=number(0, ends="neither"))
    binary_splits: bool = False
    random_state: int | RandomState | None = 0

    declares = changed(weights="scaled")

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
        self.check_parameters()
        sample = self.checked_sample(X, y, sample_weight)
        rule = C45Rule(
            min_cases=float(self.min_cases),
            mdl_correction=True,
            binary_splits=bool(self.binary_splits),
            max_depth=depth_limit(self.max_depth),
            n_declared=self._n_declared,
        )
        self.tree_ = collapse(grow_c45(sample, self.n_levels, len(self.classes_), rule))
        sample = sample._replace(X=np.asfortranarray(sample.X))  # conditions read columns
        rules, covers = find_candidates(self.tree_, sample, self.confidence)
        bits = bits_of_rules(rules, sample, self.n_levels, float(self.redundancy))
        rng = check_random_state(self.random_state)
        self._keep(*choose_rules(rules, covers, bits, sample, len(self.classes_), rng), sample)
        return self

    def _keep(self, rules: list[Candidate], default: int, sample: Sample) -> None:
        """Set the rules with their records, and the default class for rows without a rule."""
        n_classes, free = len(self.classes_), np.ones(len(sample.y), np.bool_)
        whole = np.bincount(sample.y, sample.weight, n_classes)
        self.rules_ = []
        for rule in rules:
            is_covered = covered(rule, sample.X)
            free &= ~is_covered
            counts = np.bincount(sample.y[is_covered], sample.weight[is_covered], n_classes)
            self.rules_.append(record_of(rule, self.class_order_[rule.code], counts, whole))
        self.default_class_ = self.class_order_[default]
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
        rows = np.asfortranarray(self.checked_rows(X))
        first = np.full(len(rows), -1)
        for k, rule in enumerate(self.rules_):
            first[(first < 0) & covered(rule, rows)] = k
        return first

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
        return self.class_order_[self._codes[first]]

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the class shares of the training rows that each row's rule covers.

        For a row without a rule they are those of the training rows without one (of all, if each
        has one). A rule may be chosen although its class is not the one with its highest share;
        then `predict` follows the rule.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        first = self.apply(X)
        return self._by_class(np.asarray(self._shares[first]))
