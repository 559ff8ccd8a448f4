"""Computing the cells of plans that are not stored yet, and metrics of stored cells."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

import numpy as np

from retree.errors import RetreeError
from retree_lab.experiments.definition.definitions import Execution
from retree_lab.experiments.planning.keys import Cell, canonical
from retree_lab.experiments.planning.plan import Datasets, Plan
from retree_lab.experiments.planning.splits import split_rows
from retree_lab.experiments.running.batches import batch_size, make_batches, make_problem
from retree_lab.experiments.running.compute import (
    NODE,
    Batch,
    Facts,
    Problem,
    describe_process,
    fit_points,
    raise_interrupt,
)
from retree_lab.experiments.running.execution import compute_all
from retree_lab.experiments.running.responses import recall_responses, score_responses
from retree_lab.experiments.running.workers import Workers
from retree_lab.experiments.storing.leases import LEASE_SECONDS, Claims, process_of
from retree_lab.experiments.storing.outcomes import Outcome
from retree_lab.experiments.storing.status import (
    Forecast,
    Pair,
    Speed,
    lacking_scores,
    pending_cells,
    scores_asked,
)
from retree_lab.experiments.storing.store import Store
from retree_lab.provenance import commit_state, now

VERSIONS = ("python", "numpy", "scipy", "scikit-learn", "pandas")


class CodeCheck:
    """Compares the processes that compute cells with this one.

    `folders`: by the key of a cell, the folders of a study's own Python files that it needs.
    `tell`: called with a sentence on each process that has other versions.
    """

    def __init__(self, folders: Mapping[str, frozenset[Path]], tell: Callable[[str], None]) -> None:
        self._folders, self._tell = folders, tell
        self._ours = {some: describe_process(some) for some in {*folders.values()}}
        self._told = set[str]()

    def admit(self, outcomes: Sequence[Outcome]) -> list[Outcome]:
        """Return `outcomes` with what computed them; raise a RetreeError if it ran other code."""
        admitted = []
        for outcome in outcomes:
            ours = self._ours[self._folders[outcome.key]]
            # A process that died says nothing; an earlier retree does not know how to.
            theirs = outcome.by or (ours if outcome.error else {})
            _refuse_other_code(theirs, ours)
            self._tell_versions(theirs, ours)
            facts = {name: value for name, value in theirs.items() if name != NODE}
            admitted.append(replace(outcome, by=facts))
        return admitted

    def _tell_versions(self, theirs: Facts, ours: Facts) -> None:
        other = [
            f"{name} {theirs.get(name)} instead of {ours.get(name)}"
            for name in VERSIONS
            if theirs.get(name) != ours.get(name)
        ]
        text = f"A worker on {theirs.get(NODE)} computes with {', '.join(other)}."
        if other and text not in self._told:
            self._told.add(text)
            self._tell(f"{text} Last bits may differ; the provenance of its cells says so.")


def _refuse_other_code(theirs: Facts, ours: Facts) -> None:
    finished = "Cells finished before are stored"
    where = theirs.get(NODE, "another machine")
    if theirs.get("code") != ours["code"]:
        there, here = (f"{some.get('retree')}, code {some.get('code')}" for some in (theirs, ours))
        raise RetreeError(
            f"A worker on {where} runs another retree ({there}) than this process "
            f"({here}), so none of its cells is stored: install the same there, and start the "
            f"worker again. {finished}."
        )
    if theirs.get("study_code") == ours.get("study_code"):
        return
    if theirs.get(NODE) == ours[NODE]:
        raise RetreeError(
            f"The study's Python files were edited during the run. {finished}; run again to "
            "compute the rest with the files as they are now."
        )
    raise RetreeError(
        f"A worker on {where} has other Python files of the study than this process, or "
        f"none: copy the study there, to the same place. {finished}."
    )


class Watch:
    """Follows a run: says what the user has to know, and shows no progress."""

    def __init__(self, forecast: Forecast) -> None:
        self._forecast, self._others = forecast, set[str]()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def advance(self) -> None:
        """Note that a batch is finished."""

    def drop(self) -> None:
        """Note that another run has computed some cells."""

    def wait(self, others: Mapping[str, str]) -> None:
        """Say, once for each other run, that it computes cells that this one waits for."""
        for owner in dict.fromkeys(others.values()):
            if owner not in self._others:
                self._others.add(owner)
                machine, process = process_of(owner)
                self.tell(
                    f"Another run (process {process} on {machine}) is computing some of these "
                    "cells: this one computes the others, then waits. If that run dies, its cells "
                    f"are taken over after {LEASE_SECONDS:.0f} s."
                )

    def tell(self, sentence: str) -> None:
        """Print a sentence on stderr."""
        print(sentence, file=sys.stderr, flush=True)


@dataclass(frozen=True)
class RunReport:
    """The outcome of a run."""

    planned: int  # Cells of the plans, each counted once, and those that were computed now
    computed: int
    failed: list[tuple[Cell, str]]  # The cells that raised, with their tracebacks
    elsewhere: int = 0  # Cells that another run on the same store has computed meanwhile


def run_plans(
    plans: Sequence[Plan],
    datasets: Datasets,
    store: Store,
    execution: Execution,
    workers: Workers | None = None,
    watch: type[Watch] = Watch,
) -> RunReport:
    """Compute every cell of `plans` that `store` does not have, and store it.

    Runs at the same time on one store share the cells.

    Each finished batch is one transaction, so whatever ends the run, the next one goes on from
    there. Results do not depend on jobs, order or interruption.

    `workers`: processes of this machine to take, which are left running.
    `watch`: follows the run, as a screen does.
    """
    cells = {cell.key: cell for plan in plans for cell in plan.every}
    batches = pending_batches(plans, store)
    if not batches:
        return RunReport(len(cells), 0, [])
    failed: list[tuple[Cell, str]] = []
    started, commit = now(), commit_state()
    runs: dict[str, int] = {}  # By what computed their cells
    pending = [key for batch in batches for key in batch.keys]
    computed = 0
    with (
        store.claims(pending) as claims,
        closing(
            compute_batches(batches, datasets, store, execution, claims, workers, watch)
        ) as finished,
    ):
        for outcomes in finished:
            by = {canonical(outcome.by): outcome.by or {} for outcome in outcomes}
            for text, facts in by.items():
                if text not in runs:
                    runs[text] = store.begin_run(started, {**commit, **facts})
                some = [(cells[o.key], o) for o in outcomes if canonical(o.by) == text]
                store.record(runs[text], some)
            computed += len(outcomes)
            failed += [(cells[o.key], o.error) for o in outcomes if o.error is not None]
    return RunReport(len(cells), computed, failed, len(pending) - computed)


def compute_batches(
    batches: Sequence[Batch],
    datasets: Datasets,
    store: Store,
    execution: Execution,
    claims: Claims | None = None,
    workers: Workers | None = None,
    watch: type[Watch] = Watch,
) -> Generator[list[Outcome], None, None]:
    """Yield the outcomes of each batch as it is finished, in any order.

    `store`: knows how long such cells took, so that the longest are begun first.
    """
    problems = {d: make_problem(datasets.find(*d)) for d in {batch.data for batch in batches}}
    sizes = {batch.keys[0]: batch_size(batch, problems) for batch in batches}
    pairs = {key: (batch.data[0], batch.method) for batch in batches for key in batch.keys}
    speed = Speed(store, datasets)
    expected = {pair: speed.seconds(*pair) for pair in set(pairs.values())}
    forecast = Forecast(pairs, expected, {data[0]: p.X.size for data, p in problems.items()})
    seconds = {batch.keys[0]: _seconds(batch, expected) for batch in batches}
    _warm_up(batches)
    ordered = sorted(
        (replace(batch, limits=batch.limits.over(execution.limits)) for batch in batches),
        key=lambda b: (b.protocol.timed, seconds[b.keys[0]], sizes[b.keys[0]]),
        reverse=True,
    )
    folders = {key: batch.own_folders for batch in batches for key in batch.keys}
    with watch(forecast) as watching:
        check = CodeCheck(folders, watching.tell)
        shared = _unclaimed(ordered, claims, forecast, watching) if claims else ordered
        with closing(compute_all(shared, problems, execution, workers, watching.tell)) as finished:
            for outcomes in map(check.admit, finished):
                yield outcomes
                forecast.finish(outcomes)
                watching.advance()


def _unclaimed(
    batches: Iterable[Batch], claims: Claims, forecast: Forecast, watching: Watch
) -> Iterator[Batch | None]:
    """Yield what no other run computes, each claimed as it is asked for; None: ask again later."""
    left = list(batches)
    while left:
        others = []
        for batch in left:
            taken = claims.take(batch.keys)
            if taken.mine:
                yield batch.part(i for i, key in enumerate(batch.keys) if key in taken.mine)
            if held := taken.others:
                watching.wait(held)
                others.append(batch.part(i for i, key in enumerate(batch.keys) if key in held))
            if taken.done:
                forecast.drop(taken.done)
                watching.drop()
        left = others
        if left:
            yield None


def pending_batches(plans: Sequence[Plan], store: Store) -> list[Batch]:
    """Return the cells of `plans` that `store` lacks."""
    missing = {cell.key for cell in pending_cells(plans, store)}
    pending = []
    for plan in plans:
        # Two methods may come to the same estimator at some points.
        cells = list({cell.key: cell for cell in plan.every if cell.key in missing}.values())
        missing.difference_update(cell.key for cell in cells)
        pending.append((plan, cells))
    return make_batches(pending, scores_asked(plans))


def _seconds(batch: Batch, expected: Mapping[Pair, float | None]) -> float:
    """Return the expected time of a batch, infinity if it is unknown."""
    each = expected[batch.data[0], batch.method]
    return math.inf if each is None else each * len(batch.keys)


def _warm_up(batches: Sequence[Batch]) -> None:
    """Fit a tiny problem with each method, so that what loads on first use is off the clock."""
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]] * 4)
    y = (X[:, 0] != X[:, 1]).astype(np.intp)
    for batch in {(batch.method, canonical(batch.params)): batch for batch in batches}.values():
        for points in (batch.points[:1], batch.points):
            try:
                for estimator in fit_points(replace(batch, points=points), X, y, X):
                    estimator.predict(X)
            except Exception as error:
                # What is wrong with a method shows in its own cells.
                raise_interrupt(error)


def score_stored(plans: Sequence[Plan], datasets: Datasets, store: Store) -> int:
    """Store the metrics that done cells of `plans` lack, and return of how many cells.

    No estimator is fitted: a cell stays as it is if what a metric needs is not stored.
    """
    asked = scores_asked(plans)
    lacking = {
        key: names
        for key, values in store.metrics(list(asked)).items()
        if values.error is None
        and values.outputs is not None
        and (names := lacking_scores(values, asked[key]))
    }
    cells = {c.key: (plan, c) for plan in plans for c in plan.every if c.key in lacking}
    data = {cell.data for _, cell in cells.values()}
    problems = {name: make_problem(datasets.find(*name)) for name in data}
    scored = {
        key: _score(plan, cell, lacking[key], problems[cell.data], store)
        for key, (plan, cell) in cells.items()
    }
    return store.add_scores({key: scores for key, scores in scored.items() if scores})


def _score(
    plan: Plan, cell: Cell, names: Sequence[str], problem: Problem, store: Store
) -> dict[str, float]:
    """Return the metrics called `names` of a stored cell; {} if one needs more than is stored."""
    protocol, y = plan.item.protocol.on(problem), problem.y
    test = split_rows(protocol, y, cell.repeat, cell.fold, cell.inner, problem.groups)[1]
    home = next(method.home for method in plan.item.methods if method.key == cell.method)
    responses = recall_responses(store.predictions(cell.key), store.probabilities(cell.key))
    try:
        return score_responses(responses, y[test], names, home)
    except AttributeError:
        return {}
