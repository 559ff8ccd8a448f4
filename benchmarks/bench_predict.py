"""Speed of prediction against scikit-learn's tree: 1,000,000 rows of 20 columns.

    python benchmarks/bench_predict.py [--quick] [--repeats N]

Trees are grown from 500 and from 20,000 of the rows, and predict all of them in turn in the same
process on one thread; scikit-learn's tree is that of CART. It only measures, and checks nothing.
"""

from __future__ import annotations

from race import print_head, print_row  # isort: skip (sets the threads)

import argparse
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from retree import C45Classifier, CartClassifier

TARGET = "<= 0.5"


def fastest(calls: Sequence[Callable[[], Any]], repeats: int) -> list[float]:
    """Return the milliseconds of CPU time of the fastest of several calls each, in turn."""
    milliseconds: list[list[float]] = [[] for _ in calls]
    for _ in range(repeats):
        for call, times in zip(calls, milliseconds, strict=True):
            start = time.process_time()
            call()
            times.append(1000 * (time.process_time() - start))
    return [min(times) for times in milliseconds]


def race(n_training: int, n_rows: int, repeats: int) -> None:
    """Print times of trees that were grown from so many rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 20))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=n_rows) > 0).astype(int)
    models = C45Classifier(), CartClassifier(), DecisionTreeClassifier(random_state=0)
    for model in models:
        model.fit(X[:n_training], y[:n_training])
    for method in ("predict", "predict_proba"):
        calls = [partial(getattr(model, method), X) for model in models]
        *ours, theirs = fastest(calls, repeats)
        for model, spent in zip(models[:2], ours, strict=True):
            leaves = f"{model.get_n_leaves()} / {models[2].get_n_leaves()}"
            name = f"{type(model).__name__}.{method}, {n_training:,} grown"
            print_row(name, (spent, theirs), "ms", TARGET, leaves)


def main() -> None:
    """Read the command line and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="fewer rows")
    parser.add_argument("--repeats", type=int, default=9, help="calls of which the fastest counts")
    arguments = parser.parse_args()
    print_head()
    for n_training in (500, 20_000):
        race(n_training, 100_000 if arguments.quick else 1_000_000, arguments.repeats)


if __name__ == "__main__":
    main()
