"""Two versions of a paper's folder of results."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pandas as pd

from retree.diffing.scope import TIMES, Scope
from retree.diffing.tables import (
    CELLS,
    FOLDS,
    Change,
    compare_rows,
    layout_of,
    of_times,
    without_times,
)
from retree.errors import RetreeError
from retree.experiments.storing.exports import CELLS as CELLS_FILE
from retree.experiments.storing.exports import PROVENANCE
from retree.reports.run_sentences import platforms

_READ = {*FOLDS.key, *FOLDS.columns, "items", "key"}  # Of a file of cells


@dataclass(frozen=True)
class TableDiff:
    """How a table differs from the committed one."""

    name: str  # Its item, or the name of the file
    n_rows: int  # Rows that were compared
    changes: list[Change]


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
    before, after = (about.get("data", {}) for about in (old, new))
    diff.data = [
        f"{name}: these are not the data of the committed results (sha256 {after[name][:12]}, not "
        f"{before[name][:12]}); fetch the published set."
        for name in sorted(set(before) & set(after) - scope.lost)
        if before[name] != after[name]
    ]
    diff.data += [why for name, why in refused.items() if name in before]
    for stem in sorted({path.stem for folder in (committed, current) for path in _csv(folder)}):
        old_table = scope.select(stem, _read(committed / f"{stem}.csv"), diff.skipped)
        new_table = scope.select(stem, _read(current / f"{stem}.csv"), Counter())
        if len(old_table) or len(new_table):
            diff.tables.append(_compare(stem, old_table, new_table, diff))
    files = committed / CELLS_FILE, current / CELLS_FILE
    if scope.complete and all(map(Path.exists, files)) and len({f.read_bytes() for f in files}) < 2:
        diff.tables.append(TableDiff(CELLS, len(pd.read_csv(files[0], usecols=["key"])), []))
        return diff
    old_cells = scope.select_cells(_read(files[0]), diff.skipped)
    new_cells = scope.select_cells(_read(files[1]), Counter())
    if len(old_cells) or len(new_cells):
        diff.tables.append(_compare_cells(old_cells, new_cells, diff.exact))
    return diff


def _csv(folder: Path) -> list[Path]:
    return list(folder.glob("*.csv"))


def _read(path: Path) -> pd.DataFrame:
    """Return a csv as texts; of no file an empty table."""
    if not path.exists():
        return pd.DataFrame()
    wanted = _READ.__contains__ if path.name == CELLS_FILE else None
    try:
        return pd.read_csv(path, dtype=str, keep_default_na=False, usecols=wanted)
    except (OSError, EOFError, ValueError) as error:
        raise RetreeError(f"{path} cannot be read ({error}); restore it.") from error


def _compare(stem: str, old: pd.DataFrame, new: pd.DataFrame, diff: PaperDiff) -> TableDiff:
    layout = layout_of(old, new)
    diff.skipped[TIMES] += int(of_times(old).sum())
    tables = without_times(old), without_times(new)
    changes = list(compare_rows(stem, *tables, layout, diff.exact))
    return TableDiff(stem, max(len(old), len(new)), changes)


def _compare_cells(before: pd.DataFrame, after: pd.DataFrame, exact: bool) -> TableDiff:
    """Compare the results of single folds; one that several items share is named once."""
    # A cell that a new item shares with a committed one is not new.
    if len(before) and len(after):
        known = after["item"].isin(before["item"])
        after = after[known | ~after["key"].isin(after.loc[known, "key"])]
    found: dict[Change, Change] = {}
    for change in compare_rows(CELLS, before, after, FOLDS, exact):
        found.setdefault(change._replace(cell=change.cell[1:]), change)
    n_rows = max(table["key"].nunique() for table in (before, after) if len(table))
    return TableDiff(CELLS, n_rows, list(found.values()))


def _provenance(folder: Path) -> dict[str, Any]:
    path = folder / PROVENANCE
    try:
        return dict(json.loads(path.read_text())) if path.exists() else {}
    except (OSError, ValueError) as error:
        raise RetreeError(f"{path} cannot be read ({error}); restore it.") from error
