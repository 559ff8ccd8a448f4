"""Slow reference of the structure_purity splitting criteria, written from the paper's formulas.

It shares no code with the package, so that the fast implementation can be held against it.
Class labels are the integers 0 .. n_classes - 1 throughout; rows with `x <= threshold` go left.
"""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]
Mask = NDArray[np.bool_]
Split = tuple[int, float]

# Every score is built from data scaled to [0, 1]: below this, a number is rounding noise of zero.
NOISE = 1e-12
COINCIDENT_SQUARED_DISTANCE = 1e-20


def gini(y: Labels) -> float:
    """Gini impurity of the labels `y`, shape (n,)."""
    shares = np.bincount(y) / len(y)
    return float(1.0 - np.sum(shares**2))


def classes_of(y: Labels) -> Labels:
    """The classes that occur, ascending: np.unique takes ten times as long."""
    return np.flatnonzero(np.bincount(y))


def purity(y_left: Labels, y_right: Labels) -> float:
    """Eq. 8: G, one minus the children's Gini impurity weighted by their size; larger is better."""
    n_left, n_right = len(y_left), len(y_right)
    weighted = n_left * gini(y_left) + n_right * gini(y_right)
    return 1.0 - weighted / (n_left + n_right)


def min_max(X: Floats, reference: Floats) -> Floats:
    """Scale `X` (n, d) by the minima and maxima of `reference` (m, d); constant columns give 0."""
    low = reference.min(axis=0)
    span = reference.max(axis=0) - low
    constant = span == 0
    return np.where(constant, 0.0, (X - low) / np.where(constant, 1.0, span))


def squared_distance(a: Floats, b: Floats) -> float:
    """Squared Euclidean distance of two points, shape (d,)."""
    return float(np.sum((a - b) ** 2))


def _within(distance: Floats, y: Labels) -> float:
    """Penalty of eq. 7 for one child: each class against the other classes of the same child."""
    classes = classes_of(y)
    total = 0.0
    for p in classes:
        if len(classes) > 1:
            total += distance[y == p].min() + distance[y != p].min()
    return total / len(classes)


def _across(distance: Floats, y: Labels, far_distance: Floats, far_y: Labels) -> float:
    """Penalty of eq. 7 for one child: each class against the other classes of the other child."""
    classes = classes_of(y)
    total = 0.0
    for p in classes:
        opposite = far_distance[far_y != p]
        if len(opposite):
            total += distance[y == p].min() + opposite.min()
    return total / len(classes)


def _nearest(scaled: Floats, y: Labels, distance: str) -> float:
    """Penalty of eq. 6 for one child: the nearest row of another class, over all pairs of rows."""
    classes = classes_of(y)
    if len(classes) < 2:
        return 0.0
    pairs = np.array([[squared_distance(a, b) for b in scaled] for a in scaled])
    least = np.array([pairs[np.ix_(y == p, y != p)].min() for p in classes])
    return float(np.mean(least if distance == "squared" else np.sqrt(least)))


def bnm(
    X: Floats,
    y: Labels,
    feature: int,
    threshold: float,
    penalty: str = "within",
    distance: str = "squared",
) -> float:
    """Eqs. 6 and 7: between-node margin within the same class of one split; larger is better.

    Parameters
    ----------
    X, y : arrays of shape (n, d) and (n,)
        The rows of the node and their labels.
    feature, threshold : int, float
        The split.
    penalty : {"within", "across", "none", "nearest"}
        Where the nearest sample of another class is sought; "nearest" is eq. 6.
    distance : {"squared", "euclidean"}
        That of the centroids, and of eq. 6: the formulas square it, the words before do not.
    """
    left = X[:, feature] <= threshold
    scaled = min_max(X, X)
    shared = np.intersect1d(y[left], y[~left])
    gaps = [
        squared_distance(
            scaled[left & (y == c)].mean(axis=0), scaled[~left & (y == c)].mean(axis=0)
        )
        for c in shared
    ]
    if distance == "euclidean":
        gaps = [math.sqrt(gap) for gap in gaps]
    margin = sum(gaps) / len(gaps) if gaps else 0.0

    column = X[:, feature]
    scaled_threshold = (threshold - column.min()) / (column.max() - column.min())
    nearness = np.abs(scaled[:, feature] - scaled_threshold)
    l_side, r_side = (nearness[left], y[left]), (nearness[~left], y[~left])
    if penalty == "within":
        return margin - (_within(*l_side) + _within(*r_side))
    if penalty == "across":
        return margin - (_across(*l_side, *r_side) + _across(*r_side, *l_side))
    if penalty == "none":
        return margin
    if penalty == "nearest":
        return margin - sum(_nearest(scaled[s], y[s], distance) for s in (left, ~left))
    raise ValueError(f"There is no penalty {penalty!r}.")


