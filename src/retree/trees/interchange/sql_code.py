"""Models as a query of SQL that predicts for the rows of a table."""

from __future__ import annotations

from collections.abc import Sequence

from retree.trees.centres import EUCLIDEAN, MANHATTAN
from retree.trees.interchange.dialects import DIALECTS, Dialect, quote_name, select
from retree.trees.interchange.model import Model
from retree.trees.interchange.nodes import Nearest, Oblique, nodes_of
from retree.trees.interchange.sql_nested import NestedTrees, fits
from retree.trees.interchange.sql_walk import WalkedTrees
from retree.trees.interchange.values import plain_classes, plain_levels
from retree.trees.validation import check_choice

_MOST_COLUMNS = 1600  # of a query in PostgreSQL; in SQLite 2000


def sql_code(model: Model, table: str, dialect: str, keys: Sequence[str]) -> str:
    """Return a query that predicts as a model does."""
    check_choice("dialect", dialect, DIALECTS)
    if len(set(model.feature_names)) < len(model.feature_names):
        raise ValueError("Two features have the same name; rename one of them before fit.")
    return _Query(model, DIALECTS[dialect]).text(table, keys)


class _Query:
    """The parts of a query, each of which selects from the one before it."""

    def __init__(self, model: Model, dialect: Dialect) -> None:
        self.model, self.dialect = model, dialect
        self.number = dialect.number
        self.trees = nodes_of(model)
        self.zero = self.number(0.0)

    def text(self, table: str, keys: Sequence[str]) -> str:
        """Return the whole query."""
        names = [f"k{i}" for i in range(len(keys))]
        own = [f"t.{quote_name(key)} AS {k}" for k, key in zip(names, keys, strict=True)]
        is_nested = fits(self.model, self.trees)
        number = [] if is_nested else ["ROW_NUMBER() OVER () AS r"]
        stages = [("coded", [*own, *number, *self._columns()]), *self._tests()]
        if is_nested:
            stages += NestedTrees(self.model, self.trees, self.dialect).stages()
        n_columns = len(keys) + sum(len(columns) for _, columns in stages)
        if n_columns > _MOST_COLUMNS:
            raise ValueError(
                f"The query would need {n_columns} columns, and databases have {_MOST_COLUMNS}: "
                "fit to fewer features, or export a smaller model."
            )
        parts, before = [], f"{quote_name(table)} AS t"
        for name, columns in stages:
            kept = {"coded": [], "shares": names}.get(name, ["*"])
            parts.append((name, select([*kept, *columns], before)))
            before = name
        if not is_nested:
            parts += WalkedTrees(self.model, self.trees, self.dialect).parts(before, names)
        if table.lower() in {name.partition("(")[0] for name, _ in parts}:
            raise ValueError(
                f"{table!r} is what a part of the query is called: name a view of that table."
            )
        texts = ", ".join(f"{name} AS MATERIALIZED (\n{text}\n)" for name, text in parts)
        end = [f"{k} AS {quote_name(key)}" for k, key in zip(names, keys, strict=True)]
        return f"WITH RECURSIVE {texts}\n{select([*end, *self._outputs()], 'shares')}\n"

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
        return [stage for stage in (("distances", sums), ("tests", nearest)) if stage[1]]

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
        return [*shares, f"{self.dialect.majority(names, labels)} AS prediction"]


def _first_least(test: Nearest, name: str) -> str:
    """Return which of the distances is the least, the first where they tie."""
    missing = " AND ".join(f"c{of.column} IS NULL" for of in test.columns) or "1 = 1"
    cases, last = [f"WHEN {missing} THEN NULL"], len(test.centres) - 1
    for c in range(last):
        nearer = [f"{name}_{c} <= {name}_{other}" for other in range(c + 1, last + 1)]
        cases.append(f"WHEN {' AND '.join(nearer)} THEN {c}")
    return f"CASE {' '.join(cases)} ELSE {last} END"
