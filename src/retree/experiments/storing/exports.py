"""The committed cells of a paper: ``cells.csv.gz`` and, beside it, what belongs to it.

``replicates.csv.gz`` has, of each later replicate, only the cells of the points that were chosen;
``provenance.json`` knows the runs that computed all these cells.
"""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from retree.errors import DataError, RetreeError
from retree.experiments.planning.cell import KEY_DIGITS
from retree.experiments.planning.replicated import Chosen
from retree.experiments.storing.outcome import Outcome
from retree.experiments.storing.rows import find_impossible
from retree.plain_files import read_gz
from retree.statistics.metrics import METRICS, is_scorer

CELLS, REPLICATES, PROVENANCE = "cells.csv.gz", "replicates.csv.gz", "provenance.json"
DONE, FAILED = "done", "failed"
# The column that says how the point of a replicate was chosen: one of these words, or both.
SELECTED, BEST_TEST, NESTED = "selected", "best_test", "nested"
SIZES = ("depth", "leaves", "nodes")
TIMES = ("fit_seconds", "cpu_seconds")
COUNTS = ("n_train", "n_features", "n_test")
BLOBS = ("predictions", "tree")
# Accuracies have ten significant digits.
_SLACK = 1e-9
# What a file of cells needs to be one.
NEEDED = {"key", "status", "reason", "accuracy", "digest", "shared", "run", *SIZES, *TIMES, *COUNTS}
NEEDED |= {"dataset", "method", "params", "repeat", "fold", "inner", "items", *BLOBS}
Row = Mapping[str, str]
# Arrow's texts, the default, are slow to take one by one.
TEXT = pd.StringDtype("python", na_value=np.nan)


@dataclass(frozen=True)
class Export:
    """The committed cells of a paper."""

    folder: Path  # Where they are, ``results/<paper>``
    rows: pd.DataFrame  # The content of ``cells.csv.gz`` as texts, empty where there is no value
    replicates: pd.DataFrame  # The same of ``replicates.csv.gz``
    # What is known about the runs that computed them; the column ``run`` counts these.
    runs: tuple[dict[str, Any], ...]
    # What the scores of a study's own metrics are stored by.
    metrics: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def done(self) -> pd.DataFrame:
        """The rows of finished cells."""
        return self.rows[self.rows["status"] == DONE]

    @cached_property
    def scores(self) -> tuple[str, ...]:
        """The columns of metrics that the cells were asked for besides."""
        columns = map(str, self.rows.columns)
        return tuple(name for name in columns if name not in METRICS and is_scorer(name))

    @cached_property
    def chosen(self) -> dict[tuple[str, str, int, int], Chosen]:
        """The points that stand for replicates, by data set, published method, repeat and fold."""
        points: dict[tuple[str, str, int, int], dict[str, int]] = {}
        for row in records(self.replicates):
            place = row["dataset"], row["method"], int(row["repeat"]), int(row["fold"])
            found = points.setdefault(place, {"n_points": int(row["n_points"])})
            found |= dict.fromkeys(row[SELECTED].split(), int(row["point"]))
        return {
            place: Chosen(found.get(BEST_TEST, -1), found.get(NESTED), found["n_points"])
            for place, found in points.items()
        }

    @cached_property
    def chosen_keys(self) -> frozenset[str]:
        """The keys of the cells of these points, of `KEY_DIGITS` digits."""
        return frozenset(self.replicates["key"])

    def find(self, keys: Iterable[str]) -> dict[str, Row]:
        """Return the rows of those of `keys` that are committed, done or failed, by key."""
        full = {key[:KEY_DIGITS]: key for key in keys}
        rows: dict[str, Row] = {}
        for table in (self.rows, self.replicates):
            found = table[[key in full for key in table["key"].to_numpy()]]
            rows |= {full[row["key"]]: row for row in records(found)}
        return {key: row for key, row in rows.items() if row["status"] in (DONE, FAILED)}

    def done_keys(self, keys: Iterable[str]) -> set[str]:
        """Return those of `keys` whose finished cells are committed."""
        full = {key[:KEY_DIGITS]: key for key in keys}
        found: set[str] = set()
        for table in (self.rows, self.replicates):
            found.update(table.loc[(table["status"] == DONE).to_numpy(), "key"].tolist())
        return {full[key] for key in found & full.keys()}

    def outcome(self, key: str, row: Row) -> Outcome:
        """Return the result of the cell called `key`, as it was when it was exported."""
        if row["status"] == FAILED:
            return Outcome(key, error=row["reason"])
        values: dict[str, Any] = {"digest": row["digest"] or None, "shared": row["shared"] == "1"}
        try:
            values |= {name: int(row[name]) for name in COUNTS}
            values |= {name: float(row[name]) if row[name] else None for name in (*SIZES, *TIMES)}
            values |= {name: base64.b64decode(row[name], validate=True) or None for name in BLOBS}
            scores = {n: float(row[n]) for n in self.scores if row.get(n)}
            values["scores"] = {self.metrics.get(n, n): score for n, score in scores.items()}
            values["accuracy"] = _accuracy(row["accuracy"], values["n_test"])
            if flaw := find_impossible({"error": None, **values}):
                raise ValueError(flaw)
            return Outcome(key, **values)
        except (ValueError, ArithmeticError) as error:
            raise self._edited(f"cell {row['key']}: {error}") from error

    def run(self, row: Row) -> dict[str, Any]:
        """Return what is known about the run that computed a row."""
        try:
            return self.runs[int(row["run"])]
        except (ValueError, IndexError) as error:
            raise self._edited(f"run {row['run']!r} is not in {PROVENANCE}") from error

    def _edited(self, why: str) -> RetreeError:
        return RetreeError(
            f"{self.folder / CELLS} was edited ({why}): restore the folder with git checkout, or "
            "compute the cells yourself with committed=null."
        )


