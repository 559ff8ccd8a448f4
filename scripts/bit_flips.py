"""Flip single bits of a store, and try what the commands do with it: ``make stress``.

Every other flip is in a store that has the cells of one item as committed. After each flip the
store is looked at, run twice and looked at again. No flip may stop the second run, and no value may
ever be another than before.

Usage: python bit_flips.py [--flips N] [--seed N]
"""

from __future__ import annotations

import argparse
import contextlib
import io
import random
import sys
import tempfile
import warnings
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "experiments"))
from toy_benchmark import WHOLE, make_datasets, make_experiment, register

from retree.errors import StoreError
from retree_lab.experiments.definition.definitions import Execution
from retree_lab.experiments.planning.plan import Plan, plan_item
from retree_lab.experiments.running.run_plans import run_plans, score_stored
from retree_lab.experiments.storing.planned import machines_of
from retree_lab.experiments.storing.results import read_cells, results_frame
from retree_lab.experiments.storing.status import Speed, plan_status
from retree_lab.experiments.storing.store import Store
from retree_lab.reports.cells import (
    cell_tables,
    number_runs,
    provenance_content,
    run_sentences,
    write_cells,
    write_provenance,
)
from retree_lab.reports.files import folder as results_folder
from retree_lab.reports.kinds import Kind

VALUES = ["status", "accuracy", "depth", "leaves", "nodes", "roc_auc"]
STOPPED, WRONG, LOST = "runs stopped for ever", "wrong values", "flips that lost cells"


@dataclass(frozen=True, kw_only=True)
class Scored(Kind):
    """A kind that asks for probabilities, too."""

    metrics: tuple[str, ...] = ("accuracy", "roc_auc")


def flip_bits(count: int, seed: int, folder: Path) -> Counter[str]:
    """Return how often what happened after each of `count` flips of one bit."""
    register()
    drawn, outcomes = random.Random(seed), Counter[str]()
    computed = _Case(_plans(), folder / "own" / "cells.sqlite")
    export = _commit(computed, folder)
    restored = _Case(computed.plans, folder / "restored" / "cells.sqlite", (export,))
    _run(restored)
    cases = [(case, case.path.read_bytes(), _look(case)) for case in (computed, restored)]
    for i in range(count):
        case, content, expected = cases[i % 2]
        for old in case.path.parent.iterdir():
            old.unlink()
        at, bit = drawn.randrange(len(content)), drawn.randrange(8)
        case.path.write_bytes(content[:at] + bytes([content[at] ^ 1 << bit]) + content[at + 1 :])
        with contextlib.redirect_stderr(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            outcomes += _try(case, expected, f"{case.path.parent.name}, byte {at}, bit {bit}")
    return outcomes


@dataclass(frozen=True)
class _Case:
    plans: list[Plan]
    path: Path
    committed: tuple[Path, ...] = ()

    def open(self, readonly: bool) -> Store:
        store = Store(self.path, readonly=readonly, committed=self.committed)
        store.take_in()
        return store


def _commit(case: _Case, folder: Path) -> Path:
    """Compute the cells of a case, and return the folder where those of its first item are."""
    _run(case)
    experiment = replace(make_experiment(), results=folder / "results")
    with case.open(readonly=True) as store:
        entries = [(case.plans[0], results_frame(case.plans[0], store))]
        write_cells(experiment, cell_tables(entries, [], store))
        write_provenance(experiment, provenance_content(entries, store))
    return results_folder(experiment)


def _try(case: _Case, expected: pd.DataFrame, flip: str) -> Counter[str]:
    found = Counter[str]()
    try:
        seen = _look(case)
        there = seen["status"] == "done"
        found[LOST] += not there.all()
        found[WRONG] += _is_wrong(seen[there], expected[there], flip)
    except StoreError:
        found["looks that were refused"] += 1
    try:
        found["cells computed again"] += _run(case)
    except StoreError:
        found["first runs that were refused"] += 1
    try:
        found["cells computed again"] += _run(case)
        after = _look(case)
    except StoreError as error:
        found[STOPPED] += 1
        print(f"{flip}: {error}")
    else:
        found[WRONG] += _is_wrong(after, expected, flip)
    return found


def _is_wrong(values: pd.DataFrame, expected: pd.DataFrame, flip: str) -> bool:
    if not (wrong := not values.equals(expected)):
        return False
    apart = (values != expected) & ~(values.isna() & expected.isna())
    print(flip, expected[apart.any(axis=1)], values[apart.any(axis=1)], sep="\n")
    return wrong


def _plans() -> list[Plan]:
    experiment = make_experiment(select=["best_test", "nested"])
    first = replace(experiment.items[0], kind=Scored())
    second = replace(make_experiment(protocol=WHOLE).items[0], name="trees")
    return [plan_item(experiment, item, make_datasets()) for item in (first, second)]


def _run(case: _Case) -> int:
    """Do what ``retree run`` does, and return how many cells were computed."""
    datasets, plans = make_datasets(), case.plans
    with case.open(readonly=False) as store:
        plan_status(plans, store, Speed(store, datasets))
        score_stored(plans, datasets, store)
        return run_plans(plans, datasets, store, Execution("local", "loky", 1)).computed


def _look(case: _Case) -> pd.DataFrame:
    """Do what ``retree report`` does, and return the values."""
    plans = case.plans
    with case.open(readonly=True) as store:
        plan_status(plans, store, Speed(store, make_datasets()))
        stored = read_cells(plans, store)
        machines_of(store.runs().values())
        frames = [results_frame(plan, stored) for plan in plans]
        run_sentences(number_runs(frames, stored)[0])
        for key in (key for key, cell in stored.rows.items() if cell.outputs is not None):
            store.predictions(key)
    return pd.concat(frames, ignore_index=True).reindex(columns=VALUES)


def main() -> int:
    """Flip, print what was found, and return 0 if nothing was stopped or wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--flips", type=int, default=630)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        outcomes = flip_bits(args.flips, args.seed, Path(folder))
    for name, count in sorted(outcomes.items()):
        print(f"{name}: {count}")
    return int(bool(outcomes[STOPPED] or outcomes[WRONG]))


if __name__ == "__main__":
    sys.exit(main())
