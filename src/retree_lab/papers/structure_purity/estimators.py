"""Five hybrid criteria that the paper lists, without formulas that are freely available.

Each is inferred from its descriptions; its docstring names every choice. They reproduce only
descriptions, so `retree` does not export them. All grow binary trees. Candidate thresholds are the
feature values themselves (``x <= v``). Scores that differ by less than 1e-12 are tied, and ties go
to the lowest feature, then to the lowest threshold.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags

from retree.arithmetic import log, row_sums
from retree.trees.declaring import declare, parameter
from retree.trees.decreases import ENTROPY, GINI
from retree.trees.mixed import Sample
from retree.trees.validation import check_weight, number, one_of

from .binary_trees import (
    TIED,
    Choose,
    GrownTreeClassifier,
    Node,
    first_best,
    gain_ratio,
    gini_gain,
    information_gain,
    share_of_majorities,
)

Floats = NDArray[np.float64]


@declare("cv_id3")
class CVID3Classifier(GrownTreeClassifier):
    """CV-ID3: information gain times the cluster validity of the feature.

    On each feature, the classes of a node are clusters. The validity of a feature is the share of
    its scatter that is between the class means, ``B / (B + W)``: B is the sum over pairs of classes
    of ``n_c * n_d * (m_c - m_d)**2 / n``, W the sum over the classes of the squared distances from
    the class mean. The score of a split is its information gain times the validity of its feature.

    The criterion is inferred. The source says that it is the product of information gain and
    cluster validity, and that validity measures the diversity between classes and the similarity
    within them on one feature. No formula is freely available. Our choices:

    - the classes themselves are the clusters, whereas the source fits Gaussian mixtures;
    - the measure of validity, which is in [0, 1]; it is 0 for a constant feature;
    - binary splits of numeric features, instead of ID3's branch for every value;
    - a split that scores 0 is not made.

    References
    ----------
    Shi J., He Q., Wang Z. (2019). GMM clustering-based decision trees considering fault rate and
    cluster validity for analog circuit fault diagnosis. IEEE Access 7, 140637-140650; as described
    by Du F., Chen S. (2023), section 1.3 and Table 1.
    """

    impurity = ENTROPY

    def _choose(self, node: Node) -> int | None:
        """Return the split with the highest product of gain and validity."""
        return first_best(information_gain(node) * cluster_validity(node)[node.feature])


@declare("fr_id3")
class FRID3Classifier(GrownTreeClassifier):
    """FR-ID3: number of clusters of the feature plus fault rate of the split.

    On each feature a class covers the interval of its mean plus and minus one standard deviation;
    classes whose intervals overlap form one cluster. The score of a split is the number of clusters
    of its feature divided by the number of classes in the node, plus its fault rate: the share of
    rows that belong to the most frequent class of their child.

    The criterion is inferred. The source says that the number of clusters, a measure of complexity,
    and the fault rate, prior knowledge from frequencies, are added. No formula is freely available.
    Our choices:

    - the clusters are groups of classes, whereas the source fits Gaussian mixtures;
    - the number of clusters is divided by the number of classes, so that both terms are in (0, 1];
    - the fault rate is the rate at which the children predict the right class, since the data sets
      have no failure rates of components;
    - every node that is neither pure nor small is split, since the sum is never 0;
    - of the many tied splits, the one with the highest information gain is made.

    References
    ----------
    Shi J., He Q., Wang Z. (2019). GMM clustering-based decision trees considering fault rate and
    cluster validity for analog circuit fault diagnosis. IEEE Access 7, 140637-140650; as described
    by Du F., Chen S. (2023), section 1.3 and Table 1.
    """

    impurity = ENTROPY

    def _choose(self, node: Node) -> int | None:
        """Return the split with the highest sum; the higher gain breaks ties."""
        clusters = cluster_count(node) / (node.counts > 0).sum()
        scores = clusters[node.feature] + share_of_majorities(node)
        tied = scores >= scores.max() - TIED
        return first_best(np.where(tied, information_gain(node), -np.inf), least=-1.0)


@declare("adadt")
class AdaDTClassifier(GrownTreeClassifier):
    """AdaDT: gain ratio and Hellinger distance, weighted by the imbalance of each node.

    The score of a split is ``ir * gain_ratio + (1 - ir) * hellinger``, where ``ir`` is the local
    imbalance ratio of the node, the ratio of its rarest to its most frequent class.

    The criterion is inferred. The source says that the local imbalance ratio weights gain ratio
    against Hellinger distance, but no formula is freely available. Our choices:

    - ``ir`` is the number of rows of the node's rarest class divided by that of its most frequent
      class, in (0, 1];
    - it weights the gain ratio, so that imbalanced nodes use the Hellinger distance, which does not
      depend on the shares of the classes;
    - the Hellinger distance is divided by the square root of two, so that both terms are in [0, 1];
      with more than two classes it is the mean, over the classes, of the distance from all others;
    - a split that scores 0 is not made.

    References
    ----------
    Yan J., Zhang Z., Dong H. (2021). AdaDT: An adaptive decision tree for addressing local class
    imbalance based on multiple split criteria. Applied Intelligence 51, 4744-4761; as described by
    Du F., Chen S. (2023), section 1.3 and Table 1.
    """

    impurity = ENTROPY

    def _choose(self, node: Node) -> int | None:
        """Return the split with the highest weighted sum."""
        present = node.counts[node.counts > 0]
        ratio = present.min() / present.max()
        return first_best(ratio * gain_ratio(node) + (1 - ratio) * hellinger(node))


@declare("dgmml")
class DGMMLClassifier(GrownTreeClassifier):
    """dGMML-DT: choose the feature by diagonal metric learning, then its purest cut.

    Let S be the sum of ``(x_i - x_j)(x_i - x_j)'`` over the pairs of rows of a node with the same
    class, and D the sum over the pairs with different classes. Geometric mean metric learning looks
    for the metric A that minimises ``tr(A S) + tr(inv(A) D)``. If A is diagonal, each entry
    minimises ``a * S_ii + D_ii / a``, so ``a_i = sqrt(D_ii / S_ii)``. The feature with the highest
    ``a_i`` is split.

    The ranking of the features follows from the published objective. The cut is inferred: it is the
    threshold of that feature with the highest Gini gain, the first one where gains tie. Our other
    choices:

    - all pairs of rows in the node count, each pair once;
    - a feature that is constant in every class, but not in the node, ranks above all others;
    - a node is split even if no threshold of the feature has a gain, since the source considers one
      feature only; a pure or small node is a leaf.

    Ratios that differ by less than 1e-12 of their size are tied; ties go to the lowest feature.

    References
    ----------
    Li D., Chen S. (2022). A novel splitting criterion inspired by geometric mean metric learning
    for decision tree. ICPR 2022, 4808-4814, arXiv 2204.11011; Zadeh P., Hosseini R., Sra S. (2016).
    Geometric mean metric learning. ICML 2016, for the objective.
    """

    impurity = GINI

    def _choose(self, node: Node) -> int | None:
        """Return the purest split of the feature with the highest weight."""
        weights = squared_weights(node)
        varies = np.isin(np.arange(len(weights)), node.feature)
        best = weights[varies].max()
        feature = int(np.argmax(varies & (weights >= best * (1 - TIED))))
        gains = np.where(node.feature == feature, gini_gain(node), -np.inf)
        return first_best(gains, least=-1.0)


@declare("jaworski")
class JaworskiClassifier(GrownTreeClassifier):
    """A hybrid of two splitting criteria for data streams, applied to all rows at once.

    A node of n rows is split on its best feature if that feature is better than the second best by
    more than chance explains. Two measures are tried in turn:

    1. the decrease of the misclassification error, type I: the difference must exceed
       ``z * sqrt(1 / (2 * n))``, where z is the normal quantile of ``1 - delta``;
    2. if it does not, the decrease of the Gini impurity: the difference must exceed
       ``8 * sqrt(log(1 / delta) / (2 * n))`` for type I, and that plus ``2 * (1 - 1 / K) / n``,
       with K classes, for type II.

    If neither measure decides, the node is a leaf; in a stream it would wait for more rows. As in
    Hoeffding trees, once the bound of a measure is below `tie_threshold`, any improvement is
    enough.

    The hybrids are inferred. The source says that the type I criterion for the misclassification
    error is combined with the criteria of type I and type II for the Gini index. The first bound
    and the factor 8 are from earlier papers by the same authors. Our choices:

    - either criterion suffices, and the misclassification error is tried first;
    - type II requires that the feature is the best on infinitely many rows, whereas type I concerns
      expected values: the bias of the estimated Gini impurity of two children, at most
      ``2 * (1 - 1 / K) / n``, is added to the bound;
    - a feature is judged by its best threshold; if there is only one column, the second best choice
      is not to split, with a decrease of 0;
    - all rows of a node are used at once;
    - the tie threshold is that of Hoeffding trees; without it, similar features are never split.

    Parameters
    ----------
    gini : {"type_1", "type_2"}
        The second criterion.
    delta : float
        Probability of choosing a feature by chance, in (0, 1/2).
    tie_threshold : float
        If the bound is below this, the best feature is taken even if the second best is as good; 0
        means never.

    References
    ----------
    Jaworski M., Duda P., Rutkowski L. (2017). New splitting criteria for decision trees in
    stationary data streams. IEEE Transactions on Neural Networks and Learning Systems 29(6),
    2516-2529, as described by Du F., Chen S. (2023), section 1.3; Rutkowski L. et al. (2015), ibid.
    26(5), 1048-1059, and (2013), IEEE Transactions on Knowledge and Data Engineering 25(6),
    1272-1279, for the bounds; Domingos P., Hulten G. (2000). Mining high-speed data streams. KDD
    2000, 71-80, for the tie threshold.
    """

    gini: str = parameter(default="type_1", check=one_of("type_1", "type_2"))
    delta: float = parameter(default=0.05, check=number(0, 0.5, "neither"))
    tie_threshold: float = parameter(default=0.05, check=check_weight)

    impurity = GINI

    def __sklearn_tags__(self) -> Tags:
        """Return the tags; scores are poor on few rows, which are not a stream."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags

    def _chooser(self, sample: Sample) -> Choose:
        """Return the function that chooses a split."""
        delta, tie = float(self.delta), float(self.tie_threshold)
        # Rounded, since its last digits are those of the logarithm that the system has.
        z, log_odds = round(NormalDist().inv_cdf(1 - delta), 9), -log(delta)
        bias = 2 * (1 - 1 / len(self.classes_)) if self.gini == "type_2" else 0.0

        def choose(node: Node) -> int | None:
            n = node.counts.sum()
            error = share_of_majorities(node) - node.counts.max() / n
            significant = _significant(node, error, z * math.sqrt(1 / (2 * n)), tie)
            if significant is None:
                bound = 8 * math.sqrt(log_odds / (2 * n)) + bias / n
                significant = _significant(node, gini_gain(node), bound, tie)
            return significant

        return choose


