"""The command ``retree report``."""

from __future__ import annotations

from dataclasses import replace

from rich.console import Console

from retree.errors import RetreeError
from retree.experiments.definition.config import paper_items
from retree.experiments.definition.definitions import Experiment, Item
from retree.experiments.running.run_screen import print_paths
from retree.experiments.storing.planned import plan_all
from retree.reports.console import show_table
from retree.reports.destination import find_losses, is_as_configured, is_protected, to_local
from retree.reports.files import folder
from retree.reports.page import write_page
from retree.reports.writer import write_item
from retree.workspace import open_workspace


def run(experiment: Experiment, console: Console, *, show: bool = False) -> int:
    """Render the items of `experiment` and the page of its paper, and return the exit code.

    What is restricted, or configured otherwise, or lacks cells that are committed, is rendered
    below ``<results>/local``, unless another folder than that of the committed files is named.
    The paths of the files are printed, with `show` the tables too.

    Raises
    ------
    RetreeError
        If no item is asked for, or no data set of any is available.
    """
    if experiment.items[0].kind is None:
        raise RetreeError("A report needs an item: say item=NAME (retree plan lists them).")
    if is_protected(experiment) and not is_as_configured(experiment):
        return _render_locally(experiment, "this is not the paper as configured", console, show)
    page = _items_of_page(experiment)
    items = (*page, *(item for item in experiment.items if item not in page))
    planned = plan_all(replace(experiment, items=items)).with_data()
    with open_workspace(planned, console) as workspace:
        contexts = workspace.item_reports()
    if is_protected(experiment) and (losses := find_losses(experiment, contexts)):
        why = ", ".join(f"{count} cells of {name}" for name, count in losses.items())
        return _render_locally(experiment, f"{why} are committed but not stored", console, show)
    for item, context in zip(items, contexts, strict=True):
        if item in experiment.items:
            files = write_item(context)
            if show:
                show_table(context, files, console)
            else:
                print_paths(files, console)
    about = replace(experiment, items=page)
    print_paths(write_page(about, contexts[: len(page)]), console)
    return 0


def _render_locally(experiment: Experiment, why: str, console: Console, show: bool) -> int:
    local = to_local(experiment)
    console.print(
        f"{folder(experiment)} is left as it is, since {why}: see {folder(local)}.",
        markup=False,
        highlight=False,
        soft_wrap=True,
    )
    return run(local, console, show=show)


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
