"""Checks of estimator parameters that scikit-learn's public helpers do not have."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any


def check_choice(name: str, value: Any, valid: Collection[str]) -> None:
    """Raise a ValueError that lists the valid options unless `value` is one of them."""
    if value not in valid:
        options = ", ".join(repr(v) for v in valid)
        raise ValueError(f"Invalid {name} {value!r}. Valid ones are {options}.")
