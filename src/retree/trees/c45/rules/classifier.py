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

    1. Each leaf of the tree gives a rule. Its conditions are dropped one at a time, as long as that
       does not raise the rule's error on all training rows, or the upper limit of that error.
       Duplicate rules, and rules that are no better than the share of their class, are left out.
    2. For each class the set of rules is chosen that takes the fewest bits: half the bits that
       describe the rules, plus the bits that describe the rows they get wrong. With up to ten rules
       all sets are tried. With more, hill climbing adds or removes rules, starting from the empty
       set and from nine random sets.
    3. The rules of a class are consecutive, lowest error limit first. The next class is the one
       whose rules cover the fewest rows of other classes among those not covered yet. A row gets
       the class of the first rule that covers it. If no rule covers it, it gets the default class,
       the most frequent class among the training rows that no rule covers.
    4. Rules are dropped if fewer training rows are misclassified without them.

    The steps are those of the book (chapter 5). Where Quinlan's program, release 8, differs from
    the book, this follows the program: exceptions are coded as in Quinlan (1995), error limits
    interpolate between quantiles with two decimals, and step 4 is added. It differs from the
    program in three points: two rules are duplicates only if their thresholds have the same sign,
    the random starts differ, and the tree is that of `C45Classifier`, with J48's thresholds and
    choice of tests.

    Parameters
    ----------
    confidence : float
        Confidence of the upper error limits, in (0, 0.5]; a smaller value drops more conditions.
    min_cases : int
        Minimum weight that at least two branches of a test must have, see `C45Classifier`.
    redundancy : float
        Divides the bits that a condition takes to name its feature. Set it above 1 if features are
        redundant: rules then take fewer bits, so more rules are chosen.
    binary_splits : bool
        Whether a categorical test separates one level from all others.
    max_depth : int or None
        Maximum depth of the tree.
    random_state : int, RandomState or None
        Draws the random starts of hill climbing.

    Attributes
    ----------
    rules_ : list of ProductionRule
        The rules, in the order in which they are tried.
    default_class_ : object
        Class predicted for rows that no rule covers.
    default_counts_ : ndarray of shape (n_classes,)
        Number (or weight) of the training rows of each class that no rule covers, in the order of
        ``class_order_``, like the counts of the rules.
    class_order_ : ndarray of shape (n_classes,)
        Class labels in the order in which they win ties: the order of the category type of y, or
        that of ``classes_`` if y has no category type.
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
        """Grow the tree and turn it into rules.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers, and any values in categorical columns; NaN where a value is missing.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights, not negative, as in `C45Classifier`; errors and bits are weighted, too.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter or the data is invalid.
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
        """Set the rules with their records, and the default class."""
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
        """Return the class shares among the training rows that each row's rule covers.

        A row that no rule covers gets the class shares of the training rows that no rule covers, or
        of all training rows if there are no such rows. The class of a rule need not be the one with
        the highest share among the rows it covers; `predict` then follows the rule.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        first = self.apply(X)
        return self._by_class(np.asarray(self._shares[first]))
