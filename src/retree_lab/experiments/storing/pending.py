"""Which cells of plans are still to be computed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from retree_lab.experiments.planning.cell import Cell
from retree_lab.experiments.planning.plan import Plan
from retree_lab.experiments.storing.outcome import StoredCell
from retree_lab.experiments.storing.store import Store
from retree_lab.study.scorers import STATE, stored_name


def scores_asked(plans: Iterable[Plan]) -> dict[str, set[str]]:
    """Return what the items of `plans` ask their cells for besides, as it is stored, by key."""
    asked: dict[str, set[str]] = {}
    for plan in plans:
        names = plan.item.stored_scores.values()
        for cell in plan.every if names else ():
            asked.setdefault(cell.key, set()).update(names)
    return asked


def lacking_scores(stored: StoredCell, asked: Iterable[str]) -> list[str]:
    """Return those of the metrics `asked` that a stored cell lacks, sorted."""
    return sorted(set(asked) - set(stored.scores))


def current_scores(stored: StoredCell, home: Path | None) -> list[str]:
    """Return what a stored cell has of other metrics, those of earlier sources left out."""
    return [n for n in stored.scores if n == stored_name(n.partition(STATE)[0], home)]


def done_keys(plans: Sequence[Plan], store: Store) -> set[str]:
    """Return the keys of the cells of `plans` that `store` has, with every metric asked for."""
    asked = scores_asked(plans)
    stored = store.metrics(list({cell.key: cell for plan in plans for cell in plan.every}))
    return {
        key
        for key, values in stored.items()
        if values.error is None and not lacking_scores(values, asked.get(key, ()))
    }


def pending_cells(plans: Sequence[Plan], store: Store) -> list[Cell]:
    """Return the cells of `plans` that `store` does not have, each once."""
    done = done_keys(plans, store)
    cells = {cell.key: cell for plan in plans for cell in plan.every}
    return [cell for key, cell in cells.items() if key not in done]
