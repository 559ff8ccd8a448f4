"""Jaworski's hybrid criteria: splits that are significant by misclassification or by Gini."""

from __future__ import annotations

import math
from numbers import Real
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags, check_scalar

from retree.arithmetic import log
from retree.trees.class_weights import ClassWeight
from retree.trees.hybrid_criteria.growing import Choose, GrownTreeClassifier, Node, first_best
from retree.trees.hybrid_criteria.measures import gini_gain, share_of_majorities
from retree.trees.mixed import Sample
from retree.trees.smoothing import Smoothing
from retree.trees.validation import check_choice, check_weight

_TYPES = ("type_1", "type_2")


class JaworskiClassifier(GrownTreeClassifier):
    """A hybrid of two splitting criteria for data streams, on rows that are all there.

    A node of n rows is split on its best feature if that is better than the second best by more
    than chance explains. Two measures are asked in turn:

    1. the decrease of the misclassification error, type I: the difference must exceed
       ``z * sqrt(1 / (2 * n))``, z the normal quantile of ``1 - delta``;
    2. if it does not, the decrease of the Gini impurity: the difference must exceed
       ``8 * sqrt(log(1 / delta) / (2 * n))`` by type I, and by type II that plus
       ``2 * (1 - 1 / K) / n`` for K classes.

    If neither does, the node is a leaf: in a stream it would wait for more rows. As in Hoeffding
    trees, a measure that improves at all decides once its bound has fallen below `tie_threshold`.

    The hybrids are inferred. The source says that the type I criterion of the misclassification
    error is combined with the Gini index' criteria of type I and of type II. The first bound and
    the 8 are those of earlier papers of the same authors. Chosen here:

    - either criterion suffices, and the misclassification error is asked first;
    - type II asks that the feature is best on infinitely many rows, where type I is about expected
      values: the bias of the estimated Gini impurity of two children, at most
      ``2 * (1 - 1 / K) / n``, is added to the bound;
    - the splits of a feature are its thresholds, of which the best one stands for the feature; the
      second best feature of a table with one column is not to split, with a decrease of 0;
    - all rows of a node are looked at once;
    - the tie threshold is that of Hoeffding trees, without which alike features are never split.

    Candidate thresholds are the feature values themselves (``x <= v``). Decreases that differ by
    less than 1e-12 are tied; ties fall to the lowest feature, then to the lowest threshold.

    Parameters
    ----------
    gini : {"type_1", "type_2"}, default="type_1"
        The second criterion.
    delta : float, default=0.05
        Probability that a feature is chosen by chance, in (0, 1/2).
    tie_threshold : float, default=0.05
        Bound below which the best feature is taken however near the second best is; 0 for never.
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
    Jaworski M., Duda P., Rutkowski L. (2017). New splitting criteria for decision trees in
    stationary data streams. IEEE Transactions on Neural Networks and Learning Systems 29(6),
    2516-2529, as described by Du F., Chen S. (2023), section 1.3; Rutkowski L. et al. (2015), ibid.
    26(5), 1048-1059, and (2013), IEEE Transactions on Knowledge and Data Engineering 25(6),
    1272-1279, for the bounds; Domingos P., Hulten G. (2000). Mining high-speed data streams. KDD
    2000, 71-80, for the tie threshold.

    Examples
    --------
    >>> import numpy as np
    >>> from retree.trees.hybrid_criteria.stream import JaworskiClassifier
    >>> X = np.arange(200)[:, None] % [200, 7]
    >>> y = X[:, 0] >= 100
    >>> JaworskiClassifier().fit(X, y).get_n_leaves()
    2
    """

    def __init__(
        self,
        gini: str = "type_1",
        delta: float = 0.05,
        tie_threshold: float = 0.05,
        min_samples_split: float = 3,
        max_depth: int | None = None,
        smoothing: Smoothing = None,
        class_weight: ClassWeight = None,
        fill_missing: str | None = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
    ) -> None:
        self.gini = gini
        self.delta = delta
        self.tie_threshold = tie_threshold
        self.min_samples_split = min_samples_split
        self.max_depth = max_depth
        self.smoothing = smoothing
        self.class_weight = class_weight
        self.fill_missing = fill_missing
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease

    def __sklearn_tags__(self) -> Tags:
        """Return the tags: few rows are no stream."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags

    def _chooser(self, sample: Sample) -> Choose:
        """Validate the parameters and return what chooses a split."""
        check_choice("gini", self.gini, _TYPES)
        delta = float(check_scalar(self.delta, "delta", Real))
        if not 0 < delta < 0.5:
            raise ValueError(f"delta == {self.delta!r}, must be between 0 and 1/2, exclusive.")
        tie = check_weight("tie_threshold", self.tie_threshold)
        # Rounded, since its last digits are those of the logarithm that the system has.
        z, log_odds = round(NormalDist().inv_cdf(1 - delta), 9), -log(delta)
        bias = 2 * (1 - 1 / len(self.classes_)) if self.gini == "type_2" else 0.0

        def choose(node: Node) -> int | None:
            n = node.counts.sum()
            error = share_of_majorities(node) - node.counts.max() / n
            found = _significant(node, error, z * math.sqrt(1 / (2 * n)), tie)
            if found is None:
                bound = 8 * math.sqrt(log_odds / (2 * n)) + bias / n
                found = _significant(node, gini_gain(node), bound, tie)
            return found

        return choose


def _significant(node: Node, decrease: NDArray[np.float64], bound: float, tie: float) -> int | None:
    """Return the split of the greatest decrease if no other feature comes as near as `bound`."""
    best = first_best(decrease)
    if best is None or bound < tie:
        return best
    others = decrease[node.feature != node.feature[best]]
    return best if decrease[best] - others.max(initial=0.0) > bound else None
