"""Trees as indented text, and as rules, one per leaf."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import partial
from numbers import Integral
from typing import Any

from sklearn.utils import check_scalar

from retree.trees.export.conditions import Condition, Joined, condition_of, joined
from retree.trees.export.describe import (
    FEWEST,
    Names,
    Words,
    check_class_names,
    format_number,
    format_share,
    standard_deviation,
)
from retree.trees.export.pictures import drawn_nodes
from retree.trees.tree import Levels, Tree, majority_class
from retree.trees.validation import check_choice

_INDENT = "|   "
_SMALL = 1e-6  # Weka takes a weight that is not above this for none
_WIDE = Context(prec=400)  # digits enough for any float


def export_text(
    tree: Tree,
    feature_names: Sequence[str],
    class_names: Names | None = None,
    *,
    style: str = "counts",
    decimals: int | None = None,
    levels: Levels | None = None,
    max_depth: int | None = None,
) -> str:
    """Return a tree as indented text, one line per branch.

    `style`: what is shown at a leaf. "counts": the majority class and the training rows of each
    class; in a regression tree the mean, the rows and the standard deviation. If rows were held out
    for pruning, a last line says how many, since the counts do not include them. "weka": the text
    that Weka's J48 prints under its heading: all rows of the leaf, then those of other classes if
    there are any, and at the end the numbers of leaves and nodes. J48 does not grow regression
    trees; for these it is the mean, the rows and the standard deviation.
    `decimals`: number of decimals of thresholds, means and counts; by default 4, and 6 for "weka",
    as in Weka. The rows of "weka" always have at most two decimals.
    `levels`: names of the levels of each categorical feature; by default their numbers.
    `max_depth`: maximum depth to write; a node cut off there has its prediction and "…".

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from retree import StructurePurityClassifier
    >>> iris = load_iris()
    >>> model = StructurePurityClassifier(criterion="gini", max_depth=2).fit(iris.data, iris.target)
    >>> print(export_text(model.tree_, iris.feature_names, iris.target_names))
    petal length (cm) <= 1.9: setosa (setosa: 50)
    petal length (cm) > 1.9
    |   petal width (cm) <= 1.7: versicolor (versicolor: 49, virginica: 5)
    |   petal width (cm) > 1.7: virginica (versicolor: 1, virginica: 45)
    >>> lines = export_text(model.tree_, iris.feature_names, iris.target_names, style="weka")
    >>> print(lines.split("Number")[0].rstrip())
    petal length (cm) <= 1.9: setosa (50.0)
    petal length (cm) > 1.9
    |   petal width (cm) <= 1.7: versicolor (54.0/5.0)
    |   petal width (cm) > 1.7: virginica (46.0/1.0)
    """
    check_choice("style", style, _STYLES)
    as_text, leaf, ending, usual = _STYLES[style]
    decimals = usual if decimals is None else decimals
    check_scalar(decimals, "decimals", Integral, min_val=0)
    words = Words(tree, feature_names, class_names, levels, partial(as_text, decimals=decimals))
    lines = []  # in the order of the nodes, which are numbered depth first
    nodes, ends = drawn_nodes(tree, max_depth)
    for node in nodes.tolist():
        text = words.step(node)
        if ends[node]:
            text += f": {leaf(words, node)}" + ("" if tree.is_leaf[node] else " …")
        if text:
            lines.append(_INDENT * (int(tree.depths[node]) - 1) + text)
    if ends[0] and style == "counts":
        lines = [lines[0].removeprefix(": ")]
    return "\n".join([*lines, *ending(words)])


def _leaf(words: Words, node: int) -> str:
    """Return the prediction of a leaf and its rows of each class, or the spread of its targets."""
    tree, deviation = words.tree, standard_deviation(words.tree, node)
    if deviation is not None:
        inside = f"{words.rows(tree.weight[node])}, sd {words.number(deviation)}"
    elif tree.weight[node] >= FEWEST:
        counts = tree.counts[node]
        classes = counts.nonzero()[0].tolist()
        inside = ", ".join(f"{words.class_name(c)}: {words.number(counts[c])}" for c in classes)
    else:
        inside = "no rows"
    return f"{words.prediction(node)} ({inside})"


def _weka_leaf(words: Words, node: int) -> str:
    """Return the prediction, rows and errors of a leaf as J48 prints them."""
    tree, weight = words.tree, float(words.tree.weight[node])
    second = standard_deviation(tree, node)
    if tree.moments is None and weight > 0:
        errors = weight - tree.counts[node, majority_class(tree.value[node])]
        second = errors if errors > _SMALL else None
    inside = _weka_rows(weight) + ("" if second is None else f"/{_weka_rows(second)}")
    return f"{words.prediction(node)} ({inside})"


def _weka_number(value: float, decimals: int) -> str:
    """Return `value` as Weka's doubleToString does: rounded half up, without trailing zeros."""
    fixed = f"{Decimal(value).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP, _WIDE):f}"
    return fixed.rstrip("0").rstrip(".") if "." in fixed else fixed


