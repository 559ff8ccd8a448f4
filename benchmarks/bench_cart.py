"""Speed of CartClassifier and CartRegressor against scikit-learn's trees.

    python benchmarks/bench_cart.py [--quick] [--repeats N]

Both sides of a ratio grow full trees in turn in the same process on one thread. scikit-learn has no
twoing, so twoing is compared with its Gini trees. A column of 1,000 levels, with labels of pure
noise, is compared with the same column as numbers.
It only measures, and checks nothing.
"""

from __future__ import annotations

from race import compare, print_head  # isort: skip (sets the threads)

import argparse
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import make_classification, make_friedman1
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from retree.trees.cart import CartClassifier, CartRegressor
from retree_lab.datasets import load

TARGETS = {"waveform": "<= 0.15", "synthetic": "<= 0.07", "adult": "<= 0.30"}


def race_classes(name: str, X: Any, y: Any, repeats: int) -> None:
    """Print the criteria of classification on one data set."""
    target = TARGETS[name.split()[0]]
    for criterion in ("gini", "entropy", "twoing"):
        theirs = "gini" if criterion == "twoing" else criterion
        pair = (
            CartClassifier(criterion=criterion),
            DecisionTreeClassifier(criterion=theirs, random_state=0),
        )
        compare(f"{name}: {criterion} / sklearn {theirs}", *pair, X, y, repeats, target)


def race_levels(n_classes: int, repeats: int) -> None:
    """Print a categorical column of 1,000 levels against a numeric one."""
    rng = np.random.default_rng(0)
    level, y = rng.integers(0, 1000, 20_000), rng.integers(0, n_classes, 20_000)
    X = pd.DataFrame({"level": pd.Categorical(level)})
    as_numbers = CartClassifier(categorical_features=None)
    pair = CartClassifier(categorical_features=[0]), as_numbers
    name = f"1,000 levels, {n_classes} classes: subsets / cuts"
    compare(name, *pair, X.astype(float), y, repeats, "")


def main() -> None:
    """Read the command line and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="fewer rows")
    parser.add_argument("--repeats", type=int, default=5, help="fits of which the fastest counts")
    arguments = parser.parse_args()
    n, repeats = 5_000 if arguments.quick else 20_000, arguments.repeats
    CartClassifier().fit(np.eye(4), [0, 1, 0, 1])
    print_head()
    X, y = load("waveform1_R")
    race_classes("waveform 5000x21", np.ascontiguousarray(X), y.to_numpy().astype(str), repeats)
    many = 5_000 if arguments.quick else 100_000
    X, y = make_classification(many, 50, n_informative=15, n_classes=4, random_state=0)
    race_classes(f"synthetic {many}x50", X, y, repeats)
    X, y = load("adult")
    race_classes("adult one-hot", pd.get_dummies(X).to_numpy(float), y.to_numpy(), repeats)
    X, y = make_friedman1(n, random_state=0)
    pair = CartRegressor(), DecisionTreeRegressor(random_state=0)
    compare(f"friedman1 {n}x10 / sklearn", *pair, X, y, repeats, "<= 0.35")
    for n_classes in (2, 5, 26):
        race_levels(n_classes, repeats)


if __name__ == "__main__":
    main()
