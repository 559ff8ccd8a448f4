"""The per-fold rows behind a paper's items, from which the store of a fresh clone is restored.

Where they are fewer than the committed ones, an item is rendered elsewhere.
"""

from __future__ import annotations

import base64
import gzip
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from retree_lab.experiments.definition.definitions import Experiment
from retree_lab.experiments.planning.keys import KEY_DIGITS
from retree_lab.experiments.planning.plan import Plan
from retree_lab.experiments.storing.cells import StoredCell
from retree_lab.experiments.storing.committed import CommittedCells
from retree_lab.experiments.storing.exports import (
    BLOBS,
    CELLS,
    DONE,
    REPLICATES,
    SELECTED,
    SIZES,
    TIMES,
    run_name,
)
from retree_lab.experiments.storing.results import CRITERION, StoredCells
from retree_lab.reports.context import Context
from retree_lab.reports.files import csv_text, folder, write
from retree_lab.reports.run_sentences import metric_states, number_runs

ORDER = ["dataset", "method", "point", "repeat", "fold", "inner", "key"]
# Of times that no table is about.
SECONDS_DECIMALS = 4
Entries = Sequence[tuple[Plan, pd.DataFrame]]


def cell_tables(entries: Entries, further: Entries, stored: StoredCells) -> dict[str, pd.DataFrame]:
    """Return the rows of ``cells.csv.gz`` and of ``replicates.csv.gz``, by the name of the file.

    There is one row for each cell. The columns are those of the results frame after ``items``, the
    names of the items that use the cell; ``method`` is the published name, and of the key the first
    16 digits are given. The others are what `experiments.storing.exports` needs besides to restore
    the cell: ``run`` is the `run_name` of one of ``provenance.json``; ``predictions`` and
    ``tree``, in base64, are those of cells whose protocol does not split. Metrics that items ask
    for besides have columns of their own, with all digits. Of replicates, ``n_points`` counts the
    points of the grid, and ``selected`` says how the cell's point was chosen.

    `further`: the plans and the chosen cells of further replicates, as from
    `retree_lab.reports.runs.ReplicateCells.every`; without any there is no second
    table.
    """
    runs, places = number_runs((frame for _, frame in (*entries, *further)), stored)
    names = {number: run_name(runs[place]) for number, place in places.items()}
    tables = {CELLS: _table(entries, names, stored)}
    if any(len(frame) for _, frame in further):
        tables[REPLICATES] = _table(further, names, stored)
    return tables


def write_cells(experiment: Experiment, tables: Mapping[str, pd.DataFrame]) -> list[Path]:
    """Write the tables of `cell_tables` to the paper's folder and return their paths."""
    path = folder(experiment)
    return [write(path / name, b"".join(_members(table))) for name, table in tables.items()]


def _members(table: pd.DataFrame) -> Iterator[bytes]:
    """Yield a csv as members of a gz archive: the head, then one for each data set and method.

    Cells that are computed again change theirs alone, so that git keeps only these.
    """
    groups = table.groupby(ORDER[:2], sort=False) if len(table) else ()
    tables = [table.iloc[:0], *(group for _, group in groups)]
    for i, part in enumerate(tables):
        text = csv_text(part, quoted=False)
        # Without a time in its header an archive is the same every time.
        yield gzip.compress((text.partition("\n")[2] if i else text).encode(), mtime=0)


def _table(entries: Entries, runs: Mapping[int, str], stored: StoredCells) -> pd.DataFrame:
    items = _words_by_key((frame, [plan.item.name] * len(frame)) for plan, frame in entries)
    # Of a cell that several items have, the row of the first.
    seen: set[str] = set()
    tables = []
    for plan, frame in entries:
        if len(new := frame[~frame["key"].isin(seen)] if len(frame) else frame):
            seen.update(new.loc[new["status"] == DONE, "key"])
            tables.append(_rows(plan, new))
    if not tables:
        return pd.DataFrame(columns=["items"])
    # A cell that lacks a metric of one item may be whole in another one.
    table = pd.concat(tables, ignore_index=True)
    table = table.sort_values("status", key=lambda s: s != DONE, kind="stable")
    table = table.drop_duplicates("key").sort_values(ORDER, kind="stable")
    table.insert(0, "items", table["key"].map(items))
    if SELECTED in table:
        # An item without a nested selection knows of the other one only.
        words = ((frame, frame[SELECTED]) for _, frame in entries if len(frame))
        table[SELECTED] = table["key"].map(_words_by_key(words))
    table = _with_stored(table, entries, runs, stored)
    table["key"] = table["key"].str[:KEY_DIGITS]
    return table


