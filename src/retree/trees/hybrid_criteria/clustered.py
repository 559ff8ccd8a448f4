"""CV-ID3 and FR-ID3: how the classes cluster along a single feature."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from retree.trees.decreases import ENTROPY
from retree.trees.hybrid_criteria.growing import TIED, GrownTreeClassifier, Node, first_best
from retree.trees.hybrid_criteria.measures import (
    class_moments,
    information_gain,
    scatter_between,
    share_of_majorities,
)


class CVID3Classifier(GrownTreeClassifier):
    """CV-ID3: information gain times the cluster validity of the feature.

    The classes of a node are clusters on each feature. The validity of a feature is the share of
    its scatter that lies between the class means, ``B / (B + W)``: B is the sum over pairs of
    classes of ``n_c * n_d * (m_c - m_d)**2 / n``, W the sum over the classes of the squared
    distances from the class mean. A split scores its information gain times the validity of its
    feature.

    The criterion is inferred. The source says that the product of information gain and cluster
    validity is taken, and that validity looks at the diversity between the classes and the
    similarity within them on one feature; no formula is open to everybody. Chosen here:

    - the classes themselves are the clusters, where the source fits Gaussian mixtures;
    - the measure of validity, which is in [0, 1]; it is 0 where no feature varies;
    - binary splits of numeric features in place of ID3's branches for every value;
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
    Shi J., He Q., Wang Z. (2019). GMM clustering-based decision trees considering fault rate and
    cluster validity for analog circuit fault diagnosis. IEEE Access 7, 140637-140650; as described
    by Du F., Chen S. (2023), section 1.3 and Table 1.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from retree.trees.hybrid_criteria.clustered import CVID3Classifier
    >>> X, y = load_iris(return_X_y=True)
    >>> CVID3Classifier(max_depth=2).fit(X, y).get_n_leaves()
    3
    """

    _impurity = ENTROPY

    def _choose(self, node: Node) -> int | None:
        """Return the split of the highest gain times validity."""
        return first_best(information_gain(node) * cluster_validity(node)[node.feature])


class FRID3Classifier(GrownTreeClassifier):
    """FR-ID3: number of clusters of the feature plus fault rate of the split.

    On each feature a class of a node covers the interval of its mean plus and minus one standard
    deviation; classes whose intervals meet are one cluster. A split scores the number of clusters
    of its feature over the number of classes in the node, plus its fault rate: the share of rows
    that are of the commonest class of their child.

    The criterion is inferred. The source says that number of clusters and fault rate are added, the
    first a measure of complexity, the second prior knowledge from frequencies; no formula is open
    to everybody. Chosen here:

    - the clusters are groups of classes, where the source fits Gaussian mixtures;
    - their number is divided by that of the classes, so that both terms are in (0, 1];
    - the rate is that at which the children name the class, since the data sets have no failure
      rates of components;
    - every node that is neither pure nor small is split, as nothing in the sum can be 0;
    - of the many splits that tie, the one of the highest information gain is made.

    Candidate thresholds are the feature values themselves (``x <= v``). Scores that differ by less
    than 1e-12 are tied; equal gains fall to the lowest feature, then to the lowest threshold.

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
    Shi J., He Q., Wang Z. (2019). GMM clustering-based decision trees considering fault rate and
    cluster validity for analog circuit fault diagnosis. IEEE Access 7, 140637-140650; as described
    by Du F., Chen S. (2023), section 1.3 and Table 1.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from retree.trees.hybrid_criteria.clustered import FRID3Classifier
    >>> X, y = load_iris(return_X_y=True)
    >>> FRID3Classifier(max_depth=2).fit(X, y).get_n_leaves()
    3
    """

    _impurity = ENTROPY

    def _choose(self, node: Node) -> int | None:
        """Return the split of the highest sum, among equal ones that of the highest gain."""
        clusters = cluster_count(node) / (node.counts > 0).sum()
        scores = clusters[node.feature] + share_of_majorities(node)
        tied = scores >= scores.max() - TIED
        return first_best(np.where(tied, information_gain(node), -np.inf), least=-1.0)


def cluster_validity(node: Node) -> NDArray[np.float64]:
    """Return the share of each feature's scatter that is between the classes."""
    counts, means, squares = class_moments(node)
    between, within = scatter_between(counts, means) / counts.sum(), np.zeros(means.shape[1])
    for of_class in squares:
        within += of_class
    scatter = between + within
    validity: NDArray[np.float64] = between / np.where(scatter > 0, scatter, 1.0)
    return validity


def cluster_count(node: Node) -> NDArray[np.int64]:
    """Return into how many groups the classes fall on each feature.

    Two classes are of one group if their intervals, the mean plus and minus one standard deviation,
    have a point in common.
    """
    counts, means, squares = class_moments(node)
    spread = np.sqrt(squares / counts[:, None])
    low, high = means - spread, means + spread
    first = np.argsort(low, axis=0, kind="stable")
    low, high = np.take_along_axis(low, first, axis=0), np.take_along_axis(high, first, axis=0)
    reached = np.maximum.accumulate(high, axis=0)
    apart: NDArray[np.int64] = (low[1:] > reached[:-1]).sum(axis=0)
    return 1 + apart
