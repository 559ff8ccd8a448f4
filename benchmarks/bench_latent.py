"""Speed of the latent-space trees against C4.5.

    python benchmarks/bench_latent.py [--repeats N]

Both sides of a ratio are fitted in turn in the same process on one thread. It only measures,
and checks nothing.
"""

from __future__ import annotations

from race import compare, print_head  # isort: skip (sets the threads)

import argparse
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retree import C45Classifier, GlobalSVDTreeClassifier, LocalSVDTreeClassifier
from retree_lab.datasets import load

MODELS = {
    "GSODT": (GlobalSVDTreeClassifier(), "<= 1.30"),
    "LSODT-L1, original below": (LocalSVDTreeClassifier(levels=1, below="original"), ""),
    "LSODT-L2": (LocalSVDTreeClassifier(levels=2), ""),
    "LSODT-L3": (LocalSVDTreeClassifier(levels=3), ""),
}


def problems() -> Iterator[tuple[str, NDArray[np.float64], NDArray[Any]]]:
    """Yield name, rows and labels of the data sets."""
    for name in ("waveform", "satellite"):
        X, y = load(name)
        rows = np.ascontiguousarray(X.to_numpy(dtype=np.float64))
        yield f"{name} {rows.shape[0]}x{rows.shape[1]}", rows, y.to_numpy().astype(str)


def main() -> None:
    """Read the command line and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--repeats", type=int, default=15, help="fits of which the fastest counts")
    arguments = parser.parse_args()
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 3)), rng.integers(2, size=200)
    for model, _ in MODELS.values():
        model.fit(X, y)
    print_head()
    for name, X, y in problems():
        for title, (model, target) in MODELS.items():
            label = f"{name}: {title} / C4.5"
            compare(label, model, C45Classifier(), X, y, arguments.repeats, target)


if __name__ == "__main__":
    main()
