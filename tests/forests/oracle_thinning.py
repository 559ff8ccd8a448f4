"""Thinning, EPIC and AdaBoost.M1 written down from their definitions, in exact arithmetic.

Trees are read as `Tree` describes them; what rows do in them, and all that follows, is done here by
recursion and with fractions. Equations and lines are those of Guo and Fan (2014).
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from retree.trees.tree import OBLIQUE, Tree

Shares = list[Fraction]
Low = Callable[[Fraction], bool]


def argmax(values: Sequence[Any], but: int | None = None) -> int:
    """Return the place of the greatest value, the first of equal ones, that at `but` left out."""
    return max((k for k in range(len(values)) if k != but), key=lambda k: (values[k], -k))


def probabilities(votes: Shares) -> Shares:
    """Return the shares that are proportional to the exponentials of `votes`."""
    odds = [Fraction(math.exp(v - max(votes))) for v in votes]
    return [o / sum(odds) for o in odds]


def contribution(pv: Sequence[Any], p: Sequence[Any], y: int, m: Any) -> Any:
    """Return Con(v, F, x) of a row of class `y`, eqs. (6)-(9), `m` being the number of trees."""
    tm, fm = argmax(pv), argmax(p)
    fs = argmax(p, but=fm)
    if tm == y and fm != y:
        return (pv[tm] - pv[fm]) / (m * (p[fm] - p[tm] + 1 / m))
    if tm == y and fm == y:
        return (pv[fm] - pv[fs]) / (m * (p[fm] - p[fs] + 1 / m))
    if tm != y and fm == y:
        return -(pv[tm] - pv[fm]) / (m * (p[fm] - p[fs] + 1 / m))
    return -(pv[tm] - pv[y]) / (m * (p[fm] - p[y] + 1 / m))


class PlainTree:
    """A tree that may be pruned, with the class counts of its nodes as fractions."""

    def __init__(self, tree: Tree, divide_missing: bool = True) -> None:
        self.tree = tree
        self.divide_missing = divide_missing
        self.leaves = set(np.flatnonzero(tree.is_leaf).tolist())
        self.count([[Fraction(float(c)) for c in row] for row in tree.counts])

    def count(self, counts: list[Shares]) -> None:
        """Take `counts` as the class counts of the nodes."""
        self.weight = [sum(row, Fraction(0)) for row in counts]
        self.shares: list[Shares] = []
        for v, (row, total) in enumerate(zip(counts, self.weight, strict=True)):
            above = self.shares[self.tree.parents[v]] if v else [Fraction(0)] * len(row)
            self.shares.append([c / total for c in row] if total > 0 else above)

    def children(self, v: int) -> list[int]:
        return [] if v in self.leaves else self.tree.children_of(v).tolist()

    def branch(self, v: int, x: Sequence[float]) -> int | None:
        """Return the branch of row `x`, None if it lacks the value."""
        tree = self.tree
        if tree.feature[v] == OBLIQUE:
            used = np.flatnonzero(tree.normals[v])
            side = sum(tree.normals[v][j] * x[j] for j in used)
            return None if math.isnan(side) else int(side > tree.threshold[v])
        value = x[tree.feature[v]]
        if math.isnan(value):
            return None
        if not math.isnan(tree.threshold[v]):
            return int(value > tree.threshold[v])
        if tree.subset is not None and tree.subset[v] >= 0:
            return int(not tree.left_levels.mask[tree.subset[v], int(value)])
        return int(value)

    def reached(self, x: Sequence[float], v: int = 0, part: Any = 1) -> dict[int, Fraction]:
        """Return the nodes that row `x` reaches and the part of it that does."""
        found = {v: Fraction(part)}
        children = self.children(v)
        if not children:
            return found
        b = self.branch(v, x)
        if b is not None:
            return found | self.reached(x, children[b], part)
        weights = [self.weight[c] for c in children]
        if not self.divide_missing or self.weight[v] == 0:
            return found | self.reached(x, children[argmax(weights)], part)
        for c, w in zip(children, weights, strict=True):
            if w > 0:
                found |= self.reached(x, c, part * w / self.weight[v])
        return found

    def harden(self) -> None:
        """Give each node all its share in the class that it decides on."""
        classes = range(len(self.shares[0]))
        self.shares = [[Fraction(int(k == argmax(row))) for k in classes] for row in self.shares]

    def distribution(self, x: Sequence[float]) -> Shares:
        """Return the class shares that the tree gives row `x`."""
        ends = {v: part for v, part in self.reached(x).items() if v in self.leaves}
        n_classes = len(self.shares[0])
        return [sum(part * self.shares[v][k] for v, part in ends.items()) for k in range(n_classes)]

    def recount(self, X: Sequence[Sequence[float]], y: Sequence[int]) -> None:
        """Count the rows that reach each node."""
        counts = [[Fraction(0)] * len(self.shares[0]) for _ in range(self.tree.node_count)]
        for x, label in zip(X, y, strict=True):
            for v, part in self.reached(x).items():
                counts[v][label] += part
        self.count(counts)

    def cut(self) -> Tree:
        return self.tree.cut(np.array(sorted(self.leaves)))


class PlainForest:
    """A forest and a pruning set."""

    def __init__(self, forest, X, y, shares="training", pooling="mean"):
        self.trees = [PlainTree(tree, forest.divide_missing) for tree in forest.trees]
        votes = forest.vote_weight if pooling != "mean" else np.ones(len(forest.trees))
        weights = [Fraction(float(w)) for w in votes]
        self.say = [w / sum(weights) for w in weights]
        self.weights, self.log_odds = self.say, pooling == "log_odds"
        if self.log_odds:
            self.weights, self.say = weights, [Fraction(1, len(weights))] * len(weights)
        self.X, self.y = X.tolist(), y.tolist()
        for tree in self.trees:
            if shares == "training":
                tree.recount(self.X, self.y)
            elif shares == "decisions":
                tree.harden()

    def shares(self) -> list[Shares]:
        """Return p of each row: eq. (1), or Weka's probabilities of votes that are log odds."""
        told = [[tree.distribution(x) for x in self.X] for tree in self.trees]
        classes = range(len(told[0][0]))
        pooled = [
            [sum(w * t[j][k] for w, t in zip(self.weights, told, strict=True)) for k in classes]
            for j in range(len(self.X))
        ]
        return [probabilities(votes) for votes in pooled] if self.log_odds else pooled

    def node_contributions(self, i: int, p: list[Shares]) -> dict[int, Fraction]:
        """Return Con(v, F), eq. (2), of each node of tree `i`."""
        tree, total = self.trees[i], {}
        for x, label, pj in zip(self.X, self.y, p, strict=True):
            for v, part in tree.reached(x).items():
                con = contribution(tree.shares[v], pj, label, 1 / self.say[i])
                total[v] = total.get(v, Fraction(0)) + part * con
        return total

    def leaf_contributions(self, i: int, p: list[Shares]) -> Fraction:
        """Return the contribution of the whole tree `i`, eq. (3)."""
        own = self.node_contributions(i, p)
        return sum((con for v, con in own.items() if v in self.trees[i].leaves), Fraction(0))

    def thin(self, passes=2, delta=0.0, variant="corrected", inclusive=False) -> list[Tree]:
        """Prune the trees in order and return them."""
        rules = {"corrected": prune_by_gain, "printed": pruning_tree, "right_sign": prune_by_leaves}
        prune = rules[variant]
        low = operator.le if inclusive else operator.lt
        for _ in range(passes):
            for i, tree in enumerate(self.trees):
                own = self.node_contributions(i, self.shares())
                prune(tree, 0, own, lambda gain: low(gain, Fraction(delta)))
        return [tree.cut() for tree in self.trees]

    def errors(self) -> int:
        return sum(argmax(p) != label for p, label in zip(self.shares(), self.y, strict=True))

    def thin_by_accuracy(self, passes=2) -> list[Tree]:
        """Make each node a leaf, from the leaves up, if the forest then errs on no more rows."""
        for _ in range(passes):
            for tree in self.trees:
                for v in inner_nodes_from_below(tree):
                    before, leaves = self.errors(), set(tree.leaves)
                    tree.leaves.add(v)
                    if self.errors() > before:
                        tree.leaves = leaves
        return [tree.cut() for tree in self.trees]


