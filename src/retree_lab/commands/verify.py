"""Recompute stored cells and compare them.

Accuracy, sizes, and a digest of trees and predictions are compared. If all cells of an estimator
are equal, the estimator is recorded as verified. By default, all estimators and all papers are
checked; paper=NAME chooses one. Stored results are never overwritten. The exit code is 1 if a cell
differs.
"""

from __future__ import annotations

import argparse
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from rich.console import Console

from retree.errors import DataError, RetreeError, UnknownNameError
from retree_lab.commands import add_jobs, add_study, check_overrides, enter_study
from retree_lab.commands.run.run_screen import RunProgress
from retree_lab.experiments.definition.config import load_experiment
from retree_lab.experiments.definition.definitions import Experiment
from retree_lab.experiments.planning.keys import cells_text
from retree_lab.experiments.planning.plan import Plan
from retree_lab.experiments.planning.splits import inner_words
from retree_lab.experiments.running.workers import in_workers
from retree_lab.experiments.storing.exports import CELLS
from retree_lab.experiments.storing.planned import plan_all
from retree_lab.experiments.storing.status import done_keys
from retree_lab.experiments.storing.store import open_store
from retree_lab.experiments.verifying.fingerprint import fingerprint
from retree_lab.experiments.verifying.preregistration import FILE as PREREGISTERED
from retree_lab.experiments.verifying.preregistration import find_changed, read_preregistration
from retree_lab.experiments.verifying.verification import (
    Grade,
    Recomputed,
    Verification,
    choose_cells,
    draw_cells,
    sum_up,
    verify_plans,
)
from retree_lab.experiments.verifying.verified import (
    FILE,
    SUMS,
    Verified,
    note_exports,
    note_verified,
    read_verified,
)
from retree_lab.provenance import bits_text, provenance
from retree_lab.screen import print_table, say
from retree_lab.study import registry
from retree_lab.study.available import available
from retree_lab.study.composing import compose
from retree_lab.study.folders import opened
from retree_lab.study.registry import STATE, find_estimator
from retree_lab.workspace import open_workspace

# What the cells that are drawn took together when they were computed.
SECONDS = 30.0
SHOWN = 20
OVERRIDES = ("paper", "data.sources", "results", "store", "committed", "execution.")


class Wanted(NamedTuple):
    """The cells to verify: some of each method and data set, or a sample that a text draws."""

    estimators: frozenset[str]
    each: int | None  # How many of each method on each data set, None for all
    draw: str | None
    seconds: float  # How long those that are drawn took together


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.usage = "retree verify [options] [ESTIMATOR ...] [NAME=VALUE ...]"
    parser.add_argument(
        "names", nargs="*", metavar="ESTIMATOR", help="names of estimators (default: all)"
    )
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--all", action="store_true", help="recompute all stored cells")
    group.add_argument(
        "--sample",
        type=int,
        default=1,
        metavar="N",
        help="recompute N cells of each method on each data set (default: 1)",
    )
    group.add_argument(
        "--random",
        metavar="TEXT",
        help="recompute half a minute of cells, drawn by this seed, and record nothing",
    )
    add_jobs(parser)
    add_study(parser)


def run(args: argparse.Namespace, overrides: Sequence[str], console: Console) -> int:
    """Verify; return 0 if all is equal to what is stored, 1 if anything differs in any bit."""
    study = enter_study(args.study, ())
    overrides = [*study, *(name for name in args.names if "=" in name)]
    estimators = [name for name in args.names if "=" not in name]
    for name in estimators:
        registry.find_estimator(name)
    check_overrides("verify", overrides, OVERRIDES)
    if args.sample < 1:
        raise UnknownNameError("--sample must be at least 1.")
    jobs = [] if args.jobs is None else [f"execution.jobs={args.jobs}"]
    experiments = list(_experiments([*overrides, *jobs]))
    used = (m.estimator for e in experiments for item in e.items for m in item.methods)
    draws = args.random is not None
    wanted = Wanted(
        frozenset(estimators or (name for name in used if name is not None)),
        None if args.all else args.sample,
        args.random,
        SECONDS / len(experiments),
    )
    verifications = []
    for one, text in _verify_all(experiments, wanted):
        say(text, console, end="")
        verifications.append(one)
    code = _conclude(sum_up(verifications), experiments, console, notes=not draws)
    if not (code or draws or estimators):
        _note_exports(experiments, console)
    # A sample drawn at random is no replication of a preregistered study.
    return code if draws else max(code, *(_judge(e, code, console) for e in experiments))


