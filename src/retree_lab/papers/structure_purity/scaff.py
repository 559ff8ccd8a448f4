"""SCAFF: splits that separate the classes, but not the values of sensitive features."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retree.trees.declaring import declare, parameter
from retree.trees.decreases import GINI
from retree.trees.mixed import Sample
from retree.trees.validation import least_number, number, rows_or_share

from .binary_trees import Choose, GrownTreeClassifier, Node, first_best


@declare("scaff")
class SCAFFClassifier(GrownTreeClassifier):
    r"""SCAFF, the splitting criterion AUC for fairness.

    A split sends a share TPR of a class to one child, and a share FPR of all other rows. It
    separates the class with the area under the ROC curve (AUC) ``(1 + TPR - FPR) / 2``, or one
    minus that, whichever is at least one half. Let ``AUC_y`` be the AUC for the class, and
    ``AUC_z`` the highest AUC over all values of all sensitive features, each against all other
    values. The score of a split is ``(1 - theta) * AUC_y - theta * AUC_z``. The score of a leaf is
    that of a split that separates nothing, ``(1 - theta) / 2 - theta / 2``. The split with the
    highest score is made if it is above that of a leaf. The sizes of the children do not count.

    With more than two classes, ``AUC_y`` is the mean over the classes of a node. A value that no
    row or every row of a node has counts as one half, since no split can separate it. (The authors'
    package counts 1 if a feature has a single value in the node, and so stops there.)

    Candidate thresholds are the feature values themselves (``x <= v``). Scores that differ by less
    than 1e-12 are tied; ties go to the lowest feature, then to the lowest threshold.

    Parameters
    ----------
    theta : float
        Weight of fairness, in [0, 1]: with 0 only the class counts, with 1 no split is made at all.
    sensitive : sequence of int or str
        The sensitive features, as column numbers or names. The tree does not split on them. The
        columns of a one-hot coded feature can be listed one by one. Without any, ``AUC_z`` is one
        half.
    min_samples_leaf : int or float
        Minimum number of rows of a child; a float in (0, 1) is a fraction of all rows, rounded up.

    References
    ----------
    Pereira Barata A., Takes F. W., van den Herik H. J., Veenman C. J. (2024). Fair tree classifier
    using strong demographic parity. Machine Learning 113, 3305-3324,
    doi 10.1007/s10994-023-06376-z.
    """

    theta: float = parameter(default=0.5, check=number(0, 1))
    sensitive: Sequence[int | str] = ()
    min_samples_leaf: float = parameter(default=1, check=rows_or_share(1))

    impurity = GINI

    def _chooser(self, sample: Sample) -> Choose:
        theta = float(self.theta)
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
            f"sensitive has {name!r}, which is not a column of X: give numbers from 0 to "
            f"{self.n_features_in_ - 1}, or names of the columns of a DataFrame."
        )


def _excesses(left: NDArray[np.float64], counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return by how much the AUC of each value against all others exceeds one half.

    Shapes: `left` (n_splits, n_values), `counts` (n_values,).
    `counts`: weight of each value; those that no row has, or every row, are left out.
    """
    total, n_left = counts.sum(), left.sum(axis=1)
    here = [v for v, n in enumerate(counts) if 0 < n < total]
    excesses = np.zeros((len(left), len(here)))
    for place, v in enumerate(here):
        hits, false = left[:, v] / counts[v], (n_left - left[:, v]) / (total - counts[v])
        excesses[:, place] = np.abs(hits - false) / 2
    return excesses