def inner_nodes_from_below(tree: PlainTree, v: int = 0) -> list[int]:
    """Return the inner nodes, last children first, each after those below it."""
    children = tree.children(v)
    below = [u for c in reversed(children) for u in inner_nodes_from_below(tree, c)]
    return [*below, v] if children else below


def prune_by_gain(tree: PlainTree, v: int, own: dict[int, Fraction], low: Low) -> Fraction:
    """Prune from the leaves up where ConGain is `low`, section 3.1; return Con(subtree(v), F)."""
    children = tree.children(v)
    if not children:
        return own.get(v, Fraction(0))
    below = sum((prune_by_gain(tree, c, own, low) for c in children), Fraction(0))
    if low(below - own.get(v, Fraction(0))):  # eq. (4)
        tree.leaves.add(v)
        return own.get(v, Fraction(0))
    return below


def pruning_tree(tree: PlainTree, v: int, con: dict[int, Fraction], low: Low) -> None:
    """Run the procedure PruningTree of Algorithm 1, line by line; `con` holds the C_v."""
    if v not in tree.leaves:  # 1
        cg = con.get(v, Fraction(0))  # 2
        con[v] = Fraction(0)  # 3
        for c in tree.tree.children_of(v).tolist():  # 4
            pruning_tree(tree, c, con, low)  # 5
            cg -= con.get(c, Fraction(0))  # 6
            con[v] += con.get(c, Fraction(0))  # 7
        if low(cg):  # 8
            tree.leaves.add(v)  # 9


