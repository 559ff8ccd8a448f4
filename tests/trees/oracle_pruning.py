"""Pruning from the definitions, by recursion and by brute force, and trees to prune."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm

from retree.trees.mixed import Sample
from retree.trees.tree import LEAF, OBLIQUE, Tree

N_LEVELS = 3  # of the last of the three attributes


def from_scikit_learn(fitted: Any) -> Tree:
    """Return the tree of a scikit-learn tree estimator."""
    source = fitted.tree_
    sides = [
        [] if left < 0 else [left, right]
        for left, right in zip(source.children_left, source.children_right, strict=True)
    ]
    weight, is_leaf = source.weighted_n_node_samples, source.children_left < 0
    regression = not hasattr(fitted, "classes_")
    return Tree(
        n_features=source.n_features,
        children_ptr=np.cumsum([0, *map(len, sides)]).astype(np.int32),
        children=np.array([*itertools.chain(*sides)], np.int32),
        feature=np.where(is_leaf, LEAF, source.feature).astype(np.int32),
        threshold=np.where(is_leaf, np.nan, source.threshold),
        counts=weight[:, None] * (1.0 if regression else source.value[:, 0]),
        moments=np.column_stack([source.value[:, 0, 0], source.impurity]) if regression else None,
    )


def random_tree(rng: np.random.Generator, *, regression: bool = False, empty: bool = True) -> Tree:
    """Return a tree with tests of all kinds on two numbers and a nominal attribute.

    Its counts are whole; with `empty`, some leaves have none.
    """
    nodes: list[dict[str, Any]] = []

    def grow(depth: int) -> int:
        node: dict[str, Any] = {"children": [], "test": None}
        nodes.append(node)
        number = len(nodes) - 1
        if depth < 3 and rng.random() < (1.0, 0.85, 0.55)[depth]:
            node["test"] = rng.choice(["threshold", "levels", "subset", "oblique"])
            for _ in range(N_LEVELS if node["test"] == "levels" else 2):
                node["children"].append(grow(depth + 1))
        return number

    grow(0)
    return _tree(nodes, rng, regression, empty)


def _tree(nodes, rng, regression, empty):
    """Return the tree of `nodes` with random tests and leaves."""
    n, tests = len(nodes), [node["test"] for node in nodes]
    asks_subset = [test == "subset" for test in tests]
    counts = np.zeros((n, 1 if regression else 3))
    moments = np.zeros((n, 2)) if regression else None
    for i in reversed(range(n)):
        children = nodes[i]["children"]
        if children:
            counts[i] = counts[children].sum(axis=0)
        else:
            counts[i] = rng.integers(0, 5, counts.shape[1])
            if not counts[i].any() and not (empty and rng.random() < 0.5):
                counts[i, 0] = 1
        if regression:
            moments[i] = _moments(rng, counts, moments, i, children)
    kinds = {None: LEAF, "threshold": 0, "levels": 2, "subset": 2, "oblique": OBLIQUE}
    feature = np.array([kinds[test] for test in tests], np.int32)
    feature[feature == 0] = rng.integers(0, 2, (feature == 0).sum())
    numeric = np.isin(tests, ["threshold", "oblique"])
    oblique = np.array(tests) == "oblique"
    return Tree(
        n_features=3,
        children_ptr=np.cumsum([0, *(len(node["children"]) for node in nodes)]).astype(np.int32),
        children=np.array([c for node in nodes for c in node["children"]], np.int32),
        feature=feature,
        threshold=np.where(numeric, rng.normal(size=n).round(1), np.nan),
        counts=counts,
        subset=np.where(asks_subset, np.cumsum(asks_subset) - 1, -1).astype(np.int32)
        if any(asks_subset)
        else None,
        left_levels=rng.random((sum(asks_subset), N_LEVELS)) < 0.5 if any(asks_subset) else None,
        normals=np.where(oblique[:, None], [1.0, -0.5, 0.0], 0.0) if oblique.any() else None,
        moments=moments,
    )


def _moments(rng, counts, moments, node, children):
    """Return mean and variance of a leaf at random, of another node those of its leaves."""
    weight = counts[children, 0]
    if not children or weight.sum() == 0:
        return (rng.normal(), abs(rng.normal())) if counts[node, 0] > 1 else (rng.normal(), 0.0)
    mean = weight @ moments[children, 0] / weight.sum()
    square = weight @ (moments[children, 1] + moments[children, 0] ** 2) / weight.sum()
    return mean, square - mean**2


def random_rows(
    rng: np.random.Generator, n: int, *, missing: float = 0.0, regression: bool = False
) -> Sample:
    """Return rows that a `random_tree` can classify, with weights."""
    X = np.column_stack([rng.normal(size=(n, 2)).round(1), rng.integers(0, N_LEVELS, n)])
    X[rng.random(X.shape) < missing] = np.nan
    y = rng.normal(size=n) if regression else rng.integers(0, 3, n).astype(np.int32)
    return Sample(X, y, rng.choice([1.0, 2.0, 0.5], n))


def below(tree: Tree, node: int) -> list[int]:
    """Return the children of a node as whole numbers."""
    return tree.children_of(node).tolist()


def leaves_of(tree: Tree, pruned: Tree) -> tuple[int, ...]:
    """Return the nodes of `tree` that are the leaves of its subtree `pruned`."""
    pairs, found = [(0, 0)], []
    while pairs:
        node, copy = pairs.pop()
        np.testing.assert_array_equal(tree.counts[node], pruned.counts[copy])
        if pruned.is_leaf[copy]:
            found.append(node)
        else:
            pairs += zip(below(tree, node), below(pruned, copy), strict=True)
    return tuple(sorted(found))


def subtrees(tree: Tree, node: int = 0) -> list[tuple[int, ...]]:
    """Return the leaves of every subtree with the root `node` that pruning can leave."""
    parts = [subtrees(tree, child) for child in below(tree, node)]
    grown = [tuple(itertools.chain(*choice)) for choice in itertools.product(*parts)]
    return [(node,), *grown] if parts else [(node,)]


def smallest_of_least(tree: Tree, cost: Any) -> tuple[int, ...]:
    """Return the leaves of the smallest of the subtrees whose leaves have the least sum of `cost`.

    Costs are exact, or differ by more than 1e-9 if they differ.
    """
    sums = {leaves: sum(cost(leaf) for leaf in leaves) for leaves in subtrees(tree)}
    least = min(sums.values())
    best = sorted((leaves for leaves in sums if sums[leaves] <= least + 1e-9), key=len)
    assert len(best) == 1 or len(best[0]) < len(best[1])
    return tuple(sorted(best[0]))


def errors(tree: Tree, node: int) -> Fraction:
    """Return the weight of the minority classes."""
    counts = [Fraction(c) for c in tree.counts[node].tolist()]
    return sum(counts) - max(counts)


def impurity(tree: Tree, node: int, risk: str) -> float:
    """Return the impurity of a node times its weight."""
    weight = tree.counts[node].sum()
    shares = [c / weight for c in tree.counts[node].tolist() if c > 0]
    if risk == "gini":
        return weight * (1 - sum(p * p for p in shares)) if shares else 0.0
    return -weight * sum(p * math.log2(p) for p in shares)


def cost_of(tree: Tree, risk: str) -> Any:
    """Return R of a node, times the weight of the tree."""
    if risk == "squared_error":
        return lambda node: tree.counts[node, 0] * tree.moments[node, 1]
    return lambda node: errors(tree, node) if risk == "errors" else impurity(tree, node, risk)


def least_by_dynamic_programming(tree: Tree, risk: str, alpha: float) -> int:
    """Return the number of leaves of the smallest minimiser."""
    cost = cost_of(tree, risk)
    best = [0.0] * tree.node_count
    n_leaves = [1] * tree.node_count
    for node in reversed(range(tree.node_count)):
        best[node] = float(cost(node)) / tree.weight[0] + alpha
        if not tree.is_leaf[node]:
            children = tree.children_of(node)
            subtree = sum(best[c] for c in children)
            if subtree < best[node] - 1e-12:
                best[node], n_leaves[node] = subtree, sum(n_leaves[c] for c in children)
    return n_leaves[0]


def predicted(tree: Tree, node: int, parent: int | None = None) -> Any:
    """Return the first majority class or the mean of a node, its parent's if it is empty."""
    if tree.counts[node].sum() == 0:
        return predicted(tree, int(tree.parents[node]))
    if tree.moments is not None:
        return tree.moments[node, 0]
    return tree.counts[node].tolist().index(max(tree.counts[node]))


