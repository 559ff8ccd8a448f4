"""The per-fold rows behind a paper's items, and the runs that computed them.

The store of a fresh clone is restored from these rows. Where they are fewer than the committed
ones, an item is rendered elsewhere.
"""

from __future__ import annotations

import base64
import gzip
import json
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from retree_lab.experiments.definition.definitions import Experiment
from retree_lab.experiments.planning.keys import KEY_DIGITS, canonical
from retree_lab.experiments.planning.plan import Plan
from retree_lab.experiments.storing.committed import CommittedCells
from retree_lab.experiments.storing.exports import (
    BLOBS,
    CELLS,
    DONE,
    PROVENANCE,
    REPLICATES,
    SELECTED,
    SIZES,
    TIMES,
    run_name,
)
from retree_lab.experiments.storing.outcomes import StoredCell
from retree_lab.experiments.storing.results import CRITERION, StoredCells
from retree_lab.experiments.storing.store import UNKNOWN_RUN
from retree_lab.reports.context import Context
from retree_lab.reports.document import Block, Bullets, Phrase, Text, ToCommit
from retree_lab.reports.files import csv_text, folder, write
from retree_lab.reports.sections import grouped

RUN_PLACE = ("commit", "dirty", "platform", "cpu", "cores", "started")
# The last bits of a number may depend on these.
PLATFORM = ("platform", "cpu", "python", "numpy", "scipy", "scikit-learn", "pandas")


def provenance_section(
    entries: Sequence[tuple[Plan, pd.DataFrame]], stored: StoredCells
) -> list[Block]:
    """Return commit, versions, machine and dates of the runs that computed the done cells.

    Runs of the same commit, versions and machine stand together.
    """
    runs = number_runs((frame for _, frame in entries), stored)[0]
    return [Text("Runs"), Bullets(run_sentences(runs))] if runs else []


def run_sentences(runs: Iterable[dict[str, Any]]) -> list[tuple[str | Phrase, ...]]:
    """Return commit, versions, machine and dates of runs, in a sentence for each state."""

    def state(run: dict[str, Any]) -> str:
        return json.dumps({k: v for k, v in run.items() if k != "started"}, sort_keys=True)

    return [_sentence(group) for group in grouped(runs, state).values()]


def provenance_content(
    entries: Sequence[tuple[Plan, pd.DataFrame]], stored: StoredCells
) -> dict[str, Any]:
    """Return the content of ``provenance.json``.

    It holds ``runs``, what is known about each run that computed a stored cell, and ``data``, the
    sha256 of each data set that cells are planned on. Of a study's own metrics ``metrics`` has what
    their scores are stored by.
    """
    data = {cell.dataset: cell.parts.data for plan, _ in entries for cell in plan.cells}
    content = {"runs": number_runs((frame for _, frame in entries), stored)[0], "data": data}
    of_study = {name: by for name, by in metric_states(entries).items() if name != by}
    return content | ({"metrics": of_study} if of_study else {})


def metric_states(entries: Sequence[tuple[Plan, pd.DataFrame]]) -> dict[str, str]:
    """Return the names under which additional metrics of items are stored, by metric."""
    return {name: by for plan, _ in entries for name, by in plan.item.stored_scores.items()}


def write_provenance(experiment: Experiment, content: Mapping[str, Any]) -> Path:
    """Write ``provenance.json`` to the paper's folder and return its path."""
    text = json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False)
    return write(folder(experiment) / PROVENANCE, text + "\n")


def platforms(provenance: Mapping[str, Any]) -> set[tuple[str, ...]]:
    """Return the platforms of the runs in the content of a ``provenance.json``.

    A platform is operating system, processor and versions, in the order of `PLATFORM`.
    """
    return {tuple(str(run.get(name)) for name in PLATFORM) for run in provenance.get("runs") or ()}


def number_runs(
    frames: Iterable[pd.DataFrame], stored: StoredCells
) -> tuple[list[dict[str, Any]], dict[int, int]]:
    """Return the runs that computed the stored cells of `frames`, and their places by number.

    They stand in the order of their start, whatever their numbers in the store are.
    """
    keys = list(dict.fromkeys(key for frame in frames for key in frame["key"].tolist()))
    used = {values.run for values in stored.metrics(keys).values()}
    recorded = stored.runs()
    runs = {number: recorded.get(number, UNKNOWN_RUN) for number in sorted(used)}
    texts = {number: (str(run["started"]), canonical(run)) for number, run in runs.items()}
    ordered = sorted(set(texts.values()))
    places = {number: ordered.index(text) for number, text in texts.items()}
    return [json.loads(text) for _, text in ordered], places


