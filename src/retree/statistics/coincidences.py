"""Published cells that occur twice, and how many of them chance alone would give."""

from __future__ import annotations

import numpy as np
import pandas as pd


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