def default_code_matrix(n_classes: int) -> Labels:
    """One column for two classes, else one-vs-rest: shape (n_classes, n_dichotomies)."""
    if n_classes <= 2:
        return np.array([[-1], [1]])
    return 2 * np.eye(n_classes, dtype=np.int64) - 1


def between_class_margin(X: Floats, y: Labels, code_matrix: Labels) -> float:
    """Eqs. 12 and 13: BCM of the scaled rows `X`; a dichotomy with an empty side adds 0."""
    total = 0.0
    for codes in code_matrix.T:
        row_code = codes[y]
        if np.any(row_code == 1) and np.any(row_code == -1):
            positive, negative = X[row_code == 1], X[row_code == -1]
            total += squared_distance(positive.mean(axis=0), negative.mean(axis=0))
    return total


def csn_of_child(X: Floats, y: Labels, code_matrix: Labels) -> float:
    """Eq. 11 for the scaled rows of one child: scatter within the classes over BCM."""
    classes = classes_of(y)
    if len(classes) == 1:
        return 0.0
    margin = between_class_margin(X, y, code_matrix)
    if margin < COINCIDENT_SQUARED_DISTANCE:
        return math.inf
    scatter = sum(squared_distance(X[y == c], X[y == c].mean(axis=0)) for c in classes)
    return scatter / margin


def csn(
    X: Floats,
    y: Labels,
    mask_left: Mask,
    scaling: str = "child",
    code_matrix: Labels | None = None,
) -> float:
    """Eq. 14: compactness and separation of the classes in the children; smaller is better.

    Parameters
    ----------
    X, y : arrays of shape (n, d) and (n,)
        The rows of the node and their labels.
    mask_left : array of bool, shape (n,)
        The rows of the left child.
    scaling : {"child", "parent"}
        Whose minima and maxima scale a child's rows.
    code_matrix : array in {-1, 0, 1} of shape (n_classes, n_dichotomies), optional
        By default that of the classes 0 .. max(y).
    """
    if scaling not in ("child", "parent"):
        raise ValueError(f"scaling must be 'child' or 'parent', got {scaling!r}.")
    codes = default_code_matrix(int(y.max()) + 1) if code_matrix is None else code_matrix
    total = 0.0
    for rows in (mask_left, ~mask_left):
        scaled = min_max(X[rows], X[rows] if scaling == "child" else X)
        total += rows.sum() / len(y) * csn_of_child(scaled, y[rows], codes)
    return float(total)


def candidates(X: Floats) -> list[Split]:
    """All (feature, threshold): every value of an attribute but its largest, in that order."""
    return [
        (feature, float(value))
        for feature in range(X.shape[1])
        for value in np.unique(X[:, feature])[:-1]
    ]


@dataclass(frozen=True)
class Rule:
    """Parameters of the choice of a split."""

    criterion: str = "gini"
    k: int = 10
    omega1: float = 1.0
    omega2: float = 0.01
    penalty: str = "within"
    bnm_distance: str = "squared"
    csn_scaling: str = "child"
    small_child: str = "leaf"
    min_samples_leaf: int = 2
    code_matrix: Labels | None = None
    csn_ties: str = "rank"

    def __post_init__(self) -> None:
        if self.criterion not in ("gini", "bnm", "csn", "bnm+csn"):
            raise ValueError(f"Unknown criterion {self.criterion!r}.")
        if self.small_child not in ("leaf", "skip"):
            raise ValueError(f"small_child must be 'leaf' or 'skip', got {self.small_child!r}.")

    @property
    def weighs_bnm(self) -> bool:
        return self.criterion in ("bnm", "bnm+csn")

    @property
    def has_second_step(self) -> bool:
        return self.criterion in ("csn", "bnm+csn")