def branch(tree: Tree, node: int, row: list[float]) -> int | None:
    """Return the branch that a row takes, None without the tested value."""
    j = int(tree.feature[node])
    value = float(tree.normals[node] @ np.nan_to_num(row)) if j == OBLIQUE else row[j]
    needed = [row[k] for k in np.flatnonzero(tree.normals[node])] if j == OBLIQUE else [value]
    if any(math.isnan(v) for v in needed):
        return None
    if not math.isnan(tree.threshold[node]):
        return 0 if value <= tree.threshold[node] else 1
    if tree.subset is not None and tree.subset[node] >= 0:
        return 0 if tree.left_levels.mask[tree.subset[node], int(value)] else 1
    return int(value)


def passing(tree: Tree, sample: Sample, divide: bool) -> dict[int, list[tuple[Any, float]]]:
    """Return the targets that pass each node, with their weights."""
    found: dict[int, list[tuple[Any, float]]] = {node: [] for node in range(tree.node_count)}

    def visit(node: int, row: list[float], target: Any, weight: float) -> None:
        found[node].append((target, weight))
        if tree.is_leaf[node]:
            return
        chosen, sides = branch(tree, node, row), below(tree, node)
        if chosen is not None:
            visit(sides[chosen], row, target, weight)
        elif not divide:
            visit(max(sides, key=lambda side: tree.weight[side]), row, target, weight)
        else:
            for side in sides:
                if tree.weight[side] > 0:
                    visit(side, row, target, weight * tree.weight[side] / tree.weight[node])

    for row, target, weight in zip(
        sample.X.tolist(), sample.y.tolist(), sample.weight, strict=True
    ):
        visit(0, row, target, weight)
    return found


