"""iSAT: a tree that learns batches of rows, from separate boxes or else by entropy."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_consistent_length

from retree.trees.declaring import declare, parameter
from retree.trees.decreases import ENTROPY
from retree.trees.mixed import Sample
from retree.trees.parameters import WithDepth, WithSmoothing
from retree.trees.tree import LEAF
from retree.trees.validation import check_weight, encode_classes, rows_or_share, whole

from .binary_trees import (
    Grown,
    GrownTreeBase,
    Node,
    first_best,
    information_gain,
)

NO_ROWS = np.empty(0, np.int64)


@declare("isat")
class ISATClassifier(WithDepth, WithSmoothing, GrownTreeBase):
    """iSAT, the improved separating axis theorem: a tree that learns batch by batch.

    The first batch grows a tree by information gain. The tree keeps the box around all rows so far,
    [Tmin, Tmax] on each feature. A later batch with the box [Bmin, Bmax] changes the tree if it
    *perturbs* a leaf, that is, if the share of the leaf's most frequent class falls by more than
    `tolerance`, or if the batch has a new class:

    1. Let ``d1 = Bmin - Tmax`` and ``d2 = Tmin - Bmax`` for each feature. If the largest of them is
       positive, the boxes are separate on that feature. A new root tests it against the midpoint of
       the gap; the old tree becomes one child, a tree of the batch the other.
    2. Otherwise, take the feature on which the batch reaches furthest below Tmin. Its rows there
       become the left child of a new root that tests ``x <= Tmin``. Likewise its rows above Tmax
       become the right child of a new root that tests ``x <= Tmax``, if they are at least
       `min_samples_split`. A child of one class or of few rows is a leaf.
    3. All rows of the batch are sent down the tree, and perturbed leaves that are not pure are
       split by information gain.

    A batch that changes nothing is only counted. Rows are never forgotten.

    This is one tree of the source's forest. The source also keeps three forests and replaces them
    when a concept drifts, which is not part of the criterion. Ties of the distances go to d1, then
    to the lowest feature. Information gains that differ by less than 1e-12 are tied; ties go to the
    lowest feature, then to the lowest threshold. Within a batch thresholds are feature values
    (``x <= v``).

    Parameters
    ----------
    tolerance : float
        Decrease in the share of a leaf's most frequent class above which the leaf is perturbed.
    n_batches : int
        Number of batches into which `fit` divides the rows, in their order and of sizes as equal as
        possible.
    min_samples_split : int or float
        Minimum number of rows of a node to be split; a float in (0, 1) is a fraction of the rows of
        a batch.
    max_depth : int or None
        Maximum depth of the tree of a batch, and of a subtree that replaces a leaf.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels seen so far, sorted.
    n_features_in_ : int
        Number of features seen in the first batch.

    References
    ----------
    Rahman M. G., Islam M. Z. (2022). Adaptive Decision Forest: An incremental machine learning
    framework. Pattern Recognition 122, 108345, arXiv 2101.11828, and its authors' program.
    """

    tolerance: float = parameter(default=0.01, check=check_weight)
    n_batches: int = parameter(default=1, check=whole(1))
    min_samples_split: float = parameter(default=3, check=rows_or_share(2))

    impurity = ENTROPY

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:  # type: ignore[override]
        """Forget all earlier rows, and learn these rows in `n_batches` batches.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite numbers.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter or the data is not as described.
        """
        self.check_parameters()
        rows, codes = self.checked_sample(X, y)[:2]
        self._start(rows)
        for batch in np.array_split(np.arange(len(rows)), min(self.n_batches, len(rows))):
            self._learn(rows[batch], codes[batch])
        return self

    def partial_fit(self, X: ArrayLike, y: ArrayLike, classes: ArrayLike | None = None) -> Self:
        """Learn another batch.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite numbers.
        y : array-like of shape (n_samples,)
            Class labels, which may include new classes.
        classes : array-like of shape (n_classes,), optional
            Ignored: classes are learned as they occur. It exists for compatibility with
            scikit-learn.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter or the data is not as described.
        """
        self.check_parameters()
        first = not hasattr(self, "tree_")
        labels = self._labels(y)
        rows = self._numbers(X, reset=first)
        check_consistent_length(rows, labels)
        seen, codes = encode_classes(labels)
        if first:
            self.classes_ = seen
            self._start(rows)
        before = self.classes_
        self.classes_ = np.unique(np.concatenate([before, seen]))
        self._codes: NDArray[np.int32] = np.searchsorted(self.classes_, before).astype(np.int32)[
            self._codes
        ]
        self._learn(rows, np.searchsorted(self.classes_, seen).astype(np.int32)[codes])
        return self

    def _start(self, X: NDArray[np.float64]) -> None:
        """Forget all rows; new rows will have the columns of `X`."""
        self._X = X[:0]
        self._codes = np.empty(0, np.int32)

    def _learn(self, X: NDArray[np.float64], codes: NDArray[np.int32]) -> None:
        """Add a batch to the rows and to the tree."""
        seen, known_codes = self._X, self._codes
        self._X, self._codes = np.concatenate([seen, X]), np.concatenate([known_codes, codes])
        batch = np.arange(len(seen), len(self._X))
        root = self._updated(seen, batch) if len(seen) else self._subtree(batch)
        self._grown: Grown = root.flat()
        tree = self._tree_from(self._sample(np.arange(len(self._X))), self._grown)
        self.tree_ = self.smoothed(tree)

    def _sample(self, rows: NDArray[np.int64]) -> Sample:
        """Return some of the rows so far."""
        return Sample(self._X[rows], self._codes[rows], np.ones(len(rows)))

    def _updated(self, old: NDArray[np.float64], batch: NDArray[np.int64]) -> Part:
        """Return the tree updated with a batch of rows, which follow the `old` ones."""
        root = parts_of(self._grown)
        perturbed = self._perturbed(root, batch)
        if perturbed or len(np.setdiff1d(self._codes[batch], self._codes[: len(old)])):
            root = self._extended(root, old, batch)
        for leaf, rows in zip(root.leaves(), root.send(self._X, batch), strict=True):
            leaf.rows = np.concatenate([leaf.rows, rows])
        for leaf in perturbed:
            grown = self._subtree(leaf.rows)
            leaf.feature, leaf.threshold = grown.feature, grown.threshold
            leaf.children = grown.children
        return root

    def _perturbed(self, root: Part, batch: NDArray[np.int64]) -> list[Part]:
        """Return the leaves whose most frequent class loses more than `tolerance` in the batch."""
        trees = []
        for leaf, rows in zip(root.leaves(), root.send(self._X, batch), strict=True):
            both = np.concatenate([leaf.rows, rows])
            if len(leaf.rows) and self._share(leaf.rows) > self._share(both) + self.tolerance:
                trees.append(leaf)
        return trees

    def _share(self, rows: NDArray[np.int64]) -> float:
        """Return the share of the most frequent class of `rows`."""
        return float(np.bincount(self._codes[rows]).max() / len(rows))

    def _extended(self, root: Part, old: NDArray[np.float64], batch: NDArray[np.int64]) -> Part:
        """Return `root` below new roots for the parts of `batch` outside the box of `old` rows."""
        X, t_min, t_max = self._X[batch], old.min(axis=0), old.max(axis=0)
        b_min, b_max = X.min(axis=0), X.max(axis=0)
        with np.errstate(over="ignore"):
            above, below, left, right = b_min - t_max, t_min - b_max, t_min - b_min, b_max - t_max
        if max(above.max(), below.max()) > 0:
            is_right = bool(above.max() >= below.max())
            j = int((above if is_right else below).argmax())
            low, high = (t_max[j], b_min[j]) if is_right else (b_max[j], t_min[j])
            middle = low / 2 + high / 2
            # Two numbers may have no other number between them.
            threshold = middle if low <= middle < high else low
            return self._below_root(root, j, threshold, batch, right=is_right)
        if left.max() > 0:
            j = int(left.argmax())
            root = self._below_root(root, j, t_min[j], batch[X[:, j] <= t_min[j]], right=False)
        j = int(right.argmax())
        beyond = batch[X[:, j] > t_max[j]]
        if right[j] > 0 and len(beyond) >= self.min_samples_split:
            root = self._below_root(root, j, t_max[j], beyond, right=True)
        return root

    def _below_root(
        self, old: Part, feature: int, threshold: float, rows: NDArray[np.int64], *, right: bool
    ) -> Part:
        """Return a new root above `old` and a tree of `rows`, which are sent down later."""
        new = self._subtree(rows)
        for leaf in new.leaves():
            leaf.rows = NO_ROWS
        return Part(NO_ROWS, feature, float(threshold), [old, new] if right else [new, old])

    def _subtree(self, rows: NDArray[np.int64]) -> Part:
        """Grow a tree of `rows` by information gain."""
        grown = self._grow(self._sample(rows))
        return parts_of(grown._replace(rows=[rows[positions] for positions in grown.rows]))

    def _choose(self, node: Node) -> int | None:
        """Return the split with the highest information gain within a batch."""
        return first_best(information_gain(node))


@dataclass
class Part:
    """A node: a leaf with its training rows, or a test ``x[feature] <= threshold`` of two parts."""

    rows: NDArray[np.int64]
    feature: int = LEAF
    threshold: float = np.nan
    children: list[Part] = field(default_factory=list)

    def leaves(self) -> list[Part]:
        """Return the leaves below, from left to right, or the part itself."""
        return [part for part, _ in self._walk() if not part.children]

    def send(self, X: NDArray[np.float64], rows: NDArray[np.int64]) -> list[NDArray[np.int64]]:
        """Return the rows among `rows` that reach each of the `leaves`."""
        leaves, pending = [], [(self, rows)]
        while pending:
            part, here = pending.pop()
            if not part.children:
                leaves.append(here)
                continue
            left = X[here, part.feature] <= part.threshold
            pending += [(part.children[1], here[~left]), (part.children[0], here[left])]
        return leaves

    def flat(self) -> Grown:
        """Return the parts as nodes; inner ones have no rows."""
        nodes, parents = zip(*self._walk(), strict=True)
        return Grown(
            np.array(parents),
            np.array([part.feature for part in nodes], np.int32),
            np.array([part.threshold for part in nodes], np.float64),
            [NO_ROWS if part.children else part.rows for part in nodes],
        )

    def _walk(self) -> Iterable[tuple[Part, int]]:
        """Yield the parts, depth first, each with the number of its parent."""
        pending, n_found = [(self, -1)], 0
        while pending:
            part, parent = pending.pop()
            yield part, parent
            pending += [(child, n_found) for child in reversed(part.children)]
            n_found += 1


def parts_of(grown: Grown) -> Part:
    """Return the nodes as parts."""
    columns = zip(grown.rows, grown.feature, grown.threshold, strict=True)
    nodes = [Part(rows, int(feature), float(threshold)) for rows, feature, threshold in columns]
    for part, parent in zip(nodes[1:], grown.parents[1:], strict=True):
        nodes[parent].children.append(part)
    return nodes[0]
