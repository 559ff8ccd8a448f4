"""Relief-F: how well each column tells the nearest rows of other classes from those of its own."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from retree.trees.kernels.jit import jit

TIE = 1e-9  # distances that differ by less are tied
_BLOCK = 512  # rows whose distances stay in the first cache while the columns are added


class Problem(NamedTuple):
    """Rows in the order of their classes, numeric columns on a scale where the range is 1."""

    rows: np.ndarray  # (n_samples, n_features) float64, level codes in nominal columns
    columns: np.ndarray  # (n_features, n_samples) float64, the same
    nominal: np.ndarray  # (n_features,) bool
    class_start: np.ndarray  # (n_classes + 1,) int64, rows of class c are start[c]:start[c + 1]
    place: np.ndarray  # (n_features,) int64, place of a column in `expected`, -1 if none is missing
    expected: np.ndarray  # (n_with_missing, n_classes, n_samples) float64, see `expect`


@jit
def make_problem(rows, nominal, class_start):
    """Return the problem of `rows`, with the expected differences of missing values."""
    n_samples, n_features = rows.shape
    columns = np.ascontiguousarray(rows.T)
    place, n_missing = np.full(n_features, -1, np.int64), 0
    for j in range(n_features):
        if np.isnan(columns[j]).any():
            place[j], n_missing = n_missing, n_missing + 1
    expected = np.zeros((n_missing, len(class_start) - 1, n_samples))
    for j in range(n_features):
        if place[j] >= 0:
            expect(columns[j], nominal[j], class_start, expected[place[j]])
    return Problem(rows, columns, nominal, class_start, place, expected)


@jit
def _known_of_class(column, start, end):
    """Return the sorted known values of a class, those of all rows if it has none."""
    known = column[start:end][~np.isnan(column[start:end])]
    if len(known) == 0:
        known = column[~np.isnan(column)]
    return np.sort(known)


@jit
def _mean_difference(value, known, sums, is_nominal):
    """Return the mean difference between a value and the sorted values `known`.

    ``sums[i]`` is the sum of the first i of them.
    """
    n = len(known)
    below = np.searchsorted(known, value)
    if is_nominal:
        return 1.0 - (np.searchsorted(known, value, side="right") - below) / n
    total = value * below - sums[below] + (sums[n] - sums[below]) - value * (n - below)
    return total / n


@jit
def expect(column, is_nominal, class_start, expected):
    """Set the expected difference of each row to a row of each class whose value is missing.

    The missing value is one of the known values of its class, each as likely. Where both values
    are missing, both are such draws. Without any known value all differences are 0.

    Parameters
    ----------
    column : ndarray of shape (n_samples,)
    is_nominal : bool
    class_start : ndarray of shape (n_classes + 1,)
    expected : ndarray of shape (n_classes, n_samples)
    """
    for c in range(len(class_start) - 1):
        known = _known_of_class(column, class_start[c], class_start[c + 1])
        if len(known) == 0:
            return
        sums = np.zeros(len(known) + 1)
        sums[1:] = np.cumsum(known)
        for other in range(len(class_start) - 1):
            start, end = class_start[other], class_start[other + 1]
            draws = _known_of_class(column, start, end)
            both = 0.0
            for value in draws:
                both += _mean_difference(value, known, sums, is_nominal)
            both /= len(draws)
            for i in range(start, end):
                value = column[i]
                known_difference = _mean_difference(value, known, sums, is_nominal)
                expected[c, i] = both if np.isnan(value) else known_difference


@jit
def _add_expected(problem, j, row, row_class, start, end, c, distance):
    """Add the differences of a column with missing values, of rows of class `c`, to `distance`."""
    table, column = problem.expected[problem.place[j]], problem.columns[j]
    value, is_nominal = column[row], problem.nominal[j]
    for i in range(start, end):
        if np.isnan(value):
            distance[i] += table[row_class, i]
        elif np.isnan(column[i]):
            distance[i] += table[c, row]
        elif is_nominal:
            distance[i] += np.float64(column[i] != value)
        else:
            distance[i] += abs(column[i] - value)


@jit
def _add_nominal(column, value, distance):
    """Add 1 to `distance` where the level is not `value`."""
    for i in range(len(column)):
        distance[i] += np.float64(column[i] != value)


@jit
def _add_numeric(column, value, distance):
    """Add the absolute differences to `distance`."""
    for i in range(len(column)):
        distance[i] += abs(column[i] - value)


@jit
def distances_from(problem, row, row_class, distance):
    """Set `distance` to the sums of the differences between a row and every row."""
    distance[:] = 0.0
    for c in range(len(problem.class_start) - 1):
        end_of_class = problem.class_start[c + 1]
        for start in range(problem.class_start[c], end_of_class, _BLOCK):
            end = min(start + _BLOCK, end_of_class)
            for j in range(len(problem.columns)):
                column, value = problem.columns[j], problem.columns[j, row]
                if problem.place[j] >= 0:
                    _add_expected(problem, j, row, row_class, start, end, c, distance)
                elif problem.nominal[j]:
                    _add_nominal(column[start:end], value, distance[start:end])
                else:
                    _add_numeric(column[start:end], value, distance[start:end])


@jit
def nearest_of(distance, row, nearest):
    """Set `nearest` to the smallest distances, ascending, but for that of `row` to itself.

    Returns
    -------
    int
        How many there are, at most the length of `nearest`.
    """
    n, k = 0, len(nearest)
    limit = np.inf
    for i in range(len(distance)):
        d = distance[i]
        if d >= limit or i == row:
            continue
        place = min(n, k - 1)
        while place > 0 and nearest[place - 1] > d:
            nearest[place] = nearest[place - 1]
            place -= 1
        nearest[place] = d
        n = min(n + 1, k)
        if n == k:
            limit = nearest[k - 1]
    return n


@jit
def difference(problem, j, row, row_class, i, i_class):
    """Return the difference of two rows in a column, the expected one where a value is missing."""
    value, other = problem.rows[row, j], problem.rows[i, j]
    if np.isnan(value):
        return problem.expected[problem.place[j], row_class, i]
    if np.isnan(other):
        return problem.expected[problem.place[j], i_class, row]
    if problem.nominal[j]:
        return 0.0 if value == other else 1.0
    return abs(value - other)


@jit
def add_mean_differences(problem, row, row_class, c, distance, nearest, factor, weights):
    """Add `factor` times the mean differences between a row and its neighbours in class `c`.

    Rows that tie at the last place share the places that are left.
    """
    start, end = problem.class_start[c], problem.class_start[c + 1]
    n = nearest_of(distance[start:end], row - start, nearest)
    if n == 0:
        return
    last = nearest[n - 1]
    n_closer, n_tied = 0, 0
    while nearest[n_closer] < last - TIE:
        n_closer += 1
    for i in range(start, end):
        n_tied += (abs(distance[i] - last) <= TIE) and i != row
    share = (n - n_closer) / n_tied
    for i in range(start, end):
        if distance[i] > last + TIE or i == row:
            continue
        part = factor / n * (share if distance[i] >= last - TIE else 1.0)
        for j in range(len(weights)):
            weights[j] += part * difference(problem, j, row, row_class, i, c)


@jit
def relief_weights(problem, sampled, n_neighbors):
    """Return the Relief-F weights of the columns.

    Parameters
    ----------
    problem : Problem
        With at least two classes that have rows.
    sampled : ndarray of shape (n_sampled,)
        Rows whose neighbours are looked at.
    n_neighbors : int
        Neighbours in each class, fewer where the class has not so many other rows.

    Returns
    -------
    ndarray of shape (n_features,)
    """
    n_samples, n_features = problem.rows.shape
    start = problem.class_start
    distance, nearest = np.empty(n_samples), np.empty(min(n_neighbors, n_samples))
    weights = np.zeros(n_features)
    for row in sampled:
        row_class = np.searchsorted(start, row, side="right") - 1
        distances_from(problem, row, row_class, distance)
        others = n_samples - (start[row_class + 1] - start[row_class])
        for c in range(len(start) - 1):
            factor = -1.0 if c == row_class else (start[c + 1] - start[c]) / others
            add_mean_differences(problem, row, row_class, c, distance, nearest, factor, weights)
    return weights / len(sampled)
