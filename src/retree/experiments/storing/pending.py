"""Which cells of plans are still to be computed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from retree.experiments.planning.plan import Cell, Plan
from retree.experiments.storing.store import Store


def scores_asked(plans: Iterable[Plan]) -> dict[str, set[str]]:
    """Return the further metrics that the items of `plans` ask their cells for, by key."""
    asked: dict[str, set[str]] = {}
    for plan in plans:
        for cell in plan.every if plan.item.scores else ():
            asked.setdefault(cell.key, set()).update(plan.item.scores)
    return asked


def lacking_scores(stored: Mapping[str, Any], asked: Iterable[str]) -> list[str]:
    """Return those of the metrics `asked` that a stored cell lacks, sorted."""
    return sorted(set(asked) - set(stored["scores"]))


def done_keys(plans: Sequence[Plan], store: Store) -> set[str]:
    """Return the keys of the cells of `plans` that `store` has, with every metric asked for."""
    asked = scores_asked(plans)
    stored = store.metrics(list({cell.key: cell for plan in plans for cell in plan.every}))
    return {
        key
        for key, values in stored.items()
        if values["error"] is None and not lacking_scores(values, asked.get(key, ()))
    }


def pending_cells(plans: Sequence[Plan], store: Store) -> list[Cell]:
    """Return the cells of `plans` that `store` does not have, each once."""
    cells, done = {cell.key: cell for plan in plans for cell in plan.every}, done_keys(plans, store)
    return [cell for key, cell in cells.items() if key not in done]
