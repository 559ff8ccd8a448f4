"""REPTree, Weka's fast tree: information gain, pruned on rows that are held out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from retree.trees.declaring import declare, parameter
from retree.trees.mixed import Sample
from retree.trees.parameters import WithCategories, WithClassWeight, WithDepth, WithSmoothing
from retree.trees.tree import Tree
from retree.trees.validation import NO_LIMIT, check_flag, depth_limit, rows_or_share, whole
from retree.trees.weka.growing import ExactTreeClassifier, SortedRows, java_seed


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
                f"One of {self.folds} folds is held out, and there are "
                f"n_samples={len(rows.numbers)}: give more rows, or set prune=False."
            )
        rule = _Rule(
            min_cases=float(min(self.min_cases, NO_LIMIT)),
            max_depth=depth_limit(self.max_depth),
            folds=int(self.folds),
            prune=bool(self.prune),
            seed=java_seed(rng),
            is_exact=rows.is_exact,
            takes_entries=sample.shared is None,
        )
        return columns.grow("reptree_grow", rows, rule)


@dataclass(frozen=True)
class _Rule:
    """How a tree grows and is pruned."""

    min_cases: float
    max_depth: int
    folds: int
    prune: bool
    seed: int
    # Whether no value is missing and weights are whole: no sum then depends on an order.
    is_exact: bool
    takes_entries: bool  # Whether sorted columns serve this tree only
