"""The command ``retree compare``: an estimator of one's own beside the results of a paper."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd
from rich import box
from rich.console import Console
from rich.table import Table

from retree.commands.check import try_method
from retree.errors import RetreeError, as_usage, unknown_name
from retree.experiments.definition.config import load_experiment, load_paper
from retree.experiments.definition.definitions import ACCURACY, Experiment, Item, Method
from retree.experiments.running.run_plans import run_plans
from retree.experiments.running.run_screen import print_failures
from retree.experiments.storing.planned import plan_all
from retree.reports.compare_items import compare_folds
from retree.reports.files import csv_text, write
from retree.reports.selection import Choices, best_test, nested
from retree.statistics.metrics import find_metric
from retree.study.composing import compose
from retree.study.registry import signature_of
from retree.workspace import open_workspace

OVERRIDES = ("datasets", "methods", "results", "store", "committed", "data.sources")
KEY, LEVEL = "own", 0.05
FOLDS = ("dataset", "method", "repeat", "fold", "accuracy", "params", "key")


def run(args: argparse.Namespace, overrides: Sequence[str], console: Console) -> int:
    """Compute the own estimator on the folds of an item, print all side by side; return 0 or 1.

    Parameters
    ----------
    args : Namespace
        What `retree.arguments` made of the command line.
    overrides : sequence of str
        Hydra overrides.
    console : Console
        Where to print.

    Raises
    ------
    RetreeError
        If the estimator or a name is wrong, or nothing is committed of the paper.
    """
    with as_usage():
        experiment = _load(args, overrides)
        item, own = experiment.items[0], _own_method(args.estimator)
        try_method(own, item, regression=False)
    alone = replace(item, methods=(own,), select=(), vary=None)
    planned = plan_all(replace(experiment, items=(alone,))).with_data()
    for name, why in planned.plans[0].gaps.items():
        _plain(f"Left out: {name[0]}, since {why}.", console)
    if not planned.plans[0].cells:
        raise RetreeError(f"{own.name} takes none of these data sets: name others by datasets=[…].")
    with open_workspace(planned, console, readonly=False) as workspace:
        done = run_plans(planned.plans, planned.datasets, workspace.store, experiment.execution)
    if done.failed:
        print_failures(done.failed, Console(stderr=True))
        return 1
    both = replace(item, methods=(own, *(m for m in item.methods if m.missing is None)))
    folds = _folds(replace(experiment, items=(both,)), console)
    if args.csv is not None:
        write(args.csv, csv_text(folds))
    _print(folds, both, console)
    return 0


def _load(args: argparse.Namespace, overrides: Sequence[str]) -> Experiment:
    """Return the experiment of the one item, whose protocol is run once."""
    for text in overrides:
        if (name := text.partition("=")[0]) not in OVERRIDES:
            raise unknown_name("override of retree compare", name, OVERRIDES)
    jobs = [] if args.jobs is None else [f"execution.jobs={args.jobs}"]
    paper = args.with_paper
    item = args.item or _first_item(paper)
    experiment = load_experiment(compose([f"paper={paper}", f"item={item}", *overrides, *jobs]))
    found = experiment.items[0]
    if found.protocol.whole or not (found.datasets and found.methods):
        raise RetreeError(f"{item} of {paper} has no folds: name another item with --item.")
    if experiment.committed is None or not (experiment.committed / paper).is_dir():
        raise RetreeError(
            f"{experiment.committed} has no results of {paper}: call retree compare in a clone of "
            "the repository, or say committed=PATH of its folder results."
        )
    once = replace(found.protocol, replicates=1)
    return replace(experiment, items=(replace(found, protocol=once, replicates_of={}),))


def _first_item(paper: str) -> str:
    """Return the first item of a paper that shows accuracies by data set and method."""
    items = load_paper(paper).items
    for name, item in items.items():
        metrics = item["metrics"] if item["kind"] == "metric_table" else ()
        if any(find_metric(metric).column == ACCURACY for metric in metrics):
            return name
    raise RetreeError(f"Say --item NAME, one of {', '.join(items)}.")


def _own_method(name: str) -> Method:
    """Return the method of a class, of a file in the working folder or of a package."""
    module, colon, cls = name.rpartition(":")
    if colon and not module.endswith(".py"):
        own = f"{module.replace('.', '/')}.py"
        name = f"{own}:{cls}" if Path(own).is_file() else f"{module}.{cls}"
    elif colon and not Path(module).is_file():
        raise RetreeError(f"There is no file {module}: name a file in the working folder.")
    method = Method(KEY, name.rpartition(":")[2].rpartition(".")[2], "", name, study=Path.cwd())
    signature_of(method.registered.target)
    return method


def _folds(experiment: Experiment, console: Console) -> pd.DataFrame:
    """Return the results of the folds of the chosen points, one in each row."""
    planned = plan_all(experiment)
    with open_workspace(planned, console) as workspace:
        (report,) = workspace.item_reports()
    best = best_test(report.frame)
    chosen: Choices = {**best, **nested(report.frame, best)}
    found = [choice.folds.reset_index() for choice in chosen.values() if len(choice.folds)]
    marked = {pair for pair, choice in chosen.items() if choice.on_test}
    folds = pd.concat(found, ignore_index=True)[list(FOLDS)]
    pairs = zip(folds["dataset"], folds["method"], strict=True)
    return folds.assign(chosen_on_test=[pair in marked for pair in pairs])


def _print(folds: pd.DataFrame, item: Item, console: Console) -> None:
    """Print mean accuracies, significant differences from the own method marked, and counts."""
    shown = set(folds["method"])
    own, *others = (method for method in item.methods if method.key in shown)
    table = Table("data set", *(method.name for method in (own, *others)), box=box.SIMPLE)
    by_pair = {pair: rows.set_index(["repeat", "fold"]) for pair, rows in _groups(folds)}
    counts = {method.key: [0, 0, 0, 0] for method in others}
    for name in item.datasets:
        ours, cells = by_pair.get((name, KEY)), []
        for method in others:
            theirs = by_pair.get((name, method.key))
            cells.append(_mean(theirs) + _judge(ours, theirs, item, counts[method.key]))
        table.add_row(item.label(name), _mean(ours), *cells)
    console.print(table)
    if lost := [method.name for method in item.methods if method.key not in shown]:
        _plain(f"Nothing that is committed is current: {', '.join(lost)}.", console)
    _plain(
        "Mean accuracy over the folds of the first replicate, with parameters chosen inside the "
        "training folds. ‡: chosen on the test rows, since nothing else is committed.",
        console,
    )
    _plain(
        f"▲, ▼: significantly more or less accurate than {own.name} by the t-test corrected for "
        f"overlapping training sets, at {LEVEL:.0%}. On how many data sets {own.name} is",
        console,
    )
    heads = ("more accurate", "less accurate", "significantly more", "significantly less")
    grid = Table("than", *heads, box=box.SIMPLE)
    for method in others:
        grid.add_row(method.name, *map(str, counts[method.key]))
    console.print(grid)


def _plain(text: str, console: Console) -> None:
    console.print(text, markup=False, highlight=False, soft_wrap=True)


def _groups(folds: pd.DataFrame) -> list[tuple[tuple[str, str], pd.DataFrame]]:
    groups = folds.groupby(["dataset", "method"], sort=False)
    return [((str(key[0]), str(key[1])), rows) for key, rows in groups if isinstance(key, tuple)]


def _mean(rows: pd.DataFrame | None) -> str:
    if rows is None:
        return "–"
    mark = "‡" if rows["chosen_on_test"].any() else ""
    return f"{rows['accuracy'].mean():.4f}{mark}"


def _judge(
    ours: pd.DataFrame | None, theirs: pd.DataFrame | None, item: Item, counts: list[int]
) -> str:
    """Count how the own method compares with another one, and return the other one's mark."""
    if ours is None or theirs is None:
        return ""
    a, b = theirs["accuracy"].align(ours["accuracy"])
    test = compare_folds(a, b, item.protocol)
    difference, sure = test.mean_difference, test.p_value < LEVEL
    if difference == 0 or math.isnan(difference):
        return ""
    behind = int(difference > 0)
    counts[behind] += 1
    counts[2 + behind] += sure
    return " " + "▼▲"[behind] if sure else ""