@dataclass(frozen=True)
class ScoredSplit:
    """A candidate: `first` is maximised; `second`, of the k best by `first`, is minimised.

    `second` is NaN where the candidate cannot be among the k best or the criterion has one step.
    """

    split: Split
    smallest_child: int
    first: float
    second: float = math.nan


def is_close(a: float, b: float) -> bool:
    """Tell whether two scores are the same but for rounding."""
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=NOISE)


def rounded(score: float) -> float:
    """Round to ten significant digits, so that scores equal but for rounding tie."""
    return 0.0 if abs(score) < NOISE else float(f"{score:.9e}")


def kth_largest(scored: list[ScoredSplit], k: int) -> float:
    """The k-th largest first score, the smallest if there are fewer than k."""
    return sorted((s.first for s in scored), reverse=True)[min(k, len(scored)) - 1]


def _first_scores(X: Floats, y: Labels, rule: Rule) -> list[ScoredSplit]:
    scored = []
    for feature, threshold in candidates(X):
        left = X[:, feature] <= threshold
        smallest = int(min(left.sum(), (~left).sum()))
        if rule.small_child == "skip" and smallest < rule.min_samples_leaf:
            continue
        first = purity(y[left], y[~left])
        if rule.weighs_bnm:
            structure = bnm(X, y, feature, threshold, rule.penalty, rule.bnm_distance)
            first = rule.omega1 * first + rule.omega2 * structure
        scored.append(ScoredSplit((feature, threshold), smallest, first))
    return scored


def score_candidates(X: Floats, y: Labels, rule: Rule) -> list[ScoredSplit]:
    """Score the splits that `rule` considers, in the order of (feature, threshold)."""
    scored = _first_scores(X, y, rule)
    if not scored or not rule.has_second_step:
        return scored
    kth = kth_largest(scored, rule.k)
    for i, s in enumerate(scored):
        if s.first > kth or is_close(s.first, kth):
            left = X[:, s.split[0]] <= s.split[1]
            second = csn(X, y, left, rule.csn_scaling, rule.code_matrix)
            scored[i] = replace(s, second=second)
    return scored


def winner(scored: list[ScoredSplit], rule: Rule) -> ScoredSplit | None:
    """Choose by (score, feature, threshold), lowest feature and threshold first among ties.

    Of splits of equal CSN the one that comes first by the first score is taken, or, with
    ``csn_ties="feature"``, the one of the lowest feature and threshold.
    """
    by_first = sorted(scored, key=lambda s: (-rounded(s.first), s.split))
    if not by_first or not rule.has_second_step:
        return by_first[0] if by_first else None
    best = by_first[: rule.k]
    if rule.csn_ties == "feature":
        best.sort(key=lambda s: s.split)
    return min(best, key=lambda s: rounded(s.second))


def acceptable(scored: list[ScoredSplit], rule: Rule) -> list[ScoredSplit]:
    """List the candidates that can win if ties within rounding are broken in any way."""
    if not scored:
        return []
    kth = kth_largest(scored, rule.k if rule.has_second_step else 1)
    tied = [s for s in scored if is_close(s.first, kth)]
    if not rule.has_second_step:
        return tied
    certain = [s for s in scored if s.first > kth and not is_close(s.first, kth)]
    open_places = min(rule.k, len(scored)) - len(certain)

    def can_win(c: ScoredSplit) -> bool:
        no_better = [
            [s.second >= c.second or is_close(s.second, c.second) for s in group]
            for group in (certain, tied)
        ]
        return all(no_better[0]) and sum(no_better[1]) >= open_places

    return [c for c in certain + tied if can_win(c)]


def best_split(X: Floats, y: Labels, **params: Any) -> Split | None:
    """Choose the split of an impure node, None if it becomes a leaf; `params` are Rule's fields."""
    rule = Rule(**params)
    best = winner(score_candidates(X, y, rule), rule)
    return best.split if best and best.smallest_child >= rule.min_samples_leaf else None
