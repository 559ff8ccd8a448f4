"""Speed and memory of StructurePurityClassifier, as ratios measured in one run.

    python benchmarks/bench_structure_purity.py [--quick] [--repeats N]

Both sides of a ratio are fitted in turn in the same process on one thread. Ratios below 1
mean that the first side is faster. Memory is the growth of a fresh process' peak during one fit,
over the size of X. Mind the leaves, first over second: a criterion that stops at once is fast
whatever a split costs. Nothing is asserted: a busy machine is no error. The data set adult is taken
from the mirror folder (``RETREE_MIRROR``) or the cache of fetched sets, never from the network.
"""

from __future__ import annotations

from race import compare, print_head, print_row  # isort: skip (sets the number of threads)

import argparse
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

from retree import StructurePurityClassifier
from retree.datasets import catalogue, load
from retree.datasets.acquire import cached
from retree.errors import DataError

MEGABYTE = 2**20


class Problem(NamedTuple):
    """A data set and the greatest ratio to scikit-learn's time that is aimed at."""

    name: str
    X: NDArray[np.float64]
    y: NDArray[Any]
    target: float


def synthetic(n_samples: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the artificial data, shape (n_samples, 50)."""
    return make_classification(n_samples, n_features=50, n_informative=15, random_state=0)


def named(name: str, sources: list[str], n_rows: int) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Return the first rows of a data set of the catalogue."""
    X, y = load(name, sources=sources)
    return np.ascontiguousarray(X.to_numpy()[:n_rows]), y.to_numpy().astype(str)[:n_rows]


def problems(quick: bool) -> Iterator[Problem]:
    """Yield the data sets; say which is left out."""
    waveform = named("waveform1_R", ["mirror", "generator"], 5000)
    yield Problem("waveform 5000x21", *waveform, 0.35)
    n = 20_000 if quick else 100_000
    yield Problem(f"synthetic {n}x50", *synthetic(n), 0.30)
    entry = catalogue.find("adult")
    sources = ["mirror", *(s for s in ("openml", "uci") if cached(entry, s) is not None)]
    try:
        n = 8_000 if quick else 26_000
        adult = named("adult", sources, n)
    except DataError as error:
        print(f"adult is skipped: {error}")
        return
    yield Problem(f"adult {n}x108", *adult, 0.8)


def compare_times(problem: Problem, repeats: int) -> None:
    """Time full Gini trees of both packages, then the other criteria against Gini by default."""
    full = StructurePurityClassifier("gini", small_child="skip", min_samples_leaf=1)
    theirs = DecisionTreeClassifier(random_state=0)
    name, data = problem.name, (problem.X, problem.y)
    target = f"<= {problem.target:.2f}"
    compare(f"{name}: gini / sklearn", full, theirs, *data, repeats, target)
    gini = StructurePurityClassifier("gini")
    for criterion in ("bnm", "csn", "bnm+csn"):
        model = StructurePurityClassifier(criterion)
        compare(f"{name}: {criterion} / gini", model, gini, *data, repeats, "<= 5")


def peak_memory() -> int:
    """Return the greatest resident size so far of this process in bytes."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def print_memory_of_fit(criterion: str, folder: Path) -> None:
    """Fit the data in `folder`; print by how many bytes the peak of memory grew."""
    X, y = np.load(folder / "X.npy"), np.load(folder / "y.npy")
    model = StructurePurityClassifier(criterion)
    model.fit(X[:500], y[:500])  # loads the kernels
    before = peak_memory()
    model.fit(X, y)
    print(peak_memory() - before)


def compare_memory(quick: bool) -> None:
    """Measure the memory of fits in fresh processes."""

    def run(*arguments: str) -> str:
        command = [sys.executable, __file__, *arguments]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout

    with tempfile.TemporaryDirectory() as folder:
        # A child inherits the peak of its parent, so not even the data are made here.
        run("--make-data", folder, *(["--quick"] if quick else []))
        size = np.load(Path(folder) / "X.npy", mmap_mode="r").nbytes / MEGABYTE
        for criterion in ("gini", "bnm+csn"):
            growth = int(run("--memory-of", criterion, folder)) / MEGABYTE
            print_row(f"synthetic: memory of {criterion} / X", [growth, size], "MB", "<= 3", "")


def warm_up() -> None:
    """Fit once with wide and once with pair columns."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(200, 3)), rng.integers(0, 2, (200, 2))])
    y = rng.integers(0, 2, 200)
    for criterion in ("gini", "bnm", "csn", "bnm+csn"):
        StructurePurityClassifier(criterion).fit(X, y)


def main() -> None:
    """Read the command line and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="fewer rows")
    parser.add_argument("--repeats", type=int, default=5, help="fits of which the fastest counts")
    parser.add_argument("--make-data", metavar="FOLDER", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--memory-of", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.make_data:
        X, y = synthetic(20_000 if arguments.quick else 100_000)
        np.save(arguments.make_data / "X.npy", X)
        np.save(arguments.make_data / "y.npy", y)
        return
    if arguments.memory_of:
        print_memory_of_fit(arguments.memory_of[0], Path(arguments.memory_of[1]))
        return
    warm_up()
    print_head()
    compare_memory(arguments.quick)
    for problem in problems(arguments.quick):
        compare_times(problem, arguments.repeats)


if __name__ == "__main__":
    main()
