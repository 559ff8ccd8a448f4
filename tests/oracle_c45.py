"""C4.5's first test, from the definitions, by brute force."""

from __future__ import annotations

import itertools
import math

import numpy as np

EPS = 1e-6


def entropy(weights):
    total = sum(weights)
    return -sum(w / total * math.log2(w / total) for w in weights if w > EPS)


def class_weights(y, w, n_classes):
    return [w[y == c].sum() for c in range(n_classes)]


def gain_and_ratio(branch, y, w, n_classes):
    """Return gain and gain ratio of a partition; rows of branch -1 have no value."""
    known = branch >= 0
    n, total = w[known].sum(), w.sum()
    sides = [w[branch == b].sum() for b in np.unique(branch[known])]
    after = sum(
        side / n * entropy(class_weights(y[branch == b], w[branch == b], n_classes))
        for b, side in zip(np.unique(branch[known]), sides, strict=True)
    )
    gain = n / total * (entropy(class_weights(y[known], w[known], n_classes)) - after)
    information = entropy([*sides, total - n])
    return gain, gain / information if information * total > EPS else 0.0


def numeric_test(x, y, w, n_classes, min_cases, mdl):
    """Return (gain, gain ratio, threshold) of the best threshold of a column, or None."""
    known = ~np.isnan(x)
    least = min(max(0.1 * w[known].sum() / n_classes, min_cases), max(25, min_cases))
    if known.sum() < 2 * least - EPS:
        return None
    values = np.unique(x[known])
    best, tries = (0.0, 0.0, math.nan), 0
    for low, high in itertools.pairwise(values):
        threshold = (low + high) / 2
        branch = np.where(known, (x > threshold).astype(int), -1)
        if min(w[branch == 0].sum(), w[branch == 1].sum()) < least - EPS:
            continue
        tries += 1
        gain, _ = gain_and_ratio(branch, y, w, n_classes)
        if gain > best[0] + EPS:
            best = (gain, 0.0, low)
    if math.isnan(best[2]):
        return None
    branch = np.where(known, (x > best[2]).astype(int), -1)
    gain, ratio = gain_and_ratio(branch, y, w, n_classes)
    corrected = gain - math.log2(tries) / w.sum() if mdl else gain
    return (corrected, ratio * corrected / gain, best[2]) if corrected > EPS else None


def nominal_test(x, y, w, n_classes, min_cases):
    """Return (gain, gain ratio, nan) of one branch per level, or None."""
    branch = np.where(np.isnan(x), -1, np.nan_to_num(x)).astype(int)
    sides = [w[branch == b].sum() for b in np.unique(branch[branch >= 0])]
    if sum(side >= min_cases - EPS for side in sides) < 2:
        return None
    return (*gain_and_ratio(branch, y, w, n_classes), math.nan)


def first_test(X, y, w, n_levels, min_cases, mdl):
    """Return (attribute, threshold) of the root, or None if the tree is a leaf."""
    n_classes = y.max() + 1
    shares = class_weights(y, w, n_classes)
    if w.sum() < 2 * min_cases - EPS or sum(s > EPS for s in shares) < 2:
        return None
    found = {}
    for j, levels in enumerate(n_levels):
        if levels < 0:
            test = numeric_test(X[:, j], y, w, n_classes, min_cases, mdl)
        else:
            test = nominal_test(X[:, j], y, w, n_classes, min_cases)
        if test is not None:
            found[j] = test
    many = [levels >= 0.3 * len(y) - EPS for levels in n_levels]
    counted = [t[0] for j, t in found.items() if all(many) or not many[j]]
    if not counted:
        return None
    best, chosen = 0.0, None
    for j, (gain, ratio, threshold) in found.items():
        if gain >= np.mean(counted) - 1e-3 and ratio > best + EPS:
            best, chosen = ratio, (j, threshold)
    return chosen
