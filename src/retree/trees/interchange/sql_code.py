"""Models as a query of SQL that predicts for the rows of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from retree.trees.centres import EUCLIDEAN, MANHATTAN
from retree.trees.interchange.dialects import DIALECTS, Dialect, quote_name
from retree.trees.interchange.model import Model
from retree.trees.interchange.nodes import (
    EachLevel,
    Nearest,
    Node,
    Oblique,
    Subset,
    Threshold,
    nodes_of,
)
from retree.trees.interchange.values import plain_classes, plain_levels
from retree.trees.validation import check_choice

_TIE = 1e-6  # shares that differ by less are equal
_MOST_COLUMNS = 1600  # of a query in PostgreSQL; in SQLite 2000


def sql_code(model: Model, table: str, dialect: str, keys: Sequence[str]) -> str:
    """Return a query that predicts as a model does.

    Parameters
    ----------
    model : Model
    table : str
        Its columns are called as the features.
    dialect : {"sqlite", "postgres", "duckdb"}
    keys : sequence of str
        Columns of the table that the result begins with.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If the dialect is unknown, two features have the same name, a label is no string, number or
        boolean, or the query would need more columns than databases have.
    """
    check_choice("dialect", dialect, DIALECTS)
    if len(set(model.feature_names)) < len(model.feature_names):
        raise ValueError("Two features have the same name; rename one of them before fit.")
    return _Query(model, DIALECTS[dialect]).text(table, keys)


@dataclass(frozen=True)
class _Conditions:
    """When a row takes each branch of a test, and when the tested value is missing."""

    branches: list[str]
    missing: str


class _Query:
    """The parts of a query, each of which selects from the one before it."""

    def __init__(self, model: Model, dialect: Dialect) -> None:
        self.model, self.dialect = model, dialect
        self.number = dialect.number
        self.trees = nodes_of(model)
        self.zero = self.number(0.0)

    def text(self, table: str, keys: Sequence[str]) -> str:
        """Return the whole query."""
        own = [f"t.{quote_name(key)} AS k{i}" for i, key in enumerate(keys)]
        stages = [("coded", [*own, *self._columns()], f"{quote_name(table)} AS t")]
        for name, columns in [*self._tests(), *self._totals()]:
            if columns:
                before = "*" if name in ("distances", "tests", "trees", "votes") else None
                kept = [before] if before else [f"k{i}" for i in range(len(keys))]
                stages.append((name, [*kept, *columns], stages[-1][0]))
        n_columns = len(keys) + sum(len(columns) for _, columns, _ in stages)
        if n_columns > _MOST_COLUMNS:
            raise ValueError(
                f"The query would need {n_columns} columns, and databases have {_MOST_COLUMNS}: "
                "export fewer trees, or a smaller tree."
            )
        parts = [
            f"{name} AS MATERIALIZED (\n{_select(columns, source)}\n)"
            for name, columns, source in stages
        ]
        end = [f"k{i} AS {quote_name(key)}" for i, key in enumerate(keys)]
        return f"WITH {', '.join(parts)}\n{_select([*end, *self._outputs()], stages[-1][0])}\n"

    def _columns(self) -> list[str]:
        """Return what the trees test: numbers, and codes of levels."""
        model, found = self.model, []
        for number, (j, level) in enumerate(model.columns):
            name, levels = f"t.{quote_name(model.feature_names[j])}", model.levels[j]
            if levels is None:
                found.append(f"{self.dialect.column(name)} AS c{number}")
                continue
            labels = [self.dialect.label(v) for v in plain_levels(model.feature_names[j], levels)]
            if level is not None:
                one = f"CASE WHEN {name} = {labels[level]} THEN {self.number(1.0)}"
                found.append(f"{one} ELSE {self.zero} END AS c{number}")
                continue
            cases = "".join(f" WHEN {label} THEN {k}" for k, label in enumerate(labels))
            coded = f"CASE {name}{cases} ELSE NULL END" if cases else "CAST(NULL AS INTEGER)"
            found.append(f"{coded} AS c{number}")
        return found

    def _tests(self) -> list[tuple[str, list[str]]]:
        """Return weighted sums and distances of centres, then which centre is the nearest."""
        sums, nearest = [], []
        for t, nodes in enumerate(self.trees):
            for i, node in enumerate(nodes):
                if isinstance(node.test, Oblique):
                    terms = [f"{self.number(c)} * c{j}" for j, c in node.test.terms]
                    sums.append(f"{' + '.join(terms) or self.zero} AS s{t}_{i}")
                if isinstance(node.test, Nearest):
                    for c, centre in enumerate(node.test.centres):
                        sums.append(f"{self._distance(node.test, centre)} AS d{t}_{i}_{c}")
                    nearest.append(f"{_first_least(node.test, f'd{t}_{i}')} AS s{t}_{i}")
        return [("distances", sums), ("tests", nearest)]

    def _distance(self, test: Nearest, centre: tuple[float, ...]) -> str:
        numeric, categorical = [self.zero], [self.zero]
        for of in test.columns:
            if of.is_categorical:
                levels = self.model.levels[self.model.columns[of.column][0]]
                codes = range(0 if levels is None else len(levels))
                terms = [of.weight * (1.0 - centre[of.slot + k]) for k in codes]
                cases = "".join(f" WHEN {k} THEN {self.number(v)}" for k, v in enumerate(terms))
                categorical.append(f"CASE c{of.column}{cases} ELSE {self.zero} END")
                continue
            scaled = f"(c{of.column} - {self.number(of.offset)}) / {self.number(of.scale)}"
            gap = f"({scaled} - {self.number(centre[of.slot])})"
            size = f"ABS({gap})" if test.metric == MANHATTAN else f"({gap} * {gap})"
            numeric.append(f"COALESCE({self.number(of.weight)} * {size}, {self.zero})")
        inside = f"({' + '.join(numeric)})"
        root = f"SQRT{inside}" if test.metric == EUCLIDEAN else inside
        gamma, rest = self.number(test.gamma), self.number(1.0 - test.gamma)
        return f"{gamma} * {root} + {rest} * ({' + '.join(categorical)})"

    def _totals(self) -> list[tuple[str, list[str]]]:
        """Return the class shares, or the value of a regression, and what they are made of."""
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
                f"{self._majority(own, range(n_values))} AS v{t}" for t, own in enumerate(names)
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

    def _outputs(self) -> list[str]:
        """Return the columns of the result."""
        if self.model.classes is None:
            return ["p0 AS prediction"]
        classes = plain_classes(self.model.classes)
        names = [f"p{k}" for k in range(len(classes))]
        labels = [self.dialect.label(label) for label in classes]
        shares = [
            f"{p} AS {quote_name(f'probability_{c}')}" for p, c in zip(names, classes, strict=True)
        ]
        return [*shares, f"{self._majority(names, labels)} AS prediction"]

    def _majority(self, shares: Sequence[str], labels: Sequence[object]) -> str:
        """Return the label of the greatest share, the first where shares tie."""
        most = f"{self.dialect.greatest}({', '.join(shares)})" if len(shares) > 1 else shares[0]
        limit = f"{most} - {self.number(_TIE)}"
        cases = [f"WHEN {p} > {limit} THEN {v}" for p, v in zip(shares, labels, strict=True)]
        return f"CASE {' '.join(cases)} END"

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


def _first_least(test: Nearest, name: str) -> str:
    """Return which of the distances is the least, the first where they tie."""
    missing = " AND ".join(f"c{of.column} IS NULL" for of in test.columns) or "1 = 1"
    cases, last = [f"WHEN {missing} THEN NULL"], len(test.centres) - 1
    for c in range(last):
        nearer = [f"{name}_{c} <= {name}_{other}" for other in range(c + 1, last + 1)]
        cases.append(f"WHEN {' AND '.join(nearer)} THEN {c}")
    return f"CASE {' '.join(cases)} ELSE {last} END"


def _select(columns: Sequence[str], source: str) -> str:
    listed = ",\n".join(f"    {column}" for column in columns)
    return f"  SELECT\n{listed}\n  FROM {source}"
