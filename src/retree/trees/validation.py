"""Checks of estimator parameters that scikit-learn's public helpers do not have."""

from __future__ import annotations

import math
from collections.abc import Collection
from numbers import Real
from typing import Any

from sklearn.utils import check_scalar


def check_choice(name: str, value: Any, valid: Collection[str]) -> None:
    """Raise a ValueError that lists the valid options unless `value` is one of them."""
    if value not in valid:
        options = ", ".join(repr(v) for v in valid)
        raise ValueError(f"Invalid {name} {value!r}. Valid ones are {options}.")


def check_weight(name: str, value: Any) -> float:
    """Return `value` as a float; raise unless it is a finite number that is not negative."""
    weight = float(check_scalar(value, name, Real, min_val=0))
    if not math.isfinite(weight):
        raise ValueError(f"{name} must be finite, got {value!r}.")
    return weight
