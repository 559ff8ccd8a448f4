"""Checks of published means and deviations against what they are said to be, by themselves alone.

Means of counts lie on a lattice (the GRIM test of Brown & Heathers, Social Psychological and
Personality Science 8(4), 2017), so do sums of squares (GRIMMER), and deviations of one kind
resemble each other.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import pandas as pd
from scipy import stats

# A number on the edge between two printed ones may have been rounded either way.
EDGE = 1e-6
# Makes the median absolute deviation of normal numbers their standard deviation.
MAD = 1.4826
# Around a printed number, within this many last digits, reachable numbers are counted.
REACH = 200


def lattice(step: float, offset: float, around: float, unit: float) -> np.ndarray:
    """Return ``offset + i * step``, i an integer, within `REACH` units of `around`, sorted."""
    low = math.ceil((around - REACH * unit - offset) / step)
    high = math.floor((around + REACH * unit - offset) / step)
    return offset + step * np.arange(low, high + 1)


@lru_cache(maxsize=128)
def fold_means(rows: int, folds: int) -> np.ndarray:
    """Return all means over folds of shares of rows, the folds as equal as they can be, sorted.

    The array cannot be written to, as others are given the same.
    """
    small, n_large = divmod(rows, folds)
    shares = np.arange((folds - n_large) * small + 1) / small
    if n_large:
        large = np.arange(n_large * (small + 1) + 1) / (small + 1)
        shares = np.unique(np.add.outer(shares, large))
    means: np.ndarray = shares / folds
    means.setflags(write=False)
    return means


def reachable(value: float, unit: float, numbers: np.ndarray) -> bool:
    """Return whether one of `numbers`, rounded to multiples of `unit`, is `value`."""
    return bool((np.abs(numbers - value) <= unit * (0.5 + EDGE)).any())


def caught(value: float, unit: float, numbers: np.ndarray) -> float:
    """Return which share of the printable numbers near `value` cannot be one of `numbers`."""
    near = numbers[np.abs(numbers - value) <= REACH * unit]
    return 1.0 - min(1.0, len(np.unique(np.rint(near / unit))) / (2 * REACH + 1))


def deviations(total: int, n: int, odd: bool, around: float, unit: float) -> np.ndarray:
    """Return the standard deviations that `n` integers of sum `total` can have, near `around`.

    The sum of their squares has the parity of `total`; if all are odd it is `n` modulo 8. Both
    divisors, ``n - 1`` and ``n``, are allowed.

    `odd`: whether all of them are odd, as numbers of nodes of binary trees are.
    """
    modulus, rest = (8, n % 8) if odd else (2, total % 2)
    low, high = max(around - REACH * unit, 0.0), around + REACH * unit
    by_divisor = []
    for divisor in (n - 1, n):
        least = math.ceil(divisor * low**2 + total**2 / n - EDGE)
        squares = np.arange(least + (rest - least) % modulus, divisor * high**2 + total**2 / n, 8)
        squares = np.add.outer(squares, np.arange(0, 8, modulus)).ravel()
        by_divisor.append(np.sqrt(np.maximum(squares - total**2 / n, 0.0) / divisor))
    return np.sort(np.concatenate(by_divisor))


def outlying_cells(logs: pd.DataFrame, dof: int) -> pd.DataFrame:
    """Return how likely each cell is to lie so far off both its row and its column.

    A deviation of normal numbers is that of a chi-squared variable. Its logarithm is scored by
    median and median absolute deviation, which are believed to be no less than it has by itself.

    Shapes: `logs` (n_rows, n_columns).
    `logs`: logarithms of relative deviations, NaN where there is none.
    Returns the greater of the two-sided p-values by row and by column; 1 where the cell lies on
    different sides of the two, NaN where there is none.
    """
    floor = log_error(dof)
    by_row = logs.apply(lambda values: _scores(values, floor), axis=1).to_numpy(dtype=float)
    by_column = logs.apply(lambda values: _scores(values, floor), axis=0).to_numpy(dtype=float)
    least = np.where(np.abs(by_row) < np.abs(by_column), by_row, by_column)
    squares = stats.chi2.median(dof) * np.exp(2 * floor * least)
    p_values = 2 * np.minimum(stats.chi2.cdf(squares, dof), stats.chi2.sf(squares, dof))
    p_values[np.sign(by_row) != np.sign(by_column)] = 1.0
    return pd.DataFrame(p_values, logs.index, logs.columns).where(logs.notna())


def outlying_rows(least: pd.Series, dof: int) -> pd.Series:
    """Return how likely a row's smallest log deviation is so great, given the others'."""
    return pd.Series(stats.norm.sf(_scores(least, log_error(dof))), least.index)


def log_error(dof: int) -> float:
    """Return the standard error of the logarithm of a deviation of normal numbers."""
    return 1 / math.sqrt(2 * dof)


def needed_correlation(
    difference: float, std_a: float, std_b: float, n: int, level: float
) -> float:
    """Return the lowest correlation of two columns that makes their difference significant.

    From ``t = difference * √n / √(std_a² + std_b² - 2 r std_a std_b)`` of the paired t-test. More
    than 1: it cannot be significant; less than -1: it must be.
    """
    greatest = (difference * math.sqrt(n) / stats.t.isf(level / 2, n - 1)) ** 2
    return float((std_a**2 + std_b**2 - greatest) / (2 * std_a * std_b))


def _scores(values: pd.Series, floor: float) -> pd.Series:
    centred = values - values.median()
    return centred / max(MAD * float(centred.abs().median()), floor)


def near_pairs(cells: pd.DataFrame, unit: float) -> pd.DataFrame:
    """Return the pairs of cells that are near each other, and how likely each is to be equal.

    Two numbers that lie in a window of so many lattice points are equal with a probability of one
    over their number. Values and deviations are taken as independent.

    `cells`: ``value`` and ``std`` as printed, ``step`` of the value's lattice, and ``window`` and
    ``std_window``: how far off a number of the same kind may be; ``std`` and ``std_window`` are NaN
    where no deviation is printed.
    `unit`: of the last printed digit. It is the step between cells of different lattices.
    Returns ``first`` and ``second`` (positions), ``chance`` and ``equal``.
    """
    first, second = np.triu_indices(len(cells), 1)
    columns = {str(name): cells[name].to_numpy(dtype=float) for name in cells}
    steps = columns["step"]
    step = np.where(steps[first] == steps[second], steps[first], unit)
    near, chance, equal = _compare(columns, "value", "window", first, second, step, unit)
    plain = np.isnan(columns["std"][first]) & np.isnan(columns["std"][second])
    compared = _compare(columns, "std", "std_window", first, second, unit, unit)
    near &= plain | compared[0]
    chance *= np.where(plain, 1.0, compared[1])
    equal &= plain | compared[2]
    pairs = {"first": first, "second": second, "chance": chance, "equal": equal}
    return pd.DataFrame(pairs)[near].reset_index(drop=True)


def expected_repeats(chances: pd.Series) -> pd.Series:
    """Return, pair by pair, how many equal pairs at most as likely as it chance alone gives."""
    ordered = chances.sort_values(kind="stable")
    # Pairs of one probability count together, whatever their order.
    return ordered.cumsum().groupby(ordered).transform("max").reindex(chances.index)


def _compare(
    columns: dict[str, np.ndarray],
    name: str,
    window: str,
    first: np.ndarray,
    second: np.ndarray,
    step: np.ndarray | float,
    unit: float,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    gaps = np.abs(columns[name][first] - columns[name][second])
    widths = np.fmax(columns[window][first], columns[window][second])
    # Sums of decimal fractions are not exact, so a tenth of a unit is nothing.
    near = gaps <= widths + unit / 10
    return near, 1.0 / (2.0 * np.rint(np.nan_to_num(widths) / step) + 1.0), gaps < unit / 10
