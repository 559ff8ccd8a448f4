"""Speed of C45Classifier against scikit-learn's entropy tree, and against J48 if it is installed.

    python benchmarks/bench_c45.py [--repeats N]

Both sides of a ratio are fitted in turn in the same process on one thread. J48 is included if
``python-weka-wrapper3`` is installed (it needs a Java virtual machine). It is warmed up first, and
its time excludes converting the data. It only measures, and checks nothing.
"""

from __future__ import annotations

from race import compare, fastest, print_head, print_row  # isort: skip (sets the threads)

import argparse
import importlib.util
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

from retree import C45Classifier
from retree_lab.datasets import load

HAS_WEKA = importlib.util.find_spec("weka") is not None


class J48:
    """Weka's J48 behind ``fit``, its data converted beforehand."""

    def __init__(self, X: NDArray[np.float64], y: NDArray[Any]) -> None:
        import weka.core.jvm as jvm
        from weka.core.dataset import create_instances_from_matrices

        if not jvm.started:
            jvm.start()
        labels = np.array([f"c{label}" for label in y])
        self.data = create_instances_from_matrices(X, labels)
        self.data.class_is_last()

    def fit(self, X: NDArray[np.float64], y: NDArray[Any]) -> J48:
        """Build the classifier from the converted data."""
        from weka.classifiers import Classifier

        self.model = Classifier(classname="weka.classifiers.trees.J48")
        self.model.build_classifier(self.data)
        return self

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        return int(self.model.jwrapper.measureNumLeaves())


def problems() -> Iterator[tuple[str, str, NDArray[np.float64], NDArray[Any]]]:
    """Yield name, target, rows and labels of the data sets."""
    X, y = load("waveform")
    yield (
        "waveform 5000x21",
        "<= 0.28",
        np.ascontiguousarray(X.to_numpy()),
        y.to_numpy().astype(str),
    )
    shape: dict[str, Any] = {"n_samples": 20_000, "n_features": 50, "n_informative": 15}
    yield (
        "synthetic 20000x50",
        "<= 0.18",
        *make_classification(**shape, n_classes=4, random_state=0),
    )


def race(name: str, target: str, X: NDArray[np.float64], y: NDArray[Any], repeats: int) -> None:
    """Print C4.5 against the others on one data set."""
    ours, theirs = C45Classifier(), DecisionTreeClassifier(criterion="entropy", random_state=0)
    compare(f"{name}: C4.5 / sklearn entropy", ours, theirs, X, y, repeats, target)
    unpruned = C45Classifier(pruning=None, collapse=False)
    compare(f"{name}: unpruned / sklearn entropy", unpruned, theirs, X, y, repeats, "")
    if HAS_WEKA:
        j48 = J48(X, y).fit(X, y)
        leaves = f"{ours.get_n_leaves()} / {j48.get_n_leaves()}"
        print_row(f"{name}: C4.5 / J48", fastest([ours, j48], X, y, repeats), "s", "", leaves)


def main() -> None:
    """Read the command line and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--repeats", type=int, default=5, help="fits of which the fastest counts")
    arguments = parser.parse_args()
    rng = np.random.default_rng(0)
    C45Classifier().fit(rng.normal(size=(200, 3)), rng.integers(2, size=200))
    print_head()
    for problem in problems():
        race(*problem, arguments.repeats)
    if not HAS_WEKA:
        print("J48 is left out: python-weka-wrapper3 is not installed.")


if __name__ == "__main__":
    main()