def read_exports(committed: Path | None, first: str = "") -> Iterator[Export]:
    """Yield the exports of all papers below the folder `committed`, that of `first` before others.

    Each is read when it is asked for; without a folder there is none.
    """
    folders = [path.parent for path in committed.glob(f"*/{CELLS}")] if committed else []
    for folder in sorted(folders, key=lambda folder: (folder.name != first, folder)):
        yield read_export(folder)


def read_export(folder: Path) -> Export:
    """Return the export of the paper whose results are in `folder`; without a file it is empty."""
    changed = (
        path.stat().st_mtime_ns if path.exists() else 0
        for path in (folder / name for name in (CELLS, REPLICATES, PROVENANCE))
    )
    return _read(folder, *changed)


@lru_cache(maxsize=16)
def _read(folder: Path, cells: int, replicates: int, provenance: int) -> Export:
    """Read the files of a folder; of each the time of its last change, 0 if there is none."""
    path = folder / PROVENANCE
    try:
        runs, metrics = _about_runs(path) if provenance else ((), {})
        path = folder / CELLS
        rows = _rows(path) if cells else pd.DataFrame(columns=["key", "status"])
        path = folder / REPLICATES
        chosen = _rows(path) if replicates else pd.DataFrame(columns=["key", "status"])
        if SELECTED not in chosen:
            chosen[SELECTED] = BEST_TEST
    except (OSError, ValueError, RecursionError, DataError) as error:
        raise RetreeError(
            f"{path} cannot be read ({error}): restore the files of {folder} with git checkout."
        ) from error
    return Export(folder, rows, chosen, runs, metrics)


def records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table; `to_dict` is slow with columns of texts."""
    names = list(table.columns)
    columns = (table[name].to_numpy() for name in names)
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def _rows(path: Path) -> pd.DataFrame:
    """Return the rows of a file as texts."""
    table = pd.read_csv(io.BytesIO(read_gz(path)), dtype=TEXT, keep_default_na=False)
    if lacking := sorted(NEEDED - set(table.columns)):
        raise ValueError(f"no column {', '.join(lacking)}")
    return table


def _about_runs(path: Path) -> tuple[tuple[dict[str, Any], ...], dict[str, str]]:
    """Return what a ``provenance.json`` says of runs, and what metrics are stored by."""
    about = json.loads(path.read_text())
    runs, metrics = (
        (about.get("runs"), about.get("metrics", {})) if isinstance(about, dict) else (None, None)
    )
    if not isinstance(runs, list) or not all(isinstance(run, dict) for run in runs):
        raise ValueError("its runs are no list of runs")
    if not isinstance(metrics, dict):
        raise ValueError("its metrics are no names")
    return tuple(run | {"started": str(run.get("started"))} for run in runs), metrics


def _accuracy(text: str, n_test: int) -> float | None:
    """Return the share of `n_test` rows that was written with ten digits, None if none was."""
    if not text:
        return None
    correct = round(float(text) * n_test)
    if not 0 <= correct <= n_test or abs(float(text) * n_test - correct) > _SLACK * n_test:
        raise ValueError(f"{text} is no share of {n_test} rows")
    return correct / n_test