def _judge(experiment: Experiment, code: int, console: Console) -> int:
    """Print a word on a preregistered study, and return the exit code; 0 where it is none."""
    noted = read_preregistration(experiment.paper.folder)
    if noted is None:
        if experiment.paper.folder in opened():
            place = experiment.paper.folder
            say(f"Not preregistered: {place} has no {PREREGISTERED}.", console)
        return 0
    moved = find_changed(noted, plan_all(experiment))
    word = f"CHANGED: {', '.join(moved)}" if moved else "FAIL" if code else "PASS"
    text = f"{word} (preregistered {noted['written']}, {noted['stored_before']} cells stored then)"
    say(text, console)
    return int(word != "PASS")


def _experiments(overrides: Sequence[str]) -> Iterator[Experiment]:
    """Yield the whole of each wanted paper."""
    wanted = [text.partition("=")[2] for text in overrides if text.startswith("paper=")]
    rest = [text for text in overrides if not text.startswith("paper=")]
    for name in wanted or available("paper"):
        yield load_experiment(compose([f"paper={name}", "item=all", *rest]))


def _verify_all(
    experiments: Sequence[Experiment], wanted: Wanted
) -> Iterator[tuple[Verification, str]]:
    """Yield what `_verify` returns of each paper."""
    jobs = 1
    if len(experiments) > 1 and experiments[0].execution.backend == "loky":
        # Planning takes as long as computing a sample, so that a paper is one process.
        jobs = experiments[0].execution.jobs
        experiments = [replace(e, execution=replace(e.execution, jobs=1)) for e in experiments]
    one = partial(_verify, wanted=wanted)
    yield from in_workers(one, experiments, jobs, size=_committed_size)


def _committed_size(experiment: Experiment) -> int:
    """Return the size in bytes of what is committed of a paper's cells."""
    path = (experiment.committed or experiment.results) / experiment.paper.name / CELLS
    return path.stat().st_size if path.exists() else 0


def _verify(experiment: Experiment, wanted: Wanted) -> tuple[Verification, str]:
    """Verify a paper; return the result and the printed text."""
    console, estimators = Console(soft_wrap=True), wanted.estimators
    planned = plan_all(_without_others(experiment, estimators))
    with open_store(planned.experiment) as store:
        if wanted.draw is None:
            done = done_keys(planned.plans, store)
            chosen = choose_cells(planned.plans, done, estimators, wanted.each)
        else:
            done = set()
            chosen = draw_cells(planned.plans, store, wanted.draw, wanted.seconds)
    with console.capture() as said:
        if wanted.draw is None:
            _print_absent(experiment.paper.name, planned.plans, estimators, done, console)
        else:
            n_cells = sum(len(plan.every) for plan in planned.plans)
            drawn = sum(len(plan.cells) for plan in chosen)
            name = experiment.paper.name
            say(f"{name}: {drawn:,} of {cells_text(n_cells)} were drawn", console)
        with open_workspace(replace(planned, plans=chosen), console) as workspace:
            verification = verify_plans(
                chosen, planned.datasets, workspace.store, experiment.execution, RunProgress
            )
    return verification, said.get()


def _print_absent(
    paper: str, plans: Sequence[Plan], estimators: Collection[str], done: set[str], console: Console
) -> None:
    """Say how many methods have no result on a data set, so that nothing is compared."""
    stored: dict[tuple[str, str], bool] = {}
    for plan in plans:
        methods = {method.key for method in plan.item.methods if method.estimator in estimators}
        for cell in (cell for cell in plan.cells if cell.method in methods):
            pair = cell.dataset, cell.method
            stored[pair] = stored.get(pair, False) or cell.key in done
    if absent := len(stored) - sum(stored.values()):
        say(
            f"{paper}: {absent} of {len(stored)} pairs of a method and a data set are not stored, "
            "so they were not verified",
            console,
        )


def _without_others(experiment: Experiment, estimators: Collection[str]) -> Experiment:
    """Return `experiment` without the items that have no method of one of `estimators`."""
    items = tuple(
        item
        for item in experiment.items
        if any(method.estimator in estimators for method in item.methods)
    )
    return replace(experiment, items=items)


