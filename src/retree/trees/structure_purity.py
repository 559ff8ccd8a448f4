"""Splits by purity and the structure of the data: BNM and CSN (Du and Chen 2023)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils import check_scalar

from retree.trees.base import BaseTreeClassifier
from retree.trees.kernels import margin, penalty
from retree.trees.kernels.bins import make_bins
from retree.trees.kernels.choose import Rule, Scratch
from retree.trees.kernels.columns import Columns, make_columns
from retree.trees.kernels.geometry import make_geometry
from retree.trees.kernels.grow import grow
from retree.trees.kernels.ranking import make_ranking
from retree.trees.records import trees_from_records
from retree.trees.tree import Tree
from retree.trees.validation import check_choice, check_weight

_CRITERIA = ("gini", "bnm", "csn", "bnm+csn")
_PENALTIES = {
    "none": penalty.PENALTY_NONE,
    "within": penalty.PENALTY_WITHIN,
    "across": penalty.PENALTY_ACROSS,
}
_TUNABLE = ("k", "omega2")


class StructurePurityClassifier(BaseTreeClassifier):
    """Axis-parallel binary tree whose splits weigh Gini purity against the structure of the data.

    Candidate thresholds are the attribute values themselves (``x <= v``). With G the purity of a
    split (1 - weighted Gini of its children), the criteria choose

    - ``"gini"``: the greatest G;
    - ``"bnm"``: the greatest ``omega1 * G + omega2 * BNM`` (eqs. 7-10), BNM being the margin
      between the rows of the same class in different children, less a penalty;
    - ``"csn"``: among the `k` splits of greatest G the least CSN (eqs. 11-16), the compactness of
      the classes over their separation inside a child;
    - ``"bnm+csn"``: among the `k` splits of greatest ``omega1 * G + omega2 * BNM`` the least CSN
      (Algorithm 1).

    Ties fall to the lowest feature, then to the lowest threshold; scores that differ by less than
    7e-12 of their size are tied.

    Parameters
    ----------
    criterion : {"gini", "bnm", "csn", "bnm+csn"}, default="gini"
        How a split is chosen.
    k : int, default=2
        Number of candidates of which CSN chooses one.
    omega1, omega2 : float, default=1.0 and 0.02
        Weights of purity and of BNM.
    penalty : {"within", "across", "none"}, default="within"
        Penalty of eq. 7: distances to the threshold of the nearest rows of different classes in the
        same child, or on different sides of the threshold, or no penalty.
    small_child : {"leaf", "skip"}, default="leaf"
        What happens where a split leaves a child of fewer than `min_samples_leaf` rows: "leaf" is
        Algorithm 1 to the letter (the best split is chosen first; if it has such a child, the node
        becomes a leaf), "skip" never considers such splits, as scikit-learn's trees do.
    min_samples_leaf : int, default=2
        Least number of rows of a child; a node of no more rows is a leaf.
    max_depth : int or None, default=None
        Greatest depth.
    bnm_distance : {"squared", "euclidean"}, default="squared"
        Distance of the centroids in BNM: squared as in the formula of eq. 7, or Euclidean as in the
        words before it.
    csn_scaling : {"child", "parent"}, default="child"
        Whose ranges scale the rows of a child for CSN.
    code_matrix : array-like of shape (n_classes, n_dichotomies) or None, default=None
        For CSN with more than two classes (eq. 13): entries +1 and -1 name the sides of each
        dichotomy, 0 leaves a class out. None is one against the rest. Rows follow ``classes_``.

    Attributes
    ----------
    tree_ : Tree
        The grown tree.
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted.
    n_features_in_ : int
        Number of attributes seen in `fit`.

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

    def __init__(
        self,
        criterion: str = "gini",
        k: int = 2,
        omega1: float = 1.0,
        omega2: float = 0.02,
        penalty: str = "within",
        small_child: str = "leaf",
        min_samples_leaf: int = 2,
        max_depth: int | None = None,
        bnm_distance: str = "squared",
        csn_scaling: str = "child",
        code_matrix: ArrayLike | None = None,
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

    def fit(self, X: ArrayLike, y: ArrayLike) -> StructurePurityClassifier:
        """Grow the tree.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite numbers.
        y : array-like of shape (n_samples,)
            Class labels, of at least two classes.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter or the data is not as described.
        """
        X, codes = self._checked_training_data(X, y)
        self.tree_ = self._grow(X, codes, [{}])[0]
        return self

    def fit_grid(
        self, X: ArrayLike, y: ArrayLike, points: Sequence[Mapping[str, Any]]
    ) -> list[StructurePurityClassifier]:
        """Fit a clone with each of `points`; nodes on which their trees agree are computed once.

        Parameters
        ----------
        X, y : array-like
            As in `fit`.
        points : sequence of mappings
            Values of ``k`` and ``omega2`` that replace the estimator's own.

        Returns
        -------
        list of StructurePurityClassifier
            In the order of `points`; each is what ``fit`` of the clone would give.
        """
        if wrong := {name for point in points for name in point} - set(_TUNABLE):
            raise ValueError(f"fit_grid shares work over {_TUNABLE}, not over {sorted(wrong)}.")
        if not points:
            return []
        template = clone(self)
        X, codes = template._checked_training_data(X, y)
        trees = template._grow(X, codes, points)
        fitted = []
        for point, tree in zip(points, trees, strict=True):
            estimator = copy(template).set_params(**point)
            estimator.tree_ = tree
            fitted.append(estimator)
        return fitted

    def _grow(
        self,
        X: NDArray[np.float64],
        codes: NDArray[np.int32],
        points: Sequence[Mapping[str, Any]],
    ) -> list[Tree]:
        """Return the tree of each point."""
        rule = self._rule(points, X.size)
        columns = make_columns(X, codes, len(self.classes_), distances=self.criterion != "gini")
        counts = np.bincount(codes, minlength=len(self.classes_))
        numbers, members = grow(columns, counts, rule, _make_scratch(columns, rule))
        return trees_from_records(numbers, members, X)

    def _rule(self, points: Sequence[Mapping[str, Any]], n_values: int) -> Rule:
        """Validate the parameters and return them as the kernels want them.

        There are fewer than `n_values` candidates, and limits beyond that are no limits.
        """
        check_choice("criterion", self.criterion, _CRITERIA)
        check_choice("penalty", self.penalty, _PENALTIES)
        check_choice("bnm_distance", self.bnm_distance, ("squared", "euclidean"))
        check_choice("csn_scaling", self.csn_scaling, ("child", "parent"))
        check_choice("small_child", self.small_child, ("leaf", "skip"))
        check_weight("omega1", self.omega1)
        check_scalar(self.min_samples_leaf, "min_samples_leaf", Integral, min_val=1)
        if self.max_depth is not None:
            check_scalar(self.max_depth, "max_depth", Integral, min_val=1)
        ks, omega2s = [], []
        for point in points:
            k = check_scalar(point.get("k", self.k), "k", Integral, min_val=1)
            ks.append(min(k, n_values))
            omega2s.append(check_weight("omega2", point.get("omega2", self.omega2)))
        by_margin, by_compactness = "bnm" in self.criterion, "csn" in self.criterion
        omega2, list_of = np.unique(omega2s if by_margin else [0.0] * len(ks), return_inverse=True)
        return Rule(
            by_margin=by_margin,
            by_compactness=by_compactness,
            weighing=margin.Weighing(
                omega1=float(self.omega1),
                omega2=omega2.astype(np.float64),
                penalty=_PENALTIES[self.penalty],
                squared=self.bnm_distance == "squared",
            ),
            list_of=list_of.astype(np.int64),
            k=np.array(ks if by_compactness else [1] * len(ks), dtype=np.int64),
            scale_by_child=self.csn_scaling == "child",
            codes=self._codes(),
            min_samples_leaf=min(int(self.min_samples_leaf), n_values),
            skip_small=self.small_child == "skip",
            max_depth=n_values if self.max_depth is None else min(int(self.max_depth), n_values),
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
                f"code_matrix must have {n_classes} rows (one a class) of -1, 0 and +1, "
                f"got shape {codes.shape}."
            )
        return np.ascontiguousarray(codes, dtype=np.int8)


def _make_scratch(columns: Columns, rule: Rule) -> Scratch:
    """Return the arrays that growing needs besides the columns."""
    n_samples, n_pair = columns.bits.shape
    n_wide = len(columns.wide)
    purest = make_ranking(1, 1)
    purest.wanted[0] = 1
    return Scratch(
        ranking=make_ranking(len(rule.weighing.omega2), int(rule.k.max())),
        purest=purest,
        geometry=make_geometry(
            n_samples if rule.by_margin else 0, n_wide, n_pair, columns.n_classes
        ),
        sweep=margin.make_sweep(n_wide, n_pair, columns.n_classes),
        bins=make_bins(n_wide if rule.by_margin else 0, n_pair, columns.n_classes),
        goes_left=np.zeros(n_samples, np.uint8),
        buffer=np.empty(n_samples, np.uint64),
    )