def _words_by_key(columns: Iterable[tuple[pd.DataFrame, Iterable[str]]]) -> dict[str, str]:
    """Return the words that stand beside each cell in several frames, by its key."""
    words: dict[str, dict[str, None]] = {}
    for frame, texts in columns:
        for key, text in zip(frame["key"].tolist() if len(frame) else [], texts, strict=True):
            words.setdefault(key, {}).update(dict.fromkeys(text.split()))
    return {key: " ".join(found) for key, found in words.items()}


def _rows(plan: Plan, frame: pd.DataFrame) -> pd.DataFrame:
    names = {method.key: method.name for method in plan.item.methods}
    further = ["replicate", CRITERION, *plan.item.scores]
    table = frame.drop(columns=further, errors="ignore")
    table["method"] = table["method"].map(names)
    if not plan.item.protocol.timed:
        table = table.round(dict.fromkeys(TIMES, SECONDS_DECIMALS))
    for name in (*TIMES, *SIZES):
        table[name] = [_exact(value) for value in table[name]]
    return table


def _with_stored(
    table: pd.DataFrame, entries: Entries, runs: Mapping[int, str], stored: StoredCells
) -> pd.DataFrame:
    """Return the rows with what else is stored of their cells."""
    # The column itself is slow to go through.
    keys = table["key"].tolist()
    metrics = stored.metrics(keys)
    stored_rows = [metrics.get(key) for key in keys]
    columns: dict[str, Any] = {
        name: pd.array([getattr(row, name, None) for row in stored_rows], dtype="Int64")
        for name in ("n_train", "n_features", "shared")
    }
    columns["digest"] = [getattr(row, "digest", None) for row in stored_rows]
    for name, stored_by in metric_states(entries).items():
        columns[name] = [_score(row, stored_by) for row in stored_rows]
    columns["run"] = [runs.get(row.run) if row else None for row in stored_rows]
    drawn = {c.key for plan, _ in entries if plan.item.protocol.whole for c in plan.cells}
    blobs = [stored.blobs(key) if key in drawn else (None, None) for key in keys]
    for i, name in enumerate(BLOBS):
        columns[name] = [base64.b64encode(pair[i] or b"").decode() for pair in blobs]
    return table.assign(**columns)


def _score(stored: StoredCell | None, name: str) -> str:
    """Return a metric of a stored cell as text: "nan" if it is not defined, "" if not computed."""
    value = stored.scores.get(name) if stored else None
    return "" if value is None else _exact(value) or "nan"


def _exact(value: float) -> str:
    """Return the shortest text that is read as `value` again, "" for NaN."""
    return "" if math.isnan(value) else f"{value:.0f}" if value.is_integer() else repr(value)


LOCAL = "local"
PLACE = ["dataset", "method", "params", "repeat", "fold", "inner"]


def is_protected(experiment: Experiment) -> bool:
    """Whether files would be written among the committed ones."""
    committed = experiment.committed
    return committed is not None and experiment.results.resolve() == committed.resolve()


def to_local(experiment: Experiment) -> Experiment:
    """Return `experiment` with a folder of its own inside its results."""
    return replace(experiment, results=experiment.results / LOCAL)


def find_losses(
    experiment: Experiment, contexts: Sequence[Context], committed: CommittedCells
) -> dict[str, int]:
    """Return how many committed cells of an item are not stored, by the name of the item.

    A cell is what stands at a place in the item's table and split: one of another version of its
    estimator takes its place. What the item does not ask for any more is not counted.
    """
    here = {context.item.name: _lacking(context.plan, context.frame) for context in contexts}
    if not any(
        lacking or c.plan.unavailable for c, lacking in zip(contexts, here.values(), strict=True)
    ):
        return {}
    rows = committed.table(folder(experiment), "items", *PLACE)
    counts = {c.item.name: _count_lost(rows, c.plan, here[c.item.name]) for c in contexts}
    return {name: count for name, count in counts.items() if count}


def _lacking(plan: Plan, frame: pd.DataFrame) -> set[tuple[Any, ...]]:
    """Return the places of the cells of an item that are not done."""
    names = {method.key: method.name for method in plan.item.methods}
    here = frame[frame["status"] != DONE]
    return set(_places(here.assign(method=here["method"].map(names))))


def _count_lost(committed: pd.DataFrame, plan: Plan, lacking: Collection[tuple[Any, ...]]) -> int:
    items = committed["items"]
    # Many cells, few different texts.
    own = [text for text in items.unique() if plan.item.name in text.split()]
    committed = committed.loc[items.isin(own), PLACE]
    names = [method.name for method in plan.item.methods]
    away = committed["dataset"].isin(plan.unavailable) & committed["method"].isin(names)
    return int(away.sum()) + len(set(lacking).intersection(_places(committed)))


def _places(rows: pd.DataFrame) -> Iterator[tuple[Any, ...]]:
    return rows[PLACE].itertuples(index=False, name=None)
