"""Relief-F, Lloyd's rounds and CMDT by definition, a row at a time, to hold the kernels against."""

import itertools

import numpy as np


def differences(column, y, nominal):
    """Return the difference of every two rows in a column, an expected one for missing values."""

    def one(a, b):
        return float(a != b) if nominal else abs(a - b)

    known = {c: column[(y == c) & ~np.isnan(column)] for c in np.unique(y)}
    everywhere = column[~np.isnan(column)]
    draws = {c: values if len(values) else everywhere for c, values in known.items()}
    result = np.zeros((len(y), len(y)))
    if len(everywhere) == 0:
        return result
    for i, k in itertools.product(range(len(y)), repeat=2):
        first = draws[y[i]] if np.isnan(column[i]) else [column[i]]
        second = draws[y[k]] if np.isnan(column[k]) else [column[k]]
        result[i, k] = np.mean([one(a, b) for a in first for b in second])
    return result


def relief_f(X, y, nominal, n_neighbors, sampled=None):
    """Return the weights; `X` has numeric columns of range 1, `sampled` rows are looked at."""
    by_column = [differences(X[:, j], y, nominal[j]) for j in range(X.shape[1])]
    distance = np.sum(by_column, axis=0)
    weights = np.zeros(X.shape[1])
    sampled = range(len(y)) if sampled is None else sampled
    for i in sampled:
        others = np.sum(y != y[i])
        for c in np.unique(y):
            members = [k for k in np.flatnonzero(y == c) if k != i]
            if not members:
                continue
            factor = -1.0 if c == y[i] else np.sum(y == c) / others
            k = min(n_neighbors, len(members))
            last = np.sort(distance[i, members])[k - 1]
            closer = [m for m in members if distance[i, m] < last - 1e-9]
            tied = [m for m in members if abs(distance[i, m] - last) <= 1e-9]
            for j, of_column in enumerate(by_column):
                total = of_column[i, closer].sum()
                total += of_column[i, tied].mean() * (k - len(closer))
                weights[j] += factor * total / k
    return weights / len(sampled)


def centre_of(rows, fallback, n_levels, modes):
    """Return a centre as a list of a mean or an array of shares for each column."""
    centre = []
    for j, n in enumerate(n_levels):
        values = rows[~np.isnan(rows[:, j]), j]
        if len(values) == 0:
            empty = 0.0 if n < 0 else np.zeros(n)
            centre.append(empty if fallback is None else fallback[j])
        elif n < 0:
            centre.append(sum(values.tolist()) / len(values))
        else:
            counts = np.bincount(values.astype(int), minlength=n)
            centre.append(np.eye(n)[counts.argmax()] if modes else counts / len(values))
    return centre


def distance(row, centre, n_levels, weights, gamma, metric):
    """Return the distance of equation 8."""
    numeric = nominal = 0.0
    for j, n in enumerate(n_levels):
        if np.isnan(row[j]) or weights[j] == 0:
            continue
        if n >= 0:
            nominal += weights[j] * (1.0 - centre[j][int(row[j])])
        elif metric == "manhattan":
            numeric += weights[j] * abs(row[j] - centre[j])
        else:
            numeric += weights[j] * (row[j] - centre[j]) ** 2
    if metric == "euclidean":
        numeric = np.sqrt(numeric)
    return gamma * numeric + (1.0 - gamma) * nominal


def has_values(row, weights):
    """Whether a value with a weight is known."""
    return bool((~np.isnan(row) & (np.asarray(weights) != 0)).any())


class Lloyd:
    """Lloyd's rounds from the centres of labels, one `step` at a time.

    ``gap`` is the least difference between the two smallest distances of a row that was ever seen,
    but for exact ties.
    """

    def __init__(self, X, labels, n_levels, weights, gamma, metric, modes):
        self.X, self.n_levels, self.modes = X, n_levels, modes
        self.how = (n_levels, weights, gamma, metric)
        self.weights, self.gap = weights, np.inf
        self.centres = self.middle(labels)
        self.assign()

    def middle(self, labels):
        """Return the centres of labels."""
        whole = centre_of(self.X[labels >= 0], None, self.n_levels, self.modes)
        used = [c for c in np.unique(labels) if c >= 0]
        return [centre_of(self.X[labels == c], whole, self.n_levels, self.modes) for c in used]

    def assign(self):
        """Set labels and cost; drop centres without rows."""
        labels, cost = [], 0.0
        for row in self.X:
            if not has_values(row, self.weights):
                labels.append(-1)
                continue
            far = [distance(row, centre, *self.how) for centre in self.centres]
            labels.append(int(np.argmin(far)))
            cost += min(far)
            gaps = np.diff(np.sort(far))[:1]
            self.gap = min([self.gap, *gaps[gaps > 0]])
        used = sorted({c for c in labels if c >= 0})
        self.centres = [self.centres[c] for c in used]
        self.labels = np.array([used.index(c) if c >= 0 else -1 for c in labels])
        self.cost = cost

    def step(self):
        """Move the centres and assign; return whether a label changed."""
        before = self.labels
        self.centres = self.middle(before)
        self.assign()
        return not np.array_equal(before, self.labels)


