"""Results as committed, and as rendered from the store or computed anew."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any

import pandas as pd
from rich.console import Console

from retree.errors import DataError, RetreeError
from retree_lab import reports
from retree_lab.diffing.scope import TIMES, UNAVAILABLE, Scope
from retree_lab.diffing.tables import (
    CELLS,
    FOLDS,
    OF_A_RUN,
    Change,
    ChangeKind,
    compare_lines,
    compare_rows,
    layout_of,
    of_times,
    without_times,
)
from retree_lab.experiments.definition.definitions import Experiment
from retree_lab.experiments.planning.plan import Datasets
from retree_lab.experiments.running.run_plans import Watch, run_plans
from retree_lab.experiments.storing.exports import CELLS as CELLS_FILE
from retree_lab.experiments.storing.exports import REPLICATES, read_provenance
from retree_lab.experiments.storing.planned import plan_all, with_committed_cells
from retree_lab.experiments.storing.status import find_stale, pending_cells, stale_sentences
from retree_lab.experiments.storing.store import Store
from retree_lab.experiments.verifying.verified import unverified_exports, unverified_plans
from retree_lab.plain_files import read_gz
from retree_lab.reports.cells import platforms
from retree_lab.reports.overview import write_overview, write_overview_page
from retree_lab.screen import say_all
from retree_lab.workspace import open_workspace

# What is rendered besides tables, and is the same every time.
PAGES = (".md", ".svg", ".json")


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
    # Why an export is not believed.
    unverified: list[str] = field(default_factory=list)
    # How many pages and pictures were compared; None: those of other runs are not.
    n_pages: int | None = None

    @property
    def changes(self) -> list[Change]:
        """All changes of all tables."""
        return [change for table in self.tables for change in table.changes]

    @property
    def same(self) -> bool:
        """Return whether nothing changed."""
        return not (self.changes or self.data or self.unverified)


def compare_folders(
    committed: Path, current: Path, scope: Scope, refused: Mapping[str, str] = MappingProxyType({})
) -> PaperDiff:
    """Compare the files of two folders ``results/<paper>``.

    Where a whole paper was rendered from the very runs that are committed, all its files have to
    be the same, byte by byte. Otherwise tables and folds are compared by row, but for what is of a
    run.

    `refused`: why the data of a set are not used, by its key. One that the committed results lack
    as well is no difference.
    """
    folders = committed, current
    old, new = map(read_provenance, folders)
    same = scope.complete and old.get("runs") == new.get("runs") and bool(old)
    same = same and all(_content(committed / n) == _content(current / n) for n in _ARCHIVES)
    made = platforms(old) | platforms(new)
    diff = PaperDiff(committed.name, exact=same or (len(made) == 1 and bool(platforms(old))))
    diff.data = _other_data(old, new, scope, refused)
    for stem in sorted({path.stem for folder in folders for path in folder.glob("*.csv")}):
        files = committed / f"{stem}.csv", current / f"{stem}.csv"
        if same and _content(files[0]) == _content(files[1]):
            diff.tables.append(TableDiff(stem, _n_rows(files[0]), []))
            continue
        old_table = scope.select(stem, _read(files[0]), diff.skipped)
        new_table = scope.select(stem, _read(files[1]), Counter())
        renamed = same and list(old_table) != list(new_table)
        if renamed or len(old_table) or len(new_table):
            diff.tables.append(_compare(stem, (old_table, new_table), diff, same, scope.lost_names))
    if same:
        diff.tables.append(TableDiff(CELLS, sum(_n_rows(committed / n) for n in _ARCHIVES), []))
        diff.n_pages = _compare_pages(folders, scope.lost_names, diff)
    else:
        _compare_folds(folders, scope, diff)
    return diff


_ARCHIVES = (CELLS_FILE, REPLICATES)


def _other_data(
    old: dict[str, Any], new: dict[str, Any], scope: Scope, refused: Mapping[str, str]
) -> list[str]:
    """Return a sentence for each data set that is not the committed one."""
    before, after = (about.get("data", {}) for about in (old, new))
    sentences = [
        f"{name}: these are not the data of the committed results (sha256 {after[name][:12]}, not "
        f"{before[name][:12]}); fetch the published set."
        for name in sorted(set(before) & set(after) - scope.lost)
        if before[name] != after[name]
    ]
    return sentences + [why for name, why in refused.items() if name in before]


def _content(path: Path) -> bytes:
    """Return the content of a file, unpacked; nothing if there is no file."""
    if not path.exists():
        return b""
    try:
        return read_gz(path) if path.suffix == ".gz" else path.read_bytes()
    except (OSError, DataError) as error:
        raise RetreeError(f"{path} cannot be read ({error}); restore it.") from error


def _n_rows(path: Path) -> int:
    """Return the number of rows of a csv without its header."""
    return max(0, sum(1 for _ in csv.reader(io.StringIO(_content(path).decode()))) - 1)


def _read(path: Path) -> pd.DataFrame:
    """Return a csv as texts; of no file an empty table."""
    if not (content := _content(path)):
        return pd.DataFrame()
    try:
        return pd.read_csv(io.BytesIO(content), dtype=str, keep_default_na=False)
    except ValueError as error:
        raise RetreeError(f"{path} cannot be read ({error}); restore it.") from error


def _compare(
    stem: str,
    tables: tuple[pd.DataFrame, pd.DataFrame],
    diff: PaperDiff,
    same: bool,
    lost: frozenset[str],
) -> TableDiff:
    layout = layout_of(*tables)
    n_rows = max(map(len, tables))
    if not same:
        diff.skipped[TIMES] += int(of_times(tables[0]).sum())
        tables = without_times(tables[0]), without_times(tables[1])
    changes = compare_rows(stem, *tables, layout, diff.exact)
    return TableDiff(stem, n_rows, _without_lost(changes, lost, diff))


def _without_lost(changes: Iterable[Change], lost: frozenset[str], diff: PaperDiff) -> list[Change]:
    """Return changes without the rows of data sets that are not here, which are counted."""
    every = list(changes)
    kept = [c for c in every if c.kind != ChangeKind.BLANK or not lost.intersection(c.cell)]
    if len(every) > len(kept):
        diff.skipped[UNAVAILABLE] += len(every) - len(kept)
    return kept


def _compare_folds(folders: tuple[Path, Path], scope: Scope, diff: PaperDiff) -> None:
    """Compare the results of single folds; one that several items share is named once."""
    n_rows, changed = 0, dict[Change, Change]()
    for name in _ARCHIVES:
        before = scope.select_cells(_read(folders[0] / name), diff.skipped)
        after = scope.select_cells(_read(folders[1] / name), Counter())
        if not len(before) and not len(after):
            continue
        # A cell that a new item shares with a committed one is not new.
        if len(before) and len(after):
            is_committed = after["item"].isin(before["item"])
            after = after[is_committed | ~after["key"].isin(after.loc[is_committed, "key"])]
        n_rows += max(table["key"].nunique() for table in (before, after) if len(table))
        before, after = (t.drop(columns=OF_A_RUN, errors="ignore") for t in (before, after))
        for change in compare_rows(CELLS, before, after, FOLDS, diff.exact):
            changed.setdefault(change._replace(cell=change.cell[1:]), change)
    changes = _without_lost(changed.values(), scope.lost_names, diff)
    if n_rows:
        diff.tables.append(TableDiff(CELLS, n_rows, changes))


def _compare_pages(folders: tuple[Path, Path], lost: Collection[str], diff: PaperDiff) -> int:
    """Compare pages and pictures, and return how many there are."""
    names = {p.name for folder in folders for p in folder.iterdir() if p.suffix in PAGES}
    for name in sorted(names):
        old, new = (_content(folder / name).decode() for folder in folders)
        if old != new:
            changes = list(compare_lines(name, old, new, lost, diff.skipped))
            diff.tables += [TableDiff(name, 0, changes)] if changes else []
    return len(names)


OVERVIEW = "README.md"


def compare_overview(results: Path) -> PaperDiff:
    """Return how the pages and pictures on all papers differ from what the tables give."""
    with TemporaryDirectory() as temporary:
        current = Path(temporary)
        write_overview(results, current)
        write_overview_page(results, current)
        diff = PaperDiff("overview", exact=True)
        files = sorted(current.iterdir())
        diff.n_pages = len(files)
        for path in files:
            old, new = (f.read_text() if f.exists() else "" for f in (results / path.name, path))
            changes = list(compare_lines(path.name, old, new, (), diff.skipped))
            diff.tables += [TableDiff(path.name, 0, changes)] if changes else []
    diff.unverified = unverified_exports("", results)
    return diff


def render_current(
    experiment: Experiment,
    scope: Scope,
    folder: Path,
    anew: bool,
    console: Console,
    watch: type[Watch],
) -> Datasets:
    """Write what the scope's items show below `folder`, and return the data sets.

    `folder`: an empty folder; the files are written to ``<folder>/<paper>``.
    `anew`: whether to compute all cells into a store in `folder`, or to take those of the
    experiment's store.
    `watch`: follows what is computed.
    """
    about = replace(experiment, items=tuple(scope.asked.values()), results=folder)
    # Of replicates the chosen points are computed anew, as they are committed, not the grid.
    planned = plan_all(about)
    if anew:
        about = replace(about, store=folder / "cells.sqlite", committed=None)
        planned = replace(planned, experiment=about)
    else:
        planned = with_committed_cells(planned)
    say_all(unverified_plans(planned.plans, experiment.committed), console)
    if anew:
        with Store(about.store) as store:
            run_plans(planned.plans, planned.datasets, store, about.execution, watch=watch)
    with open_workspace(planned, console) as workspace:
        pending = pending_cells(workspace.plans, workspace.store)
        stale = find_stale(workspace.plans, pending, planned, workspace.store)
        say_all(stale_sentences(stale), console)
        # Numbers of a part are judged by the committed tables.
        judging = replace(about, committed=experiment.results)
        contexts = [replace(c, experiment=judging) for c in workspace.item_reports()]
    committed = experiment.results / experiment.paper.name
    # Of a part, pages and pictures are others.
    pictures = scope.complete and not anew
    for context in contexts:
        done = bool((context.frame["status"] == "done").any())
        # An item of which nothing is computed has tables if it had some.
        if done or not context.plan.cells or any(committed.glob(f"{context.item.name}*.csv")):
            reports.write_item(context, pictures=pictures)
    reports.write_page(about, contexts, numbers_only=not pictures)
    return planned.datasets
