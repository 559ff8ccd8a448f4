"""REPTree by its definition, row by row: what its tests must gain, and what pruning must leave."""

import itertools
import math

import numpy as np

SURE = 1e-9  # gains that differ by less may be ordered by their last bits
LEAST_GAIN = 1e-6


def entropy(weights):
    total = math.fsum(weights)
    return -math.fsum(w / total * math.log2(w / total) for w in weights if w > 0) if total else 0.0


def class_weights(rows, y, n_classes):
    return [math.fsum(w for row, w in rows if y[row] == c) for c in range(n_classes)]


def divided(rows, column, point, n_branches):
    """Return the rows of each branch, those without a value in parts, and the parts."""
    known = [(row, w) for row, w in rows if not np.isnan(column[row])]
    places = {
        row: int(column[row]) if point is None else int(column[row] >= point) for row, _ in known
    }
    sent = [math.fsum(w for row, w in known if places[row] == b) for b in range(n_branches)]
    parts = [s / math.fsum(sent) for s in sent]
    branches = [
        [
            (row, w if row in places else w * part)
            for row, w in rows
            if places.get(row, b) == b and (row in places or part > 0)
        ]
        for b, part in enumerate(parts)
    ]
    return branches, parts


def gain(branches, y, n_classes):
    counts = [class_weights(own, y, n_classes) for own in branches]
    weights = [math.fsum(own) for own in counts]
    total = math.fsum(weights)
    left = math.fsum(w / total * entropy(own) for w, own in zip(weights, counts, strict=True))
    return entropy([math.fsum(c) for c in zip(*counts, strict=True)]) - left


def known_gain(rows, column, point, y, n_classes):
    """Return the gain of a threshold over the rows that have a value, by which it is chosen."""
    known = [(row, w) for row, w in rows if not np.isnan(column[row])]
    return gain(divided(known, column, point, 2)[0], y, n_classes)


def best_points(rows, column, y, n_classes):
    """Return the thresholds of a numeric column that tie for the greatest gain."""
    values = sorted({column[row] for row, _ in rows if not np.isnan(column[row])})
    points = [(low + high) / 2 for low, high in itertools.pairwise(values)]
    gains = [known_gain(rows, column, point, y, n_classes) for point in points]
    return [p for p, g in zip(points, gains, strict=True) if g >= max(gains) - SURE]


def best_gain(rows, X, y, n_levels, n_classes):
    """Return the greatest gain of any test; with several thresholds that tie, the range of it."""
    low = high = 0.0
    for column, n in zip(X.T, n_levels, strict=True):
        if not any(not np.isnan(column[row]) for row, _ in rows):
            continue
        points = [None] if n >= 0 else best_points(rows, column, y, n_classes)
        gains = [
            gain(divided(rows, column, p, max(n, 2) if p is not None else n)[0], y, n_classes)
            for p in points
        ]
        if gains:
            low, high = max(low, min(gains)), max(high, max(gains))
    return low, high


def check_grown(tree, X, y, weight, n_levels, min_cases=2.0, max_depth=math.inf, rows=None):
    """Assert that an unpruned tree, or what is left of a pruned one, has the tests it must have.

    `rows`: those that it grew on, if it was pruned; its leaves may then be anything.
    """
    n_classes, is_pruned = tree.counts.shape[1], rows is not None
    rows = range(len(y)) if rows is None else rows
    pending = [(0, [(row, weight[row]) for row in rows], 0)]
    while pending:
        node, own, depth = pending.pop()
        counts = class_weights(own, y, n_classes)
        total = math.fsum(counts)
        if not is_pruned:
            np.testing.assert_allclose(tree.counts[node], counts, rtol=0, atol=1e-9 * (1 + total))
        is_terminal = total < 2 * min_cases or total - max(counts) < 1e-6 or depth >= max_depth
        if tree.is_leaf[node]:
            if not (is_pruned or is_terminal):
                check_leaf(own, X, y, n_levels, n_classes, min_cases)
            continue
        assert not is_terminal
        branches = check_test(tree, node, own, X, y, n_levels, min_cases)
        pending += [
            (child, b, depth + 1) for child, b in zip(tree.children_of(node), branches, strict=True)
        ]


