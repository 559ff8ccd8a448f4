"""Explanations of a prediction for one row, as records that print as text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retree import engine
from retree.arithmetic import running_sum
from retree.trees.export.conditions import Condition, condition_of
from retree.trees.export.describe import (
    Names,
    Words,
    format_number,
    format_rows,
    format_share,
    standard_deviation,
)
from retree.trees.tree import CENTRES, OBLIQUE, Levels, Tree, majority_class

DECIMALS = 4  # of values and of a standard deviation
_CELL = 'style="text-align:left;vertical-align:top"'


@dataclass(frozen=True)
class Step:
    """A branch that the row takes."""

    condition: Condition  # The condition that the rows in the branch meet
    text: str
    value: str  # The tested value of the row, in words
    # The part of the row that takes this branch: 1, or less if the value is missing and the row is
    # divided.
    share: float
    is_missing: bool  # Whether the value is missing

    def __str__(self) -> str:
        if not self.is_missing:
            return f"{self.text}  ({self.value})"
        divided = f"{format_share(self.share)} take this branch"
        part = divided if self.share < 1 else "the heaviest branch"
        return f"{self.text}  ({self.value}: {part})"


@dataclass(frozen=True)
class Path:
    """The path of the row, or of a part of it, to one leaf."""

    leaf: int
    share: float  # The part of the row that ends there
    steps: tuple[Step, ...]
    prediction: str  # Class or mean of the leaf, in words
    rows: float  # Number (or weight) of the training rows in the leaf
    support: float  # Their share of all training rows
    confidence: float | None  # Share of the predicted class in them; None for a regression tree
    # Standard deviation of the target in them; None for a classification tree.
    deviation: float | None
    distribution: dict[Any, float]  # Training rows of each class; empty for a regression tree

    @property
    def summary(self) -> str:
        """Text of the rows, support and confidence of the leaf."""
        phrases = [f"{format_rows(self.rows)} training rows, {format_share(self.support)} of all"]
        if self.confidence is not None:
            phrases.append(f"confidence {format_share(self.confidence)}")
        if self.deviation is not None:
            phrases.append(f"standard deviation {format_number(self.deviation, DECIMALS)}")
        counts = ", ".join(f"{k}: {format_rows(n)}" for k, n in self.distribution.items() if n)
        return "; ".join(phrases) + (f" ({counts})" if counts else "")


@dataclass(frozen=True)
class Explanation:
    """The reasons for a tree's prediction for one row, shown as text, or as HTML in a notebook."""

    prediction: Any
    # Share of each class, as in `predict_proba`; empty for a regression tree.
    probabilities: dict[Any, float]
    # Paths of the parts of the row, the largest part first; one path if no tested value is missing.
    paths: tuple[Path, ...]

    @property
    def conditions(self) -> list[str]:
        """Texts of the conditions of the first path, from the root down."""
        return [step.text for step in self.paths[0].steps]

    @property
    def support(self) -> float:
        """Share of all training rows that is in the row's leaf, or the mean over its leaves."""
        return running_sum([path.share * path.support for path in self.paths])

    @property
    def confidence(self) -> float | None:
        """Probability of the predicted class; None for a regression tree."""
        return self.probabilities.get(self.prediction)

    def __str__(self) -> str:
        lines = [self._heading()]
        for path in self.paths:
            if len(self.paths) > 1:
                lines.append(f"{format_share(path.share)} of the row: {path.prediction}")
            lines += [f"  {step}" for step in path.steps] or ["  (the tree is one leaf)"]
            lines.append(f"  -> {path.prediction}: {path.summary}")
        return "\n".join(lines)

    def _heading(self) -> str:
        if self.confidence is None:
            return f"Prediction: {format_number(float(self.prediction), DECIMALS)}"
        return f"Prediction: {self.prediction} ({format_share(self.confidence)})"

    def _repr_html_(self) -> str:
        """Return the explanation as HTML."""
        lines = [f"<p><b>{escape(self._heading())}</b></p>"]
        for path in self.paths:
            rows = "".join(
                f"<tr><td {_CELL}>{escape(step.text)}</td>"
                f"<td {_CELL}>{escape(str(step)[len(step.text) + 3 : -1])}</td></tr>"
                for step in path.steps
            )
            part = f"{format_share(path.share)} of the row: " if len(self.paths) > 1 else ""
            caption = f"{escape(part + path.prediction)}: {escape(path.summary)}"
            lines.append(
                f'<table><caption style="text-align:left">{caption}</caption>'
                f"<thead><tr><th {_CELL}>Condition</th><th {_CELL}>This row</th></tr></thead>"
                f"<tbody>{rows}</tbody></table>"
            )
        return "".join(lines)


@dataclass(frozen=True)
class ForestExplanation:
    """The reasons for a forest's prediction for one row."""

    prediction: Any
    probabilities: dict[Any, float]  # Share of each class, as in `predict_proba`
    trees: tuple[Explanation, ...]  # One per tree, in the order of the forest
    weights: tuple[float, ...]  # Weight of each tree's vote, as a share of all

    @property
    def votes(self) -> dict[Any, int]:
        """Number of trees that predict each class, including classes without votes."""
        predictions = [tree.prediction for tree in self.trees]
        return {label: predictions.count(label) for label in self.probabilities}

    def _lines(self) -> list[str]:
        n = len(self.trees)
        return [
            f"{label}: {votes} of {n} trees, probability {format_share(self.probabilities[label])}"
            for label, votes in self.votes.items()
        ]

    def __str__(self) -> str:
        return "\n".join([f"Prediction: {self.prediction}", *(f"  {x}" for x in self._lines())])

    def _repr_html_(self) -> str:
        """Return the votes as HTML, with each tree's explanation folded up below them."""
        votes = "".join(f"<li>{escape(line)}</li>" for line in self._lines())
        trees = "".join(
            f"<details><summary>Tree {k}: {escape(str(tree.prediction))}</summary>"
            f"{tree._repr_html_()}</details>"
            for k, tree in enumerate(self.trees)
        )
        return f"<p><b>Prediction: {escape(str(self.prediction))}</b></p><ul>{votes}</ul>{trees}"