def prune_by_leaves(tree: PlainTree, v: int, con: dict[int, Fraction], low: Low) -> Fraction:
    """Prune where the leaves of today contribute no more, whatever is pruned below; return them."""
    if v in tree.leaves:
        return con.get(v, Fraction(0))
    parts = [prune_by_leaves(tree, c, con, low) for c in tree.tree.children_of(v).tolist()]
    below = sum(parts, Fraction(0))
    if low(below - con.get(v, Fraction(0))):
        tree.leaves.add(v)
    return below


def epic_contributions(codes: Any, y: Any, n_classes: int, weight: Any) -> list[float]:
    """Return the individual contribution of each member, summed over the rows (Lu et al. 2010)."""
    members, worth = codes.tolist(), []
    for member, own_weight in zip(members, weight, strict=True):
        total = 0
        for j, h in enumerate(member):
            v = [
                sum(w for other, w in zip(members, weight, strict=True) if other[j] == k)
                for k in range(n_classes)
            ]
            in_majority = v[h] == max(v)
            if h == y[j] and not in_majority:
                total += 2 * max(v) - v[h]
            elif h == y[j]:
                total += sorted(v)[-2]
            else:
                total += v[y[j]] - v[h] - max(v)
        worth.append(total * own_weight)
    return worth


def ada_boost_m1(member: Any, X: Any, y: Any, n_members: int) -> tuple[list[Any], list[float]]:
    """Return the fitted members and their votes, as Weka's AdaBoostM1 without resampling."""
    weights, members, votes = [1.0] * len(y), [], []
    for iteration in range(n_members):
        fitted = member().fit(X, y, np.array(weights))
        # The error goes by the greatest share to the last bit, reweighting by what J48 predicts,
        # to which shares that differ by less than 1e-6 are tied.
        greatest = fitted.classes_[fitted.predict_proba(X).argmax(axis=1)]
        missed = [bool(a != b) for a, b in zip(fitted.predict(X), y, strict=True)]
        wrong = [w for w, a, b in zip(weights, greatest, y, strict=True) if a != b]
        total = one_by_one(weights)
        error = one_by_one(wrong) / total
        if error > 0.5 - 1e-6 or error < 1e-6:
            if iteration == 0:
                return [fitted], [1.0]
            break
        odds = (1 - error) / error
        members.append(fitted)
        votes.append(math.log(odds))
        weights = [w * odds if m else w for w, m in zip(weights, missed, strict=True)]
        raised = one_by_one(weights)
        weights = [w * total / raised for w in weights]
    return members, votes


def one_by_one(values: list[float]) -> float:
    """Return the sum, as Java adds it up."""
    total = 0.0
    for value in values:
        total += value
    return total
