"""Trees as rules, one per leaf."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from numbers import Integral
from typing import Any

from sklearn.utils import check_scalar

from retree.trees.export.conditions import Condition, HalfSpace, NearestCentre, condition_of
from retree.trees.export.describe import (
    Names,
    Words,
    check_class_names,
    format_number,
    format_share,
    standard_deviation,
)
from retree.trees.tree import Levels, Tree, majority_class
from retree.trees.validation import check_choice

_ORDERS = ("leaves", "weight")


@dataclass(frozen=True, eq=False)
class Rule:
    """What a tree says of the rows of one leaf."""

    leaf: int
    # What is true of exactly the rows that end in the leaf, if no value is missing; at most one
    # interval and one set of levels a feature, in the order in which the path first tests them.
    conditions: tuple[Condition, ...]
    prediction: Any  # Class label, or the mean of a regression tree
    weight: float  # Training rows (or their weights) in the leaf
    # Share of the predicted class in them; None of a regression tree and of a leaf without rows.
    share: float | None
    # Standard deviation of the target in them; None of a classification tree and of a leaf without
    # rows.
    deviation: float | None


def list_rules(
    tree: Tree, class_names: Names | None = None, *, order: str = "leaves"
) -> list[Rule]:
    """Return a tree as rules, one per leaf, conditions on the same feature merged.

    `order`: leaves from first to last branch, or the heaviest first, ties as the leaves.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from retree import StructurePurityClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = StructurePurityClassifier(criterion="gini", max_depth=2).fit(X, y)
    >>> for rule in list_rules(model.tree_, model.classes_):
    ...     print(rule.leaf, rule.weight, rule.conditions)
    1 50.0 (Interval(feature=2, low=-inf, high=1.9),)
    3 54.0 (Interval(feature=2, low=1.9, high=inf), Interval(feature=3, low=-inf, high=1.7))
    4 46.0 (Interval(feature=2, low=1.9, high=inf), Interval(feature=3, low=1.7, high=inf))
    """
    check_choice("order", order, _ORDERS)
    check_class_names(tree, class_names)
    pending: dict[int, _Merged] = {0: {}}
    rules = []
    for node in range(tree.node_count):
        known = pending.pop(node)
        if tree.is_leaf[node]:
            rules.append(_rule(tree, node, tuple(known.values()), class_names))
        for branch, child in enumerate(tree.children_of(node)):
            pending[int(child)] = _merged(known, tree, node, branch)
    return sorted(rules, key=lambda rule: -rule.weight) if order == "weight" else rules


def export_rules(
    tree: Tree,
    feature_names: Sequence[str],
    class_names: Names | None = None,
    *,
    order: str = "leaves",
    decimals: int = 4,
    levels: Levels | None = None,
) -> str:
    """Return a tree as rules in words, a line per leaf.

    `order`: leaves from first to last branch, or the heaviest first, ties as the leaves.
    `levels`: names of the levels of each categorical feature; by default their numbers.
    Returns without a line break at the end. In brackets the training rows of the leaf, and the
    share of the class or the standard deviation of the target in them.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from retree import C45Classifier
    >>> iris = load_iris()
    >>> model = C45Classifier().fit(iris.data, iris.target)
    >>> names = [name.removesuffix(" (cm)") for name in iris.feature_names]
    >>> print(export_rules(model.tree_, names, iris.target_names))
    IF petal width <= 0.6 THEN setosa (50 rows, 100 %)
    IF 0.6 < petal width <= 1.7 AND petal length <= 4.9 THEN versicolor (48 rows, 97.9 %)
    IF 0.6 < petal width <= 1.5 AND petal length > 4.9 THEN virginica (3 rows, 100 %)
    IF 1.5 < petal width <= 1.7 AND petal length > 4.9 THEN versicolor (3 rows, 66.7 %)
    IF petal width > 1.7 THEN virginica (46 rows, 97.8 %)
    """
    check_scalar(decimals, "decimals", Integral, min_val=0)
    number = partial(format_number, decimals=decimals)
    words = Words(tree, feature_names, class_names, levels, number)
    return "\n".join(_line(words, rule) for rule in list_rules(tree, class_names, order=order))


_Merged = dict[tuple[type, int], Any]  # a condition a feature, or a node where not merged


def _merged(known: _Merged, tree: Tree, node: int, branch: int) -> _Merged:
    """Return the conditions `known` at `node` with that of one of its branches."""
    new = condition_of(tree, node, branch)
    if isinstance(new, HalfSpace | NearestCentre):
        return known | {(type(new), node): new}
    key = type(new), new.feature
    old = known.get(key)
    return known | {key: new if old is None else new.met_with(old)}


def _rule(
    tree: Tree, leaf: int, conditions: tuple[Condition, ...], class_names: Names | None
) -> Rule:
    """Return the rule of a leaf."""
    weight, value, share = float(tree.weight[leaf]), tree.value[leaf], None
    if class_names is None:
        prediction: Any = float(value[0])
    else:
        code = int(majority_class(value))
        prediction = class_names[code]
        share = float(value[code]) if weight > 0 else None
    return Rule(leaf, conditions, prediction, weight, share, standard_deviation(tree, leaf))


def _line(words: Words, rule: Rule) -> str:
    """Return a rule in words."""
    start = "ALWAYS"
    if rule.conditions:
        start = f"IF {' AND '.join(c.describe(words) for c in rule.conditions)} THEN"
    inside = words.rows(rule.weight)
    if rule.share is not None:
        inside += f", {format_share(rule.share)}"
    if rule.deviation is not None:
        inside += f", standard deviation {words.number(rule.deviation)}"
    return f"{start} {words.prediction(rule.leaf)} ({inside})"