_AT_ONCE = 64  # leaves whose shares one call of the engine finds


def explain_row(
    tree: Tree,
    row: NDArray[np.float64],
    feature_names: Names,
    class_names: Names | None = None,
    *,
    levels: Levels | None = None,
    divide_missing: bool = False,
) -> Explanation:
    """Explain the prediction of `tree` for one row.

    Shapes: `row` (n_features,).
    `row`: numbers, or level codes; NaN where a value is missing.
    `levels`: names of the levels of each categorical feature; by default their numbers.
    `divide_missing`: whether a row whose tested value is missing takes all branches, divided into
    parts, or only the heaviest branch.
    """
    number = partial(format_number, decimals=DECIMALS)
    words = Words(tree, feature_names, class_names, levels, number)
    rows = np.ascontiguousarray(row, np.float64)[None, :]
    shares = leaf_shares(tree, rows, divide_missing)
    paths = [_path(words, rows[0], leaf, share, divide_missing) for leaf, share in shares.items()]
    paths.sort(key=lambda path: -path.share)
    value = tree.predicted(rows, divide_missing=divide_missing)[0]
    if class_names is None:
        return Explanation(float(value[0]), {}, tuple(paths))
    code = int(tree.predicted_codes(rows, divide_missing=divide_missing)[0])
    shares_of = dict(zip(list(class_names), value.tolist(), strict=True))
    return Explanation(list(class_names)[code], shares_of, tuple(paths))


def leaf_shares(tree: Tree, row: NDArray[np.float64], divide_missing: bool) -> dict[int, float]:
    """Return the leaves that a row, shape (1, n_features), ends in, with the part of it in each."""
    if not (divide_missing and np.isnan(row).any()):
        return {int(tree.apply(row)[0]): 1.0}
    leaves, share_of_leaf = np.flatnonzero(tree.is_leaf), dict[int, float]()
    for first in range(0, len(leaves), _AT_ONCE):
        some = leaves[first : first + _AT_ONCE]
        is_here = np.zeros((tree.node_count, len(some)))
        is_here[some, np.arange(len(some))] = 1.0
        total = np.zeros((1, len(some)))
        given = (row, tree.views, tree.known, tree.sent, is_here)
        engine.call("add_values", *given, 1.0, True, total)
        share_of_leaf |= {
            int(leaf): float(s) for leaf, s in zip(some, total[0], strict=True) if s > 0
        }
    return share_of_leaf


def _path(
    words: Words, row: NDArray[np.float64], leaf: int, share: float, divide_missing: bool
) -> Path:
    """Return the path to a leaf."""
    tree = words.tree
    steps = [_step(words, row, *place, divide_missing) for place in tree.path_to(leaf)]
    weight, distribution, confidence = float(tree.weight[leaf]), {}, None
    if words.class_names is not None:
        counts = tree.counts[leaf].tolist()
        distribution = dict(zip(list(words.class_names), counts, strict=True))
        confidence = float(tree.value[leaf][majority_class(tree.value[leaf])])
    return Path(
        leaf=leaf,
        share=share,
        steps=tuple(steps),
        prediction=words.prediction(leaf),
        rows=weight,
        support=weight / float(tree.weight[0] or 1.0),
        confidence=confidence,
        deviation=standard_deviation(tree, leaf),
        distribution=distribution,
    )


def _step(
    words: Words, row: NDArray[np.float64], node: int, branch: int, divide_missing: bool
) -> Step:
    """Return a branch of `node`."""
    tree, condition = words.tree, condition_of(words.tree, node, branch)
    is_missing, value = _value(words, row, node)
    is_missing &= not tree.is_for_missing(node, branch)
    weight, share = float(tree.known[node]), 1.0
    if is_missing and divide_missing and weight > 0:
        share = float(tree.sent[tree.children_of(node)[branch]]) / weight
    return Step(condition, condition.describe(words), value, share, is_missing)


def _value(words: Words, row: NDArray[np.float64], node: int) -> tuple[bool, str]:
    """Return whether the value that `node` tests is missing, and the text of the value."""
    tree, j = words.tree, int(words.tree.feature[node])
    if j == CENTRES:
        return False, "nearest centre"
    if j == OBLIQUE:
        normal = tree.tests.normals[node]
        used = normal != 0
        gone = [words.feature(int(k)) for k in np.flatnonzero(used & np.isnan(row))]
        if gone:
            return True, _missing(gone)
        return False, f"sum {words.number(running_sum(normal[used] * row[used]))}"
    if np.isnan(row[j]):
        return True, _missing([words.feature(j)])
    is_level = np.isnan(tree.threshold[node])
    value = words.level(j, int(row[j])) if is_level else words.number(float(row[j]))
    return False, f"{words.feature(j)} = {value}"


def _missing(names: Sequence[str]) -> str:
    return f"{', '.join(names)} missing"
