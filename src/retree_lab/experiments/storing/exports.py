"""The files of committed cells: ``cells.csv.gz`` and, beside it, what belongs to it.

``replicates.csv.gz`` has, of each later replicate, only the cells of the points that were chosen;
``provenance.json`` knows the runs that computed all these cells.

Each archive has a member for each data set and method, and names runs by what is known about them:
where cells are computed again the bytes of all others stay, so that git keeps only the difference.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import requests
from numpy.typing import NDArray

from retree.errors import DataError, RetreeError
from retree_lab.datasets.sources.web import BoundedSession, is_offline
from retree_lab.experiments.planning.keys import canonical, cells_text
from retree_lab.plain_files import read_gz, write_atomically
from retree_lab.statistics.metrics import METRICS, is_scorer

CELLS, REPLICATES, PROVENANCE = "cells.csv.gz", "replicates.csv.gz", "provenance.json"
DONE, FAILED = "done", "failed"
# The column that says how the point of a replicate was chosen: one of these words, or both.
SELECTED, BEST_TEST, NESTED = "selected", "best_test", "nested"
SIZES = ("depth", "leaves", "nodes")
TIMES = ("fit_seconds", "cpu_seconds")
COUNTS = ("n_train", "n_features", "n_test")
BLOBS = ("predictions", "tree")
TEXTS = ("key", "items", "dataset", "method", "params", "status", "reason", "digest")
INTEGERS = ("point", "repeat", "fold", "inner", *COUNTS, "shared", "run")
REALS = ("accuracy", *SIZES, *TIMES)
# Only of replicates.
CHOICE = (SELECTED, "n_points")
# Accuracies have ten significant digits.
_SLACK = 1e-9
# Arrow's texts, the default, are slow to take one by one.
TEXT = pd.StringDtype("python", na_value=np.nan)
Columns = dict[str, Sequence[Any]]


@dataclass(frozen=True)
class Export:
    """The committed cells of a paper, as they are read from their files."""

    folder: Path  # Where they are, ``results/<paper>``
    # By file, its columns as SQLite keeps them: texts, integers, numbers, and the outputs unpacked.
    tables: Mapping[str, Columns]
    # What is known about the runs that computed them; the column ``run`` counts these.
    runs: tuple[dict[str, Any], ...]

    @property
    def sentence(self) -> str:
        """Return how many cells were computed, and on which machines; "" if none."""
        count = sum(list(columns["status"]).count(DONE) for columns in self.tables.values())
        if not count:
            return ""
        platforms = sorted({f"{run.get('platform')}, {run.get('cpu')}" for run in self.runs})
        commits = sorted({f"commit {str(run.get('commit') or 'none')[:12]}" for run in self.runs})
        days = sorted({run["started"][:10] for run in self.runs})
        when = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}" if days else "no day"
        several = max(len(platforms), len(commits)) > 1
        return (
            f"{cells_text(count)} restored from {self.folder}: computed on "
            f"{_one_or_count(platforms, 'platforms')} at {_one_or_count(commits, 'commits')}, "
            f"{when}{f'; {PROVENANCE} names them' if several else ''}."
        )


def _one_or_count(names: Sequence[str], what: str) -> str:
    return names[0] if len(names) == 1 else f"{len(names)} {what}"


def export_folders(committed: Path | None, first: str = "") -> list[Path]:
    """Return the folders of papers below `committed` that have cells, `first` in front."""
    folders = [path.parent for path in committed.glob(f"*/{CELLS}")] if committed else []
    return sorted(folders, key=lambda folder: (folder.name != first, folder))


def content_hash(folder: Path) -> str:
    """Return the checksum of the files of a folder."""
    digest = hashlib.sha256()
    for path in (folder / name for name in (CELLS, REPLICATES, PROVENANCE)):
        digest.update(f"{path.name}\0".encode())
        digest.update(path.read_bytes() if path.exists() else b"")
    return digest.hexdigest()


def read_provenance(folder: Path) -> dict[str, Any]:
    """Read the records of runs and data in a folder; {} if it has no such file."""
    path = folder / PROVENANCE
    try:
        return dict(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else {}
    except (OSError, ValueError, TypeError, RecursionError) as error:
        raise RetreeError(f"{path} cannot be read ({error}); restore it.") from error


def read_export(folder: Path) -> Export:
    """Return the export of the paper whose results are in `folder`; without a file it is empty."""
    path = folder / PROVENANCE
    try:
        runs, metrics = _about_runs(path) if path.exists() else ((), {})
        tables = {}
        for path in (folder / name for name in (CELLS, REPLICATES)):
            if path.exists():
                text = pd.read_csv(io.BytesIO(read_gz(path)), dtype=TEXT, keep_default_na=False)
                tables[path.name] = _typed(text, metrics, runs)
    except (OSError, ValueError, RecursionError, DataError) as error:
        why = f"was edited ({error})" if isinstance(error, _Edited) else f"cannot be read ({error})"
        raise RetreeError(
            f"{path} {why}: restore the files of {folder} with git checkout, or compute the cells "
            "yourself with committed=null."
        ) from error
    return Export(folder, tables, runs)


class _Edited(ValueError):
    pass


def _about_runs(path: Path) -> tuple[tuple[dict[str, Any], ...], dict[str, str]]:
    """Read a ``provenance.json``: its runs, and the names that metrics are stored under."""
    about = json.loads(path.read_text())
    if not isinstance(about, dict):
        raise ValueError("it is not a mapping")
    runs, metrics = about.get("runs"), about.get("metrics", {})
    if not isinstance(runs, list) or not all(isinstance(run, dict) for run in runs):
        raise ValueError("its runs are not a list of runs")
    if not isinstance(metrics, dict):
        raise ValueError("its metrics are not names")
    return tuple(run | {"started": str(run.get("started"))} for run in runs), metrics


def run_name(run: Mapping[str, Any]) -> str:
    """Return the name of a run of ``provenance.json`` in the column ``run``."""
    return hashlib.sha256(canonical(run).encode()).hexdigest()[:8]


def _typed(
    table: pd.DataFrame, metrics: Mapping[str, str], runs: Sequence[Mapping[str, Any]]
) -> Columns:
    """Return the columns of a file with their types, None where a text is empty."""
    if not len(table) and "key" not in table:
        table = table.reindex(columns=[*TEXTS, *INTEGERS, *REALS, *BLOBS])
    if lacking := sorted({*TEXTS, *INTEGERS, *REALS, *BLOBS} - set(table.columns)):
        raise ValueError(f"no column {', '.join(lacking)}")
    # Earlier exports count the runs.
    places = {str(i): i for i in range(len(runs))}
    places |= {run_name(run): i for i, run in enumerate(runs)}
    table = table.assign(run=[str(places.get(name, "")) for name in table["run"].tolist()])
    numbers = {name: _numbers(table, name) for name in (*INTEGERS, *REALS)}
    done = (table["status"] == DONE).to_numpy()
    numbers["accuracy"] = _accuracies(table, numbers, done)
    columns: Columns = {name: table[name].tolist() for name in TEXTS}
    columns |= {name: _or_none(numbers[name], int) for name in INTEGERS}
    columns |= {name: _or_none(numbers[name], float) for name in REALS}
    for name in BLOBS:
        columns[name] = [
            base64.b64decode(text, validate=True) or None for text in table[name].tolist()
        ]
    columns["scores"] = list(_scores(table, metrics))
    if "n_points" in table:
        columns["n_points"] = _or_none(_numbers(table, "n_points"), int)
        without = pd.Series(BEST_TEST, index=table.index)
        columns[SELECTED] = table.get(SELECTED, without).tolist()
    return columns


def _numbers(table: pd.DataFrame, name: str) -> NDArray[np.float64]:
    try:
        return table[name].replace("", "nan").to_numpy(np.float64)
    except ValueError as error:
        raise _Edited(f"{name}: {error}") from error


def _or_none(values: NDArray[np.float64], kind: type) -> list[Any]:
    return [None if value != value else kind(value) for value in values.tolist()]


def _accuracies(
    table: pd.DataFrame, numbers: Mapping[str, NDArray[np.float64]], done: Any
) -> NDArray[np.float64]:
    """Return the shares of test rows that were written with ten digits; refuse what cannot be."""
    accuracy, n_test, leaves = (numbers[name] for name in ("accuracy", "n_test", "leaves"))
    correct = np.round(accuracy * n_test)
    bad = ~(n_test >= 1) | (correct < 0) | (correct > n_test)
    bad |= np.abs(accuracy * n_test - correct) > _SLACK * n_test
    bad |= (numbers["depth"] < 0) | (leaves < 1) | (numbers["nodes"] < np.fmax(leaves, 1))
    bad |= np.isnan(numbers["run"])
    bad |= ~(np.abs(numbers["n_train"]) < 2**53) | ~(np.abs(n_test) < 2**53)
    if (bad & done).any():
        raise _Edited(f"cell {table['key'].iloc[int(np.argmax(bad & done))]}")
    return np.divide(correct, n_test, out=np.full(len(table), np.nan), where=n_test >= 1)


def _scores(table: pd.DataFrame, metrics: Mapping[str, str]) -> Iterator[str | None]:
    """Yield the scores of each row by what they are stored by, as JSON; None without any."""
    names = [str(n) for n in table.columns if n not in METRICS and is_scorer(str(n))]
    if not names:
        yield from [None] * len(table)
        return
    for texts in zip(*(table[name].tolist() for name in names), strict=True):
        scores = {metrics.get(n, n): float(t) for n, t in zip(names, texts, strict=True) if t}
        yield json.dumps(scores) if scores else None


def is_address(place: str) -> bool:
    """Return whether results are named by an address, not by a folder."""
    return place.startswith(("http://", "https://"))


def part_of_results(
    place: str, paper: str, item: str, datasets: Collection[str], keep: Path
) -> Path:
    """Return a folder of results that has the committed cells of an item on some data sets.

    `place`: a folder ``results``, or its address.
    `keep`: the folder of parts, and of what is fetched.

    Raises
    ------
    RetreeError
        If nothing of the paper is there.
    """
    files = {name: _file(place, paper, name, keep) for name in (CELLS, REPLICATES, PROVENANCE)}
    files = {name: file for name, file in files.items() if file.is_file()}
    if CELLS not in files:
        raise RetreeError(
            f"{place} has no results of {paper}: name the repository's folder results with "
            "committed=PATH or committed=ADDRESS."
        )
    digest = hashlib.sha256(repr((item, sorted(datasets))).encode())
    for file in files.values():
        digest.update(file.read_bytes())
    folder = keep / "parts" / digest.hexdigest()[:16]
    if not (folder / paper / CELLS).is_file():
        # The cells last: a folder that has them is whole.
        for name, file in reversed(files.items()):
            rows = file.read_bytes() if name == PROVENANCE else _rows(file, item, datasets)
            write_atomically(folder / paper / name, rows)
    return folder


def _file(place: str, paper: str, name: str, keep: Path) -> Path:
    """Return where a file of a paper's results is, if there is one."""
    if not is_address(place):
        return Path(place) / paper / name
    address = f"{place.rstrip('/')}/{paper}/{name}"
    file = keep / "fetched" / hashlib.sha256(address.encode()).hexdigest()[:16] / name
    if not file.is_file() and (content := _fetched(address)) is not None:
        write_atomically(file, content)
    return file


def _fetched(address: str) -> bytes | None:
    if is_offline():
        raise RetreeError(f"{address} is not contacted, since RETREE_OFFLINE is set: unset it.")
    try:
        reply = BoundedSession().get(address)
        if reply.status_code == requests.codes.not_found:
            return None
        reply.raise_for_status()
    except requests.RequestException as error:
        raise RetreeError(
            f"{address} cannot be fetched ({error}): try again, or name a folder."
        ) from error
    return reply.content


def _rows(file: Path, item: str, datasets: Collection[str]) -> bytes:
    """Return an archive with the rows of an item on some data sets."""
    head, *lines = read_gz(file).split(b"\n")
    names = head.decode().split(",")
    at, wanted = [names.index(name) for name in ("items", "dataset")], {*map(str.encode, datasets)}
    kept = []
    for line in lines:
        fields = line.split(b",", max(at) + 1)
        # A quoted field may hold commas, so that such a row stays.
        if b'"' in b"".join(fields[: max(at) + 1]) or (
            len(fields) > max(at)
            and fields[at[1]] in wanted
            and item.encode() in fields[at[0]].split()
        ):
            kept.append(line)
    return gzip.compress(b"\n".join([head, *kept, b""]), compresslevel=1, mtime=0)
