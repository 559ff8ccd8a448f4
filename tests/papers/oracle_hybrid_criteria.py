"""Slow reference of the trees of hybrid criteria, written from their docstrings.

It shares no code with the package. Class labels are the integers 0 .. n_classes - 1; rows with
`x <= threshold` go left. Trees are nested tuples: a leaf is its class counts, an inner node is
(feature, threshold, left, right).
"""

import itertools
import math
from statistics import NormalDist

import numpy as np

NAMES = ("adadt", "cv_id3", "fr_id3", "dgmml", "jaworski", "scaff", "isat")
TIED = 1e-12


def shares(y):
    return [float(np.mean(y == c)) for c in sorted(set(y.tolist()))]


def entropy(y):
    return -math.fsum(p * math.log2(p) for p in shares(y))


def gini(y):
    return 1 - math.fsum(p * p for p in shares(y))


def error(y):
    return 1 - max(shares(y))


def decrease(measure, y, left):
    share = left.mean()
    return measure(y) - share * measure(y[left]) - (1 - share) * measure(y[~left])


def gain_ratio(y, left):
    return decrease(entropy, y, left) / entropy(left.astype(int))


def hellinger(y, left):
    found = []
    for c in sorted(set(y.tolist())):
        own, other = left[y == c].mean(), left[y != c].mean()
        squares = [
            (math.sqrt(a) - math.sqrt(b)) ** 2 for a, b in ((own, other), (1 - own, 1 - other))
        ]
        found.append(math.sqrt(sum(squares) / 2))
    return math.fsum(found) / len(found)


def adadt(X, y, j, left, params):
    counts = [np.sum(y == c) for c in set(y.tolist())]
    ratio = min(counts) / max(counts)
    return ratio * gain_ratio(y, left) + (1 - ratio) * hellinger(y, left)


def validity(x, y):
    total = math.fsum((v - np.mean(x)) ** 2 for v in x)
    within = math.fsum(
        math.fsum((v - np.mean(x[y == c])) ** 2 for v in x[y == c]) for c in set(y.tolist())
    )
    return 0.0 if total == 0 else (total - within) / total


def clusters(x, y):
    """Count the connected groups of the intervals mean +- standard deviation of the classes."""
    intervals = [
        (x[y == c].mean() - x[y == c].std(), x[y == c].mean() + x[y == c].std())
        for c in sorted(set(y.tolist()))
    ]
    groups = []
    for low, high in intervals:
        met = [g for g in groups if any(a <= high and low <= b for a, b in g)]
        groups = [g for g in groups if g not in met] + [sum(met, [(low, high)])]
    return len(groups)


def cv_id3(X, y, j, left, params):
    return decrease(entropy, y, left) * validity(X[:, j], y)


def majorities(y, left):
    return sum(max(np.bincount(y[side])) for side in (left, ~left)) / len(y)


def auc_excess(labels, left):
    """Return by how much the AUC of each value of `labels` for `left` exceeds one half."""
    found = []
    for value in sorted(set(labels.tolist())):
        own, other = left[labels == value], left[labels != value]
        if len(other):
            pairs = list(itertools.product(own.tolist(), other.tolist()))
            auc = sum(1.0 if a > b else 0.5 if a == b else 0.0 for a, b in pairs) / len(pairs)
            found.append(abs(auc - 0.5))
    return found


def scaff(X, y, j, left, params):
    if j in params["sensitive"]:
        return -math.inf
    theta = params["theta"]
    z = [e for k in params["sensitive"] for e in auc_excess(X[:, k], left)]
    return (1 - theta) * np.mean(auc_excess(y, left)) - theta * max(z, default=0.0)


def gain(X, y, j, left, params):
    return decrease(entropy, y, left)


SCORES = {"adadt": adadt, "cv_id3": cv_id3, "scaff": scaff, "isat": gain}


def first(scores, least=0.0):
    """Return the first of the highest scores, None unless it exceeds `least`."""
    best = max(scores, default=-math.inf)
    if best <= least + TIED:
        return None
    return next(i for i, score in enumerate(scores) if score >= best - TIED)


def choose(name, X, y, params, n_classes):
    """Return feature and threshold of the split, or None."""
    places = [(j, v) for j in range(X.shape[1]) for v in np.unique(X[:, j])[:-1]]
    sides = [X[:, j] <= v for j, v in places]
    if name in SCORES:
        scores = [
            SCORES[name](X, y, j, left, params) for (j, _), left in zip(places, sides, strict=True)
        ]
        found = first(scores)
    elif name == "fr_id3":
        n_present = len(set(y.tolist()))
        sums = [
            clusters(X[:, j], y) / n_present + majorities(y, s)
            for (j, _), s in zip(places, sides, strict=True)
        ]
        tied = [s >= max(sums) - TIED for s in sums]
        gains = [
            decrease(entropy, y, s) if t else -math.inf for s, t in zip(sides, tied, strict=True)
        ]
        found = first(gains, -1.0)
    elif name == "dgmml":
        weights = {j: squared_weight(X[:, j], y) for j, _ in places}
        top = max(weights.values(), default=0)
        feature = next((j for j in weights if weights[j] >= top * (1 - TIED)), None)
        gains = [
            decrease(gini, y, s) if j == feature else -math.inf
            for (j, _), s in zip(places, sides, strict=True)
        ]
        found = first(gains, -1.0)
    else:
        found = jaworski(places, sides, y, params, n_classes)
    return None if found is None else places[found]


def squared_weight(x, y):
    """Return D / S over the pairs of rows, one by one."""
    same = different = 0.0
    for i, k in itertools.combinations(range(len(x)), 2):
        square = (x[i] - x[k]) ** 2
        same, different = (same + square, different) if y[i] == y[k] else (same, different + square)
    return 0.0 if different == 0 else math.inf if same == 0 else different / same


def jaworski(places, sides, y, params, n_classes):
    n, delta = len(y), params["delta"]
    bias = 2 * (1 - 1 / n_classes) / n if params["gini"] == "type_2" else 0
    bounds = {
        error: NormalDist().inv_cdf(1 - delta) * math.sqrt(1 / (2 * n)),
        gini: 8 * math.sqrt(math.log(1 / delta) / (2 * n)) + bias,
    }
    for measure, bound in bounds.items():
        values = [decrease(measure, y, side) for side in sides]
        best = first(values)
        if best is None:
            continue
        others = [v for v, (j, _) in zip(values, places, strict=True) if j != places[best][0]]
        if bound < params["tie_threshold"] or values[best] - max([0.0, *others]) > bound:
            return best
    return None


def grow(name, X, y, params, n_classes, min_samples_split, max_depth):
    """Return the tree of the method called `name`."""
    counts = tuple(np.bincount(y, minlength=n_classes).tolist())
    split = None
    if sum(c > 0 for c in counts) > 1 and len(y) >= min_samples_split and max_depth != 0:
        split = choose(name, X, y, params, n_classes)
    if split is None:
        return counts
    left = X[:, split[0]] <= split[1]
    below = None if max_depth is None else max_depth - 1
    children = (
        grow(name, X[side], y[side], params, n_classes, min_samples_split, below)
        for side in (left, ~left)
    )
    return (split[0], float(split[1]), *children)
