"""The committed cells of a paper: ``cells.csv.gz``, with ``provenance.json`` beside it."""

from __future__ import annotations

import base64
import gzip
import io
import json
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import pandas as pd

from retree.errors import RetreeError
from retree.experiments.outcome import Outcome

CELLS, PROVENANCE = "cells.csv.gz", "provenance.json"
KEY_DIGITS = 16
DONE, FAILED = "done", "failed"
SIZES = ("depth", "leaves", "nodes")
TIMES = ("fit_seconds", "cpu_seconds")
COUNTS = ("n_train", "n_features", "n_test")
BLOBS = ("predictions", "tree")
# Accuracies have ten significant digits.
_SLACK = 1e-9
Row = Mapping[str, str]


@dataclass(frozen=True)
class Export:
    """The committed cells of a paper.

    Attributes
    ----------
    folder : Path
        Where they are, ``results/<paper>``.
    rows : DataFrame
        The content of ``cells.csv.gz`` as texts, empty where there is no value.
    runs : tuple of dict
        What is known of the runs that computed them; the column ``run`` counts these.
    """

    folder: Path
    rows: pd.DataFrame
    runs: tuple[dict[str, Any], ...]

    @cached_property
    def done(self) -> pd.DataFrame:
        """The rows of finished cells."""
        return self.rows[self.rows["status"] == DONE]

    def find(self, keys: Iterable[str]) -> dict[str, Row]:
        """Return the rows of those of `keys` that are committed, done or failed, by key."""
        full = {key[:KEY_DIGITS]: key for key in keys}
        rows: list[Any] = self.rows[self.rows["key"].isin(full)].to_dict("records")
        return {full[row["key"]]: row for row in rows if row["status"] in (DONE, FAILED)}

    def outcome(self, key: str, row: Row) -> Outcome:
        """Return the result of the cell called `key`, as it was when it was exported.

        Raises
        ------
        RetreeError
            If the row is not one that could have been exported.
        """
        if row["status"] == FAILED:
            return Outcome(key, error=row["reason"])
        values: dict[str, Any] = {"digest": row["digest"] or None, "shared": row["shared"] == "1"}
        try:
            values |= {name: int(row[name]) for name in COUNTS}
            values |= {name: float(row[name]) if row[name] else None for name in (*SIZES, *TIMES)}
            values |= {name: base64.b64decode(row[name], validate=True) or None for name in BLOBS}
            return Outcome(key, accuracy=_accuracy(row["accuracy"], values["n_test"]), **values)
        except (ValueError, ZeroDivisionError) as error:
            raise self._edited(f"cell {row['key']}: {error}") from error

    def run(self, row: Row) -> dict[str, Any]:
        """Return what is known of the run that computed a row.

        Raises
        ------
        RetreeError
            If there is no such run.
        """
        try:
            return self.runs[int(row["run"])]
        except (ValueError, IndexError) as error:
            raise self._edited(f"run {row['run']!r} is not in {PROVENANCE}") from error

    def _edited(self, why: str) -> RetreeError:
        return RetreeError(
            f"{self.folder / CELLS} was edited ({why}): restore the folder with git checkout, or "
            "compute the cells yourself with committed=null."
        )


def read_exports(committed: Path | None) -> list[Export]:
    """Return the exports of all papers below the folder `committed`, none if there is no such."""
    if committed is None:
        return []
    return [read_export(path.parent) for path in sorted(committed.glob(f"*/{CELLS}"))]


def read_export(folder: Path) -> Export:
    """Return the export of the paper whose results are in `folder`; without a file it is empty.

    Raises
    ------
    RetreeError
        If a file cannot be read.
    """
    files = [folder / CELLS, folder / PROVENANCE]
    return _read(folder, *(path.stat().st_mtime_ns if path.exists() else 0 for path in files))


@lru_cache(maxsize=16)
def _read(folder: Path, cells_changed: int, provenance_changed: int) -> Export:
    path = folder / CELLS
    try:
        runs = json.loads((folder / PROVENANCE).read_text())["runs"] if provenance_changed else []
        path = folder / CELLS
        text = gzip.decompress(path.read_bytes()) if cells_changed else b"key,status\n"
        rows = pd.read_csv(io.BytesIO(text), dtype=str, keep_default_na=False)
    except (OSError, EOFError, ValueError, KeyError, zlib.error) as error:
        raise RetreeError(
            f"{path} or {PROVENANCE} beside it cannot be read ({error}): restore them with git "
            "checkout."
        ) from error
    return Export(folder, rows, tuple(runs))


def _accuracy(text: str, n_test: int) -> float:
    """Return the share of `n_test` rows that was written with ten digits."""
    correct = round(float(text) * n_test)
    if not 0 <= correct <= n_test or abs(float(text) * n_test - correct) > _SLACK * n_test:
        raise ValueError(f"{text} is no share of {n_test} rows")
    return correct / n_test
