"""Compute the index of `retree identify`: every learner by every protocol, on the bundled sets.

Data sets of OpenML's tasks come first, since their files are those of Weka's users. A bundled set
with as many rows of each class as one of them is another name of it. Sets of more than MOST values
are left out. The index is written when all of them are there.
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace

from joblib import Parallel, delayed

from retree_lab.datasets import Dataset, load_dataset
from retree_lab.datasets.openml_tasks import folder_of_tasks
from retree_lab.outside.computing import computed_index
from retree_lab.outside.index import Index, index_file
from retree_lab.study import catalogue
from retree_lab.study.available import paper_sets

MOST = 60_000


def main() -> int:
    """Compute and write the index, and say how large it is."""
    started = time.monotonic()
    sets, keys, aliases = bundled()
    jobs = sorted(sets, key=lambda name: -sets[name].X.size)
    asked = ((name, sets[name], keys[name]) for name in jobs)
    parts = Parallel(n_jobs=-1, batch_size=1)(delayed(part)(*each) for each in asked)
    done = dict(zip(jobs, parts, strict=True))
    (first, *rest) = (done[name] for name in sorted(sets))
    index = first
    for other in rest:
        index = index.with_data(other.datasets[0], other)
    replace(index, aliases=aliases).save(index_file())
    kilobytes, seconds = index_file().stat().st_size / 1e3, time.monotonic() - started
    print(f"{len(sets)} data sets in {seconds:.0f} s: {index_file().name} has {kilobytes:.0f} kB.")
    return 0


def part(name: str, dataset: Dataset, key: str) -> Index:
    """Compute the index of one data set."""
    index = computed_index(name, dataset, key)
    print(f"{name}, {len(dataset.y)} rows", file=sys.stderr, flush=True)
    return index


def bundled() -> tuple[dict[str, Dataset], dict[str, str], dict[str, str]]:
    """Return data sets and their keys by the names that people know, and the other names."""
    found: dict[str, Dataset] = {}
    keys: dict[str, str] = {}
    tasks = {name: module for name, module in paper_sets().items() if name.startswith("openml-")}
    files = {path.name.partition(".")[0] for path in folder_of_tasks().glob("*.gz")}
    for name, module in tasks.items():
        if name.removeprefix("openml-") in files:
            called = module.label(name).partition(" ")[2]
            found[called], keys[called] = load_dataset(name, sources=["bundled"]), name
    same = {_classes(dataset): name for name, dataset in reversed(found.items())}
    aliases: dict[str, str] = {}
    for name in catalogue.names():
        entry = catalogue.find(name)
        if "bundled" in catalogue.root(entry).sources:
            dataset = load_dataset(name, sources=["bundled"])
            if (known := same.get(_classes(dataset))) is not None:
                aliases |= dict.fromkeys((name, *entry.aliases), known)
            else:
                found[name], keys[name] = dataset, name
                aliases |= dict.fromkeys(entry.aliases, name)
    kept = {n: d for n, d in found.items() if d.X.size <= MOST and not d.is_regression}
    return kept, keys, {other: name for other, name in aliases.items() if name in kept}


def _classes(dataset: Dataset) -> tuple[int, ...]:
    return tuple(sorted(dataset.y.value_counts().tolist()))


if __name__ == "__main__":
    sys.exit(main())
