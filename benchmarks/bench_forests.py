"""Speed of bagging against scikit-learn's, and of thinning against growing.

    python benchmarks/bench_forests.py [--repeats N]

Both sides of a ratio take turns in the same process, on one thread, or on two for wall times.
Thinning gets the same rows as `fit`, so it checks and encodes them again.
It only measures, and checks nothing.
"""

from __future__ import annotations

from race import compare, fastest, print_head, print_row  # isort: skip (sets the threads)

import argparse
import time
from typing import Any

import numpy as np
from sklearn.ensemble import BaggingClassifier
from sklearn.tree import DecisionTreeClassifier

from retree import C45Classifier
from retree.forests import (
    AccuracyThinner,
    AdaBoostM1Classifier,
    BaggingTreesClassifier,
    ForestThinner,
)
from retree_lab.datasets import load


class Thinning:
    """A thinner behind ``fit``, with a forest that is grown beforehand."""

    def __init__(self, thinner: Any, forest: Any) -> None:
        self.thinner, self.forest = thinner, forest

    def fit(self, X: Any, y: Any) -> Thinning:
        """Thin the forest."""
        self.thinned = self.thinner.thin(self.forest, X, y)
        return self


def race_bagging(repeats: int) -> None:
    """Print 50 bagged trees against scikit-learn's."""
    X, y = load("waveform")
    rows, labels = np.ascontiguousarray(X.to_numpy()), y.to_numpy()
    for name, member in [("C4.5", C45Classifier()), ("unpruned", C45Classifier(pruning=None))]:
        for criterion in ("gini", "entropy"):
            ours = BaggingTreesClassifier(estimator=member, n_estimators=50, random_state=0)
            tree = DecisionTreeClassifier(criterion=criterion)
            theirs = BaggingClassifier(tree, n_estimators=50, random_state=0)
            theirs.get_n_leaves = lambda f=theirs: sum(t.get_n_leaves() for t in f.estimators_)
            title = f"waveform: 50 {name} / sklearn {criterion}"
            compare(title, ours, theirs, rows, labels, repeats, "<= 0.28")
    pair = [
        BaggingTreesClassifier(
            estimator=C45Classifier(), n_estimators=50, random_state=0, n_jobs=2
        ),
        BaggingClassifier(DecisionTreeClassifier(), n_estimators=50, random_state=0, n_jobs=2),
    ]
    seconds = fastest(pair, rows, labels, repeats, time.perf_counter)
    print_row("waveform: 50 C4.5 / sklearn, 2 threads", seconds, "s", "<= 0.28", "")


def race_thinning(name: str, n_trees: int, grower: type[Any], repeats: int) -> None:
    """Print thinning against growing on one data set."""
    X, y = load(name)
    labels = y.to_numpy()
    forest = grower(n_estimators=n_trees, random_state=0).fit(X, labels)
    for thinner in (ForestThinner(), AccuracyThinner()):
        thinning = Thinning(thinner, forest).fit(X, labels)
        title = f"{name}: {type(thinner).__name__} / {grower.__name__[:8]} {n_trees}"
        nodes = f"{thinning.thinned.get_node_count()} / {forest.get_node_count()} nodes"
        target = "<= 0.05" if isinstance(thinner, ForestThinner) else "<= 0.20"
        print_row(title, fastest([thinning, forest], X, labels, repeats), "s", target, nodes)


def main() -> None:
    """Read the command line and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--repeats", type=int, default=5, help="fits of which the fastest counts")
    arguments = parser.parse_args()
    rng = np.random.default_rng(0)
    warm = rng.normal(size=(200, 3)), rng.integers(2, size=200)
    for thinner in (ForestThinner(), AccuracyThinner()):
        Thinning(thinner, BaggingTreesClassifier(n_estimators=2).fit(*warm)).fit(*warm)
    print_head()
    race_bagging(arguments.repeats)
    for name in ("german-credit", "horse-colic", "page-blocks", "waveform"):
        for grower in (BaggingTreesClassifier, AdaBoostM1Classifier):
            race_thinning(name, 30, grower, arguments.repeats)
    race_thinning("waveform", 200, BaggingTreesClassifier, arguments.repeats)


if __name__ == "__main__":
    main()
