"""A number of a table, shown with its folds."""

from __future__ import annotations

import argparse
import math
import textwrap
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import pandas as pd
from rich.console import Console

from retree.errors import RetreeError
from retree_lab.commands.show.find import Number, find_metric_name, find_number, read_place
from retree_lab.commands.show.folds import Folds, find_folds, pick
from retree_lab.experiments.planning.keys import KEY_DIGITS, Cell, canonical, depends_on_seed
from retree_lab.experiments.planning.splits import OUTER
from retree_lab.experiments.storing.planned import plan_all
from retree_lab.experiments.storing.store import Store
from retree_lab.experiments.verifying.verification import Grade, Recomputed
from retree_lab.experiments.verifying.verified import unverified
from retree_lab.reports.agreement import read_comparison
from retree_lab.reports.cells import run_sentences
from retree_lab.reports.comparison import word_of
from retree_lab.reports.context import best_words, protocol_sentence
from retree_lab.reports.document import is_nested, text_of
from retree_lab.reports.files import folder, item_title
from retree_lab.reports.formatting import number as rounded
from retree_lab.reports.formatting import verdict_words
from retree_lab.screen import print_table, say
from retree_lab.statistics.metrics import find_metric
from retree_lab.study.folders import named
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
        print_head(number, folds, console)
        if folds.rows.empty:
            why = folds.choice.reason if folds.choice else "it was not computed"
            raise RetreeError(f"There is no number: {why}. Compute it: {_command(number)}")
        print_value(number, folds, metric, console)
        if row := _row(number, metric):
            print_published(row, f"{number.item.name}.csv", metric, console)
        if args.fold is not None:
            folds = pick(folds, args.repeat, args.fold)
        print_folds(folds, metric, console)
        print_origin(number, folds, console)
        print_command(number, console)
        if args.rows or args.fold is not None:
            for cell in folds.cells:
                print_rows(folds.predictions(cell, store), cell, console)
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
        print_again(one, console)
    return any(one.difference.grade != Grade.EQUAL for one in recomputed)


WIDTH = 100


def print_head(number: Number, folds: Folds, console: Console) -> None:
    """Print which number it is, of what method and data."""
    item, method, dataset = number.item, number.method, folds.dataset
    paper = number.experiment.paper.name
    console.print(f"{paper}, {item_title(item.name)}: {item.caption}", style="bold", markup=False)
    say(f"{method.name} ({method.key}) on {dataset.name}", console)
    say(protocol_sentence(folds.plan.item.protocol), console)


def print_value(number: Number, folds: Folds, metric: str, console: Console) -> None:
    """Print the mean of the folds, and how its point of the grid was chosen."""
    choice = folds.choice
    if choice is None:
        return
    values = find_metric(metric).of(folds.rows)
    if not len(values) or values.isna().any():
        say(f"There is no {metric}: {choice.reason or 'the method has none'}.", console)
        return
    has_std = len(values) > 1 and find_metric(metric).has_spread
    std = f", standard deviation {rounded(metric, float(values.std()))}" if has_std else ""
    folds_text = "1 fold" if len(values) == 1 else f"{len(values)} folds"
    which = " of the first replicate" if folds.plan.item.protocol.replicates > 1 else ""
    mean = rounded(metric, float(values.mean()))
    say(f"{metric}: {mean}, the mean of {folds_text}{which}{std}", console)
    points = f"of the {choice.n_points} points of the grid (the first of equal ones)"
    if is_nested(choice.params):
        best = best_words(number.item, "mean")
        say(f"In each fold, the point with the {best} on the inner folds", console)
        say(f"{points}: no test row chose it.", console)
    elif choice.on_test:
        say(
            f"At {choice.params}, the point with the {best_words(number.item, 'mean test')}",
            console,
        )
        say(f"{points}.", console)
        say("The test rows chose it, so the number is optimistic.", console)
    if choice.reason:
        say(choice.reason, console)


def print_published(row: Mapping[Hashable, Any], file: str, metric: str, console: Console) -> None:
    """Print the row of the rendered table that the number stands in, and how it is judged."""
    names = ("reproduced", "published", "low", "high")
    numbers = {name: rounded(metric, row[name]) for name in names}
    ours = "no number" if math.isnan(row["reproduced"]) else numbers["reproduced"]
    text = f"{file}: reproduced {ours}"
    if row["n_replicates"] > 1:
        text += f", the mean of {row['n_replicates']:.0f} replicates"
    if not math.isnan(row["published"]):
        judged = verdict_words(row["verdict"])
        word = word_of(row["verdict"], metric, row["reproduced"], row["published"])
        said = f"{word} ({judged})" if word and judged != word else word or "not judged"
        text += f"; published {numbers['published']}: {said}"
        if not math.isnan(row["low"]):
            text += f"; one replicate gives {numbers['low']} to {numbers['high']}"
    say(text, console)


