"""The words for tests, outcomes and predictions of a tree."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retree.trees.tree import CENTRES, OBLIQUE, Levels, Tree, majority_class

Names = Sequence[Any] | NDArray[Any]

MISSING = "is missing"
FEWEST = 1e-100  # rows; all weights of rows are more
_LARGE = 1e15  # from here on, the digits in front of the point say more than was measured
_ROW_DECIMALS = 2
_MOST_TERMS = 6  # of a sum that is abbreviated


def format_number(value: float, decimals: int) -> str:
    """Return `value` with at most `decimals` decimals, or in scientific notation if clearer."""
    fixed = f"{value + 0.0:.{decimals}f}"
    if value != 0 and (float(fixed) == 0 or abs(value) >= _LARGE):
        return f"{value:.{decimals}e}"
    return fixed.rstrip("0").rstrip(".") if "." in fixed else fixed


def format_rows(weight: float) -> str:
    """Return the text of a number of rows, or of a sum of weights."""
    return format_number(weight, _ROW_DECIMALS)


def format_share(share: float) -> str:
    """Return a share as a percentage."""
    return f"{format_number(100 * share, 1)} %"


def standard_deviation(tree: Tree, node: int) -> float | None:
    """Return the standard deviation of the target in a node; None without targets or rows."""
    if tree.moments is None or tree.weight[node] <= 0:
        return None
    return float(np.ldexp(np.sqrt(tree.moments[node, 1]), tree.target_exponent or 0))


def check_class_names(tree: Tree, class_names: Names | None) -> None:
    """Raise a ValueError unless there is one name per class, or none for a regression tree."""
    if tree.moments is None:
        _check_length("class_names", class_names, tree.counts.shape[1])
    elif class_names is not None:
        raise ValueError("A regression tree has no classes; class_names must be None.")


def _check_length(what: str, names: Sequence[Any] | NDArray[Any] | None, n: int) -> None:
    if names is None or len(names) != n:
        got = "None" if names is None else len(names)
        raise ValueError(f"{what} must hold {n} names, got {got}.")


@dataclass(frozen=True, eq=False)
class Words:
    """The words for everything in one tree."""

    tree: Tree
    feature_names: Names
    class_names: Names | None  # One per class; None for a regression tree
    levels: Levels | None  # Names of the levels of each categorical feature; None for their numbers
    number: Callable[[float], str]  # Turns a threshold, coefficient or mean into text
    at_most: str = "<="  # The sign of the first branch of a test with a threshold
    # Characters from which names, lists and sums are abbreviated; None for never.
    longest: int | None = None

    def __post_init__(self) -> None:
        n_features = self.tree.n_features
        _check_length("feature_names", self.feature_names, n_features)
        check_class_names(self.tree, self.class_names)
        if self.levels is not None:
            _check_length("levels", self.levels, n_features)

    def is_binary(self, node: int) -> bool:
        """Return whether the second branch of `node` is the negation of the first."""
        tree = self.tree
        if len(tree.children_of(node)) != 2:
            return False
        return not np.isnan(tree.threshold[node]) or bool(tree.tests.subset[node] >= 0)

    def tested(self, node: int) -> str:
        """Return the text of the tested quantity: a feature, a weighted sum, or nearest centre."""
        j = int(self.tree.feature[node])
        if j == OBLIQUE:
            return self.weighted_sum(self.tree.tests.normals[node])
        return "nearest centre" if j == CENTRES else self.feature(j)

    def outcome(self, node: int, branch: int) -> str:
        """Return the outcome of the test of `node` that leads to its child number `branch`.

        Returns a sign and a value, such as ``<= 1.5``, ``= red`` or ``not in {red, green}``.
        """
        tests, j = self.tree.tests, int(self.tree.feature[node])
        if self.tree.is_for_missing(node, branch):
            return MISSING
        if not np.isnan(tests.threshold[node]):
            return f"{(self.at_most, '>')[branch]} {self.number(float(tests.threshold[node]))}"
        if j == CENTRES:
            return f"= {self.centre(node, branch)}"
        if tests.subset[node] < 0:
            return self.level_set(j, [branch])
        left = tests.left_levels.levels(int(tests.subset[node]))
        return self.level_set(j, left, excluded=branch == 1)

    def step(self, node: int) -> str:
        """Return the test and the outcome that lead to `node`; an empty text for the root."""
        parent = int(self.tree.parents[node])
        if parent < 0:
            return ""
        branch = int(np.flatnonzero(self.tree.children_of(parent) == node)[0])
        return f"{self.tested(parent)} {self.outcome(parent, branch)}"

    def prediction(self, node: int) -> str:
        """Return the class, or the mean, that `node` predicts."""
        value = self.tree.value[node]
        if self.class_names is None:
            return self.number(float(value[0]))
        return self.class_name(int(majority_class(value)))

    def held_out(self) -> str:
        """Return a text on the rows held out for pruning, which no count includes, or ""."""
        weight = self.tree.held_out
        return f"{self.rows(weight)} held out" if weight > 0 else ""

    def rows(self, weight: float) -> str:
        """Return a text such as "3 rows" for `weight`."""
        if weight < FEWEST:
            return "no rows"
        text = format_rows(weight)
        return f"{text} row" if text == "1" else f"{text} rows"

    def feature(self, j: int) -> str:
        """Return the name of feature `j`."""
        return self._name(self.feature_names[j])

    def class_name(self, code: int) -> str:
        """Return the name of class `code` of a classification tree."""
        assert self.class_names is not None
        return self._name(self.class_names[code])

    def level(self, j: int, code: int) -> str:
        """Return the name of level `code` of feature `j`."""
        names = None if self.levels is None else self.levels[j]
        if names is None:
            return str(code)
        if code >= len(names):
            raise ValueError(
                f"levels[{j}] must hold more than {code} names, since the tree tests for level "
                f"{code}; got {len(names)}."
            )
        if (j, code) not in self._names_of_levels:
            self._names_of_levels[j, code] = self._name(names[code])
        return self._names_of_levels[j, code]

    @cached_property
    def _names_of_levels(self) -> dict[tuple[int, int], str]:
        """Cache of level names: pandas takes long to look one up."""
        return {}

    def level_set(self, j: int, codes: Collection[int], *, excluded: bool = False) -> str:
        """Return the text that the level of feature `j` is, or is not, one of `codes`."""
        names = [self.level(j, code) for code in codes]
        if len(names) == 1:
            return f"{'!=' if excluded else '='} {names[0]}"
        return f"{'not in' if excluded else 'in'} {{{self._listed(names)}}}"

    def weighted_sum(self, normal: NDArray[np.float64]) -> str:
        """Return the sum of the features times their coefficients, without zeros."""
        used = normal.nonzero()[0]
        terms = [self._term(int(j), float(normal[j])) for j in used]
        if self.longest is not None and len(terms) > _MOST_TERMS:
            n_left = len(terms) - _MOST_TERMS + 1
            terms = [*terms[: _MOST_TERMS - 1], f"+ … ({n_left} more)"]
        text = " ".join(terms).removeprefix("+ ")
        return "-" + text.removeprefix("- ") if text.startswith("- ") else text or "0"

    def _term(self, j: int, coefficient: float) -> str:
        sign = "-" if coefficient < 0 else "+"
        return f"{sign} {self.number(abs(coefficient))} {self.feature(j)}"

    def centre(self, node: int, branch: int) -> str:
        """Return the values of centre number `branch` of `node`, without columns of weight 0."""
        centres = self.tree.tests.centres
        position = centres.position[centres.first[node] + branch]
        values = []
        for j in map(int, centres.weight[node].nonzero()[0]):
            here = position[centres.start[j] : centres.start[j + 1]]
            if centres.nominal[j]:
                value = self._level_shares(j, here)
            else:
                value = self.number(float(centres.offset[j] + centres.scale[j] * here[0]))
            values.append(f"{self.feature(j)} {value}")
        return f"({self._listed(values)})"

    def _level_shares(self, j: int, shares: NDArray[np.float64]) -> str:
        """Return the levels of a cluster with their shares, or its only level."""
        codes = shares.nonzero()[0].tolist()
        if len(codes) == 1 and shares[codes[0]] == 1:
            return self.level(j, codes[0])
        return " + ".join(f"{self.number(float(shares[c]))} {self.level(j, c)}" for c in codes)

    def _listed(self, names: Sequence[str]) -> str:
        """Return the names separated by commas, as many as fit into `longest` characters."""
        text = ", ".join(names)
        if self.longest is None or len(text) <= self.longest:
            return text
        for n in range(len(names) - 1, 0, -1):
            text = f"{', '.join(names[:n])}, … {len(names) - n} more"
            if len(text) <= self.longest:
                break
        return text

    def _name(self, name: Any) -> str:
        """Return a name on one line; unprintable characters become spaces."""
        text = "".join(c if c.isprintable() else " " for c in str(name))
        if self.longest is not None and len(text) > self.longest:
            return text[: self.longest - 1] + "…"
        return text
