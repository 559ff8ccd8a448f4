"""How many interpretations were tried of what a paper leaves open, in one list."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import pandas as pd

from retree.errors import RetreeError, unknown_name
from retree_lab.experiments.definition.method import load_method
from retree_lab.reports.context import Context
from retree_lab.reports.files import item_title
from retree_lab.reports.formatting import BLANK
from retree_lab.reports.published import published_name

_NOTE = (
    "An interpretation is a method of any item of the paper that is computed and stands for the "
    "column, ours among them. What follows from the text was known before any number was compared. "
    "What was chosen by fit was chosen later, by the published numbers themselves, so that their "
    "agreement is weaker evidence."
)


@dataclass(frozen=True, kw_only=True)
class Tried:
    """Interpretations of one thing that a paper leaves open, and how they were judged.

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


def tried_by_column(
    context: Context,
    *,
    from_text: Mapping[str, str],
    by_fit: Mapping[str, str],
) -> pd.DataFrame:
    """Return a row for each method of the item: what was tried in its place, and where.

    `from_text`, `by_fit`: by published name, what follows from the text, and what was chosen by the
    published numbers.
    """
    names = [method.name for method in context.item.methods]
    for name in (*from_text, *by_fit):
        if name not in names:
            raise unknown_name("method", name, names)
    found: dict[str, dict[str, str]] = {name: {} for name in names}
    for item, options in context.paper.items.items():
        for key in (options.get("methods") or ()) if options.get("datasets") else ():
            method = load_method(key, context.paper.folder)
            name = context.paper.names.get(key) or published_name(method)
            if name in found and not options.get("own_names"):
                found[name].setdefault(key, item)
    rows = [
        {
            "method": name,
            "tried": len(keys),
            "where": ", ".join(map(item_title, dict.fromkeys(keys.values()))),
            "from_text": from_text.get(name, BLANK),
            "by_fit": by_fit.get(name, BLANK),
        }
        for name, keys in found.items()
    ]
    table = pd.DataFrame(rows)
    total = int(table["tried"].sum())
    chosen = ", ".join(name for name in names if name in by_fit) or "none"
    counted = f"{total} interpretations of {len(names)} columns. Chosen by fit, in part: {chosen}."
    table.attrs["notes"] = [counted, _NOTE]
    return table
