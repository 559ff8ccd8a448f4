"""Models as SQL queries that predict for the rows of a table, the same in all databases.

For each tree a nested expression finds the leaf that a row reaches. The predictions of the leaves
are added up.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from retree.arithmetic import sum_of
from retree.trees.interchange.model import Model
from retree.trees.interchange.values import plain_classes, plain_levels
from retree.trees.tree import Tree

_MOST_LEVELS = 12  # of nested expressions; SQLite before 3.46 reads 14
_MOST_TREES = 500  # SQLite and DuckDB read sums of about 1,000 terms
_STAGES = ("coded", "reached", "shares")


def sql_code(model: Model, table: str, keys: Sequence[str]) -> str:
    """Return a query that makes the predictions of a model; see `Interchange.export_sql`."""
    if len(set(model.feature_names)) < len(model.feature_names):
        raise ValueError("Two features have the same name; rename one of them before fit.")
    if table.lower() in _STAGES:
        raise ValueError(
            f"{table!r} is also a name inside the query: create a view of the table with another "
            "name."
        )
    if len(model.trees) > _MOST_TREES:
        raise ValueError(
            f"The forest has {len(model.trees)} trees, but databases can add up only "
            f"{_MOST_TREES}: fit fewer, or save it with to_json."
        )
    if (depth := max(tree.max_depth for tree in model.trees)) > _MOST_LEVELS:
        raise ValueError(
            f"The tree has {depth} levels, but databases can read only expressions of "
            f"{_MOST_LEVELS}: fit with max_depth={_MOST_LEVELS}, prune it, or save it with to_json."
        )
    names = [f"k{i}" for i in range(len(keys))]
    kept = [f"t.{quote_name(key)} AS {k}" for k, key in zip(names, keys, strict=True)]
    features = np.concatenate([tree.feature for tree in model.trees])
    columns = [f"{_column(model, j)} AS c{j}" for j in np.unique(features[features >= 0]).tolist()]
    leaves = [
        f"{_leaf(tree, 0, model.divide_missing)} AS leaf{t}" for t, tree in enumerate(model.trees)
    ]
    stages = (
        _select([*kept, *columns] or ["1 AS one"], f"{quote_name(table)} AS t"),
        _select([*names, *leaves], "coded"),
        _select([*names, *_sums(model)], "reached"),
    )
    # Without the word databases write each part out wherever the next one names its columns.
    texts = ", ".join(
        f"{name} AS MATERIALIZED (\n{text}\n)" for name, text in zip(_STAGES, stages, strict=True)
    )
    end = [f"{k} AS {quote_name(key)}" for k, key in zip(names, keys, strict=True)]
    return f"WITH {texts}\n{_select([*end, *_outputs(model)], 'shares')}\n"


def _leaf(tree: Tree, node: int, divide_missing: bool) -> str:
    """Return an expression for the leaf that a row reaches below a node, NULL for a divided row."""
    if tree.is_leaf[node]:
        return str(node)
    children = tree.children_of(node)
    weight = tree.weight[children]
    # All that is below a node without weight predicts the same.
    takers = children[[weight.argmax()]]
    if divide_missing and tree.weight[node] > 0:
        takers = children[(weight > 0) & (tree.sent[children] > 0)]
    if tree.missing_branch is not None and tree.missing_branch[node]:
        takers = children[:0]  # `_branches` has a condition for it
    missing = f" OR {_is_null(tree, node)}"
    cases = "".join(
        f" WHEN {branch}{missing if takers.tolist() == [child] else ''} "
        f"THEN {_leaf(tree, child, divide_missing)}"
        for child, branch in zip(children.tolist(), _branches(tree, node), strict=True)
    )
    return f"CASE{cases} END"


def _sums(model: Model) -> list[str]:
    """Return expressions for the sums of the leaves' predictions, in the order of the trees."""
    weights = [1.0] if model.weights is None else model.weights.tolist()
    sums: list[list[str]] = [[] for _ in range(model.trees[0].value.shape[1])]
    for t, (tree, weight) in enumerate(zip(model.trees, weights, strict=True)):
        leaves = np.flatnonzero(tree.is_leaf).tolist()
        for terms, column in zip(sums, (weight * model.values(tree)).T.tolist(), strict=True):
            cases = "".join(f" WHEN {leaf} THEN {_number(column[leaf])}" for leaf in leaves)
            terms.append(f"CASE leaf{t}{cases} END")
    return [f"{' + '.join(terms)} AS p{k}" for k, terms in enumerate(sums)]


def _branches(tree: Tree, node: int) -> list[str]:
    """Return, for each branch, the condition on which a row takes it."""
    has_one = tree.is_for_missing(node, len(tree.children_of(node)) - 1)
    return [*_outcomes(tree, node, has_one), *([_is_null(tree, node)] if has_one else [])]


