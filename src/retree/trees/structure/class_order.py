"""Splits by class frequencies and the order of the classes: Segment+C4.5, SPES and SPCE."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_scalar

from retree.trees.class_weights import ClassWeight
from retree.trees.decreases import ENTROPY, GINI
from retree.trees.mixed import Sample
from retree.trees.smoothing import Smoothing
from retree.trees.structure.growing import RankBy, Rule, Take
from retree.trees.structure.hybrid import HybridTreeClassifier
from retree.trees.validation import check_choice, check_weight

_BLENDS = {"spes1": Take.BLEND_RANGE, "spes2": Take.BLEND_RATIO}


class _SegmentTreeClassifier(HybridTreeClassifier):
    """Of the `k` best candidates, numbers of segments choose one."""

    segment_attribute: str
    ties: str = "attribute"

    _impurity = ENTROPY
    _rank_by = RankBy.GAIN_RATIO
    _take = Take.EXPECTED

    def _rule(self, points: Sequence[Mapping[str, Any]], sample: Sample) -> Rule:
        """Validate the parameters and return them as the rule of growing."""
        check_choice("segment_attribute", self.segment_attribute, ("best", "split"))
        check_choice("ties", self.ties, ("attribute", "rank"))
        return replace(
            super()._rule(points, sample),
            rank_by=self._rank_by,
            take=self._take,
            along_split=self.segment_attribute == "split",
            rank_breaks_ties=self.ties == "rank",
        )


class SegmentC45Classifier(_SegmentTreeClassifier):
    """Segment+C4.5: among the splits of greatest gain ratio the one of the fewest segments.

    The rows of a child, sorted by a feature, fall into *segments* where the class changes. Rows
    of equal value may stand in any order, and the one of the fewest segments counts. Of the `k`
    candidates of greatest gain ratio that one is chosen which minimises (eq. 2)
    ``n1/n * Seg1 + n2/n * Seg2``, with n1 and n2 the rows of its children.

    Candidate thresholds are the feature values themselves (``x <= v``). Gain ratios that differ
    by less than 1.5e-11 are tied; ties fall to the lowest feature, then to the lowest threshold.

    Parameters
    ----------
    k : int, default=2
        Number of candidates of which segments choose one.
    segment_attribute : {"best", "split"}, default="best"
        The feature that sorts the rows of a child: the one of the fewest segments (eq. 1), or the
        one that is split (the words under eq. 2). With "best", a feature that is constant in a
        child sorts nothing and does not count; a child in which all are constant has as many
        segments as classes.
    ties : {"attribute", "rank"}, default="attribute"
        What decides between candidates of equal segments, which are common: the lowest feature and
        threshold, or the greater gain ratio. The paper does not say.
    small_child : {"keep", "leaf", "skip"}, default="keep"
        What happens where a split leaves a child of fewer than `min_samples_leaf` rows: "keep"
        splits all the same (section 3.2.1 stops at nodes of so few rows, and asks for nothing of
        children), "leaf" makes a leaf of the node (lines 14-15 of Algorithm 1, which grows the
        paper's own trees), "skip" never considers such splits.
    min_samples_leaf : int or float, default=2
        A node of no more rows is a leaf; other than with "keep", the least number of rows of a
        child, too. A fraction in (0, 1) is one of all rows, rounded up.
    max_depth : int or None, default=None
        Greatest depth.
    smoothing : "laplace", float or None, default=None
        How class shares become probabilities, see `retree.trees.smoothing`: as they are (None),
        with one more row of each class ("laplace"), or as m-estimates of this m.
    class_weight : "balanced", dict or None, default=None
        Weights of the classes, by label, by which those of the rows are multiplied; "balanced" is
        n_samples / (n_classes * rows of the class). Classes that a dict leaves out have weight 1.
        Leaves of a tree grown to its end are pure, and no weight changes what a pure leaf predicts.
    fill_missing : {"common", "mean"} or None, default=None
        Fills in missing values, in prediction too: with the most common value of the column (the
        lowest where weights tie), or with its mean. None refuses them.
    max_leaf_nodes : int or None, default=None
        Greatest number of leaves, at least 2. The tree then grows best first: the node whose test
        lowers the entropy of the whole tree most is split next, the first in the order of nodes
        where these tie.
    min_impurity_decrease : float, default=0.0
        A node is split only if its test lowers the entropy of the whole tree by at least this: the
        decrease in the node times its share of the whole weight.

    Attributes
    ----------
    tree_ : Tree
        The grown tree.
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted.
    fill_values_ : ndarray of shape (n_features,)
        What is filled in, if `fill_missing` is set.
    n_features_in_ : int
        Number of features seen in `fit`.

    References
    ----------
    Wang R., Kwong S., Wang X.-Z., Jiang Q. (2015). Segment based decision tree induction with
    continuous valued attributes. IEEE Transactions on Cybernetics 45(7), 1262-1275; as described by
    Du F., Chen S. (2023), section 1.1, whose equations are cited.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from retree.trees.structure.class_order import SegmentC45Classifier
    >>> X, y = load_iris(return_X_y=True)
    >>> SegmentC45Classifier(k=5, max_depth=2).fit(X, y).get_n_leaves()
    3
    """

    def __init__(
        self,
        k: int = 2,
        segment_attribute: str = "best",
        ties: str = "attribute",
        small_child: str = "keep",
        min_samples_leaf: float = 2,
        max_depth: int | None = None,
        smoothing: Smoothing = None,
        class_weight: ClassWeight = None,
        fill_missing: str | None = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
    ) -> None:
        self.k = k
        self.segment_attribute = segment_attribute
        self.ties = ties
        self.small_child = small_child
        self.min_samples_leaf = min_samples_leaf
        self.max_depth = max_depth
        self.smoothing = smoothing
        self.class_weight = class_weight
        self.fill_missing = fill_missing
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease


class SPESClassifier(_SegmentTreeClassifier):
    """SPES: a weighted sum of gain ratio and normalised expected number of segments.

    Of the `k` candidates of greatest gain ratio F, that one is chosen which maximises (eq. 3)
    ``alpha * F + (1 - alpha) * S(E)``, with E the expected number of segments that
    `SegmentC45Classifier` minimises and S its normalisation over the `k` candidates. Thresholds and
    ties of F are those of `SegmentC45Classifier`, too; sums that differ by less than 7e-12 of their
    size are tied.

    Parameters
    ----------
    k : int, default=2
        Number of candidates.
    alpha : float, default=0.5
        Weight of the gain ratio, in [0, 1]: 1 looks at nothing else.
    normalisation : {"spes1", "spes2"}, default="spes1"
        S(E) is ``(Emax - E) / (Emax - Emin)``, 1 if the candidates have equal E, or ``Emin / E``.
        The paper says that there are two, and does not define them.
    segment_attribute : {"best", "split"}, default="best"
        The feature that sorts the rows of a child, as in `SegmentC45Classifier`.
    small_child : {"keep", "leaf", "skip"}, default="keep"
    min_samples_leaf : int or float, default=2
        As in `SegmentC45Classifier`.
    max_depth : int or None, default=None
        Greatest depth.
    smoothing : "laplace", float or None, default=None
        How class shares become probabilities, see `retree.trees.smoothing`: as they are (None),
        with one more row of each class ("laplace"), or as m-estimates of this m.
    class_weight : "balanced", dict or None, default=None
        Weights of the classes, by label, by which those of the rows are multiplied; "balanced" is
        n_samples / (n_classes * rows of the class). Classes that a dict leaves out have weight 1.
        Leaves of a tree grown to its end are pure, and no weight changes what a pure leaf predicts.
    fill_missing : {"common", "mean"} or None, default=None
        Fills in missing values, in prediction too: with the most common value of the column (the
        lowest where weights tie), or with its mean. None refuses them.
    max_leaf_nodes : int or None, default=None
        Greatest number of leaves, at least 2. The tree then grows best first: the node whose test
        lowers the entropy of the whole tree most is split next, the first in the order of nodes
        where these tie.
    min_impurity_decrease : float, default=0.0
        A node is split only if its test lowers the entropy of the whole tree by at least this: the
        decrease in the node times its share of the whole weight.

    Attributes
    ----------
    tree_ : Tree
        The grown tree.
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted.
    fill_values_ : ndarray of shape (n_features,)
        What is filled in, if `fill_missing` is set.
    n_features_in_ : int
        Number of features seen in `fit`.

    References
    ----------
    Yan J., Zhang Z., Xie L. et al. (2019). A unified framework for decision tree on continuous
    attributes. IEEE Access 7, 11924-11933; as described by Du F., Chen S. (2023), section 1.2,
    whose equations are cited.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from retree.trees.structure.class_order import SPESClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> SPESClassifier(k=5, alpha=0.8, max_depth=2).fit(X, y).get_n_leaves()
    3
    """

    _tunable: ClassVar[tuple[str, ...]] = ("k", "alpha")

    def __init__(
        self,
        k: int = 2,
        alpha: float = 0.5,
        normalisation: str = "spes1",
        segment_attribute: str = "best",
        small_child: str = "keep",
        min_samples_leaf: float = 2,
        max_depth: int | None = None,
        smoothing: Smoothing = None,
        class_weight: ClassWeight = None,
        fill_missing: str | None = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
    ) -> None:
        self.k = k
        self.alpha = alpha
        self.normalisation = normalisation
        self.segment_attribute = segment_attribute
        self.small_child = small_child
        self.min_samples_leaf = min_samples_leaf
        self.max_depth = max_depth
        self.smoothing = smoothing
        self.class_weight = class_weight
        self.fill_missing = fill_missing
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease

    def _rule(self, points: Sequence[Mapping[str, Any]], sample: Sample) -> Rule:
        """Validate the parameters and return them as the rule of growing."""
        check_choice("normalisation", self.normalisation, _BLENDS)
        alphas = [check_weight("alpha", p.get("alpha", self.alpha)) for p in points]
        for alpha in alphas:
            check_scalar(alpha, "alpha", Real, max_val=1)
        return replace(
            super()._rule(points, sample),
            take=_BLENDS[self.normalisation],
            alpha=np.array(alphas, np.float64),
        )


class SPCEClassifier(_SegmentTreeClassifier):
    """SPCE: among the splits of greatest Hellinger distance the one of the fewest segments.

    Of the `k` candidates of greatest Hellinger distance between the distributions of the classes
    over the two children, that one is chosen whose children have the fewest segments in total, and
    of several such the one of the greatest segment ratio, of the fewer to the more (eq. 4). With
    more than two classes the distance is the mean over the classes of that from all other classes.

    Segments, thresholds and ties are those of `SegmentC45Classifier`.

    Parameters
    ----------
    k : int, default=2
        Number of candidates, the rows of the truncated matrix.
    segment_attribute : {"best", "split"}, default="split"
        The feature that sorts the rows of a child, as in `SegmentC45Classifier`. Eq. 4 names the
        feature of the split, and nothing is said of the fewest segments.
    ties : {"attribute", "rank"}, default="attribute"
        What decides between candidates of equal segments and ratio: the lowest feature and
        threshold, or the greater Hellinger distance.
    small_child : {"keep", "leaf", "skip"}, default="keep"
    min_samples_leaf : int or float, default=2
        As in `SegmentC45Classifier`.
    max_depth : int or None, default=None
        Greatest depth.
    smoothing : "laplace", float or None, default=None
        How class shares become probabilities, see `retree.trees.smoothing`: as they are (None),
        with one more row of each class ("laplace"), or as m-estimates of this m.
    class_weight : "balanced", dict or None, default=None
        Weights of the classes, by label, by which those of the rows are multiplied; "balanced" is
        n_samples / (n_classes * rows of the class). Classes that a dict leaves out have weight 1.
        Leaves of a tree grown to its end are pure, and no weight changes what a pure leaf predicts.
    fill_missing : {"common", "mean"} or None, default=None
        Fills in missing values, in prediction too: with the most common value of the column (the
        lowest where weights tie), or with its mean. None refuses them.
    max_leaf_nodes : int or None, default=None
        Greatest number of leaves, at least 2. The tree then grows best first: the node whose test
        lowers the Gini index of the whole tree most is split next, the first in the order of nodes
        where these tie.
    min_impurity_decrease : float, default=0.0
        A node is split only if its test lowers the Gini index of the whole tree by at least this:
        the decrease in the node times its share of the whole weight.

    Attributes
    ----------
    tree_ : Tree
        The grown tree.
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted.
    fill_values_ : ndarray of shape (n_features,)
        What is filled in, if `fill_missing` is set.
    n_features_in_ : int
        Number of features seen in `fit`.

    References
    ----------
    Yan J., Zhang Z., Lin K. et al. (2020). A hybrid scheme-based one-vs-all decision trees for
    multi-class classification tasks. Knowledge-Based Systems 198, 105922; as described by Du F.,
    Chen S. (2023), section 1.3, whose equations are cited.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from retree.trees.structure.class_order import SPCEClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> SPCEClassifier(k=5, max_depth=2).fit(X, y).get_n_leaves()
    3
    """

    _impurity = GINI
    _rank_by = RankBy.HELLINGER
    _take = Take.TOTAL

    def __init__(
        self,
        k: int = 2,
        segment_attribute: str = "split",
        ties: str = "attribute",
        small_child: str = "keep",
        min_samples_leaf: float = 2,
        max_depth: int | None = None,
        smoothing: Smoothing = None,
        class_weight: ClassWeight = None,
        fill_missing: str | None = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
    ) -> None:
        self.k = k
        self.segment_attribute = segment_attribute
        self.ties = ties
        self.small_child = small_child
        self.min_samples_leaf = min_samples_leaf
        self.max_depth = max_depth
        self.smoothing = smoothing
        self.class_weight = class_weight
        self.fill_missing = fill_missing
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
