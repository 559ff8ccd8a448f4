"""How many interpretations were tried of what a paper leaves open, in one list."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import pandas as pd

from retree.errors import RetreeError, unknown_name
from retree.reports.context import Context


@dataclass(frozen=True, kw_only=True)
class Tried:
    """What was tried of one thing that a paper leaves open, and what that was judged by.

    Of `tried` interpretations those that `item` varies are computed; without a number all are.
    """

    chosen_by: str  # The numbers that the choice was made by
    judged_by: str = ""  # Those that had no part in it, "" for none
    tried: int = 0
    # How well the number is known: exactly, as it was noted while trying, or what is certain.
    known: Literal["", "about", "at least"] = ""
    item: str = ""


def tried_readings(context: Context, *, readings: Mapping[str, Tried]) -> pd.DataFrame:
    """Return a row for each thing that is left open, with how many of its readings are computed."""
    items, rows = context.paper.items, []
    for name, one in readings.items():
        if one.item and one.item not in items:
            raise unknown_name(f"item of {name}", one.item, items)
        computed = _points(items[one.item].get("vary")) if one.item else 0
        if not one.tried and not computed:
            raise RetreeError(f"{name} lacks tried, how many interpretations it has had.")
        tried = one.tried or computed
        text = f"{one.known} {tried:,}".strip()
        rows.append((name, tried, text, computed, one.item, one.chosen_by, one.judged_by))
    names = ["open", "tried", "_tried", "computed", "item", "chosen_by", "judged_by"]
    return pd.DataFrame(rows, columns=names)


def _points(vary: object) -> int:
    """Return how many points an item varies."""
    if isinstance(vary, Mapping):
        return math.prod(len(values) for values in vary.values())
    return len(vary) if isinstance(vary, list | tuple) else 0
