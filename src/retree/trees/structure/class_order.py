"""Splits by class frequencies and the order of the classes: Segment+C4.5, SPES and SPCE."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np

from retree.trees.declaring import declare, parameter, parameters
from retree.trees.decreases import ENTROPY, GINI
from retree.trees.mixed import Sample
from retree.trees.structure.growing import RANK_BY, TAKE, HybridTreeClassifier, Rule
from retree.trees.validation import number, one_of

_BLENDS = {"spes1": TAKE["blend_range"], "spes2": TAKE["blend_ratio"]}


@parameters
class _SegmentTreeClassifier(HybridTreeClassifier):
    """Numbers of segments choose among the `k` best candidates.

    Parameters
    ----------
    segment_attribute : {"best", "split"}
        The feature that sorts the rows of a child: the one of the fewest segments (eq. 1), or the
        one that is split (the words under eq. 2). With "best", a feature that is constant in a
        child sorts nothing and does not count; a child in which all are constant has as many
        segments as classes.
    small_child : {"keep", "leaf", "skip"}
        What happens where a split leaves a child of fewer than `min_samples_leaf` rows: "keep"
        splits all the same (section 3.2.1 of Du and Chen stops at nodes of so few rows, and asks
        for nothing of children), "leaf" makes a leaf of the node (lines 14-15 of Algorithm 1, which
        grows that paper's own trees), "skip" never considers such splits.
    """

    segment_attribute: Literal["best", "split"] = parameter(
        default="best", check=one_of("best", "split")
    )

    ties = "attribute"
    impurity = ENTROPY
    _rank_by = RANK_BY["gain_ratio"]
    _take = TAKE["expected"]

    def _rule(self, points: Sequence[Mapping[str, Any]], sample: Sample) -> Rule:
        return replace(
            super()._rule(points, sample),
            rank_by=self._rank_by,
            take=self._take,
            along_split=self.segment_attribute == "split",
            rank_breaks_ties=self.ties == "rank",
        )


@declare("segment_c45")
class SegmentC45Classifier(_SegmentTreeClassifier):
    """Segment+C4.5: among the splits with the highest gain ratio the one of the fewest segments.

    The rows of a child, sorted by a feature, fall into *segments* where the class changes. Rows
    of equal value may stand in any order, and the one of the fewest segments counts. Of the `k`
    candidates with the highest gain ratio that one is chosen which minimises (eq. 2)
    ``n1/n * Seg1 + n2/n * Seg2``, with n1 and n2 the rows of its children.

    Candidate thresholds are the feature values themselves (``x <= v``). Gain ratios that differ
    by less than 1.5e-11 are tied; ties fall to the lowest feature, then to the lowest threshold.

    Parameters
    ----------
    ties : {"attribute", "rank"}
        What decides between candidates of equal segments, which are common: the lowest feature and
        threshold, or the greater gain ratio. The paper does not say.

    References
    ----------
    Wang R., Kwong S., Wang X.-Z., Jiang Q. (2015). Segment based decision tree induction with
    continuous valued attributes. IEEE Transactions on Cybernetics 45(7), 1262-1275; as described by
    Du F., Chen S. (2023), section 1.1, whose equations are cited.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from retree.trees.structure.class_order import SegmentC45Classifier
    >>> X, y = load_iris(return_X_y=True)
    >>> SegmentC45Classifier(k=5, max_depth=2).fit(X, y).get_n_leaves()
    3
    """

    ties: Literal["attribute", "rank"] = parameter(
        default="attribute", check=one_of("attribute", "rank")
    )


@declare("spes")
class SPESClassifier(_SegmentTreeClassifier):
    """SPES: a weighted sum of gain ratio and normalised expected number of segments.

    Of the `k` candidates with the highest gain ratio F, that one is chosen which maximises (eq. 3)
    ``alpha * F + (1 - alpha) * S(E)``, with E the expected number of segments that
    `SegmentC45Classifier` minimises and S its normalisation over the `k` candidates. Thresholds and
    ties of F are those of `SegmentC45Classifier`, too; sums that differ by less than 7e-12 of their
    size are tied.

    Parameters
    ----------
    alpha : float
        Weight of the gain ratio, in [0, 1]: 1 looks at nothing else.
    normalisation : {"spes1", "spes2"}
        S(E) is ``(Emax - E) / (Emax - Emin)``, 1 if the candidates have equal E, or ``Emin / E``.
        The paper says that there are two, and does not define them.

    References
    ----------
    Yan J., Zhang Z., Xie L. et al. (2019). A unified framework for decision tree on continuous
    attributes. IEEE Access 7, 11924-11933; as described by Du F., Chen S. (2023), section 1.2,
    whose equations are cited.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from retree.trees.structure.class_order import SPESClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> SPESClassifier(k=5, alpha=0.8, max_depth=2).fit(X, y).get_n_leaves()
    3
    """

    alpha: float = parameter(default=0.5, check=number(0, 1))
    normalisation: Literal["spes1", "spes2"] = parameter(default="spes1", check=one_of(*_BLENDS))

    _tunable: ClassVar[tuple[str, ...]] = ("k", "alpha")

    def _rule(self, points: Sequence[Mapping[str, Any]], sample: Sample) -> Rule:
        alphas = [float(p.get("alpha", self.alpha)) for p in points]
        return replace(
            super()._rule(points, sample),
            take=_BLENDS[self.normalisation],
            alpha=np.array(alphas, np.float64),
        )


@declare("spce")
class SPCEClassifier(_SegmentTreeClassifier):
    """SPCE: among the splits with the largest Hellinger distance the one of the fewest segments.

    Of the `k` candidates with the largest Hellinger distance between the distributions of the
    classes over the two children, that one is chosen whose children have the fewest segments in
    total, and of several such the one of the highest segment ratio, of the fewer to the more (eq.
    4). With more than two classes the distance is the mean over the classes of that from all other
    classes.

    Segments, thresholds and ties are those of `SegmentC45Classifier`.

    Parameters
    ----------
    segment_attribute : {"best", "split"}
        The feature that sorts the rows of a child, as in `SegmentC45Classifier`. Eq. 4 names the
        feature of the split, and nothing is said of the fewest segments.
    ties : {"attribute", "rank"}
        What decides between candidates of equal segments and ratio: the lowest feature and
        threshold, or the greater Hellinger distance.

    References
    ----------
    Yan J., Zhang Z., Lin K. et al. (2020). A hybrid scheme-based one-vs-all decision trees for
    multi-class classification tasks. Knowledge-Based Systems 198, 105922; as described by Du F.,
    Chen S. (2023), section 1.3, whose equations are cited.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from retree.trees.structure.class_order import SPCEClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> SPCEClassifier(k=5, max_depth=2).fit(X, y).get_n_leaves()
    3
    """

    segment_attribute: Literal["best", "split"] = "split"
    ties: Literal["attribute", "rank"] = parameter(
        default="attribute", check=one_of("attribute", "rank")
    )

    impurity = GINI
    _rank_by = RANK_BY["hellinger"]
    _take = TAKE["total"]
