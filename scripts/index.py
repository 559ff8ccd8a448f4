"""Compute the index of `retree identify`: every learner by every protocol, on the bundled sets.

Data sets of OpenML's tasks come first, since their files are those of Weka's users. A bundled set
with as many rows of each class as one of them is another name of it. Sets of more than MOST values
are left out. Numbers are kept whose data, learner with its declared version, and protocol are as
they were; those that are lacking are computed, with --all every number. The index is written when
all of them are there.
"""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from retree_lab.datasets import Dataset, load_dataset
from retree_lab.datasets.openml_tasks import folder_of_tasks
from retree_lab.outside.computing import LEARNERS, MEDIUM, PROTOCOLS, Numbers, computed_index
from retree_lab.outside.index import Index, index_file, read_index
from retree_lab.study import catalogue
from retree_lab.study.available import paper_sets

MOST = 60_000


def main() -> int:
    """Compute what the index lacks, write it, and say how large it is."""
    started = time.monotonic()
    sets, keys, aliases = bundled()
    made = made_of(sets)
    old = None if "--all" in sys.argv[1:] or not index_file().exists() else read_index()
    jobs = sorted(sets, key=lambda name: -sets[name].X.size)
    asked = ((name, sets[name], keys[name], kept(name, old, made)) for name in jobs)
    rows = Parallel(n_jobs=-1, batch_size=1)(delayed(part)(*each) for each in asked)
    done = dict(zip(jobs, rows, strict=True))
    first, *rest = (done[name] for name in sorted(sets))
    index = first
    for other in rest:
        index = index.with_data(other.datasets[0], other)
    replace(index, aliases=aliases, made=made).save(index_file())
    kilobytes, seconds = index_file().stat().st_size / 1e3, time.monotonic() - started
    print(f"{len(sets)} data sets in {seconds:.0f} s: {index_file().name} has {kilobytes:.0f} kB.")
    return 0


def made_of(sets: Mapping[str, Dataset]) -> dict[str, str]:
    """Return by data set, learner and protocol a hash of what its numbers depend on."""
    texts = {name: f"{MEDIUM} {dataset.sha256}" for name, dataset in sets.items()}
    texts |= {name: described(model) for name, model in LEARNERS.items()}
    texts |= {name: str(protocol[1:]) for name, protocol in PROTOCOLS.items()}
    return {n: hashlib.sha256(text.encode()).hexdigest()[:16] for n, text in texts.items()}


def described(value: Any) -> str:
    """Return an estimator with its declared version and all parameters."""
    if not hasattr(value, "get_params"):
        return repr(value)
    given = (f"{k}={described(v)}" for k, v in sorted(value.get_params(deep=False).items()))
    return f"{type(value).__name__} {getattr(value, '_declared', '')} {', '.join(given)}"


def kept(name: str, old: Index | None, made: Mapping[str, str]) -> Numbers | None:
    """Return the numbers of a data set that stand, as `computed_index` takes them."""
    if old is None or old.made.get(name) != made[name]:
        return None
    at = old.datasets.index(name)
    same = {each for each, digest in made.items() if old.made.get(each) == digest}
    numbers = np.full((2, len(LEARNERS), len(PROTOCOLS)), np.inf)
    for i, learner in enumerate(LEARNERS):
        for j, protocol in enumerate(PROTOCOLS):
            if {learner, protocol} <= same:
                a, b = old.learners.index(learner), old.protocols.index(protocol)
                numbers[:, i, j] = old.accuracy[at, a, b], old.std[at, a, b]
    numbers[:, np.isnan(numbers[0])] = np.inf
    return numbers


def part(name: str, dataset: Dataset, key: str, numbers: Numbers | None) -> Index:
    """Compute the index of one data set, but for the numbers that stand."""
    index = computed_index(name, dataset, key, numbers)
    print(f"{name}, {len(dataset.y)} rows", file=sys.stderr, flush=True)
    return index


def bundled() -> tuple[dict[str, Dataset], dict[str, str], dict[str, str]]:
    """Return data sets and their keys by the names that people know, and the other names."""
    datasets: dict[str, Dataset] = {}
    keys: dict[str, str] = {}
    tasks = {name: module for name, module in paper_sets().items() if name.startswith("openml-")}
    files = {path.name.partition(".")[0] for path in folder_of_tasks().glob("*.gz")}
    for name, module in tasks.items():
        if name.removeprefix("openml-") in files:
            called = module.label(name).partition(" ")[2]
            datasets[called], keys[called] = load_dataset(name, sources=["bundled"]), name
    same = {_classes(dataset): name for name, dataset in reversed(datasets.items())}
    aliases: dict[str, str] = {}
    for name in catalogue.names():
        entry = catalogue.find(name)
        if "bundled" in catalogue.root(entry).sources:
            dataset = load_dataset(name, sources=["bundled"])
            if (twin := same.get(_classes(dataset))) is not None:
                aliases |= dict.fromkeys((name, *entry.aliases), twin)
            else:
                datasets[name], keys[name] = dataset, name
                aliases |= dict.fromkeys(entry.aliases, name)
    kept = {n: d for n, d in datasets.items() if d.X.size <= MOST and not d.is_regression}
    return kept, keys, {other: name for other, name in aliases.items() if name in kept}


def _classes(dataset: Dataset) -> tuple[int, ...]:
    return tuple(sorted(dataset.y.value_counts().tolist()))


if __name__ == "__main__":
    sys.exit(main())
