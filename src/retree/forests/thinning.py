"""Forest thinning: prune the trees of a forest to improve the whole (Guo and Fan 2014)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from retree import engine
from retree.arithmetic import sum_of
from retree.forests.fitted import FittedForestClassifier, Vote, given_forest
from retree.forests.forest import Forest, in_threads
from retree.trees.declaring import Declared, declare, parameter, parameters
from retree.trees.tree import Tree, majority_class
from retree.trees.validation import check_threads, number, one_of, whole


class ForestRows(NamedTuple):
    """The nodes of all trees, tree by tree, and the rows that reach them.

    An entry is a row in a leaf. A row that lacks tested values is divided and has an entry in each
    of its leaves. Entries are in the order of the leaves, nodes in depth-first order, so the
    entries of node ``v`` and of all nodes below it are ``start[v]:start[stop[v]]``.
    """

    first: NDArray[Any]  # (n_trees + 1,) int64, root of each tree
    stop: NDArray[Any]  # (n_nodes,) int64, the node after the last one below
    start: NDArray[Any]  # (n_nodes + 1,) int64
    row: NDArray[Any]  # (n_entries,) int32
    part: NDArray[Any]  # (n_entries,) float64, how much of the row it is


class Thinning(NamedTuple):
    """The state of a thinning, which its passes read and change."""

    rows: ForestRows
    value: NDArray[np.float64]  # Class shares of the nodes of all trees; shape (n_nodes, n_classes)
    y: NDArray[np.intp]  # Class codes; shape (n_samples,)
    # What each tree counts for in the forest; they sum to 1 unless they make log odds; shape
    # (n_trees,).
    tree_weight: NDArray[np.float64]
    ends: NDArray[np.int32]  # Node in which each entry of `rows` ends; shape (n_entries,)
    cut: NDArray[np.bool_]  # Nodes that have become leaves; shape (n_nodes,)
    # Class shares of the forest, or their log odds; shape (n_samples, n_classes).
    shares: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PlacedForest:
    """A forest, and the rows of a pruning set in its nodes."""

    forest: Forest
    rows: ForestRows

    def recounted(
        self, X: NDArray[np.float64], y: NDArray[np.intp], n_jobs: int | None = None
    ) -> PlacedForest:
        """Return the forest with counts from the rows that reach each node.

        A row that is divided over several branches counts with the parts that it had under the old
        counts. From then on the new counts decide how rows are divided.
        """
        counts = np.empty((len(self.rows.stop), self.forest.n_classes))
        engine.call("class_counts", engine.bundle(*self.rows), y, counts)
        of_trees = np.split(counts, self.rows.first[1:-1])
        trees = [
            replace(tree, counts=of_tree, row_sums=None)
            for tree, of_tree in zip(self.forest.trees, of_trees, strict=True)
        ]
        forest = self.forest.with_trees(trees)
        if not np.isnan(X).any():
            return PlacedForest(forest, self.rows)
        return place(forest, X, n_jobs)

    def thinning(self, y: NDArray[np.intp], *, pooling: str, decisions: bool) -> Thinning:
        """Return the state before the first pass.

        Shapes: `y` (n_samples,).
        `decisions`: whether a node gives a share of 1 to the class that it decides on.
        """
        weight = self.forest.vote_weight if pooling != "mean" else np.ones(len(self.forest.trees))
        weight = weight if pooling == "log_odds" else weight / sum_of(weight)
        value = np.concatenate([tree.value for tree in self.forest.trees])
        if decisions:
            value = np.eye(self.forest.n_classes)[majority_class(value)]
        ends = np.empty(len(self.rows.row), np.int32)
        shares = np.empty((len(y), self.forest.n_classes))
        engine.call("mean_shares", engine.bundle(*self.rows), value, weight, ends, shares)
        cut = np.zeros(len(value), np.bool_)
        return Thinning(self.rows, value, y, weight, ends, cut, shares)

    def cut(self, nodes: NDArray[np.bool_]) -> Forest:
        """Return the forest with `nodes`, a mask over the nodes of all trees, cut to leaves."""
        of_trees = zip(self.forest.trees, np.split(nodes, self.rows.first[1:-1]), strict=True)
        return self.forest.with_trees(t.cut(mask) if mask.any() else t for t, mask in of_trees)


def place(forest: Forest, X: NDArray[np.float64], n_jobs: int | None = None) -> PlacedForest:
    """Send rows down every tree.

    Shapes: `X` (n_samples, n_features).
    """
    columns, how = np.ascontiguousarray(X.T), (bool(np.isnan(X).any()), forest.divide_missing)

    def place_in(tree: Tree) -> tuple[NDArray[Any], ...]:
        return engine.call("place_rows", X, columns, tree.views, tree.weight, *how)

    placed = in_threads(place_in, forest.trees, n_jobs)
    stop, start, row, part = zip(*placed, strict=True)
    first = np.cumsum([0, *map(len, stop)])
    entry = np.cumsum([0, *map(len, row)])
    rows = ForestRows(
        first=first,
        stop=np.concatenate([s + at for s, at in zip(stop, first, strict=False)]),
        start=np.append(
            np.concatenate([s[:-1] + at for s, at in zip(start, entry, strict=False)]), entry[-1]
        ),
        row=np.concatenate(row),
        part=np.concatenate(part),
    )
    return PlacedForest(forest, rows)


_SHARES = ("training", "own", "decisions")
_VARIANTS = ("corrected", "printed", "right_sign")
_VOTES: dict[str, Vote] = {
    "mean": "shares",
    "weighted_mean": "weighted_shares",
    "log_odds": "weighted_shares",
}


@parameters
class _Thinner(Declared):
    """The shared part of thinning by contribution gain and by accuracy.

    Parameters
    ----------
    passes : int
        Number of passes over all trees.
    shares : {"training", "own", "decisions"}
        Class shares of a node. "training": of the rows of the pruning set that reach it, each
        counted once, as the paper defines them. "own": as the tree holds them, from its bag or its
        weights. "decisions": 1 for the class with the highest of the tree's own shares and 0 for
        all others.
    pooling : {"mean", "weighted_mean", "log_odds"}
        How the trees' class shares make those of the forest. "mean": their mean, as in eq. 1.
        "weighted_mean": their mean, weighted like the trees' votes. "log_odds": proportional to the
        exponential of their weighted sum, which is how Weka's AdaBoost.M1 turns votes into
        probabilities.
    n_jobs : int or None
        Number of threads, as in joblib, for sending the rows down the trees. Thinning itself goes
        tree by tree, since each tree depends on those thinned before it. The result does not depend
        on the number of threads.
    """

    passes: int = parameter(default=2, check=whole(0))
    shares: Literal["training", "own", "decisions"] = parameter(
        default="training", check=one_of(*_SHARES)
    )
    pooling: Literal["mean", "weighted_mean", "log_odds"] = parameter(
        default="mean", check=one_of(*_VOTES)
    )
    n_jobs: int | None = parameter(default=None, check=check_threads, neutral=True)

    def thin(self, forest: Any, X: ArrayLike, y: ArrayLike) -> FittedForestClassifier:
        """Return a thinned copy of a fitted forest.

        Parameters
        ----------
        forest : fitted forest
            A forest of retree, or scikit-learn's ``BaggingClassifier`` (of trees),
            ``RandomForestClassifier`` or ``ExtraTreesClassifier``; it is not changed.
        X : array-like of shape (n_samples, n_features)
            The pruning set, usually the rows that the forest was grown on. Trees that make no
            errors on these rows, such as those of ``ExtraTreesClassifier`` by default, are not
            thinned by them: pass other rows.
        y : array-like of shape (n_samples,)
            Class labels of these rows; the forest must know them.

        Returns
        -------
        FittedForestClassifier
            A forest that decides by the mean of the trees' class shares (eq. 1), weighted unless
            `pooling` is "mean", or by weighted votes if `shares` is "decisions". Its `to_sklearn`
            converts it to a forest of scikit-learn.

        Raises
        ------
        TypeError
            If `forest` has any other type.
        ValueError
            If a parameter or the data is invalid.
        """
        self.check_parameters()
        given = given_forest(forest)
        thinned = self.thinned(given.forest, *given.encode(X, y))
        return given.classifier(thinned, self.vote)

    @property
    def vote(self) -> Vote:
        """The parameter `vote` of the thinned forest, see `ForestClassifier`."""
        return "votes" if self.shares == "decisions" else _VOTES[self.pooling]

    def thinned(self, forest: Forest, X: NDArray[np.float64], y: NDArray[np.intp]) -> Forest:
        """Return `forest` thinned on encoded rows and class codes."""
        return self.thinned_after([self.passes], forest, X, y)[self.passes]

    def thinned_after(
        self, passes: Collection[int], forest: Forest, X: NDArray[np.float64], y: NDArray[np.intp]
    ) -> dict[int, Forest]:
        """Return `forest` after each of these numbers of passes; 0 passes only set the `shares`."""
        placed = place(forest, X, self.n_jobs)
        if self.shares == "training":
            placed = placed.recounted(X, y, self.n_jobs)
        decisions = self.shares == "decisions"
        state = placed.thinning(y, pooling=self.pooling, decisions=decisions)
        thinned = {}
        for n in range(max(passes) + 1):
            if n > 0:
                self._pass(state)
            if n in passes:
                thinned[n] = placed.cut(state.cut)
        return thinned

    def _pass(self, state: Thinning) -> None:
        """Go through the trees once."""
        raise NotImplementedError


def node_contributions(
    node_shares: ArrayLike, shares: ArrayLike, labels: ArrayLike, n_trees: float
) -> NDArray[np.float64]:
    """Return the contributions Con(v, F, x) of nodes for rows, eqs. (6) to (9).

    In all four cases the contribution is (p^v_y - p^v_c) / (M gap + 1): the difference between the
    node's shares of the row's class y and of another class c, smaller where the forest is sure. If
    the node is right, eqs. (6) and (7), c is the class that the forest decides on, or the runner-up
    if the forest is right too. If the node is wrong, eqs. (8) and (9), c is the node's own choice.
    The gap is the forest's share of its decision less that of y, or less that of the runner-up if
    the decision is y. M is `n_trees`. `ForestThinner` sums the contributions over the rows of a
    node.

    Shapes: `node_shares` (n_rows, n_classes), `shares` (n_rows, n_classes), `labels` (n_rows,),
    result (n_rows,).
    `node_shares`: class shares p^v of the node, one node for each row.
    `shares`: class shares of the forest for each row.
    """
    of_node, of_forest = (np.ascontiguousarray(s, np.float64) for s in (node_shares, shares))
    contributions, codes = np.empty(len(of_forest)), np.ascontiguousarray(labels, np.int64)
    engine.call("contributions", of_node, of_forest, codes, n_trees, contributions)
    return contributions


class ContributionRule(NamedTuple):
    """How gains are judged; fields are named as in the engine."""

    delta: float
    inclusive: bool
    wrong_sign: bool
    keeps_sums: bool
    log_odds: bool


@declare()
class ForestThinner(_Thinner):
    """FTCG: prune the nodes that contribute nothing to the forest's decisions.

    FTCG stands for forest thinning via contribution gain. The contribution of a node to a row
    measures how much its class shares help or hurt the decision of the forest, and counts more
    where that decision is close (eqs. 6-9). The gain of a node is the contribution of the leaves
    below it minus its own contribution as a leaf (eq. 4). If the gain is below `delta`, the node
    becomes a leaf. Trees are thinned in order, each from the leaves up, and the forest's shares are
    updated after each tree. So with `delta` 0 each tree gets the pruning that contributes most (eq.
    3) to the forest as it then is. Classes whose shares differ by less than 1e-6 are tied, and the
    first one is taken. Gains within 1e-9 of `delta` count as equal to it.

    A row that lacks a tested value counts in each node with the part of it that gets there. A node
    that no row of the pruning set reaches contributes nothing, so with `delta` 0 it is kept, unless
    `inclusive` is set. A node without any rows has the class shares of its parent.

    Parameters
    ----------
    delta : float
        Nodes with a contribution gain below `delta` are pruned.
    variant : {"corrected", "printed", "right_sign"}
        "corrected" follows section 3.1 of the paper. "printed" follows Algorithm 1 literally: the
        gain has the wrong sign, and a pruned node counts as the sum of the nodes that were below
        it. "right_sign" is Algorithm 1 with the sign corrected.
    inclusive : bool
        Whether nodes with a gain equal to `delta` are pruned too; the paper says "below".

    References
    ----------
    Guo H., Fan M. (2014). Forest thinning via contribution gain. Computer Science 41.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from retree import BaggingTreesClassifier, ForestThinner
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = BaggingTreesClassifier(random_state=0).fit(X, y)
    >>> thinned = ForestThinner().thin(forest, X, y)
    >>> thinned.get_node_count() < forest.get_node_count()
    True
    """

    delta: float = parameter(default=0.0, check=number())
    variant: Literal["corrected", "printed", "right_sign"] = parameter(
        default="corrected", check=one_of(*_VARIANTS)
    )
    inclusive: bool = False

    def _pass(self, state: Thinning) -> None:
        rule = ContributionRule(
            delta=float(self.delta),
            inclusive=bool(self.inclusive),
            wrong_sign=self.variant == "printed",
            keeps_sums=self.variant != "corrected",
            log_odds=self.pooling == "log_odds",
        )
        engine.call("thin_by_contribution", engine.bundle(*state.rows), *state[1:], rule)


@declare()
class AccuracyThinner(_Thinner):
    """FT-Acc: prune as long as the forest stays as accurate on the pruning set.

    The paper compares with this method but does not define it; this is the obvious interpretation.
    Trees are thinned in order, each from the leaves up. Nodes that no row of the pruning set
    reaches become leaves too.

    References
    ----------
    Guo H., Fan M. (2014). Forest thinning via contribution gain. Computer Science 41.
    """

    def _pass(self, state: Thinning) -> None:
        engine.call("thin_by_accuracy", engine.bundle(*state.rows), *state[1:])