def check_leaf(rows, X, y, n_levels, n_classes, min_cases):
    """Assert that no test gains, or that the best has too light branches."""
    low, _ = best_gain(rows, X, y, n_levels, n_classes)
    if low <= LEAST_GAIN + SURE:
        return
    light = []
    for column, n in zip(X.T, n_levels, strict=True):
        if all(np.isnan(column[row]) for row, _ in rows):
            continue
        for point in [None] if n >= 0 else best_points(rows, column, y, n_classes):
            branches, _ = divided(rows, column, point, n if point is None else 2)
            if gain(branches, y, n_classes) >= low - SURE:
                weights = [math.fsum(w for _, w in own) for own in branches]
                # Sums of fractions may be below the limit by a bit, in Weka's order.
                slack = 1e-9 if any(w % 1 for own in branches for _, w in own) else -1e-9
                light.append(sum(w >= min_cases + slack for w in weights) < 2)
    assert any(light)


def check_test(tree, node, rows, X, y, n_levels, min_cases):
    """Assert that no test gains more, and that its branches are heavy enough; return their rows."""
    n_classes, j = tree.counts.shape[1], int(tree.feature[node])
    point, n = None, n_levels[j]
    if n < 0:
        point, n = float(np.nextafter(tree.threshold[node], np.inf)), 2
        ties = best_points(rows, X[:, j], y, n_classes)
        assert any(math.isclose(point, p, rel_tol=1e-12) for p in ties)
    branches, parts = divided(rows, X[:, j], point, n)
    own = gain(branches, y, n_classes)
    assert own > LEAST_GAIN - SURE
    assert own >= best_gain(rows, X, y, n_levels, n_classes)[0] - SURE
    weights = [math.fsum(w for _, w in own) for own in branches]
    assert sum(w >= min_cases - 1e-9 for w in weights) >= 2
    shares = tree.sent[tree.children_of(node)] / tree.known[node]
    np.testing.assert_allclose(shares, parts, rtol=0, atol=1e-12)
    return branches


def rows_in_nodes(tree, X, rows, weight, n_levels):
    """Return for each node the held-out rows that reach it, with their weights."""
    found = [[] for _ in range(tree.node_count)]
    for row in rows:
        pending = [(0, weight[row])]
        while pending:
            node, w = pending.pop()
            found[node].append((row, w))
            if tree.is_leaf[node]:
                continue
            j, children = int(tree.feature[node]), tree.children_of(node)
            value = X[row, j]
            if np.isnan(value):
                parts = tree.sent[children] / tree.known[node]
                pending += [(c, w * p) for c, p in zip(children, parts, strict=True) if p > 0]
            elif n_levels[j] >= 0:
                pending.append((children[int(value)], w))
            else:
                pending.append((children[int(value > tree.threshold[node])], w))
    return found


def pruned(tree, X, y, held, weight, n_levels):
    """Return the nodes of an unpruned tree that become leaves, and the weights with `held` in."""
    reached = rows_in_nodes(tree, X, held, weight, n_levels)
    errors, cut = np.zeros(tree.node_count), np.zeros(tree.node_count, bool)
    for node in reversed(range(tree.node_count)):
        code = tree.value[node].argmax()
        errors[node] = math.fsum(w for row, w in reached[node] if y[row] != code)
        below = sum(errors[child] for child in tree.children_of(node))
        if not tree.is_leaf[node]:
            cut[node] = below >= errors[node]
            errors[node] = min(below, errors[node])
    n_classes = tree.counts.shape[1]
    added = np.array([class_weights(own, y, n_classes) for own in reached])
    return cut, tree.counts + added
