"""SCAFF: splits that tell the classes apart, but not the values of sensitive features."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_scalar

from retree.trees.class_weights import ClassWeight
from retree.trees.hybrid_criteria.growing import Choose, GrownTreeClassifier, Node, first_best
from retree.trees.mixed import Sample
from retree.trees.smoothing import Smoothing
from retree.trees.validation import least_number


class SCAFFClassifier(GrownTreeClassifier):
    r"""SCAFF, the splitting criterion AUC for fairness.

    A split that sends a share TPR of a class to one child, and a share FPR of all other rows, tells
    that class apart with the area under the ROC curve (AUC) ``(1 + TPR - FPR) / 2``, or one minus
    it, whichever is at least one half. With ``AUC_y`` that of the class and ``AUC_z`` the highest
    one of any value of any sensitive feature against all others, a split scores
    ``(1 - theta) * AUC_y - theta * AUC_z``. A leaf scores as a split that tells nothing apart,
    ``(1 - theta) / 2 - theta / 2``. The split of the highest score is made if it scores higher than
    the leaf; the sizes of the children have no weight.

    With more than two classes, ``AUC_y`` is the mean over the classes of a node. A value that no
    row, or every row, of a node has counts with one half, since no split can tell it. (The authors'
    package counts 1 where a feature has no other value in the node, and so stops there.)

    Candidate thresholds are the feature values themselves (``x <= v``). Scores that differ by less
    than 1e-12 are tied; ties fall to the lowest feature, then to the lowest threshold.

    Parameters
    ----------
    theta : float, default=0.5
        Weight of fairness, in [0, 1]: 0 asks for the class only, 1 makes no split at all.
    sensitive : sequence of int or str, default=()
        The sensitive features, as numbers of columns of X or as their names. The tree does not
        split on them. The columns of a feature that is coded one-hot can be listed one by one.
        Without any, ``AUC_z`` is one half.
    min_samples_leaf : int or float, default=1
        Least number of rows of a child; a fraction in (0, 1) is one of all rows, rounded up.
    min_samples_split : int or float, default=3
        Nodes of fewer rows are leaves; a fraction in (0, 1) is one of all rows, rounded up.
    max_depth : int or None, default=None
        Greatest depth.
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
    Pereira Barata A., Takes F. W., van den Herik H. J., Veenman C. J. (2024). Fair tree classifier
    using strong demographic parity. Machine Learning 113, 3305-3324,
    doi 10.1007/s10994-023-06376-z.

    Examples
    --------
    >>> import numpy as np
    >>> from retree.trees.hybrid_criteria.scaff import SCAFFClassifier
    >>> X = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 1], [1, 1, 0], [1, 1, 1]])
    >>> y = np.array([0, 0, 0, 1, 1, 1])
    >>> SCAFFClassifier(theta=0.3, sensitive=[2]).fit(X, y).get_depth()
    1
    """

    def __init__(
        self,
        theta: float = 0.5,
        sensitive: Sequence[int | str] = (),
        min_samples_leaf: float = 1,
        min_samples_split: float = 3,
        max_depth: int | None = None,
        smoothing: Smoothing = None,
        class_weight: ClassWeight = None,
        fill_missing: str | None = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
    ) -> None:
        self.theta = theta
        self.sensitive = sensitive
        self.min_samples_leaf = min_samples_leaf
        self.min_samples_split = min_samples_split
        self.max_depth = max_depth
        self.smoothing = smoothing
        self.class_weight = class_weight
        self.fill_missing = fill_missing
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease

    def _chooser(self, sample: Sample) -> Choose:
        """Validate the parameters and return what chooses a split of training data."""
        theta = float(check_scalar(self.theta, "theta", Real, min_val=0, max_val=1))
        total = sample.weight.sum()
        least = least_number("min_samples_leaf", self.min_samples_leaf, total, 1)
        columns = [self._column(name) for name in self.sensitive]
        values = [np.unique(sample.X[:, j], return_inverse=True)[1] for j in columns]

        def choose(node: Node) -> int | None:
            sizes = node.left.sum(axis=1)
            allowed = (np.minimum(sizes, node.counts.sum() - sizes) >= least) & ~np.isin(
                node.feature, columns
            )
            excess_y = _excesses(node.left, node.counts).mean(axis=1)
            excess_z = np.zeros(len(sizes))
            for codes in values:
                counts = node.counts_of(codes, codes.max() + 1)
                excess = _excesses(node.left_counts(codes, len(counts)), counts)
                excess_z = np.maximum(excess_z, excess.max(axis=1, initial=0))
            scores = (1 - theta) * excess_y - theta * excess_z
            return first_best(np.where(allowed, scores, -np.inf))

        return choose

    def _column(self, name: Any) -> int:
        """Return the number of the column called `name`."""
        names = [str(each) for each in getattr(self, "feature_names_in_", ())]
        if isinstance(name, str) and name in names:
            return names.index(name)
        if isinstance(name, Integral) and 0 <= int(name) < self.n_features_in_:
            return int(name)
        raise ValueError(
            f"sensitive has {name!r}, which is no column of X: give numbers from 0 to "
            f"{self.n_features_in_ - 1}, or names of the columns of a DataFrame."
        )


def _excesses(left: NDArray[np.float64], counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return by how much the AUC of each value against all others exceeds one half.

    Shapes: `left` (n_splits, n_values), `counts` (n_values,).
    `counts`: weight of each value; those that no row has, or every row, are left out.
    """
    total, n_left = counts.sum(), left.sum(axis=1)
    here = [v for v, n in enumerate(counts) if 0 < n < total]
    found = np.zeros((len(left), len(here)))
    for place, v in enumerate(here):
        hits, false = left[:, v] / counts[v], (n_left - left[:, v]) / (total - counts[v])
        found[:, place] = np.abs(hits - false) / 2
    return found