def _significant(node: Node, decrease: Floats, bound: float, tie: float) -> int | None:
    """Return the split with the highest decrease, unless another feature is within `bound`."""
    best = first_best(decrease)
    if best is None or bound < tie:
        return best
    others = decrease[node.feature != node.feature[best]]
    return best if decrease[best] - others.max(initial=0.0) > bound else None


def cluster_validity(node: Node) -> Floats:
    """Return the share of each feature's scatter that is between the classes."""
    counts, means, squares = class_moments(node)
    between, within = scatter_between(counts, means) / counts.sum(), np.zeros(means.shape[1])
    for of_class in squares:
        within += of_class
    scatter = between + within
    validity: Floats = between / np.where(scatter > 0, scatter, 1.0)
    return validity


def cluster_count(node: Node) -> NDArray[np.int64]:
    """Return the number of groups that the classes form on each feature.

    Two classes are in one group if their intervals, the mean plus and minus one standard deviation,
    overlap.
    """
    counts, means, squares = class_moments(node)
    spread = np.sqrt(squares / counts[:, None])
    low, high = means - spread, means + spread
    first = np.argsort(low, axis=0, kind="stable")
    low, high = np.take_along_axis(low, first, axis=0), np.take_along_axis(high, first, axis=0)
    reached = np.maximum.accumulate(high, axis=0)
    apart: NDArray[np.int64] = (low[1:] > reached[:-1]).sum(axis=0)
    return 1 + apart