def gini(y, labels):
    """Return the Gini index left after a split."""
    total = 0.0
    for c in np.unique(labels):
        shares = np.bincount(y[labels == c]) / np.sum(labels == c)
        total += np.mean(labels == c) * (1 - np.sum(shares**2))
    return total


class Tree:
    """A CMDT tree; `gap` as in `Lloyd`, over all nodes, Gini indices and dropped columns."""

    def __init__(self, X, y, n_levels, **options):
        known = ~np.isnan(X)
        low = np.array([X[known[:, j], j].min(initial=np.inf) for j in range(X.shape[1])])
        high = np.array([X[known[:, j], j].max(initial=-np.inf) for j in range(X.shape[1])])
        numeric = (np.array(n_levels) < 0) & (high >= low)
        self.offset = np.where(numeric, low, 0.0)
        scale = np.where(numeric, high, 1.0) - self.offset
        self.scale = np.where(scale > 0, scale, 1.0)
        self.n_levels, self.options, self.gap = n_levels, options, np.inf
        order = np.lexsort((*X.T[::-1], y))
        self.rows = ((X - self.offset) / self.scale)[order]
        self.y = y[order]
        self.root = self.grow(np.arange(len(y)))

    def weigh(self, X, y):
        """Return the weights, 0 of dropped columns."""
        options = self.options
        if not options["weights"]:
            return np.ones(X.shape[1])
        weights = relief_f(X, y, np.array(self.n_levels) >= 0, options["n_neighbors"])
        least = options["beta"] * weights.max()
        self.gap = min([self.gap, *np.abs(weights - least), abs(weights.max())])
        return np.where((weights > 1e-12) & (weights >= least), weights, 0.0)

    def grow(self, rows):
        """Return a node: its rows, its children and what sends a row to them."""
        X, y = self.rows[rows], self.y[rows]
        node = {"rows": rows, "children": []}
        if len(rows) < self.options["min_parent"] or len(set(y)) == 1:
            return node
        weights = self.weigh(X, y)
        if not weights.any():
            return node
        best = None
        for how in self.hows(weights):
            lloyd = Lloyd(
                X, y, self.n_levels, weights, *how, modes=not self.options["distributions"]
            )
            for _ in range(self.options["max_rounds"]):
                if not lloyd.step():
                    break
            self.gap = min(self.gap, lloyd.gap)
            if len(lloyd.centres) < 2:
                continue
            labels = lloyd.labels
            labels[labels < 0] = np.bincount(labels[labels >= 0]).argmax()
            left = gini(y, labels)
            if best is None or left < best[0] - 1e-12:
                best = (left, lloyd)
        if best is None:
            return node
        node["test"] = best[1]
        labels = best[1].labels
        node["children"] = [self.grow(rows[labels == c]) for c in range(labels.max() + 1)]
        return node

    def hows(self, weights):
        """Return the gammas and metrics to try."""
        nominal, options = np.array(self.n_levels) >= 0, self.options
        if not options["clustering"]:
            return [(0.5, "manhattan")]
        if not weights[nominal].any():
            return [(1.0, "sqeuclidean")]
        if not weights[~nominal].any():
            return [(0.0, "euclidean")]
        gammas = [options["gamma"]] if options["gamma"] != "gini" else np.arange(1, 10) / 10
        return [(gamma, "euclidean") for gamma in gammas]

    def nodes(self):
        """Yield the nodes depth first."""
        stack = [self.root]
        while stack:
            node = stack.pop()
            yield node
            stack += node["children"][::-1]

    def leaf(self, row):
        """Return the leaf of a row."""
        row, node = (row - self.offset) / self.scale, self.root
        while node["children"]:
            test = node["test"]
            if has_values(row, test.weights):
                far = [distance(row, centre, *test.how) for centre in test.centres]
                gaps = np.diff(np.sort(far))[:1]
                self.gap = min([self.gap, *gaps[gaps > 0]])
                node = node["children"][int(np.argmin(far))]
            else:
                node = max(node["children"], key=lambda child: len(child["rows"]))
        return node
