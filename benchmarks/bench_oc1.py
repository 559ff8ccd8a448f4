"""Speed of OC1 and CART-LC against C4.5, and their trees against those of the original system.

    python benchmarks/bench_oc1.py [--repeats N] [--quality SEEDS [--sets NAME ...]]

The fits take turns on one thread. With ``--quality`` nothing is timed. Instead it prints the mean
and standard deviation, over the seeds, of each method's 10-fold accuracy and leaves beside the
original's from ``tests/reference/oc1/summary.csv``: once with the features unchanged, as in the
original, and once normalised.
It only measures, and checks nothing.
"""

from __future__ import annotations

from race import compare, print_head  # isort: skip (sets the threads)

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from retree import C45Classifier, CartLCClassifier, OC1Classifier
from retree_lab.datasets import load

SUMMARY = Path(__file__).parents[1] / "tests" / "reference" / "oc1" / "summary.csv"
# CPU time of the first of the two.
TARGETS = {
    ("waveform", "OC1"): "<= 0.6 s",
    ("vehicle", "OC1"): "<= 0.06 s",
    ("waveform", "CART-LC"): "<= 0.06 s",
}
TIMED = ("iris", "sonar", "diabetes", "vehicle", "waveform")
AXIS_PARALLEL = {"min_rows_per_feature": 1e9}
MODES: dict[str, tuple[type[OC1Classifier] | type[CartLCClassifier], dict[str, Any]]] = {
    "oc1": (OC1Classifier, {}),
    "oc1-p0": (OC1Classifier, {"pruning": None}),
    "cartlc": (CartLCClassifier, {}),
    "cartlc-p0": (CartLCClassifier, {"pruning": None}),
    "ap": (CartLCClassifier, AXIS_PARALLEL),
    "ap-p0": (CartLCClassifier, AXIS_PARALLEL | {"pruning": None}),
}
ROW = "{:<14}{:<11}{:<11}{:>8}{:>15}{:>8}{:>15}"


def load_set(name: str) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Return rows and labels of a numeric set."""
    X, y = load(name)
    return np.ascontiguousarray(X.to_numpy(float)), y.to_numpy().astype(str)


def race(name: str, repeats: int) -> None:
    """Print the times of both methods, pruned as by default and not at all, and of C4.5."""
    X, y = load_set(name)
    shape = f"{name} {X.shape[0]}x{X.shape[1]}"
    for pruning in ("cost_complexity", None):
        for model in (
            OC1Classifier(pruning=pruning, random_state=0),
            CartLCClassifier(pruning=pruning, random_state=0),
        ):
            method = "OC1" if isinstance(model, OC1Classifier) else "CART-LC"
            kind = method if pruning else f"{method} unpruned"
            target = TARGETS.get((name, kind), "")
            compare(f"{shape}: {kind} / C4.5", model, C45Classifier(), X, y, repeats, target)


def folds(model: Any, X: NDArray[np.float64], y: NDArray[Any], seed: int) -> tuple[float, float]:
    """Return the 10-fold accuracy in per cent and the mean leaves of the folds."""
    n_right, leaves = 0, []
    for train, test in StratifiedKFold(10, shuffle=True, random_state=seed).split(X, y):
        n_right += int((model.fit(X[train], y[train]).predict(X[test]) == y[test]).sum())
        leaves.append(model.get_n_leaves())
    return 100 * n_right / len(y), float(np.mean(leaves))


def compare_quality(names: Sequence[str], n_seeds: int) -> None:
    """Print accuracy and leaves beside the original's, which are of one seed."""
    summary = pd.read_csv(SUMMARY).set_index(["dataset", "mode"])
    print(ROW.format("", "mode", "attributes", "acc. %", "here", "leaves", "here"))
    for name, mode in summary.index:
        if name not in names:
            continue
        method, params = MODES[mode]
        X, y = load_set(name.replace("-", "_"))
        original = summary.loc[(name, mode)]
        for normalise in (False, True) if "min_rows_per_feature" not in params else (True,):
            models = [
                method(**params, normalise=normalise, random_state=seed) for seed in range(n_seeds)
            ]
            numbers = np.array([folds(model, X, y, seed) for seed, model in enumerate(models)])
            accuracy, leaves = (f"{c.mean():.2f} ± {c.std():.2f}" for c in numbers.T)
            print(
                ROW.format(
                    name, mode, "normalised" if normalise else "as they are",
                    f"{original['cv10_accuracy_pct']:.2f}", accuracy,
                    f"{original['mean_fold_leaves']:.1f}", leaves,
                ),
                flush=True,
            )  # fmt: skip


def main() -> None:
    """Read the command line and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--repeats", type=int, default=5, help="fits of which the fastest counts")
    parser.add_argument("--quality", type=int, metavar="SEEDS", help="compare trees, not times")
    sets = list(dict.fromkeys(pd.read_csv(SUMMARY)["dataset"]))
    parser.add_argument("--sets", nargs="+", default=sets, choices=sets, help="for --quality")
    arguments = parser.parse_args()
    if arguments.quality:
        compare_quality(arguments.sets, arguments.quality)
        return
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 3)), rng.integers(2, size=200)
    for model in (OC1Classifier(), CartLCClassifier(), C45Classifier()):
        model.fit(X, y)
    print_head()
    for name in TIMED:
        race(name, arguments.repeats)


if __name__ == "__main__":
    main()