def print_folds(folds: Folds, metric: str, console: Console) -> None:
    """Print a row for each fold."""
    points = folds.rows["params"].nunique() > 1
    names = ["key", "repeat", "fold", *(["point"] if points else [])]
    inner = (folds.rows["inner"] != OUTER).any()
    names += ["inner"] if inner else []
    sizes = [name for name in ("accuracy", "depth", "leaves", "nodes") if name != metric]
    values = find_metric(metric).of(folds.rows)
    rows = []
    for (_, row), value in zip(folds.rows.iterrows(), values, strict=True):
        about = folds.stored.get(row["key"])
        place = [row["key"][:KEY_DIGITS], row["repeat"], row["fold"]]
        place += [*([row["point"]] if points else []), *([row["inner"]] if inner else [])]
        cells = [*place, value, *(row[name] for name in sizes)]
        counts = [about.n_train, about.n_test] if about else [None, None]
        rows.append([*map(_text, [*cells, *counts]), row["status"]])
    head = [*names, metric, *sizes, "n_train", "n_test", "status"]
    print_table(head, rows, console, keys=len(names), left=["status"])


def print_origin(number: Number, folds: Folds, console: Console) -> None:
    """Print parameters, seed, estimator, data, and the runs that computed the folds."""
    cell = folds.cells[0]
    name = str(number.method.estimator)
    registered = number.method.registered
    _paragraph(console, "estimator", f"{name}, version {registered.version} ({registered.target})")
    for title, text in _parameters(number, folds).items():
        _paragraph(console, title, text)
    if cell.parts.seed is not None:
        seeds = ", ".join(str(c.parts.seed) for c in folds.cells)
        is_used = depends_on_seed(number.method, cell.params)
        effect = "since the method sets none" if is_used else "which changes nothing here"
        _paragraph(console, "seeds", f"a different random_state in each fold, {effect}: {seeds}")
    data = folds.dataset
    shape = f"{data.X.shape[0]} rows, {data.X.shape[1]} features"
    _paragraph(console, "data", f"{data.name}, {shape}, from {data.source}, sha256 {data.sha256}")
    for computed in run_sentences(folds.runs):
        _paragraph(console, "computed", text_of(computed))
    for sentence in unverified([name], number.experiment.committed):
        _paragraph(console, "unverified", sentence)


def print_command(number: Number, console: Console) -> None:
    """Print the command that computes only the number."""
    say(f"{'command':<12}{_command(number)}", console)


def _command(number: Number) -> str:
    which = named(number.experiment.paper.name)
    restricted = f"datasets=[{number.dataset}] methods=[{number.method.key}]"
    return f"retree run {which} item={number.item.name} {restricted}"


def print_rows(table: pd.DataFrame, cell: Cell, console: Console) -> None:
    """Print the test rows of a cell with their true and predicted classes, or numbers."""
    classes, predicted = table["class"], table["predicted"]
    head = f"repeat {cell.repeat}, fold {cell.fold}: "
    if classes.dtype.kind == "f":
        heads = ["row", "target", "predicted", "error"]
        notes = list((predicted - classes).map(_text))
        say(f"{head}{len(table)} test rows", console)
    else:
        heads = ["row", "class", "predicted", ""]
        notes = ["" if equal else "misclassified" for equal in classes == predicted]
        wrong = sum(map(bool, notes))
        say(f"{head}{wrong} of {len(table)} test rows are misclassified", console)
    lines = zip(*(table[c] for c in table), notes, strict=True)
    rows = [[*map(_text, values), note] for *values, note in lines]
    print_table(heads, rows, console, left=heads)


def print_again(again: Recomputed, console: Console) -> None:
    """Print how a cell differs from the same computed again."""
    cell, difference = again.cell, again.difference
    moved = (
        f"{name} {difference.old.get(name, 'none')} → {new}" for name, new in difference.new.items()
    )
    changes = f"{difference.grade}: {'; '.join(moved)}"
    unchanged = "equal" if again.stored.digest is None else "equal, as is its digest"
    place = f"{cell.key[:KEY_DIGITS]}, repeat {cell.repeat}, fold {cell.fold}"
    say(f"computed again: {place}: {changes if difference.new else unchanged}", console)


def _parameters(number: Number, folds: Folds) -> dict[str, str]:
    """Return the parameters that are set and the ones left at their defaults, as paragraphs."""
    cell, n_points = folds.cells[0], folds.rows["params"].nunique()
    chosen = set(number.method.params) | (set(cell.params) if n_points == 1 else set())
    values = folds.parameters(cell)
    if cell.parts.seed is not None:
        values.pop("random_state", None)
    texts = {name: f"{name}={value!r}" for name, value in values.items()}
    varied = set(cell.params) - chosen
    lines = [text for name, text in texts.items() if name in chosen]
    lines += [f"fold {c.fold}: {canonical(dict(c.params))}" for c in folds.cells if varied]
    others = [text for name, text in texts.items() if name not in chosen | varied]
    return {"parameters": ", ".join(lines) or "none set", "defaults": ", ".join(others)}


def _paragraph(console: Console, title: str, text: str) -> None:
    width = min(console.width, WIDTH)
    lines = textwrap.wrap(text, width - 12, break_on_hyphens=False, break_long_words=False)
    for i, line in enumerate(lines):
        say(f"{title if i == 0 else '':<12}{line}", console)


def _text(value: Any) -> str:
    if value is None or value != value:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)
