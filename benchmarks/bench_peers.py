"""Times of fitting and predicting: trees of retree and of other packages.

    python benchmarks/bench_peers.py [--repeats N] [--csv FILE]

The estimators are those of examples/peers; any that are not installed are left out. Encoding the
columns is not timed. A fit uses the whole data set, and a prediction 10,000 rows drawn from it.
Each time is the lowest CPU time of several on one thread. J48 runs in a Java virtual machine, for
which wall time is measured. It only measures, and checks nothing.
"""

from __future__ import annotations

import race  # isort: skip (sets the threads)

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from retree import C45Classifier, CartClassifier
from retree.forests.pipeline import ThinnedForestClassifier
from retree_lab.datasets import load

sys.path.insert(0, str(Path(__file__).parents[1] / "examples" / "peers"))
import estimators as peers
from weka_j48 import J48

SETS = ("car", "data_banknote_authentication", "german-credit", "vehicle", "vowel", "yeast")
ROWS = 10_000
NATIVE = {
    "C4.5 (pruned)": lambda: C45Classifier(),
    "CART, pruned": lambda: CartClassifier(pruning="cost_complexity", random_state=0),
    "thinned AdaBoost": lambda: ThinnedForestClassifier(
        ensemble="adaboost", thinning="ftcg", n_estimators=30, weka="3.6", random_state=0
    ),
}
WRAPPED = {
    "scikit-learn's tree": peers.SklearnTree,
    "OC1": peers.OC1,
    "c50py": peers.C50,
    "obliquetree": peers.ObliqueTree,
    "LightGBM, one round": peers.LightGBM,
    "imodels HSTree": peers.HSTree,
    "imodels FIGS": peers.FIGS,
    "random forest": peers.SklearnForest,
}


def ready(name: str, X: pd.DataFrame, many: pd.DataFrame, y: Any) -> tuple[Any, Any, Any]:
    """Return an estimator, and its rows for fitting and for predicting, already encoded."""
    if name in NATIVE:
        return NATIVE[name](), X, many
    peer = WRAPPED[name](random_state=0)
    peer.encoder_ = peer.encoder()
    encoded = peer.encoder_.fit_transform(X)
    return peer.make(), encoded, peer.encoder_.transform(many)


def seconds(name: str, X: pd.DataFrame, many: pd.DataFrame, y: Any, repeats: int) -> list[float]:
    """Return the lowest times of fitting and of predicting."""
    if name == "J48 in Java":
        return list(np.min([_weka_seconds(X, many, y) for _ in range(repeats)], axis=0))
    model, rows, further = ready(name, X, many, y)
    fit = race.fastest([model], rows, y, repeats)
    times = []
    for _ in range(repeats):
        start = time.process_time()
        model.predict(further)
        times.append(time.process_time() - start)
    return [*fit, min(times)]


def _weka_seconds(X: pd.DataFrame, many: pd.DataFrame, y: Any) -> tuple[float, float]:
    model = J48().fit(X, y)
    model.predict(many)
    return model.fit_seconds_, model.predict_seconds_


def rows(repeats: int) -> Iterator[dict[str, Any]]:
    """Yield the times by data set and method."""
    rng = np.random.default_rng(0)
    for dataset in SETS:
        X, labels = load(dataset)
        y = pd.factorize(labels, sort=True)[0]
        many = X.iloc[rng.integers(len(X), size=ROWS)].reset_index(drop=True)
        for name in [*NATIVE, *WRAPPED, "J48 in Java"]:
            try:
                fit, predict = seconds(name, X, many, y, repeats)
            except (ImportError, FileNotFoundError) as error:
                print(f"{name} is left out: {error}")
                continue
            print(f"{dataset:<30}{name:<22}{fit:9.4f} s{predict:9.4f} s", flush=True)
            yield {"dataset": dataset, "method": name, "fit": fit, "predict": predict}


def main() -> None:
    """Read the command line, print the times, and write them if asked."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--repeats", type=int, default=3, help="runs of which the fastest counts")
    parser.add_argument("--csv", type=Path, help="also write the times to this file")
    arguments = parser.parse_args()
    found = pd.DataFrame(rows(arguments.repeats))
    if arguments.csv:
        found.to_csv(arguments.csv, index=False, float_format="%.6f")


if __name__ == "__main__":
    main()