def _is_null(tree: Tree, node: int) -> str:
    return f"c{tree.feature[node]} IS NULL"


def _outcomes(tree: Tree, node: int, has_missing_branch: bool) -> list[str]:
    """Return, for each branch, the condition on which a row that has the value takes it."""
    column, at_most = int(tree.feature[node]), float(tree.threshold[node])
    name, subset = f"c{column}", int(tree.tests.subset[node])
    if not math.isnan(at_most):
        return [f"{name} <= {_number(at_most)}", f"{name} > {_number(at_most)}"]
    if subset < 0:
        n_levels = len(tree.children_of(node)) - has_missing_branch
        return [f"{name} = {level}" for level in range(n_levels)]
    listed = ", ".join(map(str, tree.tests.left_levels.levels(subset))) or "-1"
    return [f"{name} IN ({listed})", f"{name} NOT IN ({listed})"]


def _column(model: Model, number: int) -> str:
    """Return an expression for a tested column: a number, a level code, an indicator or a sum."""
    if number >= len(model.columns):
        coefficients = model.sums[number - len(model.columns)]
        terms = [
            f"{_number(coefficients[j])} * {_column(model, j)}"
            for j in coefficients.nonzero()[0].tolist()
        ]
        return " + ".join(["0e0", *terms])
    j, level = model.columns[number]
    feature, levels = model.feature_names[j], model.levels[j]
    name = f"t.{quote_name(feature)}"
    if levels is None:
        return name
    labels = [_label(value) for value in plain_levels(feature, levels)]
    if level is not None:
        return f"CASE WHEN {name} = {labels[level]} THEN 1.0 ELSE 0.0 END"
    cases = "".join(f" WHEN {label} THEN {code}" for code, label in enumerate(labels))
    return f"CASE {name}{cases} END" if cases else "CAST(NULL AS INTEGER)"


def _outputs(model: Model) -> list[str]:
    """Return the columns of the result."""
    if model.classes is None:
        return ["p0 AS prediction"]
    classes = plain_classes(model.classes)
    sums = [f"p{k}" for k in range(len(classes))]
    shares = sums
    if model.weights is not None:
        total = _number(sum_of(model.weights))
        shares = [f"CASE WHEN {p} / {total} > 1e0 THEN 1e0 ELSE {p} / {total} END" for p in sums]
    cases = []
    compared = shares if model.tie else sums
    for p, label in zip(compared, classes, strict=True):
        limit = f"> {{}} - {model.tie}" if model.tie else ">= {}"
        above = [f"{p} {limit.format(other)}" for other in compared if other != p]
        cases.append(f"WHEN {' AND '.join(above) or '1 = 1'} THEN {_label(label)}")
    outputs = [
        f"{share} AS {quote_name(f'probability_{c}')}"
        for share, c in zip(shares, classes, strict=True)
    ]
    return [*outputs, f"CASE {' '.join(cases)} END AS prediction"]


def _select(columns: Sequence[str], source: str) -> str:
    listed = ",\n".join(f"    {column}" for column in columns)
    return f"  SELECT\n{listed}\n  FROM {source}"


def quote_name(name: str) -> str:
    """Return the name of a table or a column in quotation marks."""
    doubled = _checked(name).replace('"', '""')
    return f'"{doubled}"'


def _label(label: Any) -> str:
    """Return a class or a level as an SQL literal."""
    if isinstance(label, str):
        doubled = _checked(label).replace("'", "''")
        return f"'{doubled}'"
    if isinstance(label, bool):
        return str(label).upper()
    return _number(label) if isinstance(label, float) else str(label)


def _checked(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{text!r} cannot be written in UTF-8.") from None
    if "\0" in text:
        raise ValueError(f"{text!r} has a null character, which SQL cannot hold.")
    return text


def _number(value: float) -> str:
    """Return a double as an SQL expression that is read exactly.

    SQLite before 3.43 reads some long decimals as a neighbour of the nearest double. Such numbers
    are written as quotients or products of whole numbers that are doubles.
    """
    short = repr(float(value))
    if len(short) <= 15 and "e" not in short and math.isfinite(value):
        return f"{short}e0"
    mantissa, exponent = math.frexp(value)
    number, exponent = int(mantissa * 2**53), exponent - 53
    while number and number % 2 == 0:
        number, exponent = number // 2, exponent + 1
    sign, steps = ("/" if exponent < 0 else "*"), [52] * (abs(exponent) // 52)
    steps += [abs(exponent) % 52] if abs(exponent) % 52 else []
    return f"({number}e0{''.join(f' {sign} {2**step}e0' for step in steps)})"
