"""Two versions of a paper's folder of results."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pandas as pd

from retree.diffing.changes import Change, compare_rows
from retree.diffing.layouts import CELLS, FOLDS, NUMBERS, layout_of, of_times, without_times
from retree.diffing.scope import TIMES, Scope
from retree.errors import RetreeError
from retree.experiments.storing.exports import CELLS as CELLS_FILE
from retree.experiments.storing.exports import PROVENANCE
from retree.reports.run_sentences import platforms
from retree.statistics import AGREEING, JUDGED


@dataclass
class TableDiff:
    """How a table differs from the committed one."""

    name: str  # Its item, or the name of the file
    n_rows: int  # Rows that were compared
    changes: list[Change]
    # Agreeing cells among the current ones that agree or differ; None if none do.
    share: float | None = None


@dataclass
class PaperDiff:
    """How a paper's results differ from the committed ones."""

    paper: str
    tables: list[TableDiff] = field(default_factory=list)
    # Number of committed rows that were not compared, by the reason.
    skipped: Counter[str] = field(default_factory=Counter)
    # A sentence for each data set that is not the committed one.
    data: list[str] = field(default_factory=list)
    # Whether numbers had to be the same: both versions come from one and the same platform.
    exact: bool = False

    @property
    def changes(self) -> list[Change]:
        """All changes of all tables."""
        return [change for table in self.tables for change in table.changes]

    @property
    def same(self) -> bool:
        """Whether nothing changed."""
        return not self.changes and not self.data


def compare_folders(
    committed: Path, current: Path, scope: Scope, refused: Mapping[str, str] = MappingProxyType({})
) -> PaperDiff:
    """Compare the csv files of two folders ``results/<paper>``.

    `refused`: why the data of a set are not used, by its key. One that the committed results lack
    as well is no difference.
    """
    old, new = (_provenance(folder) for folder in (committed, current))
    made = platforms(old) | platforms(new)
    diff = PaperDiff(committed.name, exact=len(made) == 1 and bool(platforms(old)))
    diff.data = [text for name, text in _other_data(old, new) if name not in scope.lost]
    diff.data += [why for name, why in refused.items() if name in _data(old)]
    for stem in _stems(committed, current):
        old_table = scope.select(stem, _read(committed / f"{stem}.csv"), diff.skipped)
        new_table = scope.select(stem, _read(current / f"{stem}.csv"), Counter())
        if len(old_table) or len(new_table):
            diff.tables.append(_compare(stem, old_table, new_table, diff))
    if scope.complete and (n_rows := _count_same(committed / CELLS_FILE, current / CELLS_FILE)):
        diff.tables.append(TableDiff(CELLS, n_rows, []))
        return diff
    before = scope.select_cells(_read(committed / CELLS_FILE), diff.skipped)
    after = scope.select_cells(_read(current / CELLS_FILE), Counter())
    if len(before) or len(after):
        diff.tables.append(_compare_cells(before, after, diff.exact))
    return diff


def _count_same(committed: Path, current: Path) -> int:
    """Return how many rows two files have that are the same byte by byte, 0 if they are not."""
    files = [path.read_bytes() if path.exists() else b"" for path in (committed, current)]
    return len(pd.read_csv(current, usecols=["key"])) if files[0] and files[0] == files[1] else 0


def _stems(*folders: Path) -> list[str]:
    return sorted({path.stem for folder in folders for path in folder.glob("*.csv")})


def _read(path: Path) -> pd.DataFrame:
    """Return a csv as texts; of no file an empty table."""
    if not path.exists():
        return pd.DataFrame()
    try:
        return pd.read_csv(path, dtype=str, keep_default_na=False)
    except (OSError, EOFError, ValueError) as error:
        raise RetreeError(f"{path} cannot be read ({error}); restore it.") from error


def _compare(stem: str, old: pd.DataFrame, new: pd.DataFrame, diff: PaperDiff) -> TableDiff:
    layout, n_rows = layout_of(stem, old, new), max(len(old), len(new))
    diff.skipped[TIMES] += int(of_times(old).sum())
    before, after = (without_times(table) for table in (old, new))
    changes = list(compare_rows(stem, before, after, layout, diff.exact))
    return TableDiff(stem, n_rows, changes, _share(new) if layout == NUMBERS else None)


def _share(table: pd.DataFrame) -> float | None:
    counts = Counter(table.get("verdict", ()))
    agree = sum(counts[verdict] for verdict in AGREEING)
    judged = sum(counts[verdict] for verdict in JUDGED)
    return agree / judged if judged else None


def _compare_cells(before: pd.DataFrame, after: pd.DataFrame, exact: bool) -> TableDiff:
    """Compare the results of single folds; one that several items share is named once."""
    # A cell that a new item shares with a committed one is not new.
    if len(before) and len(after):
        known = after["item"].isin(before["item"])
        after = after[known | ~after["key"].isin(after.loc[known, "key"])]
    found: dict[tuple[Any, ...], Change] = {}
    for change in compare_rows(CELLS, before, after, FOLDS, exact):
        found.setdefault((change.cell[1:], change.column, change.old, change.new), change)
    n_rows = max(table["key"].nunique() for table in (before, after) if len(table))
    return TableDiff(CELLS, n_rows, list(found.values()))


def _provenance(folder: Path) -> dict[str, Any]:
    path = folder / PROVENANCE
    try:
        return dict(json.loads(path.read_text())) if path.exists() else {}
    except (OSError, ValueError) as error:
        raise RetreeError(f"{path} cannot be read ({error}); restore it.") from error


def _data(provenance: Mapping[str, Any]) -> Mapping[str, str]:
    """Return the hash of each data set by its key."""
    return provenance.get("data", {})


def _other_data(old: dict[str, Any], new: dict[str, Any]) -> Iterable[tuple[str, str]]:
    """Yield each data set whose content is not that of the committed results, and a sentence."""
    before, after = _data(old), _data(new)
    for name in sorted(set(before) & set(after)):
        if before[name] != after[name]:
            yield (
                name,
                f"{name}: these are not the data of the committed results (sha256 "
                f"{after[name][:12]}, not {before[name][:12]}); fetch the published set.",
            )
