"""REPTree and RandomTree, Weka's trees that draw with Java's generator."""

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
    """REPTree as Weka's: tests with the highest information gain, pruned on rows that are held out.

    A numeric feature is tested against the middle of a gap between two values, and a row goes left
    if its value is below it; a categorical feature is tested with a branch for each of its levels.
    The first feature and the lowest threshold win ties, which the last bit decides: sums run in
    Weka's order. The rows, shuffled with Java's generator, are dealt to stratified folds. The first
    is held out: a test stays if it lowers the errors on these rows, which then count in the leaves,
    too. Weka 3.6 and 3.9 grow the same trees.

    A row whose tested value is missing (NaN) goes down every branch with a part of its weight, in
    training as in prediction. A level that was unknown in `fit` counts as missing. Bags of Weka's
    `BaggingTreesClassifier` hold out single copies of a row.

    Parameters
    ----------
    min_cases : int or float
        At least two branches of a test must have this weight, and a node twice as much to be
        tested; a float in (0, 1) is that part of the whole weight, rounded up.
    folds : int
        Number of folds of which one is held out.
    prune : bool
        Whether rows are held out, and the tree is pruned.

    Attributes
    ----------
    tree_ : Tree
        The pruned tree; its counts have the rows that were held out.

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
        """Return the tree of the rows, drawn or of positive weight; it is pruned already."""
        columns: SortedRows = (sample if sample.shared else self.share(sample)).shared
        rows = columns.rows(sample)
        if self.prune and len(rows.numbers) < self.folds:
            raise ValueError(
                f"One of {self.folds} folds is held out, and there are only "
                f"n_samples={len(rows.numbers)}: give more rows, or set prune=False."
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
    """Features that are drawn at each node.

    Parameters
    ----------
    max_features : int or None
        Number of features drawn at a node; None is int(log2(n_features)) + 1, in Weka 3.6
        int(log2(n_features + 1)) + 1.
    min_cases : int or float
        A node is tested if it has twice this weight; a float in (0, 1) is that part of the whole
        weight, rounded up.
    """

    max_features: int | None = parameter(default=None, check=none_or(whole(1)))
    min_cases: float = parameter(default=1, check=rows_or_share(1))


@declare("weka_random_tree", version=2)
class WekaRandomTreeClassifier(
    WithDrawnFeatures, WithCategories, WithClassWeight, WithSmoothing, ExactTreeClassifier
):
    """Weka's RandomTree: tests with the highest information gain of a few features, not pruned.

    At each node `max_features` are drawn with Java's generator, and more until one gains something.
    A numeric feature is tested against the middle of a gap between two values, and a row goes left
    if its value is below it; a categorical feature is tested with a branch for each of its levels.
    The first feature and the lowest threshold win ties, which the last bit decides: sums run in
    Weka's order, which sorting a node by one feature after the other changes.

    As in Weka, the generator starts from the seed and from the text of a row that it draws, in
    which numbers have six decimals and the class comes last. Levels and class labels must therefore
    be those of Weka's file. The releases differ in how they write numbers (until 3.7.12, and since)
    and in `max_features` (3.6 to 3.7.11, and since).

    A row whose tested value is missing (NaN) goes down every branch with a part of its weight, in
    training as in prediction. A level that was unknown in `fit` counts as missing. A branch that no
    training row reaches predicts what the node above it does. As in Weka, a share that should be 0
    may be below it by a last bit.

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
        """Return the tree of the rows, drawn or of positive weight."""
        columns: SortedRows = (sample if sample.shared else self.share(sample)).shared
        rows = columns.rows(sample)
        seed = texts_of(sample, self).seed(java_seed(rng), rows.numbers)
        return self._trees(columns, rows._replace(numbers=rows.numbers[None, :]), [seed])[0]

    def grow_bags(
        self, sample: Sample, texts: RowTexts, bags: Sequence[tuple[NDArray[np.int32], int]]
    ) -> list[Tree]:
        """Return the trees of bags, each with its rows as they were drawn and a seed.

        `sample`: all rows, as `share` returns them.
        `texts`: of all rows.
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
    """Return the rows that are among those drawn, in ascending order."""
    is_drawn = np.zeros(n_rows, np.bool_)
    is_drawn[drawn] = True
    return is_drawn.nonzero()[0]
