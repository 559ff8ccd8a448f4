"""The store of computed cells: one SQLite file, written by the parent process alone."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from retree.errors import StoreError
from retree.trees.tree import Tree
from retree_lab.experiments.definition.definitions import Experiment
from retree_lab.experiments.planning.keys import Cell, Parts, canonical
from retree_lab.experiments.storing.committed import CommittedCells, taken_in, write_export
from retree_lab.experiments.storing.exports import Export, export_folders, read_export
from retree_lab.experiments.storing.leases import Claims
from retree_lab.experiments.storing.outcomes import (
    NO_SCORES,
    Outcome,
    StoredCell,
    outputs_hash,
    seal,
    unpack_predictions,
    unpack_tree,
)
from retree_lab.experiments.storing.store_file import StoreFile
from retree_lab.experiments.storing.store_tables import (
    BLOBS,
    COLUMNS,
    OF_A_CELL,
    SELECT_ROWS,
    Damage,
    damage_sentence,
    find_flaw,
    note_run,
    read_probabilities,
    read_scores,
    row_values,
    write_row,
    write_scores,
)
from retree_lab.provenance import now
from retree_lab.screen import say_all

Place = tuple[str, int, int, int]
# The damaged cells that were named, with the file and whether they stay there.
_SAID: set[tuple[str, Path, bool]] = set()

# What is known of a run whose note is lost.
UNKNOWN_RUN = {"started": "unknown"}


class Store(StoreFile):
    """The cells computed so far; other parameters and errors are as for `StoreFile`.

    `committed`: folders of papers whose committed cells are read where this store has none.
    `tell`: called with each export that is taken in.
    """

    def __init__(
        self,
        path: Path,
        *,
        readonly: bool = False,
        committed: Sequence[Path] = (),
        tell: Callable[[Export], None] = lambda export: None,
    ) -> None:
        super().__init__(path, readonly=readonly)
        self._folders, self._tell = committed, tell
        self._taken_in: list[Path] | None = None
        self._checked: dict[str, StoredCell] = {}

    def begin_run(self, started: str, provenance: dict[str, Any]) -> int:
        """Note that a run begins, and return its number."""
        with self._writing() as db:
            return note_run(db, {"started": started, **provenance})

    def claims(self, keys: Sequence[str]) -> Claims:
        """Return the claims of a run that is going to compute the cells called `keys`.

        The run counts the cells that it has already seen, such as failures to retry, as they were:
        another run may have finished some in between.
        """
        runs = {key: self._checked[key].run for key in keys if key in self._checked}
        return Claims(self._connect, runs)

    def record(self, run: int, results: Iterable[tuple[Cell, Outcome]]) -> None:
        """Write finished cells in one transaction; a result that is there already stays."""
        with self._writing() as db:
            for cell, outcome in results:
                self._checked.pop(cell.key, None)
                write_row(db, row_values(run, cell, outcome), outcome)

    @property
    def committed(self) -> CommittedCells:
        """The committed cells that have been taken in."""
        return CommittedCells(self._db, self._current())

    def _current(self) -> list[Path]:
        """Return the folders of committed cells that are taken in as they are now."""
        if self._taken_in is None:
            with self._explained():
                self._taken_in = taken_in(self._db, self._folders)
        return self._taken_in

    def take_in(
        self, folders: Sequence[Path] | None = None, damaged: Collection[Path] = ()
    ) -> None:
        """Take in the committed cells of `folders` that have changed since they were last taken in.

        A read-only store takes them into its file if that can be written.

        `folders`: by default all folders of the store.
        `damaged`: the folders to take in again.
        """
        wanted = self._folders if folders is None else folders
        unknown = [f for f in wanted if f in damaged or f not in self._current()]
        if unknown and self._readonly:
            with (
                suppress(StoreError),
                Store(self.path, committed=self._folders, tell=self._tell) as writable,
            ):
                writable.take_in(folders, damaged)
                self._open()
                self._taken_in, unknown = None, []
        for folder in unknown:
            export = read_export(folder)
            with self._writing() as db:
                numbers = {canonical(run): number for number, run in self.runs().items()}
                for run in export.runs:
                    if (text := canonical(run)) not in numbers:
                        numbers[text] = note_run(db, run)
                write_export(db, export, [numbers[canonical(run)] for run in export.runs])
            self._taken_in = None
            self._tell(export)

    def metrics(self, keys: Sequence[str]) -> dict[str, StoredCell]:
        """Return the stored cells among `keys`, done or failed.

        Damaged rows are named on stderr, set aside and left out.
        """
        damaged: list[Damage] = []
        # Items share cells, and checking a row takes longer than reading it.
        fresh = [key for key in keys if key not in self._checked]
        with self._explained():
            for some in _chunks(fresh):
                marks = ",".join("?" * len(some))
                query = f"{SELECT_ROWS} WHERE cells.key IN ({marks})"
                scores = read_scores(self._db, some)
                for *values, sealed, predictions, tree in self._db.execute(query, some):
                    row, key = dict(zip(COLUMNS, values, strict=True)), values[0]
                    if flaw := find_flaw(values, sealed, predictions, tree):
                        damaged.append(Damage(key, row, flaw))
                    else:
                        fields = (row[name] for name in StoredCell._fields[:-1])
                        self._checked[key] = StoredCell._make((*fields, scores.get(key, NO_SCORES)))
        self.set_aside(damaged)
        self._add_committed(fresh)
        failed = (key for key in fresh if key in self._checked and self._checked[key].error)
        lacking = [*(key for key in fresh if key not in self._checked), *failed]
        if lacking and len(self._current()) < len(self._folders):
            self.take_in()
            self._add_committed(lacking)
        return {key: self._checked[key] for key in keys if key in self._checked}

    def _add_committed(self, keys: Sequence[str]) -> None:
        """Add the committed cells among `keys`; a damaged export is read anew."""
        if edited := self._add_taken_in(keys):
            names = " and ".join(sorted(map(str, edited)))
            print(f"{self.path}: damaged cells of {names} are read again.", file=sys.stderr)
            self.take_in([*edited], edited)
            self._add_taken_in(keys)

    def _add_taken_in(self, keys: Sequence[str]) -> set[Path]:
        """Add the committed cells among `keys`, and return the folders that are damaged.

        It counts where this store has no result, and its scores where both have the same.
        """
        committed = self.committed
        with self._explained():
            for some in _chunks(sorted(keys)):
                for key, cell in committed.find(some).items():
                    stored = self._checked.setdefault(key, cell)
                    if stored.error is not None and cell.error is None:
                        self._checked[key] = cell
                    elif stored.digest == cell.digest and cell.scores:
                        scores = {**cell.scores, **stored.scores}
                        self._checked[key] = stored._replace(scores=scores)
        return committed.damaged

    def add_scores(self, scores: Mapping[str, Mapping[str, float]]) -> int:
        """Write metrics of stored cells, by key, and return the number of these cells."""
        stored = self.metrics(list(scores))
        with self._writing() as db:
            for key, some in scores.items():
                write_scores(db, key, stored[key].digest or "", some)
                self._checked.pop(key)
        return len(scores)

    def set_aside(self, damaged: Sequence[Damage]) -> None:
        """Name damaged rows on stderr and move them out of the way.

        They are then missing, so that the next run computes them again.
        """
        if not damaged:
            return
        # A command may open a store several times.
        fate = self.path.absolute(), self._readonly
        if new := [damage for damage in damaged if (damage.key, *fate) not in _SAID]:
            _SAID.update((damage.key, *fate) for damage in new)
            print(damage_sentence(self.path, new, stays=self._readonly), file=sys.stderr)
        with self._writing() as db:
            for damage in damaged:
                self._checked.pop(damage.key, None)
                content = (damage.key, damage.flaw, now(), repr(dict(damage.row)))
                db.execute("INSERT INTO damaged VALUES (?, ?, ?, ?)", content)
                for table in OF_A_CELL:
                    db.execute(f"DELETE FROM {table} WHERE key = ?", (damage.key,))

    def relatives(self, dataset: str, method: str) -> dict[Place, list[Parts]]:
        """Return the parts of the keys of all done cells of `method` on `dataset`, by their place.

        A place is (params as JSON, repeat, fold, inner).
        """
        query = (
            f"SELECT {','.join(COLUMNS)}, seal FROM cells "
            "WHERE dataset = ? AND method = ? AND error IS NULL"
        )
        relatives: dict[Place, list[Parts]] = {}
        with self._explained():
            for *values, sealed in self._db.execute(query, (dataset, method)):
                if seal(values) == sealed:
                    row = dict(zip(COLUMNS, values, strict=True))
                    place = row["params"], row["repeat"], row["fold"], row["inner"]
                    relatives.setdefault(place, []).append(Parts(*(row[n] for n in Parts._fields)))
        return relatives

    def speeds(self) -> dict[tuple[str, str], tuple[float, float]]:
        """Return, by (dataset, method), mean seconds per fit, and mean rows times features."""
        query = (
            "SELECT dataset, method, AVG(fit_seconds), AVG(1.0 * n_train * n_features) FROM cells "
            "WHERE error IS NULL GROUP BY dataset, method "
            "HAVING AVG(fit_seconds) >= 0 AND AVG(1.0 * n_train * n_features) > 0"
        )
        with self._explained():
            rows = self._db.execute(query).fetchall()
        return {(d, m): (time, size) for d, m, time, size in rows}

    def runs(self) -> dict[int, dict[str, Any]]:
        """Return the provenance of every run by its number, `started` included.

        Of a run whose note is damaged nothing else is known.
        """
        query = "SELECT id, started, provenance FROM runs ORDER BY id"
        with self._explained():
            rows = self._db.execute(query).fetchall()
        return {number: {"started": when, **_provenance(text)} for number, when, text in rows}

    def predictions(self, key: str) -> NDArray[np.intp]:
        """Return the predicted class codes of the cell's test rows, in the order of the rows.

        A code counts the data set's classes in sorted order.
        """
        return unpack_predictions(self._output(key, "predictions"))

    def probabilities(self, key: str) -> bytes | None:
        """Return the packed probabilities of a cell's test rows, None if none are stored."""
        with self._explained():
            return read_probabilities(self._db, key)

    def tree(self, key: str) -> Tree:
        """Return the tree of a cell whose protocol does not split."""
        return unpack_tree(self._output(key, "tree"))

    def blobs(self, key: str) -> tuple[bytes | None, bytes | None]:
        """Return the cell's packed predictions and tree, None where they are not kept."""
        with self._explained():
            query = (
                "SELECT predictions, tree, cells.outputs FROM outputs "
                "JOIN cells ON cells.key = outputs.key WHERE outputs.key = ?"
            )
            row = self._db.execute(query, (key,)).fetchone()
            if row is None:
                return self.committed.blobs(key)
        predictions, tree, sealed = row
        if outputs_hash(predictions, tree) != sealed:
            raise StoreError(
                f"The outputs of cell {key[:12]} in {self.path} were edited: run its item again."
            )
        return predictions, tree

    def _output(self, key: str, name: str) -> bytes:
        blob = dict(zip(BLOBS, self.blobs(key), strict=True))[name]
        if blob is None:
            raise StoreError(f"Cell {key[:12]} has no {name} in {self.path}: run its item first.")
        return blob


def _provenance(text: Any) -> dict[str, Any]:
    """Return the provenance of a run; {} if it is damaged."""
    try:
        return dict(json.loads(text))
    except (ValueError, TypeError):
        return {}


def _chunks(keys: Sequence[str], size: int = 900) -> Iterator[Sequence[str]]:
    return (keys[i : i + size] for i in range(0, len(keys), size))


@contextmanager
def open_store(
    experiment: Experiment, console: Console | None = None, *, readonly: bool = True
) -> Iterator[Store]:
    """Open the experiment's store after taking in its paper's committed cells, and say so.

    The committed cells of other papers are taken in once a cell is not found there.

    `console`: where that is said, by default on stderr.
    `readonly`: whether no run is to write into it.
    """
    folders = export_folders(experiment.committed, experiment.paper.name)
    screen = console or Console(stderr=True)
    with Store(
        experiment.store,
        readonly=readonly,
        committed=folders,
        tell=lambda export: say_all(filter(None, [export.sentence]), screen),
    ) as store:
        store.take_in([folder for folder in folders if folder.name == experiment.paper.name])
        yield store
