"""Slow reference of Segment+C4.5, SPES and SPCE, written from the equations of structure_purity.

It shares no code with the package. Class labels are the integers 0 .. n_classes - 1; rows with
`x <= threshold` go left. Trees are nested tuples: a leaf is its class counts, an inner node is
(feature, threshold, left, right).
"""

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]
Mask = NDArray[np.bool_]
Split = tuple[int, float]


def segments_in_order(labels: Any) -> int:
    """Number of runs of equal labels."""
    return sum(1 for _ in itertools.groupby(labels))


def fewest_segments_of_all_orders(x: Floats, y: Labels) -> int:
    """Fewest segments over all orders of the rows of equal value, tried one by one."""
    blocks = [itertools.permutations(y[x == value]) for value in np.unique(x)]
    orders = itertools.product(*blocks)
    return min(segments_in_order(itertools.chain(*order)) for order in orders)


def fewest_segments(x: Floats, y: Labels) -> int:
    """The same, block by block: fewest segments so far by the class that stands last."""
    blocks: dict[float, set[int]] = {}
    for value, label in sorted(zip(x.tolist(), y.tolist(), strict=True)):
        blocks.setdefault(value, set()).add(label)
    best = {-1: 0}
    for here in blocks.values():
        best = {
            last: min(
                count + len(here) - (before == first)
                for first in here
                if len(here) == 1 or first != last
                for before, count in best.items()
            )
            for last in here
        }
    return min(best.values())


def entropy(y: Labels) -> float:
    counts = np.bincount(y)
    shares = counts[counts > 0] / len(y)
    return float(-np.sum(shares * np.log2(shares)))


def gain_ratio(y: Labels, left: Mask) -> float:
    share = left.mean()
    gain = entropy(y) - share * entropy(y[left]) - (1 - share) * entropy(y[~left])
    return gain / entropy(left.astype(np.int64))


def hellinger_of_class(own: Mask, left: Mask) -> float:
    """Distance of the rows `own` from the others, as distributions over the two children."""
    sides = np.array([left, ~left])
    share = sides[:, own].mean(axis=1)
    other_share = sides[:, ~own].mean(axis=1)
    return float(np.linalg.norm(np.sqrt(share) - np.sqrt(other_share)))


def hellinger(y: Labels, left: Mask) -> float:
    return float(np.mean([hellinger_of_class(y == c, left) for c in np.unique(y)]))


def segments_of_child(X: Floats, y: Labels, feature: int | None) -> int:
    """Eq. 1, or with a `feature` the segments along it.

    An attribute that is constant sorts nothing: there are as many segments as classes if it is the
    only one to look at, otherwise it does not count.
    """
    features = range(X.shape[1]) if feature is None else [feature]
    counts = [fewest_segments(X[:, j], y) for j in features if len(np.unique(X[:, j])) > 1]
    return min(counts, default=len(np.unique(y)))


@dataclass(frozen=True)
class Rule:
    """Parameters of a method: "segment", "spes" or "spce"."""

    method: str
    k: int = 2
    alpha: float = 0.5
    normalisation: str = "spes1"
    segment_attribute: str = "best"
    ties: str = "attribute"
    small_child: str = "keep"
    min_samples_leaf: int = 2


def is_small(left: Mask, rule: Rule) -> bool:
    """Whether a split has a child of too few rows."""
    return min(left.sum(), (~left).sum()) < rule.min_samples_leaf


def ranked_candidates(X: Floats, y: Labels, rule: Rule) -> list[tuple[float, Split]]:
    """The k best candidates and their frequency measure, ties by feature and threshold."""
    measure = hellinger if rule.method == "spce" else gain_ratio
    found = []
    for feature in range(X.shape[1]):
        for threshold in np.unique(X[:, feature])[:-1]:
            left = X[:, feature] <= threshold
            if rule.small_child != "skip" or not is_small(left, rule):
                found.append((round(measure(y, left), 10), (feature, float(threshold))))
    return sorted(found, key=lambda c: (-c[0], c[1]))[: rule.k]


def losses(X: Floats, y: Labels, ranked: list[tuple[float, Split]], rule: Rule) -> list[Any]:
    """What the second step minimises, for each candidate."""
    pairs, sizes = [], []
    for _, (feature, threshold) in ranked:
        left = X[:, feature] <= threshold
        along = feature if rule.segment_attribute == "split" else None
        pairs.append([segments_of_child(X[m], y[m], along) for m in (left, ~left)])
        sizes.append([left.mean(), (~left).mean()])
    if rule.method == "spce":
        return [(sum(pair), round(-min(pair) / max(pair), 10)) for pair in pairs]
    expected = np.sum(np.array(pairs) * np.array(sizes), axis=1)
    if rule.method == "segment":
        return [round(e, 8) for e in expected]
    if rule.normalisation == "spes2":
        share = expected.min() / expected
    else:
        extent = np.ptp(expected)
        share = (expected.max() - expected) / extent if extent > 1e-9 else np.ones(len(expected))
    frequency = np.array([score for score, _ in ranked])
    return [round(-v, 10) for v in rule.alpha * frequency + (1 - rule.alpha) * share]


def best_split(X: Floats, y: Labels, rule: Rule) -> Split | None:
    """The split of an impure node, None if it becomes a leaf."""
    ranked = ranked_candidates(X, y, rule)
    if not ranked:
        return None
    values = losses(X, y, ranked, rule)
    tied = [split for (_, split), value in zip(ranked, values, strict=True) if value == min(values)]
    feature, threshold = tied[0] if rule.ties == "rank" else min(tied)
    left = X[:, feature] <= threshold
    return None if rule.small_child == "leaf" and is_small(left, rule) else (feature, threshold)


def grow(X: Floats, y: Labels, rule: Rule, max_depth: int | None = None) -> tuple:
    """Algorithm 1 with this choice of a split."""
    return _grow(X, y, int(y.max()) + 1, rule, max_depth)


def _grow(X: Floats, y: Labels, n_classes: int, rule: Rule, max_depth: int | None) -> tuple:
    counts = tuple(np.bincount(y, minlength=n_classes).tolist())
    if max(counts) == len(y) or len(y) <= rule.min_samples_leaf or max_depth == 0:
        return counts
    split = best_split(X, y, rule)
    if split is None:
        return counts
    left = X[:, split[0]] <= split[1]
    below = None if max_depth is None else max_depth - 1
    return (*split, *(_grow(X[m], y[m], n_classes, rule, below) for m in (left, ~left)))
