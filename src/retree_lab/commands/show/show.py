"""A number of a table, shown with its folds."""

from __future__ import annotations

import argparse
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from rich.console import Console

from retree.errors import RetreeError
from retree_lab.commands.show import show_screen
from retree_lab.commands.show.find import Number, find_metric_name, find_number, read_place
from retree_lab.commands.show.folds import Folds, find_folds, pick
from retree_lab.experiments.storing.planned import plan_all
from retree_lab.experiments.storing.store import Store
from retree_lab.experiments.verifying.verification import Grade
from retree_lab.reports.agreement import read_comparison
from retree_lab.reports.files import folder
from retree_lab.workspace import open_workspace


def show(
    args: argparse.Namespace, names: Sequence[str], overrides: Sequence[str], console: Console
) -> int:
    """Show what `names` are of; return 0, or 1 if a fold that was computed again differs."""
    place = read_place(names, overrides)
    number = find_number(place, overrides)
    metric = find_metric_name(number.item, args.metric)
    planned = plan_all(number.experiment).with_data()
    with open_workspace(planned, console) as workspace:
        store = workspace.store
        folds = find_folds(planned, number, metric, store)
        show_screen.print_head(number, folds, console)
        if folds.rows.empty:
            raise RetreeError(f"There is no number: {folds.choice.reason if folds.choice else ''}.")
        show_screen.print_value(number, folds, metric, console)
        if row := _row(number, metric):
            show_screen.print_published(row, f"{number.item.name}.csv", metric, console)
        if args.fold is not None:
            folds = pick(folds, args.repeat, args.fold)
        show_screen.print_folds(folds, metric, console)
        show_screen.print_origin(number, folds, console)
        show_screen.print_command(number, console)
        if args.rows or args.fold is not None:
            for cell in folds.cells:
                show_screen.print_rows(folds.predictions(cell, store), cell, console)
        return int(args.recompute and _recompute(folds, store, console))


def _row(number: Number, metric: str) -> Mapping[Hashable, Any] | None:
    """Return the number's row in the rendered table, None if it has none."""
    path = folder(number.experiment) / f"{number.item.name}.csv"
    table = read_comparison(path) if number.key is None and path.exists() else None
    if table is None:
        return None
    place = [number.item.label(number.dataset), number.method.name, metric]
    rows = table[(table[["dataset", "method", "metric"]] == place).all(axis=1)]
    return next(iter(rows.to_dict("records")), None)


def _recompute(folds: Folds, store: Store, console: Console) -> bool:
    """Compute the folds again, print what differs, and return whether anything does."""
    recomputed = folds.recompute(store)
    for one in recomputed:
        show_screen.print_again(one, console)
    return any(one.difference.grade != Grade.EQUAL for one in recomputed)
