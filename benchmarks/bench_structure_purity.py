"""Speed of StructurePurityClassifier, as ratios measured in one run.

    python benchmarks/bench_structure_purity.py [--quick] [--repeats N]

Both sides of a ratio are fitted in turn in the same process on one thread. Ratios below 1 mean that
the first side is faster. Mind the ratio of leaves, too: a criterion that stops at once is fast,
whatever a split costs. It only measures, and checks nothing. `bench_start.py` measures
memory.
"""

from __future__ import annotations

from race import compare, print_head  # isort: skip (sets the number of threads)

import argparse
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

from retree import StructurePurityClassifier
from retree_lab.datasets import load


class Problem(NamedTuple):
    """A data set and the greatest ratio to scikit-learn's time that is aimed at."""

    name: str
    X: NDArray[np.float64]
    y: NDArray[Any]
    target: float


def synthetic(n_samples: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the artificial data, shape (n_samples, 50)."""
    return make_classification(n_samples, n_features=50, n_informative=15, random_state=0)


def named(name: str, n_rows: int) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Return the first rows of a data set of the catalogue."""
    X, y = load(name)
    return np.ascontiguousarray(X.to_numpy()[:n_rows]), y.to_numpy().astype(str)[:n_rows]


def problems(quick: bool) -> Iterator[Problem]:
    """Yield the data sets."""
    yield Problem("waveform 5000x21", *named("waveform1_R", 5000), 0.35)
    n = 20_000 if quick else 100_000
    yield Problem(f"synthetic {n}x50", *synthetic(n), 0.30)
    n = 8_000 if quick else 26_000
    yield Problem(f"adult {n}x108", *named("adult", n), 0.8)


def compare_times(problem: Problem, repeats: int) -> None:
    """Time full Gini trees of both packages, then the other criteria against Gini by default."""
    full = StructurePurityClassifier(criterion="gini", small_child="skip", min_samples_leaf=1)
    theirs = DecisionTreeClassifier(random_state=0)
    name, data = problem.name, (problem.X, problem.y)
    target = f"<= {problem.target:.2f}"
    compare(f"{name}: gini / sklearn", full, theirs, *data, repeats, target)
    gini = StructurePurityClassifier(criterion="gini")
    for criterion in ("bnm", "csn", "bnm+csn"):
        model = StructurePurityClassifier(criterion=criterion)
        compare(f"{name}: {criterion} / gini", model, gini, *data, repeats, "<= 5")


def warm_up() -> None:
    """Fit once with wide and once with pair columns."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(200, 3)), rng.integers(0, 2, (200, 2))])
    y = rng.integers(0, 2, 200)
    for criterion in ("gini", "bnm", "csn", "bnm+csn"):
        StructurePurityClassifier(criterion=criterion).fit(X, y)


def main() -> None:
    """Read the command line and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="fewer rows")
    parser.add_argument("--repeats", type=int, default=5, help="fits of which the fastest counts")
    arguments = parser.parse_args()
    warm_up()
    print_head()
    for problem in problems(arguments.quick):
        compare_times(problem, arguments.repeats)


if __name__ == "__main__":
    main()