def loss(tree: Tree, node: int, rows: list[tuple[Any, float]]) -> float:
    """Return the errors, or squared errors, of a node as a leaf on `rows`."""
    guess = predicted(tree, node)
    if tree.moments is not None:
        return sum(weight * (target - guess) ** 2 for target, weight in rows)
    return sum(weight for target, weight in rows if target != guess)


def reduced_error(tree: Tree, sample: Sample, divide: bool) -> tuple[int, ...]:
    """Return the leaves after reduced-error pruning."""
    rows = passing(tree, sample, divide)

    def prune(node: int) -> tuple[float, list[int]]:
        as_leaf = loss(tree, node, rows[node])
        if tree.is_leaf[node]:
            return as_leaf, [node]
        parts = [prune(child) for child in below(tree, node)]
        total = sum(part[0] for part in parts)
        if as_leaf <= total + 1e-9:
            return as_leaf, [node]
        return total, [leaf for part in parts for leaf in part[1]]

    return tuple(sorted(prune(0)[1]))


def _is_pessimistic(tree: Tree, node: int, leaves: list[int], z: float) -> bool:
    """Return whether a node as a leaf is not clearly worse than `leaves`."""
    n = tree.counts[node].sum()
    subtree = float(sum(errors(tree, leaf) + Fraction(1, 2) for leaf in leaves))
    spread = math.sqrt(max(0.0, subtree * (n - subtree) / n)) if n else 0.0
    return float(errors(tree, node)) + 0.5 <= subtree + z * spread + 1e-12


def pessimistic(tree: Tree, z: float, order: str, node: int = 0) -> list[int]:
    """Return the leaves after pessimistic error pruning."""
    if tree.is_leaf[node]:
        return [node]
    if order == "top_down":
        grown = [leaf for leaf in range(tree.node_count) if tree.is_leaf[leaf]]
        if _is_pessimistic(tree, node, [x for x in grown if _is_above(tree, node, x)], z):
            return [node]
    left = [leaf for child in below(tree, node) for leaf in pessimistic(tree, z, order, child)]
    return [node] if order == "bottom_up" and _is_pessimistic(tree, node, left, z) else left


def _is_above(tree: Tree, node: int, other: int) -> bool:
    """Return whether `other` is in the subtree of `node`."""
    while other > node:
        other = int(tree.parents[other])
    return other == node


def upper_errors(n: float, e: float, confidence: float) -> float:
    """Return the upper confidence limit of `e` errors in `n`, with continuity correction."""
    if n == 0:
        return 0.0
    none = n * (1 - confidence ** (1 / n))
    if e < 1:
        return none + e * (upper_errors(n, 1.0, confidence) - none) if e else none
    share, z = (e + 0.5) / n, norm.ppf(1 - confidence)
    if share >= 1:
        return n

    def excess(p: float) -> float:
        return (p - share) - z * math.sqrt(p * (1 - p) / n)

    return n * brentq(excess, share, 1.0, xtol=1e-15) if z > 0 else n * share


def error_based(tree: Tree, confidence: float, node: int = 0) -> tuple[float, list[int]]:
    """Return the estimated errors and the leaves after error-based pruning without raising."""
    n = tree.counts[node].sum()
    as_leaf = upper_errors(n, float(errors(tree, node)), confidence)
    if tree.is_leaf[node]:
        return as_leaf, [node]
    parts = [error_based(tree, confidence, child) for child in below(tree, node)]
    total = sum(part[0] for part in parts)
    if as_leaf < total + 0.1 + 1e-6:
        return as_leaf, [node]
    return total, [leaf for part in parts for leaf in part[1]]
