"""How long a cell may take, and how much memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from retree.errors import RetreeError, unknown_name


@dataclass(frozen=True)
class Limits:
    """What a cell may take; over it, the cell fails with the reason.

    No key depends on it: a cell that failed is tried again by the next run.
    """

    timeout: float | None = None  # Seconds for fit and predictions
    memory: float | None = None  # Megabytes (10^6 bytes) on top of what the process has before

    def __bool__(self) -> bool:
        return self.timeout is not None or self.memory is not None

    def over(self, general: Limits) -> Limits:
        """Return these limits, those that are not set being the `general` ones."""
        return Limits(
            general.timeout if self.timeout is None else self.timeout,
            general.memory if self.memory is None else self.memory,
        )


def read_limits(content: Mapping[str, Any], what: str) -> Limits:
    """Return the limits that `content` sets; `what` it belongs to is for the error."""
    if not isinstance(content, Mapping):
        raise RetreeError(f"{what} must be a mapping of timeout and memory, not {content!r}.")
    for name, value in content.items():
        if name not in ("timeout", "memory"):
            raise unknown_name(f"key of {what}", str(name), ("timeout", "memory"))
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if value is not None and not (is_number and 0 < value < float("inf")):
            unit = {"timeout": "seconds", "memory": "megabytes"}[name]
            raise RetreeError(f"{what}.{name} must be a number of {unit} above 0, not {value!r}.")
    return Limits(**content)
