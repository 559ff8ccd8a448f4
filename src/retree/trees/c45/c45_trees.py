"""C4.5 (Quinlan 1993) as Weka's J48 grows and prunes it, and ID3 (Quinlan 1986)."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from retree.trees.c45.c45_growing import C45Rule, InformationTreeClassifier
from retree.trees.declaring import declare, parameter
from retree.trees.parameters import Pruning
from retree.trees.pruning.by_errors import collapse
from retree.trees.tree import Tree
from retree.trees.validation import (
    NO_LIMIT,
    check_confidence,
    depth_limit,
    one_of,
    thread_count,
)

# How far above the middle of a gap a threshold may be, by release of Weka.
_SLACK = {"3.9": 0.0, "3.6": 1e-6}


@declare("c45", version=3)
class C45Classifier(InformationTreeClassifier):
    """C4.5: gain-ratio splits with one branch per level, and error-based pruning.

    The tree is that of J48, Weka's implementation of C4.5 release 8. A numeric feature is tested
    against the threshold with the highest information gain, a categorical one with a branch for
    each of its levels; of the tests of at least average gain (to 1e-3) the one with the best gain
    ratio is taken, the first feature where ratios tie. Numbers that differ by less than 1e-6 are
    tied, and no threshold stands between values closer than 1e-5, so scale features of a smaller
    range.

    A row whose tested value is missing (NaN) goes down every branch with a part of its weight, in
    training as in prediction. A level that was unknown in `fit` counts as missing. The weights of
    such parts are summed in J48's order, so that ties which the last bit decides fall as there: it
    sorts the rows of a node in place, by one numeric feature after the other.

    Parameters
    ----------
    confidence : float
        Confidence of error-based pruning, from 2^-53 to 0.5; a smaller one prunes more.
    min_cases : int or float
        Minimum weight of at least two branches of a test; a float in (0, 1) is a fraction of the
        total weight, rounded up. Both branches of a numeric test must
        have a tenth of the node's known weight per class, but no less than `min_cases` and no more
        than the greater of `min_cases` and 25; and twice as many rows of the node, whatever their
        weights, must have a value. Classes that a pandas category type of y lists count as classes
        of a node, as those of an ARFF header do in J48.
    pruning : {"cost_complexity", "ebp", "pessimistic", "reduced_error", "stopping"} or None
        How the tree is pruned: C4.5's is error-based pruning.
    subtree_raising : bool
        Whether pruning may put the largest branch of a node in its place.
    collapse : bool
        Whether a subtree with as many errors in training as a leaf becomes one. Other prunings than
        the error-based start from the tree before that, as in J48.
    mdl_correction : bool
        Whether log2(number of thresholds) / (weight of the node) is taken from the information gain
        of a numeric test.
    binary_splits : bool
        Whether a categorical test asks for one level against all others.
    weka : {"3.9", "3.6"}
        Weka release whose threshold rule is used. A threshold is the largest value of the training
        data that is at most the middle between its neighbours in the node; in 3.6, which compares
        numbers to 1e-6, at most the middle plus 1e-6. That matters where values are evenly spaced,
        so that the middle is a value but for rounding. Predictions compare exactly, as 3.9 does.
    random_state : int, RandomState or None
        Draws the rows that pruning keeps aside; error-based pruning keeps none.

    References
    ----------
    Quinlan J. R. (1993). C4.5: Programs for Machine Learning. Morgan Kaufmann.

    Quinlan J. R. (1996). Improved use of continuous attributes in C4.5. Journal of Artificial
    Intelligence Research 4, 77-90.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from retree import C45Classifier
    >>> X, y = load_iris(return_X_y=True)
    >>> C45Classifier().fit(X, y).get_n_leaves()
    5
    """

    confidence: float = parameter(default=0.25, check=check_confidence)
    min_cases: float = 2
    pruning: Pruning | None = "ebp"
    subtree_raising: bool = True
    collapse: bool = True
    mdl_correction: bool = True
    binary_splits: bool = False
    weka: Literal["3.9", "3.6"] = parameter(default="3.9", check=one_of(*_SLACK))

    def _rule(self) -> C45Rule:
        return C45Rule(
            min_cases=float(min(self.min_cases, NO_LIMIT)),
            mdl_correction=bool(self.mdl_correction),
            binary_splits=bool(self.binary_splits),
            max_depth=depth_limit(self.max_depth),
            slack=_SLACK[self.weka],
            n_declared=self._n_declared,
            n_threads=thread_count(self.n_jobs),
        )

    def trimmed(self, tree: Tree) -> Tree:
        """Return the grown tree as it is pruned: collapsed, if only that is asked for."""
        tree = super().trimmed(tree)
        return collapse(tree) if self.collapse and self.pruning is None else tree

    def pruning_needs(self) -> dict[str, Any]:
        """Return which columns are sorted, and whether it collapses."""
        numeric = np.flatnonzero(self.n_levels < 0).astype(np.int32)
        return {"sorted_by": numeric, "collapses": bool(self.collapse)}

    def all_pruning_params(self) -> dict[str, Any]:
        """Return the parameters of the pruning; error-based pruning has its own fields here."""
        params = dict(self.pruning_params or {})
        if self.pruning == "ebp":
            named = {
                "confidence": self.confidence,
                "subtree_raising": bool(self.subtree_raising),
            }
            if twice := sorted(set(params) & set(named)):
                raise ValueError(f"Set {', '.join(twice)} itself, not in pruning_params.")
            params |= named
        return params


@declare("id3", version=2)
class ID3Classifier(InformationTreeClassifier):
    """ID3: the test with the highest information gain, until a node is pure or no test gains.

    A categorical feature is tested with a branch for each of its levels, so it is of no more use
    below. Quinlan's ID3 knows categorical features only; here a numeric one is tested against its
    threshold with the highest gain, without the corrections of C4.5, and may be tested again. The
    first feature is taken where gains tie; gains that differ by less than 1e-6 bits are tied, and
    no threshold stands between values closer than 1e-5, so scale features of a smaller range.

    A row whose tested value is missing (NaN) goes down every branch with a part of its weight, as
    in C4.5. A level that was unknown in `fit` counts as missing.

    References
    ----------
    Quinlan J. R. (1986). Induction of decision trees. Machine Learning 1, 81-106.

    Examples
    --------
    >>> import pandas as pd
    >>> from retree import ID3Classifier
    >>> outlook = ["sunny", "sunny", "overcast", "rain", "rain", "overcast"]
    >>> X = pd.DataFrame({"outlook": pd.Categorical(outlook)})
    >>> ID3Classifier().fit(X, ["no", "no", "yes", "yes", "no", "yes"]).get_n_leaves()
    3
    """

    def _rule(self) -> C45Rule:
        return C45Rule(
            min_cases=float(min(self.min_cases, NO_LIMIT)),
            by_gain=True,
            max_depth=depth_limit(self.max_depth),
            n_threads=thread_count(self.n_jobs),
        )
