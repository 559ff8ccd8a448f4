"""AdaDT: gain ratio where the classes of a node are balanced, Hellinger distance elsewhere."""

from __future__ import annotations

from retree.trees.decreases import ENTROPY
from retree.trees.hybrid_criteria.growing import GrownTreeClassifier, Node, first_best
from retree.trees.hybrid_criteria.measures import gain_ratio, hellinger


class AdaDTClassifier(GrownTreeClassifier):
    """AdaDT: gain ratio and Hellinger distance, weighted by the imbalance of each node.

    With ``ir`` the local imbalance ratio of a node, of its rarest class to its commonest, a split
    scores ``ir * gain_ratio + (1 - ir) * hellinger``.

    The criterion is inferred. The source says that the local imbalance ratio is the weight factor
    between gain ratio and Hellinger distance, and prints no formula that is open to everybody.
    Chosen here:

    - ``ir`` is the rows of the rarest class in the node over those of its commonest, in (0, 1];
    - it weights the gain ratio, so that nodes out of balance go by the Hellinger distance, which
      does not depend on the shares of the classes;
    - the distance is divided by the square root of two, so that both terms are in [0, 1]; with more
      than two classes it is the mean over the classes of that from all others;
    - a split that scores 0 is not made.

    Candidate thresholds are the feature values themselves (``x <= v``). Scores that differ by less
    than 1e-12 are tied; ties fall to the lowest feature, then to the lowest threshold.

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
    Yan J., Zhang Z., Dong H. (2021). AdaDT: An adaptive decision tree for addressing local class
    imbalance based on multiple split criteria. Applied Intelligence 51, 4744-4761; as described by
    Du F., Chen S. (2023), section 1.3 and Table 1.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from retree.trees.hybrid_criteria.imbalance import AdaDTClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> AdaDTClassifier(max_depth=2).fit(X, y).get_n_leaves()
    3
    """

    _impurity = ENTROPY

    def _choose(self, node: Node) -> int | None:
        """Return the split of the highest weighted sum."""
        present = node.counts[node.counts > 0]
        ratio = present.min() / present.max()
        return first_best(ratio * gain_ratio(node) + (1 - ratio) * hellinger(node))
