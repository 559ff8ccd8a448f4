"""Splits by purity and the structure of the data: BNM and CSN (Du and Chen 2023)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from retree.trees.class_weights import ClassWeight
from retree.trees.mixed import Sample
from retree.trees.pruning.equal_leaves import join_equal_leaves
from retree.trees.smoothing import Smoothing
from retree.trees.structure.growing import Penalty, RankBy, Rule, Take
from retree.trees.structure.hybrid import HybridTreeClassifier
from retree.trees.tree import Tree
from retree.trees.validation import check_choice, check_weight

_CRITERIA = ("gini", "bnm", "csn", "bnm+csn")
_PENALTIES = {
    "none": Penalty.NONE,
    "within": Penalty.WITHIN,
    "across": Penalty.ACROSS,
    "nearest": Penalty.NEAREST,
}


class StructurePurityClassifier(HybridTreeClassifier):
    """Axis-parallel binary tree whose splits weigh Gini purity against the structure of the data.

    Candidate thresholds are the feature values themselves (``x <= v``). With G the purity of a
    split (1 - weighted Gini of its children), the criteria choose

    - ``"gini"``: the greatest G;
    - ``"bnm"``: the greatest ``omega1 * G + omega2 * BNM`` (eqs. 7-10), BNM being the margin
      between the rows of the same class in different children, less a penalty;
    - ``"csn"``: among the `k` splits of greatest G the least CSN (eqs. 11-16), the compactness of
      the classes over their separation inside a child;
    - ``"bnm+csn"``: among the `k` splits of greatest ``omega1 * G + omega2 * BNM`` the least CSN
      (Algorithm 1).

    Ties of G and of ``omega1 * G + omega2 * BNM`` fall to the lowest feature, then to the lowest
    threshold; `csn_ties` decides ties of CSN. Scores that differ by less than 7e-12 of their size
    are tied. In a node of n rows and p columns BNM takes O(p^2 n) at worst, CSN O(k p n).

    Parameters
    ----------
    criterion : {"gini", "bnm", "csn", "bnm+csn"}, default="gini"
        How a split is chosen.
    k : int, default=2
        Number of candidates of which CSN chooses one.
    omega1, omega2 : float, default=1.0 and 0.02
        Weights of purity and of BNM.
    penalty : {"within", "across", "none", "nearest"}, default="within"
        Penalty of eq. 7: distances to the threshold of the nearest rows of different classes in the
        same child, or on different sides of the threshold, or no penalty. "nearest" is eq. 6, which
        eq. 7 approximates: in each child the distance, with all features, between the nearest rows
        of different classes. The time of a node then grows with the square of its rows.
    small_child : {"leaf", "skip", "keep"}, default="leaf"
        What happens where a split leaves a child of fewer than `min_samples_leaf` rows: "leaf" is
        Algorithm 1 as it stands (the best split is chosen first; if it has such a child, the node
        becomes a leaf), "skip" never considers such splits, as scikit-learn's trees do, "keep"
        splits all the same.
    min_samples_leaf : int or float, default=2
        A node of no more rows is a leaf; other than with "keep", the least number of rows of a
        child, too. A fraction in (0, 1) is one of all rows, rounded up.
    max_depth : int or None, default=None
        Greatest depth.
    bnm_distance : {"squared", "euclidean"}, default="squared"
        Distance of the centroids in BNM, and of the rows in eq. 6: squared as in the formulas, or
        Euclidean as in the words before them.
    csn_scaling : {"child", "parent"}, default="child"
        Whose ranges scale the rows of a child for CSN.
    code_matrix : array-like of shape (n_classes, n_dichotomies) or None, default=None
        For CSN with more than two classes (eq. 13): entries +1 and -1 name the sides of each
        dichotomy, 0 leaves a class out. None is one against the rest. Rows follow ``classes_``.
    csn_ties : {"rank", "feature"}, default="rank"
        Which of the `k` splits is taken where several have the least CSN: "rank" the one of
        greatest G or ``omega1 * G + omega2 * BNM``, since Algorithm 1 goes through the sorted list
        from the top, "feature" the one of the lowest feature and threshold. Such ties are common in
        small nodes, where a child of one row of each class has a CSN of 0 just like a pure one.
    equal_leaves : {"keep", "join"}, default="keep"
        Whether a test remains if all leaves below it predict one class. The paper does not say.
    smoothing : "laplace", float or None, default=None
        How class shares become probabilities, see `retree.trees.smoothing`: as they are (None),
        with one more row of each class ("laplace"), or as m-estimates of this m.
    class_weight : "balanced", dict or None, default=None
        Weights of the classes, by label, by which those of the rows are multiplied; "balanced" is
        n_samples / (n_classes * rows of the class). Classes that a dict leaves out have weight 1.
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
    Du F., Chen S. (2023). Novel splitting criteria for decision trees with combination of structure
    and purity. Journal of Nanjing University of Aeronautics & Astronautics 55(3), 534-543.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from retree import StructurePurityClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> StructurePurityClassifier("bnm+csn", max_depth=2).fit(X, y).get_n_leaves()
    3
    """

    _tunable: ClassVar[tuple[str, ...]] = ("k", "omega2")

    def __init__(
        self,
        criterion: str = "gini",
        k: int = 2,
        omega1: float = 1.0,
        omega2: float = 0.02,
        penalty: str = "within",
        small_child: str = "leaf",
        min_samples_leaf: float = 2,
        max_depth: int | None = None,
        bnm_distance: str = "squared",
        csn_scaling: str = "child",
        code_matrix: ArrayLike | None = None,
        csn_ties: str = "rank",
        equal_leaves: str = "keep",
        smoothing: Smoothing = None,
        class_weight: ClassWeight = None,
        fill_missing: str | None = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
    ) -> None:
        self.criterion = criterion
        self.k = k
        self.omega1 = omega1
        self.omega2 = omega2
        self.penalty = penalty
        self.small_child = small_child
        self.min_samples_leaf = min_samples_leaf
        self.max_depth = max_depth
        self.bnm_distance = bnm_distance
        self.csn_scaling = csn_scaling
        self.code_matrix = code_matrix
        self.csn_ties = csn_ties
        self.equal_leaves = equal_leaves
        self.smoothing = smoothing
        self.class_weight = class_weight
        self.fill_missing = fill_missing
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease

    def _grow(self, sample: Sample, points: Sequence[Mapping[str, Any]]) -> list[Tree]:
        check_choice("equal_leaves", self.equal_leaves, ("keep", "join"))
        trees = super()._grow(sample, points)
        return [join_equal_leaves(t) for t in trees] if self.equal_leaves == "join" else trees

    def _rule(self, points: Sequence[Mapping[str, Any]], sample: Sample) -> Rule:
        """Validate the parameters and return them as the rule of growing."""
        check_choice("criterion", self.criterion, _CRITERIA)
        check_choice("penalty", self.penalty, _PENALTIES)
        check_choice("bnm_distance", self.bnm_distance, ("squared", "euclidean"))
        check_choice("csn_scaling", self.csn_scaling, ("child", "parent"))
        check_choice("csn_ties", self.csn_ties, ("rank", "feature"))
        check_weight("omega1", self.omega1)
        omega2s = [check_weight("omega2", p.get("omega2", self.omega2)) for p in points]
        rule = super()._rule(points, sample)
        by_margin, by_compactness = "bnm" in self.criterion, "csn" in self.criterion
        omega2, list_of = np.unique(
            omega2s if by_margin else [0.0] * len(points), return_inverse=True
        )
        return replace(
            rule,
            rank_by=RankBy.MARGIN if by_margin else RankBy.PURITY,
            take=Take.COMPACT if by_compactness else Take.FIRST,
            list_of=list_of.astype(np.int64),
            k=rule.k if by_compactness else np.ones_like(rule.k),
            omega1=float(self.omega1),
            omega2=omega2.astype(np.float64),
            penalty=_PENALTIES[self.penalty],
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
        return np.ascontiguousarray(codes, dtype=np.int8)
