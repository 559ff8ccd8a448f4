"""dGMML-DT: the feature that geometric mean metric learning weights most."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from retree.trees.hybrid_criteria.growing import TIED, GrownTreeClassifier, Node, first_best
from retree.trees.hybrid_criteria.measures import class_moments, gini_gain, scatter_between


class DGMMLClassifier(GrownTreeClassifier):
    """dGMML-DT: the feature by diagonal metric learning, then its purest cut.

    Let S be the sum of ``(x_i - x_j)(x_i - x_j)'`` over the pairs of rows of a node that are of the
    same class, and D that over the pairs of different classes. Geometric mean metric learning asks
    for the metric A that minimises ``tr(A S) + tr(inv(A) D)``. With A diagonal each entry minimises
    ``a * S_ii + D_ii / a``, so that ``a_i = sqrt(D_ii / S_ii)``. The feature of the highest ``a_i``
    is split.

    The rank of the features follows from the published objective. The cut is inferred: of the
    thresholds of that feature the one of the highest Gini gain, the first where they tie. Chosen
    here, too:

    - all pairs of the node count, and each once;
    - a feature that is constant in every class, but not in the node, ranks above all others;
    - a node is split even where no threshold of the feature gains anything, since the source
      looks at one feature only; a pure or small node is a leaf.

    Candidate thresholds are the feature values themselves (``x <= v``). Ratios that differ by less
    than 1e-12 of their size are tied and fall to the lowest feature.

    Parameters
    ----------
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
    Li D., Chen S. (2022). A novel splitting criterion inspired by geometric mean metric learning
    for decision tree. ICPR 2022, 4808-4814, arXiv 2204.11011; Zadeh P., Hosseini R., Sra S. (2016).
    Geometric mean metric learning. ICML 2016, for the objective.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from retree.trees.hybrid_criteria.metric_learning import DGMMLClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> DGMMLClassifier(max_depth=2).fit(X, y).get_n_leaves()
    3
    """

    def _choose(self, node: Node) -> int | None:
        """Return the purest split of the feature that weighs most."""
        weights = squared_weights(node)
        varies = np.isin(np.arange(len(weights)), node.feature)
        best = weights[varies].max()
        feature = int(np.argmax(varies & (weights >= best * (1 - TIED))))
        gains = np.where(node.feature == feature, gini_gain(node), -np.inf)
        return first_best(gains, least=-1.0)


def squared_weights(node: Node) -> NDArray[np.float64]:
    """Return ``D_ii / S_ii`` of each feature: infinite if S_ii is 0, 0 if D_ii is 0."""
    counts, means, squares = class_moments(node)
    same, different = np.zeros(means.shape[1]), scatter_between(counts, means)
    for n, of_class in zip(counts, squares, strict=True):
        same += n * of_class
        different += (counts.sum() - n) * of_class
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio: NDArray[np.float64] = np.where(different > 0, different / same, 0.0)
    return ratio
