"""Cells that an open store knows besides those in its file, for as long as it is open."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from statistics import fmean
from typing import Any, NamedTuple

from retree.experiments.planning.keys import Parts, canonical
from retree.experiments.planning.plan import Cell
from retree.experiments.storing.integrity import outputs_hash
from retree.experiments.storing.outcome import Outcome
from retree.experiments.storing.schema import METRICS


class _Held(NamedTuple):
    cell: Cell
    outcome: Outcome


class HeldCells:
    """Cells in memory.

    Attributes
    ----------
    runs : dict of int to dict
        What is known about the runs that computed them. Their numbers are negative, so that they
        differ from those of the runs in a file.
    """

    def __init__(self) -> None:
        self.runs: dict[int, dict[str, Any]] = {}
        self._numbers: dict[str, int] = {}
        self._cells: dict[str, _Held] = {}

    def add(self, run: Mapping[str, Any], cell: Cell, outcome: Outcome) -> dict[str, Any]:
        """Hold a cell, and return its values as a store gives them."""
        text = canonical(run)
        number = self._numbers.setdefault(text, -len(self._numbers) - 1)
        self.runs.setdefault(number, dict(run))
        self._cells[cell.key] = _Held(cell, outcome)
        kept = outcome.predictions is not None
        outputs = outputs_hash(outcome.predictions, outcome.tree) if kept else None
        found = {name: getattr(outcome, name) for name in METRICS}
        return {"run": number, "outputs": outputs, **found, "scores": dict(outcome.scores)}

    def blobs(self, key: str) -> tuple[bytes | None, bytes | None]:
        """Return the packed predictions and tree of a cell, None where they are not held."""
        held = self._cells.get(key)
        return (held.outcome.predictions, held.outcome.tree) if held else (None, None)

    def relatives(self, dataset: str, method: str) -> Iterator[tuple[tuple[Any, ...], Parts]]:
        """Yield place and parts of the done cells of `method` on `dataset`."""
        for cell, outcome in self._cells.values():
            if (cell.dataset, cell.method) == (dataset, method) and outcome.error is None:
                place = (canonical(cell.params), cell.repeat, cell.fold, cell.inner)
                yield place, cell.parts

    def speeds(self) -> dict[tuple[str, str], tuple[float, float]]:
        """Return, by (dataset, method), mean seconds a fit, and mean rows times features."""
        found: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
        for cell, outcome in self._cells.values():
            if outcome.error is None and outcome.fit_seconds is not None:
                size = float((outcome.n_train or 0) * (outcome.n_features or 0))
                found[cell.dataset, cell.method].append((outcome.fit_seconds, size))
        columns = {pair: tuple(zip(*values, strict=True)) for pair, values in found.items()}
        return {pair: (fmean(seconds), fmean(sizes)) for pair, (seconds, sizes) in columns.items()}


def gives_way(stored: Mapping[str, Any], outcome: Outcome) -> bool:
    """Whether a stored cell, given by its values, gives way to a result, as `INSERT_CELL` has it.

    So does a failure, and a cell without outputs to one with them.
    """
    without = stored["outputs"] is None and outcome.predictions is not None
    return stored["error"] is not None or without
