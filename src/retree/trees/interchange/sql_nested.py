"""What shallow trees predict, as nested expressions of SQL: the fastest form, where it fits."""

from __future__ import annotations

from dataclasses import dataclass

from retree.trees.interchange.dialects import Dialect
from retree.trees.interchange.model import Model
from retree.trees.interchange.nodes import EachLevel, Node, Oblique, Subset, Threshold

# SQLite before 3.46 parses 10 levels that divide rows, and sums of 1000 terms.
_MOST_LEVELS = 8
_MOST_TERMS = 500


def fits(model: Model, trees: list[list[Node]]) -> bool:
    """Whether all databases read the expressions of these trees."""
    depth = max(tree.max_depth for tree in model.trees)
    widest = max(len(node.children) for nodes in trees for node in nodes)
    n_values = model.values[0].shape[1]
    return depth <= _MOST_LEVELS and max(widest * depth, len(trees) * n_values) <= _MOST_TERMS


@dataclass(frozen=True)
class _Conditions:
    """When a row takes each branch of a test, and when the tested value is missing."""

    branches: list[str]
    missing: str


class NestedTrees:
    """The columns of the stages that make class shares of what the trees test."""

    def __init__(self, model: Model, trees: list[list[Node]], dialect: Dialect) -> None:
        self.model, self.trees, self.dialect = model, trees, dialect
        self.number, self.zero = dialect.number, dialect.number(0.0)

    def stages(self) -> list[tuple[str, list[str]]]:
        """Return names and columns; the last ones are the shares, or the value of a regression."""
        model, n_values = self.model, self.model.values[0].shape[1]
        of_trees = [[self._value(t, k) for k in range(n_values)] for t in range(len(self.trees))]
        if model.total is None:
            return [("shares", [f"{text} AS p{k}" for k, text in enumerate(of_trees[0])])]
        weights = [self.number(weight) for weight in model.weights.tolist()]
        stages = []
        if model.votes:
            values = [
                f"{v} AS t{t}_{k}" for t, own in enumerate(of_trees) for k, v in enumerate(own)
            ]
            names = [[f"t{t}_{k}" for k in range(n_values)] for t in range(len(of_trees))]
            votes = [
                f"{self.dialect.majority(own, range(n_values))} AS v{t}"
                for t, own in enumerate(names)
            ]
            stages = [("trees", values), ("votes", votes)]
            of_trees = [
                [f"CASE WHEN v{t} = {k} THEN {w} ELSE {self.zero} END" for k in range(n_values)]
                for t, w in enumerate(weights)
            ]
        else:
            of_trees = [
                [f"{w} * {v}" for v in own] for w, own in zip(weights, of_trees, strict=True)
            ]
        total, one = self.number(model.total), self.number(1.0)
        sums = [" + ".join([self.zero, *own]) for own in zip(*of_trees, strict=True)]
        shares = [
            f"{self.dialect.least}(({s}) / {total}, {one}) AS p{k}" for k, s in enumerate(sums)
        ]
        return [*stages, ("shares", shares)]

    def _value(self, t: int, k: int) -> str:
        """Return value `k` of the leaf of a row, or the sum over the leaves that it is divided to.

        What is not reached adds 0, which changes no bit.
        """
        nodes = self.trees[t]
        conditions = [
            None if n.test is None else self._conditions(t, i) for i, n in enumerate(nodes)
        ]
        factors = self._factors(nodes, conditions)
        texts = [""] * len(nodes)
        for i in reversed(range(len(nodes))):
            node, when = nodes[i], conditions[i]
            if when is None:
                value = self.number(node.value[k])
                parts = factors[i] if value != self.zero else []
                texts[i] = " * ".join([*parts, value])
            else:
                texts[i] = self._branches(node, when, [texts[child] for child in node.children])
        return texts[0]

    def _branches(self, node: Node, when: _Conditions, texts: list[str]) -> str:
        if all(text == self.zero for text in texts):
            return self.zero
        pairs = list(zip(when.branches, texts, strict=True))
        if sorted(node.parts, key=bool)[:-1] == [None] * (len(texts) - 1) and 1.0 in node.parts:
            whole = node.parts.index(1.0)
            others = pairs[:whole] + pairs[whole + 1 :]
            cases = "".join(f" WHEN {condition} THEN {text}" for condition, text in others)
            return f"CASE{cases} ELSE {texts[whole]} END"
        terms = []
        for (condition, text), part in zip(pairs, node.parts, strict=True):
            reached = condition if part is None else f"{condition} OR {when.missing}"
            terms.append(f"CASE WHEN {reached} THEN {text} ELSE {self.zero} END")
        return f"({' + '.join(terms)})"

    def _factors(self, nodes: list[Node], conditions: list[_Conditions | None]) -> list[list[str]]:
        """Return by what the value of each node is multiplied where a row was divided above it."""
        factors: list[list[str]] = [[] for _ in nodes]
        for i, (node, when) in enumerate(zip(nodes, conditions, strict=True)):
            if when is None:
                continue
            for child, part in zip(node.children, node.parts, strict=True):
                own = []
                if part is not None and part != 1.0:
                    given, one = self.number(part), self.number(1.0)
                    own = [f"CASE WHEN {when.missing} THEN {given} ELSE {one} END"]
                factors[child] = factors[i] + own
        return factors

    def _conditions(self, t: int, i: int) -> _Conditions:
        node = self.trees[t][i]
        match node.test:
            case Threshold(column, at_most):
                return _sides(f"c{column}", self.number(at_most))
            case Oblique(_, at_most):
                return _sides(f"s{t}_{i}", self.number(at_most))
            case Subset(column, levels):
                name, listed = f"c{column}", ", ".join(map(str, levels)) or "-1"
                inside = [f"{name} IN ({listed})", f"{name} NOT IN ({listed})"]
                return _Conditions(inside, f"{name} IS NULL")
            case EachLevel(column):
                name = f"c{column}"
            case _:
                name = f"s{t}_{i}"
        branches = [f"{name} = {branch}" for branch in range(len(node.children))]
        return _Conditions(branches, f"{name} IS NULL")


def _sides(name: str, threshold: str) -> _Conditions:
    return _Conditions([f"{name} <= {threshold}", f"{name} > {threshold}"], f"{name} IS NULL")