def _conclude(
    verification: Verification, experiments: Sequence[Experiment], console: Console, notes: bool
) -> int:
    """Print what was found, note what is verified if `notes`, and return the exit code."""
    if not verification.compared.total():
        raise RetreeError("None of this is stored, so there is nothing to verify: run it first.")
    committed = experiments[0].committed
    print_verification(
        verification, {} if committed is None else read_verified(committed / FILE), console
    )
    equal = {name: n for name, n in verification.compared.items() if name not in verification.moved}
    if notes and equal and committed is not None:
        with _noting(console, f"Noted in {committed / FILE}."):
            names = [experiment.paper.name for experiment in experiments]
            note_verified(equal, names, committed / FILE)
    return int(bool(verification.mismatches))


@contextmanager
def _noting(console: Console, done: str) -> Iterator[None]:
    """Say that something is noted, or why it is not: a folder may be readonly."""
    try:
        yield
        say(done, console)
    except DataError as error:
        say(f"Not noted: {error}", console)


def _note_exports(experiments: Sequence[Experiment], console: Console) -> None:
    """Note the committed cells of papers as verified."""
    committed = experiments[0].committed
    names = [experiment.paper.name for experiment in experiments]
    if committed is None or not any((committed / name / CELLS).exists() for name in names):
        return
    with _noting(console, f"Their committed cells are noted in {committed / SUMS}."):
        note_exports(names, committed)


def print_verification(
    verification: Verification, notes: Mapping[str, Verified], console: Console
) -> None:
    """Print where cells were made, the first that differ, and a grade for all."""
    for made, count in verification.made.most_common():
        say(f"Stored: {cells_text(count)} computed on {made}.", console)
    say(f"Here: {bits_text(provenance())}.", console)
    if verification.mismatches:
        _print_mismatches(verification.mismatches, console)
    for name in sorted(verification.compared):
        grades = verification.grades(name)
        counts = (f"{grades[grade]:,} {grade}" for grade in Grade if grades[grade])
        say(f"{name}, {cells_text(verification.compared[name])}: {'; '.join(counts)}", console)
    for name in verification.moved:
        say(advice(name, notes.get(name)), console)
    if verification.undigested:
        say(
            f"{cells_text(verification.undigested)} stored without a digest: only accuracy, sizes "
            "and any stored predictions were compared.",
            console,
        )


def advice(name: str, note: Verified | None) -> str:
    """Return advice on an estimator whose recomputed cells differ from the stored ones.

    `note`: the last time that its cells came out as stored, None if that is not known.
    """
    if note is None:
        why = "it was never verified, so its sources may have changed"
        return f"{name}: {why}. If they have, {_how_to_raise(name)}."
    today, since = fingerprint(name), f"it was verified on {note.date}"
    if today.sources != note.fingerprint.sources:
        return (
            f"{name}: its sources have changed since {since}. If results were meant to move, "
            f"{_how_to_raise(name)}; if not, undo the change."
        )
    libraries = today.difference(note.fingerprint)
    moved = f" ({libraries})" if libraries else ""
    then = ", ".join(text for text in (note.machine, note.kernels) if text)
    return (
        f"{name}: its sources have not changed since {since} on {then or 'another machine'}, so "
        f"its version stays. The differences come from the processor or the libraries{moved}."
    )


def _how_to_raise(name: str) -> str:
    """Return how the version of an estimator is raised, and where that is said."""
    registered = find_estimator(name)
    if str(registered.version).startswith(STATE):
        return (
            "raise version: of its methods in methods/*.yaml if they have one; if not, set "
            "random_state to make it repeatable"
        )
    if isinstance(registered.version, str):
        return f"install the version of {registered.version.split()[0]} that the cells come from"
    where = "raise the version that it declares"
    return f"{where} and say in results/CHANGELOG.md what moved"


def _print_mismatches(mismatches: Sequence[Recomputed], console: Console) -> None:
    """Print the first of the cells that differ, last bits last."""
    ordered = sorted(mismatches, key=lambda m: m.difference.grade != Grade.DIFFERENT)
    head, rows = ["estimator", "method", "data set", "place", "stored", "computed"], []
    for mismatch in ordered[:SHOWN]:
        cell = mismatch.cell
        place = f"repeat {cell.repeat}, fold {cell.fold}{inner_words(cell.inner)}"
        values = (
            ", ".join(f"{name} {value}" for name, value in side.items())
            for side in (mismatch.difference.old, mismatch.difference.new)
        )
        rows.append([mismatch.estimator, cell.method, cell.dataset, place, *values])
    print_table(head, rows, console, left=head)
    if len(ordered) > SHOWN:
        console.print(f"and {len(ordered) - SHOWN} more")
