"""REPTree and RandomTree, Weka's trees that use Java's random number generator."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retree.trees.declaring import changed, declare, parameter, parameters
from retree.trees.mixed import Sample
from retree.trees.parameters import WithCategories, WithClassWeight, WithDepth, WithSmoothing
from retree.trees.tree import NESTED, Tree
from retree.trees.validation import NO_LIMIT, check_flag, depth_limit, none_or, rows_or_share, whole
from retree.trees.weka.growing import ExactTreeClassifier, Rows, SortedRows, java_seed
from retree.trees.weka.row_text import RowTexts, WithRowTexts, texts_of


@declare("reptree")
class REPTreeClassifier(
    WithDepth, WithCategories, WithClassWeight, WithSmoothing, ExactTreeClassifier
):
    """REPTree as in Weka: tests with the highest information gain, pruned on held-out rows.

    A numeric feature is tested against the middle between two neighbouring values; a row goes left
    if its value is below the threshold. A test of a categorical feature has one branch per level.
    Of tied tests the first feature wins, then the lowest threshold; gains are compared exactly,
    with sums in Weka's order. The rows are shuffled with Java's generator and dealt to stratified
    folds. The first fold is held out for pruning: a test is kept if it lowers the number of errors
    on these rows. Afterwards they count in the leaves, too. Weka 3.6 and 3.9 grow the same trees.

    A row whose tested value is missing (NaN) goes down every branch with a part of its weight, both
    in training and in prediction. A level that `fit` has not seen counts as missing. In a
    `BaggingTreesClassifier` with Weka's bags, each copy of a row is held out or not on its own.

    Parameters
    ----------
    min_cases : int or float
        Minimum weight that at least two branches of a test must have; a node needs twice as much to
        be tested. A float in (0, 1) is a fraction of the total weight, rounded up.
    folds : int
        Number of folds, one of which is held out.
    prune : bool
        Whether the tree is pruned on held-out rows; if not, it grows on all rows.

    Attributes
    ----------
    tree_ : Tree
        The pruned tree; its counts include the rows that were held out.

    References
    ----------
    Witten I. H., Frank E., Hall M. A. (2011). Data Mining: Practical Machine Learning Tools and
    Techniques, 3rd edition, section 11.4. Morgan Kaufmann.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from retree import REPTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> REPTreeClassifier().fit(X, y).get_n_leaves()
    3
    """

    min_cases: float = parameter(default=2, check=rows_or_share(1))
    folds: int = parameter(default=3, check=whole(2))
    prune: bool = parameter(default=True, check=check_flag)

    def grow(self, sample: Sample, rng: Any) -> Tree:
        """Grow the tree of the rows, drawn or of positive weight, and prune it."""
        columns: SortedRows = (sample if sample.shared else self.share(sample)).shared
        rows = columns.rows(sample)
        if self.prune and len(rows.numbers) < self.folds:
            raise ValueError(
                f"One of {self.folds} folds is held out, but there are only "
                f"n_samples={len(rows.numbers)}: pass more rows, or set prune=False."
            )
        rule = SimpleNamespace(
            min_cases=float(min(self.min_cases, NO_LIMIT)),
            max_depth=depth_limit(self.max_depth),
            folds=int(self.folds),
            prune=bool(self.prune),
            seed=java_seed(rng),
            is_exact=rows.is_exact,
            takes_entries=sample.shared is None,
        )
        return columns.grow("reptree_grow", rows, rule)[0]


@parameters
class WithDrawnFeatures(WithRowTexts, WithDepth):
    """Draws features at each node.

    Parameters
    ----------
    max_features : int or None
        Number of features drawn at each node; None means ``int(log2(n_features)) + 1``, in Weka 3.6
        ``int(log2(n_features + 1)) + 1``.
    min_cases : int or float
        A node is tested only if it has at least twice this weight; a float in (0, 1) is a fraction
        of the total weight, rounded up.
    """

    max_features: int | None = parameter(default=None, check=none_or(whole(1)))
    min_cases: float = parameter(default=1, check=rows_or_share(1))


@declare("weka_random_tree", version=2)
class WekaRandomTreeClassifier(
    WithDrawnFeatures, WithCategories, WithClassWeight, WithSmoothing, ExactTreeClassifier
):
    """Weka's RandomTree: tests with the highest information gain among a few random features.

    At each node Java's generator draws `max_features` features, and more until one of them has a
    gain. The tree is not pruned. A numeric feature is tested against the middle between two
    neighbouring values; a row goes left if its value is below the threshold. A test of a
    categorical feature has one branch per level. Of tied tests the first feature wins, then the
    lowest threshold; gains are compared exactly, with sums in Weka's order, which changes when Weka
    sorts the rows of a node by one feature after another.

    As in Weka, the generator is seeded with the seed and the text of a random row, in which numbers
    have six decimals and the class comes last. Levels and class labels must therefore be those of
    Weka's file. Weka releases differ in how they write numbers (up to 3.7.12, and later) and in
    `max_features` (3.6 to 3.7.11, and later).

    A row whose tested value is missing (NaN) goes down every branch with a part of its weight, both
    in training and in prediction. A level that `fit` has not seen counts as missing. A branch that
    no training row reaches predicts the same as its parent. As in Weka, a share that should be 0
    may be slightly negative, by a rounding error.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from retree import WekaRandomTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> WekaRandomTreeClassifier(max_depth=2).fit(X, y).get_n_leaves()
    3
    """

    declares = changed(divides_missing=NESTED)

    def grow(self, sample: Sample, rng: Any) -> Tree:
        """Grow the tree of the rows, drawn or of positive weight."""
        columns: SortedRows = (sample if sample.shared else self.share(sample)).shared
        rows = columns.rows(sample)
        seed = texts_of(sample, self).seed(java_seed(rng), rows.numbers)
        return self._trees(columns, rows._replace(numbers=rows.numbers[None, :]), [seed])[0]

    def grow_bags(
        self, sample: Sample, texts: RowTexts, bags: Sequence[tuple[NDArray[np.int32], int]]
    ) -> list[Tree]:
        """Grow the trees of bags; each bag has its rows as drawn and a seed.

        `sample`: all rows, as `share` returns them.
        `texts`: the texts of all rows.
        """
        counts_rows, n_rows = self.weka != "3.6", len(sample.y)
        seeds = [
            texts.seed(seed, _distinct(drawn, n_rows) if counts_rows else drawn)
            for drawn, seed in bags
        ]
        columns: SortedRows = sample.shared
        rows = columns.drawn(np.array([drawn for drawn, _ in bags]))
        return self._trees(columns, rows, seeds, counts_rows=counts_rows)

    def _trees(
        self, columns: SortedRows, rows: Rows, seeds: Sequence[int], *, counts_rows: bool = False
    ) -> list[Tree]:
        n_features = columns.n_features
        drawn = self.max_features
        if drawn is None:
            drawn = n_features.bit_length()  # log2 rounded down, and 1
        rule = SimpleNamespace(
            min_cases=float(min(self.min_cases, NO_LIMIT)),
            max_depth=depth_limit(self.max_depth),
            n_tried=min(drawn, n_features),
            is_exact=rows.is_exact,
            counts_rows=counts_rows,
        )
        return columns.grow("random_trees_grow", rows, rule, np.array(seeds, np.int64))


def _distinct(drawn: NDArray[np.int32], n_rows: int) -> NDArray[np.intp]:
    """Return the distinct rows among those drawn, in ascending order."""
    is_drawn = np.zeros(n_rows, np.bool_)
    is_drawn[drawn] = True
    return is_drawn.nonzero()[0]
