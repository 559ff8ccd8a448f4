"""The command ``retree report``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pandas as pd
from rich.console import Console

from retree.errors import RetreeError, as_usage
from retree.experiments.definition.definitions import Experiment
from retree.experiments.definition.item import Item
from retree.experiments.definition.item_config import paper_items
from retree.experiments.running.run_screen import print_paths
from retree.experiments.storing.planned import plan_all
from retree.reports.console import show_table
from retree.reports.destination import find_losses, is_protected, to_local
from retree.reports.files import csv_text, folder, write
from retree.reports.fold_table import fold_table
from retree.reports.item_report import ItemReport
from retree.reports.page import write_page
from retree.reports.writer import write_item
from retree.study.folders import PAPER
from retree.study.importing import explained
from retree.workspace import open_workspace
from retree.yaml_files import located


class Wanted(NamedTuple):
    """What is wanted besides the usual files.

    The tables printed, a file of the results of all folds, the tables in LaTeX.
    """

    show: bool = False
    folds: Path | None = None
    tex: bool = False


def run(experiment: Experiment, console: Console, wanted: Wanted) -> int:
    """Render the items of `experiment` and the page of its paper, and return the exit code.

    What is restricted, or configured otherwise, or lacks cells that are committed, is rendered
    below ``<results>/local``, unless another folder than that of the committed files is named.
    The paths of the files are printed.
    """
    if experiment.items[0].kind is None:
        with as_usage():
            raise RetreeError("A report needs an item: say item=NAME (retree plan lists them).")
    if is_protected(experiment) and not experiment.as_configured:
        return _render_locally(experiment, "this is not the paper as configured", console, wanted)
    page = _items_of_page(experiment)
    items = (*page, *(item for item in experiment.items if item not in page))
    planned = plan_all(replace(experiment, items=items)).with_data()
    with open_workspace(planned, console) as workspace:
        contexts = workspace.item_reports()
    if is_protected(experiment) and (losses := find_losses(experiment, contexts)):
        why = ", ".join(f"{count} cells of {name}" for name, count in losses.items())
        return _render_locally(experiment, f"{why} are committed but not stored", console, wanted)
    if wanted.folds is not None:
        asked = {item.name for item in experiment.items}
        own = [context for context in contexts if context.item.name in asked]
        print_paths([_write_folds(own, wanted.folds)], console)
    rendered = [_is_rendered(c, experiment, console, wanted) for c in contexts]
    whole = [c for c, is_whole in zip(contexts, rendered, strict=True) if is_whole]
    # A plan may have changed what its item says of the protocol.
    names = {context.item.name for context in whole}
    if shown := tuple(item for item in page if item.name in names):
        about = replace(experiment, items=shown)
        whole = [context for context in whole if context.item.name in {i.name for i in shown}]
        print_paths(write_page(about, whole), console)
    if any(rendered) and not all(rendered):
        print("The other items are rendered.", file=sys.stderr)
    return int(not all(rendered))


def _is_rendered(
    context: ItemReport, experiment: Experiment, console: Console, wanted: Wanted
) -> bool:
    """Render an item that is asked for, and return if nothing went wrong; else it is said."""
    asked = [item.name for item in experiment.items]
    place = experiment.paper.folder / PAPER, ["items", context.item.name]
    try:
        with located(*place), explained(sys.modules[type(context.kind).__module__]):
            files = write_item(context, tex=wanted.tex) if context.item.name in asked else []
            # The page of the paper is about them, too.
            _ = context.comparisons
    except RetreeError as error:
        print(error, file=sys.stderr)
        return False
    if files and wanted.show:
        show_table(context, files, console)
    elif files:
        print_paths(files, console)
    return True


def _write_folds(contexts: Sequence[ItemReport], file: Path) -> Path:
    tables = [(context.item, fold_table(context)) for context in contexts]
    parts = [t.assign(item=i.name)[["item", *t.columns]] for i, t in tables if len(t)]
    if not parts:
        raise RetreeError(f"Nothing is written to {file}: no cell of these items is stored.")
    return write(file, csv_text(pd.concat(parts, ignore_index=True)))


def _render_locally(experiment: Experiment, why: str, console: Console, wanted: Wanted) -> int:
    local = to_local(experiment)
    console.print(
        f"{folder(experiment)} is left as it is, since {why}: see {folder(local)}.",
        markup=False,
        highlight=False,
        soft_wrap=True,
    )
    return run(local, console, wanted)


def _items_of_page(experiment: Experiment) -> tuple[Item, ...]:
    """Return the items to render and those that were rendered before, in the paper's order.

    The page of the committed files is about whole items.
    """
    asked = {item.name: item for item in experiment.items}
    own = {} if is_protected(experiment) else asked
    return tuple(
        own.get(item.name, item)
        for item in paper_items(experiment.paper, experiment.protocol)
        if item.name in asked or any(folder(experiment).glob(f"{item.name}[._]*"))
    )
