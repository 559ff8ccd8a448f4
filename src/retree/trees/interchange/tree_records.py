"""Write trees as records of plain values, and read them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retree.trees.node_tests import Centres, LevelSets
from retree.trees.tree import CENTRES, LEAF, OBLIQUE, Tree

_ROW_SUMS = ("weight", "sent", "known")
_METRICS = ("manhattan", "euclidean", "sqeuclidean")


def record_of(tree: Tree) -> dict[str, Any]:
    """Return a tree as a record that follows the schema."""
    record: dict[str, Any] = {"nodes": [_node(tree, i) for i in range(tree.node_count)]}
    record["held_out"] = float(tree.held_out)
    if tree.target_exponent is not None:
        record["target_exponent"] = tree.target_exponent
    if tree.smoothing is not None:
        record["smoothing"] = tree.smoothing
    if tree.centres is not None:
        columns = zip(tree.centres.nominal, tree.centres.offset, tree.centres.scale, strict=True)
        record["centre_columns"] = [
            {"categorical": bool(c), "offset": float(o), "scale": float(s)} for c, o, s in columns
        ]
    return record


def _node(tree: Tree, i: int) -> dict[str, Any]:
    node: dict[str, Any] = {"counts": tree.counts[i].tolist()}
    if tree.moments is not None:
        node |= dict(zip(("mean", "variance"), tree.moments[i].tolist(), strict=True))
    if tree.row_sums is not None:
        node |= dict(zip(_ROW_SUMS, tree.row_sums[i].tolist(), strict=False))
    if not tree.is_leaf[i]:
        node |= {"test": _test(tree, i), "children": tree.children_of(i).tolist()}
        if tree.is_for_missing(i, len(node["children"]) - 1):
            node["missing_branch"] = True
    return node


def _test(tree: Tree, i: int) -> dict[str, Any]:
    tests, column = tree.tests, int(tree.feature[i])
    at_most, subset = float(tests.threshold[i]), int(tests.subset[i])
    if column == CENTRES:
        centres, first = tests.centres, int(tests.centres.first[i])
        return {"nearest": {
            "metric": _METRICS[centres.metric[i]],
            "gamma": float(centres.gamma[i]),
            "weights": centres.weight[i].tolist(),
            "centres": centres.position[first : first + centres.n_centres[i]].tolist(),
        }}  # fmt: skip
    if column == OBLIQUE:
        columns = tests.normals[i].nonzero()[0]
        coefficients = tests.normals[i][columns].tolist()
        return {"oblique": {"columns": columns.tolist(), "coefficients": coefficients,
                            "at_most": at_most}}  # fmt: skip
    if not math.isnan(at_most):
        return {"threshold": {"column": column, "at_most": at_most}}
    if subset < 0:
        return {"each_level": {"column": column}}
    return {"subset": {"column": column, "levels": tests.left_levels.levels(subset)}}


def tree_of(
    record: dict[str, Any], n_levels: Sequence[int | None], n_counts: int, *, regression: bool
) -> Tree:
    """Return the tree of a record that follows the schema."""
    nodes = record["nodes"]
    _check_numbering(nodes)
    arrays = _Arrays(nodes, n_levels)
    sums = _ROW_SUMS[: 3 if "known" in nodes[0] else 2]
    optional = [("moments", ("mean", "variance")), ("row_sums", sums)]
    optional_arrays: dict[str, Any] = {name: _numbers(nodes, keys) for name, keys in optional}
    if regression != (optional_arrays["moments"] is not None):
        raise ValueError(
            "all nodes of a regression have a mean and a variance, other nodes have neither."
        )
    exponent = record.get("target_exponent")
    if exponent is not None and (abs(exponent) > 1100 or not regression):
        raise ValueError(f"targets cannot be in units of 2 ** {exponent}.")
    counts = [node["counts"] for node in nodes]
    if any(len(each) != n_counts for each in counts):
        raise ValueError(f"a node does not have {n_counts} counts.")
    children = [node.get("children", []) for node in nodes]
    return Tree(
        n_features=len(n_levels),
        children_ptr=np.cumsum([0, *map(len, children)]).astype(np.int32),
        children=np.array([c for each in children for c in each], np.int32),
        counts=finite(counts),
        held_out=float(finite(record["held_out"])),
        smoothing=record.get("smoothing"),
        target_exponent=None if exponent is None else int(exponent),
        **arrays.fields(record.get("centre_columns")),
        **optional_arrays,
    )


def _check_numbering(nodes: list[dict[str, Any]]) -> None:
    """Raise unless nodes are numbered depth first and exactly those with a test have children."""
    pending = [0]
    for number, node in enumerate(nodes):
        if not pending or pending.pop() != number:
            raise ValueError(f"node {number} is not the next one depth first.")
        if ("test" in node) != ("children" in node):
            raise ValueError(f"node {number} has a test or children, but not both.")
        pending += node.get("children", [])[::-1]
    if pending:
        raise ValueError(f"node {pending[-1]} is missing.")


def _numbers(nodes: list[dict[str, Any]], keys: tuple[str, ...]) -> NDArray[np.float64] | None:
    """Return the numbers under `keys` in each node, None if no node has them."""
    having = sum(key in node for node in nodes for key in keys)
    if not having:
        return None
    if having != len(keys) * len(nodes):
        raise ValueError(f"some nodes have {' and '.join(keys)}, and some do not.")
    return finite([[node[key] for key in keys] for node in nodes])


def finite(values: Any) -> NDArray[np.float64]:
    """Return numbers as doubles; raise if one is not finite or is too large for a double."""
    try:
        array = np.array(values, np.float64)
    except OverflowError:
        array = np.array(np.inf)
    if not np.isfinite(array).all():
        raise ValueError("a number is not finite.")
    return array


class _Arrays:
    """The arrays of a tree that send rows down."""

    def __init__(self, nodes: list[dict[str, Any]], n_levels: Sequence[int | None]) -> None:
        n, self.n_levels = len(nodes), n_levels
        self.feature, self.threshold = np.full(n, LEAF, np.int32), np.full(n, np.nan)
        self.subset, self.sets = np.full(n, -1, np.int32), []  # type: ignore[var-annotated]
        self.missing_branch = np.zeros(n, np.bool_)
        self.normals: dict[int, Any] = {}
        self.nearest: dict[int, dict[str, Any]] = {}
        for i, node in enumerate(nodes):
            if "test" in node:
                ((kind, test),) = node["test"].items()
                self.missing_branch[i] = node.get("missing_branch", False)
                n_outcomes = len(node["children"]) - self.missing_branch[i]
                getattr(self, f"_{kind}")(i, test, n_outcomes)

    def _threshold(self, i: int, test: dict[str, Any], n_children: int) -> None:
        self.feature[i] = self._checked_column(test["column"])
        self.threshold[i] = finite(test["at_most"])

    def _subset(self, i: int, test: dict[str, Any], n_children: int) -> None:
        self.feature[i], n_levels = self._categorical(test["column"])
        levels = set(test["levels"])
        if len(levels) < len(test["levels"]) or any(level >= n_levels for level in levels):
            raise ValueError(f"node {i} tests a level twice, or one that does not exist.")
        self.subset[i] = len(self.sets)
        self.sets.append([int(level) for level in levels])

    def _each_level(self, i: int, test: dict[str, Any], n_children: int) -> None:
        self.feature[i], n_levels = self._categorical(test["column"])
        if n_levels != n_children:
            raise ValueError(f"node {i} has {n_children} branches for {n_levels} levels.")

    def _oblique(self, i: int, test: dict[str, Any], n_children: int) -> None:
        self.feature[i], self.threshold[i] = OBLIQUE, finite(test["at_most"])
        columns = [self._checked_column(column) for column in test["columns"]]
        coefficients = finite(test["coefficients"])
        if len(columns) != len(coefficients) or len(set(columns)) < len(columns):
            raise ValueError(f"node {i} needs one coefficient per column.")
        self.normals[i] = columns, coefficients

    def _nearest(self, i: int, test: dict[str, Any], n_children: int) -> None:
        self.feature[i] = CENTRES
        self.nearest[i] = test

    def _checked_column(self, column: float) -> int:
        if column >= len(self.n_levels):
            raise ValueError(f"a test uses column {column}, which does not exist.")
        return int(column)

    def _categorical(self, column: float) -> tuple[int, int]:
        n_levels = self.n_levels[self._checked_column(column)]
        if n_levels is None:
            raise ValueError(f"a test uses levels of column {column}, which has none.")
        return int(column), n_levels

    def fields(self, centre_columns: list[dict[str, Any]] | None) -> dict[str, Any]:
        """Return the fields of the tree; None for kinds of tests that it lacks."""
        fields: dict[str, Any] = {"feature": self.feature, "threshold": self.threshold}
        if self.sets:
            mask = np.zeros((len(self.sets), max(filter(None, self.n_levels), default=0)), np.bool_)
            for row, levels in zip(mask, self.sets, strict=True):
                row[levels] = True
            fields |= {"subset": self.subset, "left_levels": LevelSets.of_mask(mask)}
        if self.normals:
            fields["normals"] = np.zeros((len(self.feature), len(self.n_levels)))
            for i, (columns, coefficients) in self.normals.items():
                fields["normals"][i, columns] = coefficients
        if self.missing_branch.any():
            fields["missing_branch"] = self.missing_branch
        if bool(self.nearest) != (centre_columns is not None):
            raise ValueError("centre_columns are for trees with tests for the nearest centre.")
        if centre_columns is not None:
            fields["centres"] = self._centres(centre_columns)
        return fields

    def _centres(self, columns: list[dict[str, Any]]) -> Centres:
        n_nodes, n_columns = len(self.feature), len(self.n_levels)
        nominal = np.array([column["categorical"] for column in columns], np.bool_)
        if len(columns) != n_columns or any(nominal[j] and self.n_levels[j] is None
                                            for j in range(n_columns)):  # fmt: skip
            raise ValueError("centre_columns do not fit the features.")
        slots = [n or 0 if c else 1 for n, c in zip(self.n_levels, nominal, strict=True)]
        start = np.cumsum([0, *slots]).astype(np.int32)
        weight, gamma = np.zeros((n_nodes, n_columns)), np.zeros(n_nodes)
        metric, first = np.zeros(n_nodes, np.int8), np.zeros(n_nodes, np.int32)
        n_centres = np.zeros(n_nodes, np.int32)
        position: list[list[float]] = []
        for i, test in self.nearest.items():
            if len(test["weights"]) != n_columns or {*map(len, test["centres"])} != {start[-1]}:
                raise ValueError(f"the centres of node {i} do not fit the features.")
            weight[i], gamma[i] = finite(test["weights"]), finite(test["gamma"])
            metric[i], first[i] = _METRICS.index(test["metric"]), len(position)
            n_centres[i] = len(test["centres"])
            position += test["centres"]
        return Centres(
            weight=weight, gamma=gamma, metric=metric, first=first, n_centres=n_centres,
            position=finite(position), start=start, nominal=nominal,
            offset=finite([column["offset"] for column in columns]),
            scale=finite([column["scale"] for column in columns]),
        )  # fmt: skip
