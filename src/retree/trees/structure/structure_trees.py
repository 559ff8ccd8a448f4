"""Trees by structure and purity, and by class frequencies and the order of the classes."""

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

    Candidate thresholds are the feature values themselves (``x <= v``). With G the purity of a
    split (1 - weighted Gini of its children), the criteria choose

    - ``"gini"``: the highest G;
    - ``"bnm"``: the highest ``omega1 * G + omega2 * BNM`` (eqs. 7-10), BNM being the margin
      between the rows of the same class in different children, less a penalty;
    - ``"csn"``: among the `k` splits with the highest G the lowest CSN (eqs. 11-16), the
      compactness of the classes over their separation inside a child;
    - ``"bnm+csn"``: among the `k` splits with the highest ``omega1 * G + omega2 * BNM`` the lowest
      CSN (Algorithm 1).

    Ties of G and of ``omega1 * G + omega2 * BNM`` fall to the lowest feature, then to the lowest
    threshold; `csn_ties` decides ties of CSN. Scores that differ by less than 7e-12 of their size
    are tied. In a node of n rows and p columns BNM takes O(p^2 n) at worst, CSN O(k p n).

    Parameters
    ----------
    criterion : {"gini", "bnm", "csn", "bnm+csn"}
        How a split is chosen.
    k : int
        Number of candidates of which CSN chooses one.
    omega1 : float
        Weight of purity beside BNM.
    omega2 : float
        Weight of BNM.
    penalty : {"within", "across", "none", "nearest"}
        Penalty of eq. 7: distances to the threshold of the nearest rows of different classes in the
        same child, or on different sides of the threshold, or no penalty. "nearest" is eq. 6, which
        eq. 7 approximates: in each child the distance, with all features, between the nearest rows
        of different classes. The time of a node then grows with the square of its rows.
    bnm_distance : {"squared", "euclidean"}
        Distance of the centroids in BNM, and of the rows in eq. 6: squared as in the formulas, or
        Euclidean as in the words before them.
    csn_scaling : {"child", "parent"}
        Whose ranges scale the rows of a child for CSN.
    code_matrix : array-like of shape (n_classes, n_dichotomies) or None
        For CSN with more than two classes (eq. 13): entries +1 and -1 name the sides of each
        dichotomy, 0 leaves a class out. None is one against the rest. Rows follow ``classes_``.
    csn_ties : {"rank", "feature"}
        Which of the `k` splits is taken where several have the lowest CSN: "rank" the one of the
        highest G or ``omega1 * G + omega2 * BNM``, since Algorithm 1 goes through the sorted list
        from the top, "feature" the one of the lowest feature and threshold. Such ties are common in
        small nodes, where a child of one row of each class has a CSN of 0 just like a pure one.
    equal_leaves : {"keep", "join"}
        Whether a test remains if all leaves below it predict one class. The paper does not say.

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
        """Return the grown tree with its limits, and equal leaves joined if that is asked for."""
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
        """Return the code matrix, one-vs-rest by default; two classes need a single dichotomy."""
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
    """Numbers of segments choose among the `k` best candidates.

    Parameters
    ----------
    segment_attribute : {"best", "split"}
        The feature that sorts the rows of a child: the one of the fewest segments (eq. 1), or the
        one that is split (the words under eq. 2). With "best", a feature that is constant in a
        child sorts nothing and does not count; a child in which all are constant has as many
        segments as classes.
    small_child : {"keep", "leaf", "skip"}
        What happens where a split leaves a child of fewer than `min_samples_leaf` rows: "keep"
        splits all the same (section 3.2.1 of Du and Chen stops at nodes of so few rows, and asks
        for nothing of children), "leaf" makes a leaf of the node (lines 14-15 of Algorithm 1, which
        grows that paper's own trees), "skip" never considers such splits.
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
    """Segment+C4.5: among the splits with the highest gain ratio the one of the fewest segments.

    The rows of a child, sorted by a feature, fall into *segments* where the class changes. Rows
    of equal value may stand in any order, and the one of the fewest segments counts. Of the `k`
    candidates with the highest gain ratio that one is chosen which minimises (eq. 2)
    ``n1/n * Seg1 + n2/n * Seg2``, with n1 and n2 the rows of its children.

    Candidate thresholds are the feature values themselves (``x <= v``). Gain ratios that differ
    by less than 1.5e-11 are tied; ties fall to the lowest feature, then to the lowest threshold.

    Parameters
    ----------
    ties : {"attribute", "rank"}
        What decides between candidates of equal segments, which are common: the lowest feature and
        threshold, or the greater gain ratio. The paper does not say.

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
    """SPES: a weighted sum of gain ratio and normalised expected number of segments.

    Of the `k` candidates with the highest gain ratio F, that one is chosen which maximises (eq. 3)
    ``alpha * F + (1 - alpha) * S(E)``, with E the expected number of segments that
    `SegmentC45Classifier` minimises and S its normalisation over the `k` candidates. Thresholds and
    ties of F are those of `SegmentC45Classifier`, too; sums that differ by less than 7e-12 of their
    size are tied.

    Parameters
    ----------
    alpha : float
        Weight of the gain ratio, in [0, 1]: 1 looks at nothing else.
    normalisation : {"spes1", "spes2"}
        S(E) is ``(Emax - E) / (Emax - Emin)``, 1 if the candidates have equal E, or ``Emin / E``.
        The paper says that there are two, and does not define them.

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
    """SPCE: among the splits with the largest Hellinger distance the one of the fewest segments.

    Of the `k` candidates with the largest Hellinger distance between the distributions of the
    classes over the two children, that one is chosen whose children have the fewest segments in
    total, and of several such the one of the highest segment ratio, of the fewer to the more (eq.
    4). With more than two classes the distance is the mean over the classes of that from all other
    classes.

    Segments, thresholds and ties are those of `SegmentC45Classifier`.

    Parameters
    ----------
    segment_attribute : {"best", "split"}
        The feature that sorts the rows of a child, as in `SegmentC45Classifier`. Eq. 4 names the
        feature of the split, and nothing is said of the fewest segments.
    ties : {"attribute", "rank"}
        What decides between candidates of equal segments and ratio: the lowest feature and
        threshold, or the greater Hellinger distance.

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