def squared_weights(node: Node) -> Floats:
    """Return ``D_ii / S_ii`` of each feature: infinite if S_ii is 0, 0 if D_ii is 0."""
    counts, means, squares = class_moments(node)
    same, different = np.zeros(means.shape[1]), scatter_between(counts, means)
    for n, of_class in zip(counts, squares, strict=True):
        same += n * of_class
        different += (counts.sum() - n) * of_class
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio: Floats = np.where(different > 0, different / same, 0.0)
    return ratio


def hellinger(node: Node) -> Floats:
    """Return the Hellinger distance between a class and all others over the children, in [0, 1].

    With more than two classes it is the mean over the classes in the node.
    """
    here = np.flatnonzero(node.counts)
    distances = np.zeros((len(node.left), len(here)))
    for place, code in enumerate(here):
        total, n_own = node.counts.sum(), node.counts[code]
        for child in (node.left, node.right):
            inside, other = child[:, code], child.sum(axis=1) - child[:, code]
            distances[:, place] += (np.sqrt(inside / n_own) - np.sqrt(other / (total - n_own))) ** 2
    mean: Floats = row_sums(np.sqrt(distances / 2)) / len(here)
    return mean


def class_moments(node: Node) -> tuple[Floats, Floats, Floats]:
    """Return the weight, the means and the sums of squares about the means of each class present.

    Features are scaled to [0, 1] in the node; the shapes are (n_present,), and twice
    (n_present, n_features).
    """
    present = np.flatnonzero(node.counts)
    codes, weight = node.codes[node.rows], node.weight[node.rows]
    counts, means, squares = node.counts[present], [], []
    for code, n in zip(present, counts, strict=True):
        rows, heavy = node.scaled[:, codes == code], weight[codes == code]
        mean = row_sums(rows * heavy) / n
        means.append(mean)
        squares.append(row_sums((rows - mean[:, None]) ** 2 * heavy))
    return counts, np.array(means), np.array(squares)


def scatter_between(counts: Floats, means: Floats) -> Floats:
    """Return the sum of ``n_c * n_d * (m_c - m_d)**2`` over pairs of classes, of each feature."""
    total = np.zeros(means.shape[1])
    for c in range(len(counts)):
        for d in range(c):
            total += counts[c] * counts[d] * (means[c] - means[d]) ** 2
    return total