def _weka_rows(weight: float) -> str:
    """Return `weight` as Weka's roundDouble does, with one or two decimals.

    From ten million rows on, Weka uses scientific notation instead.
    """
    return str(math.floor(weight * 100 + 0.5) / 100)


def _held_out(words: Words) -> Iterator[str]:
    """Yield the line on rows held out for pruning, if any were."""
    if words.tree.held_out:
        yield f"({words.held_out()} for pruning, not in the counts)"


def _weka_sizes(words: Words) -> Iterator[str]:
    """Yield the numbers of leaves and nodes as J48 prints them."""
    yield from ("", f"Number of Leaves  : \t{words.tree.n_leaves}")
    yield from ("", f"Size of the tree : \t{words.tree.node_count}")


# How numbers, leaves and the end are written, and the usual decimals.
_STYLES: dict[str, tuple[Any, Any, Any, int]] = {
    "counts": (format_number, _leaf, _held_out, 4),
    "weka": (_weka_number, _weka_leaf, _weka_sizes, 6),
}


_ORDERS = ("leaves", "weight")


@dataclass(frozen=True, eq=False)
class Rule:
    """A leaf as a rule: its conditions and its prediction."""

    leaf: int
    # Exactly the rows in the leaf meet all of them, if no value is missing. There is at most one
    # interval and one set of levels per feature, in the order in which the path tests them.
    conditions: tuple[Condition, ...]
    prediction: Any  # Class label, or mean for a regression tree
    weight: float  # Number (or weight) of the training rows in the leaf
    # Share of the predicted class in them; None for a regression tree or a leaf without rows.
    share: float | None
    # Standard deviation of the target in them; None for a classification tree or a leaf without
    # rows.
    deviation: float | None


def list_rules(
    tree: Tree, class_names: Names | None = None, *, order: str = "leaves"
) -> list[Rule]:
    """Return a tree as rules, one per leaf, conditions on the same feature merged.

    `order`: "leaves" lists leaves from the first to the last branch, "weight" the heaviest first,
    in the order of the leaves where they tie.

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
    pending: dict[int, Joined] = {0: {}}
    rules = []
    for node in range(tree.node_count):
        conditions = pending.pop(node)
        if tree.is_leaf[node]:
            rules.append(_rule(tree, node, tuple(conditions.values()), class_names))
        for branch, child in enumerate(tree.children_of(node)):
            pending[int(child)] = joined(conditions, condition_of(tree, node, branch))
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
    """Return a tree as rules in words, one line per leaf.

    `order`: "leaves" lists leaves from the first to the last branch, "weight" the heaviest first,
    in the order of the leaves where they tie.
    `levels`: names of the levels of each categorical feature; by default their numbers.
    Returns text without a line break at the end. In brackets are the number of training rows in the
    leaf, and the share of the class or the standard deviation of the target among them.

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
        share = float(value[code]) if weight >= FEWEST else None
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
