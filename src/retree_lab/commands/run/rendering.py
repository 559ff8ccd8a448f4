"""The files of items, and the pages on their paper, written where they belong."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pandas as pd
from rich.console import Console

from retree.errors import RetreeError
from retree_lab.commands.run.run_screen import print_paths
from retree_lab.experiments.definition.definitions import Experiment
from retree_lab.experiments.storing.committed import CommittedCells
from retree_lab.reports.cells import find_losses, is_protected, to_local
from retree_lab.reports.files import csv_text, folder, rendered_items, write
from retree_lab.reports.fold_values import fold_table
from retree_lab.reports.kinds import ItemReport
from retree_lab.reports.paper_pages import write_item, write_page
from retree_lab.reports.summary import show_table
from retree_lab.screen import say
from retree_lab.study.folders import PAPER, named
from retree_lab.study.importing import explained
from retree_lab.workspace import Workspace
from retree_lab.yaml_files import located


class Wanted(NamedTuple):
    """The files that are wanted besides the usual ones.

    The tables printed, a file of the results of all folds, the tables in LaTeX.
    """

    show: bool = False
    folds: Path | None = None
    tex: bool = False


def render(workspace: Workspace, console: Console, wanted: Wanted) -> int:
    """Render the items of an experiment and the pages on their paper; return the exit code.

    What is restricted, or configured otherwise, or lacks cells that are committed, is rendered
    below ``<results>/local``, unless another folder than that of the committed files is named. The
    pages on the paper are about all its items that are rendered: they are written where all of
    these are asked for. The paths of the files are printed.
    """
    experiment = workspace.planned.experiment
    contexts = workspace.item_reports()
    if why := _why_local(experiment, contexts, workspace.store.committed):
        local = to_local(experiment)
        if not experiment.is_sweep:
            say(
                f"{folder(experiment)} is left as it is, since {why}: see {folder(local)}.", console
            )
        experiment = local
        contexts = [replace(context, experiment=local) for context in contexts]
    if wanted.folds is not None:
        print_paths([_write_folds(contexts, wanted.folds)], console)
    whole = [c for c in contexts if _is_rendered(c, console, wanted)]
    asked = {context.item.name for context in contexts}
    if experiment.is_sweep:
        # No page of the paper is about it.
        return int(len(whole) < len(contexts))
    if not asked.issuperset(rendered_items(folder(experiment), experiment.paper.items)):
        command = f"retree report {named(experiment.paper.name)} item=all"
        say(f"The pages on the whole paper stay as they are. To render all: {command}", console)
    elif whole:
        order = list(experiment.paper.items)
        whole.sort(key=lambda context: order.index(context.item.name))
        names = {context.item.name for context in whole}
        paths = sorted(
            (item for item in experiment.items if item.name in names),
            key=lambda item: order.index(item.name),
        )
        print_paths(write_page(replace(experiment, items=tuple(paths)), whole), console)
    if whole and len(whole) < len(contexts):
        print("The other items are rendered.", file=sys.stderr)
    return int(len(whole) < len(contexts))


def _why_local(
    experiment: Experiment, contexts: Sequence[ItemReport], committed: CommittedCells
) -> str:
    """Return why the committed files must stay as they are, "" if they need not."""
    if not is_protected(experiment):
        return ""
    if not experiment.as_configured:
        return "this is not the paper as configured"
    losses = find_losses(experiment, contexts, committed)
    lost = ", ".join(f"{count} cells of {name}" for name, count in losses.items())
    return f"{lost} are committed but not stored" if lost else ""


def _is_rendered(context: ItemReport, console: Console, wanted: Wanted) -> bool:
    """Render an item, and return if nothing went wrong; else it is said."""
    place = context.paper.folder / PAPER, ["items", context.item.name]
    try:
        with located(*place), explained(sys.modules[type(context.kind).__module__]):
            files = write_item(context, tex=wanted.tex)
            # The page of the paper is about them, too.
            _ = context.comparisons
    except RetreeError as error:
        print(error, file=sys.stderr)
        return False
    if wanted.show:
        show_table(context, files, console)
    else:
        print_paths(files, console)
    return True


def _write_folds(contexts: Sequence[ItemReport], file: Path) -> Path:
    tables = [(context.item, fold_table(context)) for context in contexts]
    frames = [t.assign(item=i.name)[["item", *t.columns]] for i, t in tables if len(t)]
    if not frames:
        raise RetreeError(f"Nothing is written to {file}: no cell of these items is stored.")
    return write(file, csv_text(pd.concat(frames, ignore_index=True)))
