"""Trees that split by structure and purity, or by class frequencies and the order of classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from retree.trees.declaring import declare, parameter, parameters
from retree.trees.decreases import ENTROPY, GINI
from retree.trees.mixed import Sample
from retree.trees.pruning.limits import join_equal_leaves
from retree.trees.structure.structure_growing import (
    PENALTY,
    RANK_BY,
    TAKE,
    HybridTreeClassifier,
    Rule,
)
from retree.trees.tree import Tree
from retree.trees.validation import check_weight, number, one_of

_CRITERIA = ("gini", "bnm", "csn", "bnm+csn")


@declare("structure_purity", version=2)
class StructurePurityClassifier(HybridTreeClassifier):
    """Axis-parallel binary tree whose splits weigh Gini purity against the structure of the data.

    Candidate thresholds are the feature values themselves (``x <= v``). G is the purity of a split,
    1 minus the weighted Gini index of its children. The criteria choose

    - ``"gini"``: the highest G;
    - ``"bnm"``: the highest ``omega1 * G + omega2 * BNM`` (eqs. 7-10), where BNM is the margin
      between rows of the same class in different children, minus a penalty;
    - ``"csn"``: among the `k` splits with the highest G the one with the lowest CSN (eqs. 11-16),
      the compactness of the classes divided by their separation within a child;
    - ``"bnm+csn"``: among the `k` splits with the highest ``omega1 * G + omega2 * BNM`` the one
      with the lowest CSN (Algorithm 1).

    Scores that differ by less than 7e-12 of their size are tied. Ties of G and of
    ``omega1 * G + omega2 * BNM`` go to the lowest feature, then to the lowest threshold; `csn_ties`
    decides ties of CSN. In a node of n rows and p columns BNM takes at most O(p^2 n), CSN O(k p n).

    Parameters
    ----------
    criterion : {"gini", "bnm", "csn", "bnm+csn"}
        How a split is chosen, see above.
    k : int
        Number of best candidates, among which CSN chooses.
    omega1 : float
        Weight of the purity G.
    omega2 : float
        Weight of BNM.
    penalty : {"within", "across", "none", "nearest"}
        Penalty in eq. 7. "within" uses the distances to the threshold of the nearest rows of
        different classes in the same child, "across" of those on different sides of the threshold;
        "none" is no penalty. "nearest" is eq. 6, which eq. 7 approximates: the distance, in all
        features, between the nearest rows of different classes in each child. The time per node
        then grows with the square of its rows.
    bnm_distance : {"squared", "euclidean"}
        Distance between centroids in BNM, and between rows in eq. 6: squared as in the paper's
        formulas, or Euclidean as in its text.
    csn_scaling : {"child", "parent"}
        Whether the rows of a child are scaled for CSN by the child's own ranges or by its parent's.
    code_matrix : array-like of shape (n_classes, n_dichotomies) or None
        For CSN with more than two classes (eq. 13): entries +1 and -1 are the sides of each
        dichotomy, 0 leaves a class out. None means one class against the rest. Rows are in the
        order of ``classes_``.
    csn_ties : {"rank", "feature"}
        Which of the `k` splits is taken if several have the lowest CSN. "rank" takes the one with
        the highest G or ``omega1 * G + omega2 * BNM``, since Algorithm 1 goes through the sorted
        list from the top; "feature" takes the lowest feature and threshold. Such ties are common in
        small nodes, where a child with one row of each class has a CSN of 0, like a pure child.
    equal_leaves : {"keep", "join"}
        Whether a test whose leaves all predict the same class is kept, or joined into one leaf. The
        paper does not say.

    References
    ----------
    Du F., Chen S. (2023). Novel splitting criteria for decision trees with combination of structure
    and purity. Journal of Nanjing University of Aeronautics & Astronautics 55(3), 534-543.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from retree import StructurePurityClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> StructurePurityClassifier(criterion="bnm+csn", max_depth=2).fit(X, y).get_n_leaves()
    3
    """

    criterion: Literal["gini", "bnm", "csn", "bnm+csn"] = parameter(
        default="gini", check=one_of(*_CRITERIA)
    )
    omega1: float = parameter(default=1.0, check=check_weight)
    omega2: float = parameter(default=0.02, check=check_weight)
    penalty: Literal["none", "within", "across", "nearest"] = parameter(
        default="within", check=one_of(*PENALTY)
    )
    small_child: Literal["leaf", "skip", "keep"] = "leaf"
    bnm_distance: Literal["squared", "euclidean"] = parameter(
        default="squared", check=one_of("squared", "euclidean")
    )
    csn_scaling: Literal["child", "parent"] = parameter(
        default="child", check=one_of("child", "parent")
    )
    code_matrix: ArrayLike | None = None
    csn_ties: Literal["rank", "feature"] = parameter(
        default="rank", check=one_of("rank", "feature")
    )
    equal_leaves: Literal["keep", "join"] = parameter(
        default="keep", check=one_of("keep", "join"), neutral=True
    )

    impurity = GINI
    _tunable: ClassVar[tuple[str, ...]] = ("k", "omega2")

    def trimmed(self, tree: Tree) -> Tree:
        """Return the grown tree, cut by its limits and with equal leaves joined if asked for."""
        tree = super().trimmed(tree)
        return join_equal_leaves(tree) if self.equal_leaves == "join" else tree

    def _rule(self, points: Sequence[Mapping[str, Any]], sample: Sample) -> Rule:
        omega2s = [float(p.get("omega2", self.omega2)) for p in points]
        rule = super()._rule(points, sample)
        by_margin, by_compactness = "bnm" in self.criterion, "csn" in self.criterion
        omega2, list_of = np.unique(
            omega2s if by_margin else [0.0] * len(points), return_inverse=True
        )
        return replace(
            rule,
            rank_by=RANK_BY["margin" if by_margin else "purity"],
            take=TAKE["compact" if by_compactness else "first"],
            list_of=list_of.astype(np.int64),
            k=rule.k if by_compactness else np.ones_like(rule.k),
            omega1=float(self.omega1),
            omega2=omega2.astype(np.float64),
            penalty=PENALTY[self.penalty],
            squared=self.bnm_distance == "squared",
            scale_by_child=self.csn_scaling == "child",
            codes=self._codes(),
            rank_breaks_ties=self.csn_ties == "rank",
        )

    def _codes(self) -> NDArray[np.int8]:
        """Return the code matrix, by default one against the rest; two classes need one column."""
        n_classes = len(self.classes_)
        if self.code_matrix is None:
            codes = 2 * np.eye(n_classes, dtype=np.int8) - 1
            return np.ascontiguousarray(codes[:, :1]) if n_classes == 2 else codes
        codes = np.asarray(self.code_matrix)
        if codes.ndim != 2 or len(codes) != n_classes or not np.isin(codes, (-1, 0, 1)).all():
            raise ValueError(
                f"code_matrix must have {n_classes} rows (one per class) of -1, 0 and +1, "
                f"got shape {codes.shape}."
            )
        codes = codes if self._class_order is None else codes[self._class_order]
        return np.ascontiguousarray(codes, dtype=np.int8)


_BLENDS = {"spes1": TAKE["blend_range"], "spes2": TAKE["blend_ratio"]}


@parameters
class _SegmentTreeClassifier(HybridTreeClassifier):
    """Base of trees in which numbers of segments choose among the `k` best candidates.

    Parameters
    ----------
    segment_attribute : {"best", "split"}
        The feature that sorts the rows of a child: "best" is the feature that gives the fewest
        segments (eq. 1), "split" is the split feature (the text under eq. 2). With "best", features
        that are constant in a child are ignored; if all features are constant, the child has as
        many segments as classes.
    small_child : {"keep", "leaf", "skip"}
        What happens if a split gives a child with fewer than `min_samples_leaf` rows. "keep" splits
        anyway: section 3.2.1 of Du and Chen stops at nodes with so few rows and demands nothing of
        children. "leaf" makes the node a leaf: lines 14-15 of Algorithm 1, which grows that paper's
        own trees. "skip" never considers such splits.
    """

    segment_attribute: Literal["best", "split"] = parameter(
        default="best", check=one_of("best", "split")
    )

    ties = "attribute"
    impurity = ENTROPY
    _rank_by = RANK_BY["gain_ratio"]
    _take = TAKE["expected"]

    def _rule(self, points: Sequence[Mapping[str, Any]], sample: Sample) -> Rule:
        return replace(
            super()._rule(points, sample),
            rank_by=self._rank_by,
            take=self._take,
            along_split=self.segment_attribute == "split",
            rank_breaks_ties=self.ties == "rank",
        )


@declare("segment_c45")
class SegmentC45Classifier(_SegmentTreeClassifier):
    """Segment+C4.5: of the splits with the highest gain ratio, the one with the fewest segments.

    Sort the rows of a child by a feature: a new *segment* starts wherever the class changes. Rows
    with equal values may be in any order; the order with the fewest segments counts. Of the `k`
    candidates with the highest gain ratio, the one is chosen that minimises
    ``n1/n * Seg1 + n2/n * Seg2`` (eq. 2), where n1 and n2 are the numbers of rows and Seg1 and Seg2
    the numbers of segments of its children.

    Candidate thresholds are the feature values themselves (``x <= v``). Gain ratios that differ by
    less than 1.5e-11 are tied; ties go to the lowest feature, then to the lowest threshold.

    Parameters
    ----------
    ties : {"attribute", "rank"}
        What decides between candidates with equally many segments, which are common: "attribute"
        takes the lowest feature and threshold, "rank" the greater gain ratio. The paper does not
        say.

    References
    ----------
    Wang R., Kwong S., Wang X.-Z., Jiang Q. (2015). Segment based decision tree induction with
    continuous valued attributes. IEEE Transactions on Cybernetics 45(7), 1262-1275; as described by
    Du F., Chen S. (2023), section 1.1, whose equations are cited.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from retree.trees.structure.structure_trees import SegmentC45Classifier
    >>> X, y = load_iris(return_X_y=True)
    >>> SegmentC45Classifier(k=5, max_depth=2).fit(X, y).get_n_leaves()
    3
    """

    ties: Literal["attribute", "rank"] = parameter(
        default="attribute", check=one_of("attribute", "rank")
    )


@declare("spes")
class SPESClassifier(_SegmentTreeClassifier):
    """SPES: splits maximise a weighted sum of gain ratio and normalised number of segments.

    Of the `k` candidates with the highest gain ratio F, the one is chosen that maximises
    ``alpha * F + (1 - alpha) * S(E)`` (eq. 3). E is the expected number of segments, which
    `SegmentC45Classifier` minimises, and S normalises it over the `k` candidates. Thresholds and
    ties of F are as in `SegmentC45Classifier`; sums that differ by less than 7e-12 of their size
    are tied.

    Parameters
    ----------
    alpha : float
        Weight of the gain ratio, in [0, 1]; with 1 only the gain ratio counts.
    normalisation : {"spes1", "spes2"}
        How E is normalised: in "spes1" S(E) is ``(Emax - E) / (Emax - Emin)``, or 1 if all
        candidates have the same E; in "spes2" it is ``Emin / E``. The paper mentions two
        normalisations but does not define them.

    References
    ----------
    Yan J., Zhang Z., Xie L. et al. (2019). A unified framework for decision tree on continuous
    attributes. IEEE Access 7, 11924-11933; as described by Du F., Chen S. (2023), section 1.2,
    whose equations are cited.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from retree.trees.structure.structure_trees import SPESClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> SPESClassifier(k=5, alpha=0.8, max_depth=2).fit(X, y).get_n_leaves()
    3
    """

    alpha: float = parameter(default=0.5, check=number(0, 1))
    normalisation: Literal["spes1", "spes2"] = parameter(default="spes1", check=one_of(*_BLENDS))

    _tunable: ClassVar[tuple[str, ...]] = ("k", "alpha")

    def _rule(self, points: Sequence[Mapping[str, Any]], sample: Sample) -> Rule:
        alphas = [float(p.get("alpha", self.alpha)) for p in points]
        return replace(
            super()._rule(points, sample),
            take=_BLENDS[self.normalisation],
            alpha=np.array(alphas, np.float64),
        )


@declare("spce")
class SPCEClassifier(_SegmentTreeClassifier):
    """SPCE: of the splits with the largest Hellinger distance, the one with the fewest segments.

    The Hellinger distance measures how differently two classes are distributed over the children.
    With more than two classes it is the mean, over the classes, of the distance between a class and
    all others. Of the `k` candidates with the largest distance, the one is chosen whose children
    have the fewest segments in total. Of several such candidates, the one with the highest segment
    ratio is chosen, which divides the smaller number of segments by the larger (eq. 4).

    Segments, thresholds and ties are as in `SegmentC45Classifier`.

    Parameters
    ----------
    segment_attribute : {"best", "split"}
        The feature that sorts the rows of a child, as in `SegmentC45Classifier`. Eq. 4 uses the
        split feature; the paper does not mention the feature with the fewest segments.
    ties : {"attribute", "rank"}
        What decides between candidates with equally many segments and the same ratio: "attribute"
        takes the lowest feature and threshold, "rank" the greater Hellinger distance.

    References
    ----------
    Yan J., Zhang Z., Lin K. et al. (2020). A hybrid scheme-based one-vs-all decision trees for
    multi-class classification tasks. Knowledge-Based Systems 198, 105922; as described by Du F.,
    Chen S. (2023), section 1.3, whose equations are cited.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from retree.trees.structure.structure_trees import SPCEClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> SPCEClassifier(k=5, max_depth=2).fit(X, y).get_n_leaves()
    3
    """

    segment_attribute: Literal["best", "split"] = "split"
    ties: Literal["attribute", "rank"] = parameter(
        default="attribute", check=one_of("attribute", "rank")
    )

    impurity = GINI
    _rank_by = RANK_BY["hellinger"]
    _take = TAKE["total"]