def machine_sentence(frame: pd.DataFrame, stored: StoredCells) -> str:
    """Return on what machines and days the done cells of `frame` were computed, "" without any."""
    machines = grouped(number_runs([frame], stored)[0], _machine)
    days = {name: [str(run["started"])[:10] for run in runs] for name, runs in machines.items()}
    texts = [f"{machine} ({_range(dates)})" for machine, dates in days.items()]
    return f"Measured on {'; '.join(texts)}." if texts else ""


def _sentence(runs: Sequence[dict[str, Any]]) -> tuple[str | Phrase, ...]:
    first, dates = runs[0], [str(run["started"]) for run in runs]
    when = dates[0] if len(dates) == 1 else f"{len(dates)} runs from {min(dates)} to {max(dates)}"
    versions = ", ".join(
        f"{name} {value}" for name, value in first.items() if name not in RUN_PLACE and value
    )
    after = " with uncommitted changes" if first.get("dirty") else ""
    after += f"; {versions}; {_machine(first)}."
    if not (commit := str(first.get("commit") or "")):
        return (f"{when}: no commit{after}",)
    return (f"{when}: commit ", Phrase(commit[:12], ToCommit(commit), code=True), after)


def _machine(run: dict[str, Any]) -> str:
    return ", ".join(str(run[name]) for name in ("platform", "cpu") if run.get(name))


def _range(dates: Sequence[str]) -> str:
    first, last = min(dates), max(dates)
    return first if first == last else f"{first} to {last}"


ORDER = ["dataset", "method", "point", "repeat", "fold", "inner", "key"]
# Of times that no table is about.
SECONDS_DECIMALS = 4
Entries = Sequence[tuple[Plan, pd.DataFrame]]


def cell_tables(entries: Entries, further: Entries, stored: StoredCells) -> dict[str, pd.DataFrame]:
    """Return the rows of ``cells.csv.gz`` and of ``replicates.csv.gz``, by the name of the file.

    There is one row for each cell. The columns are the results frame's after ``items``, the
    names of the items that use the cell; ``method`` is the published name, and of the key the first
    16 digits are given. The others are what `experiments.storing.exports` needs besides to restore
    the cell: ``run`` is the `run_name` of one of ``provenance.json``; ``predictions`` and
    ``tree``, in base64, are of cells whose protocol does not split. Metrics that items ask
    for besides have columns of their own, with all digits. Of replicates, ``n_points`` counts the
    points of the grid, and ``selected`` says how the cell's point was chosen.

    `further`: the plans and the chosen cells of further replicates, as from
    `retree_lab.reports.runs.ReplicateCells.every`; without any there is no second
    table.
    """
    names = _run_names([*entries, *further], stored)
    tables = {CELLS: _table(entries, names, stored)}
    if any(len(frame) for _, frame in further):
        tables[REPLICATES] = _table(further, names, stored)
    return tables


def _run_names(entries: Entries, stored: StoredCells) -> dict[int, str]:
    """Return the names of the runs that computed the cells, by their number in the store."""
    runs, places = number_runs((frame for _, frame in entries), stored)
    return {number: run_name(runs[place]) for number, place in places.items()}


def runs_of_cells(entries: Entries, stored: StoredCells) -> dict[str, str]:
    """Return the name of the run that computed each cell, by the digits of keys that files have."""
    names = _run_names(entries, stored)
    rows = stored.rows.items()
    return {key[:KEY_DIGITS]: names[cell.run] for key, cell in rows if cell.run in names}


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
    return {key: " ".join(said) for key, said in words.items()}


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
    """Return whether files would be written among the committed ones."""
    committed = experiment.committed
    return committed is not None and experiment.results.resolve() == committed.resolve()


def to_local(experiment: Experiment) -> Experiment:
    """Return `experiment` with a folder of its own inside its results."""
    return replace(experiment, results=experiment.results / LOCAL)


def find_losses(
    experiment: Experiment, contexts: Sequence[Context], committed: CommittedCells
) -> dict[str, int]:
    """Return the number of committed cells that are not stored, by item name.

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
    texts = [text for text in items.unique() if plan.item.name in text.split()]
    committed = committed.loc[items.isin(texts), PLACE]
    names = [method.name for method in plan.item.methods]
    away = committed["dataset"].isin(plan.unavailable) & committed["method"].isin(names)
    return int(away.sum()) + len(set(lacking).intersection(_places(committed)))


def _places(rows: pd.DataFrame) -> Iterator[tuple[Any, ...]]:
    return rows[PLACE].itertuples(index=False, name=None)
