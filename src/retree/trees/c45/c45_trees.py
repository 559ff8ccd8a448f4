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

    The tree is the one that J48 grows, Weka's implementation of C4.5 release 8. On all folds of 14
    reference data sets, nodes, leaves and test predictions are equal to J48's. A numeric feature
    is tested against the threshold with the highest information gain; a test of a categorical
    feature has one branch per level. Of the tests with at least average gain (to 1e-3), the one
    with the highest gain ratio is taken, on the first feature where ratios tie. Gains and gain
    ratios that differ by less than 1e-6 are tied. No threshold lies between values closer than
    1e-5, so rescale features with a small range.

    A row whose tested value is missing (NaN) goes down every branch with a part of its weight, both
    in training and in prediction. A level that `fit` has not seen counts as missing. J48 sorts the
    rows of a node in place, by one numeric feature after another. The weights of parts of rows are
    summed in the resulting order, so that ties which depend on the last bit are decided as in J48.

    Parameters
    ----------
    confidence : float
        Confidence of error-based pruning, from 2^-53 to 0.5; a smaller value prunes more.
    min_cases : int or float
        Minimum weight that at least two branches of a test must have; a float in (0, 1) is a
        fraction of the total weight, rounded up. Both branches of a numeric test need a tenth of
        the average weight per class, over the node's rows with a known value. If that is below
        `min_cases`, they need `min_cases`; if it is above both `min_cases` and 25, they need 25, as
        in J48. A numeric feature is tested only if the number of the node's rows that have a value,
        whatever their weights, is at least twice what a branch needs. All classes that a pandas
        category type of y lists are counted, as J48 counts those of an ARFF header.
    pruning : {"cost_complexity", "ebp", "pessimistic", "reduced_error", "stopping"} or None
        How the tree is pruned. C4.5 itself uses error-based pruning, "ebp".
    subtree_raising : bool
        Whether pruning may replace a node by its largest branch.
    collapse : bool
        Whether a subtree becomes a leaf if the leaf makes no more training errors. This happens
        before error-based pruning, or without any pruning; other prunings start from the tree as
        grown, as in J48.
    mdl_correction : bool
        Whether log2(number of thresholds) / (weight of the node) is subtracted from the information
        gain of a numeric test (Quinlan 1996).
    binary_splits : bool
        Whether a categorical test separates one level from all others, instead of having one branch
        per level.
    weka : {"3.9", "3.6"}
        Weka release whose threshold rule is used. A threshold is the largest training value that
        does not exceed the middle between the two neighbouring values in the node. Weka 3.6
        compares numbers to 1e-6, so there the threshold may exceed the middle by up to 1e-6. That
        matters for evenly spaced values, where the middle is a training value except for rounding.
        Predictions compare exactly, as 3.9 does.
    random_state : int, RandomState or None
        Draws the rows that pruning holds out; error-based pruning holds out none.

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
        """Return the grown tree, collapsed if `collapse` is set and no pruning follows."""
        tree = super().trimmed(tree)
        return collapse(tree) if self.collapse and self.pruning is None else tree

    def pruning_needs(self) -> dict[str, Any]:
        """Return the columns to sort by, and whether the tree is collapsed."""
        numeric = np.flatnonzero(self.n_levels < 0).astype(np.int32)
        return {"sorted_by": numeric, "collapses": bool(self.collapse)}

    def all_pruning_params(self) -> dict[str, Any]:
        """Return the parameters of the pruning; those of error-based pruning are fields here."""
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
    """ID3: split by the highest information gain until a node is pure or no test gains anything.

    A test of a categorical feature has one branch per level, so the feature is not tested again
    below. Quinlan's ID3 handles only categorical features. Here a numeric feature is tested against
    the threshold with the highest gain, without the corrections of C4.5, and may be tested again.
    Gains that differ by less than 1e-6 bits are tied, and the first feature wins. No threshold lies
    between values closer than 1e-5, so rescale features with a small range.

    A row whose tested value is missing (NaN) goes down every branch with a part of its weight, as
    in C4.5. A level that `fit` has not seen counts as missing.

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
