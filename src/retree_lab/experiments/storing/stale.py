"""Which missing cells are stored, or committed, in another state, and what moved since."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from retree_lab.experiments.planning.cell import Cell
from retree_lab.experiments.planning.keys import Parts, canonical
from retree_lab.experiments.planning.plan import Plan
from retree_lab.experiments.storing.planned import Planned
from retree_lab.experiments.storing.store import Place, Store
from retree_lab.study.registry import STATE

# By key of a method and what moved, the parts of a cell's key joined by " and ".
Stale = Counter[tuple[str, str]]
SOURCES, COMMITTED = "sources", "committed"
_PARTS = {
    "data": "other data",
    "protocol": "another protocol",
    "estimator": "another version of the estimator",
    SOURCES: "other sources of the estimator",
    "parameters": "other parameters",
    "seed": "another seed",
    "": "another meaning of cells",
    COMMITTED: "another state of its sources, version, parameters or data, which is committed",
}
_COMMITTED_PLACE = ("dataset", "method", "params", "repeat", "fold", "inner")


def find_stale(
    plans: Iterable[Plan], missing: Iterable[Cell], planned: Planned | None, store: Store
) -> Stale:
    """Return how many of the `missing` cells of `plans` are there in another state, and why.

    Those that lack only a metric that was not asked for before are not counted.

    `planned`: knows where cells are committed, in case that the store has none.
    """
    stale: Stale = Counter()
    relatives: dict[tuple[str, str], Mapping[Place, list[Parts]]] = {}
    names = {m.key: m.name for plan in plans for m in plan.item.methods}
    cells = {cell.key: cell for cell in missing}
    committed = _committed_places(planned, store) if cells else set()
    stored_now = store.metrics(list(cells))
    for cell in cells.values():
        if cell.key in stored_now and stored_now[cell.key].error is None:
            continue
        pair = (cell.dataset, cell.method)
        if pair not in relatives:
            relatives[pair] = store.relatives(*pair)
        params = canonical(cell.params)
        if stored := relatives[pair].get((params, cell.repeat, cell.fold, cell.inner)):
            stale[cell.method, min((moved_parts(cell.parts, p) for p in stored), key=len)] += 1
        elif (
            *(cell.dataset, names[cell.method], params),
            *(cell.repeat, cell.fold, cell.inner),
        ) in committed:
            stale[cell.method, COMMITTED] += 1
    return stale


def moved_parts(now: Parts, then: Parts) -> str:
    """Return the names of the parts of a key that differ, joined by " and ".

    The seed follows from the others, so it is named only if it moved by itself.
    """
    names = [name for name in Parts._fields if getattr(now, name) != getattr(then, name)]
    names = [name for name in names if name != "seed"] or names
    own = STATE in now.estimator and STATE in then.estimator
    return " and ".join(SOURCES if own and name == "estimator" else name for name in names)


def stale_sentences(stale: Stale) -> Iterator[str]:
    """Yield a sentence for each method and what moved."""
    for (method, moved), count in sorted(stale.items()):
        names = " and ".join(_PARTS[part] for part in moved.split(" and "))
        yield f"stale: {count} cells of {method} are stored for {names}"


def _committed_places(planned: Planned | None, store: Store) -> set[tuple[Any, ...]]:
    if planned is None or planned.experiment.committed is None:
        return set()
    folder = planned.experiment.committed / planned.experiment.paper.name
    rows = store.committed.table(folder, *_COMMITTED_PLACE)
    return set(rows.itertuples(index=False, name=None))
