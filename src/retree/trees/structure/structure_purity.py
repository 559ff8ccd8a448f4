"""Splits by purity and the structure of the data: BNM and CSN (Du and Chen 2023)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from retree.trees.declaring import declare, parameter
from retree.trees.mixed import Sample
from retree.trees.pruning.limits import join_equal_leaves
from retree.trees.structure.growing import PENALTY, RANK_BY, TAKE, HybridTreeClassifier, Rule
from retree.trees.tree import Tree
from retree.trees.validation import check_weight, one_of

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
