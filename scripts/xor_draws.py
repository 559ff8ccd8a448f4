"""Count for how many draws of Figure 1's XOR problem each criterion finds the four blobs.

A tree solves a draw if it has depth 2 and 4 leaves. Tried are the defaults and the grid of
structure_purity.
"""

from __future__ import annotations

import argparse
import itertools

from retree import StructurePurityClassifier
from retree_lab.datasets import make_gauss_xor
from retree_lab.study.composing import compose

CRITERIA = ("gini", "bnm", "csn", "bnm+csn")


def solved(estimator: StructurePurityClassifier) -> bool:
    """Tell whether a fitted tree has one leaf a blob."""
    return (estimator.get_depth(), estimator.get_n_leaves()) == (2, 4)


def main() -> None:
    """Draw and count."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--draws", type=int, default=40)
    draws = range(parser.parse_args().draws)
    grid = compose(["item=figure1"])["paper"]["grid"]
    points = [dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values())]
    samples = [make_gauss_xor(decimals=3, random_state=seed) for seed in draws]
    print(f"{'criterion':<10}{'default':>10}{'some point':>12}   of {len(samples)} draws")
    for criterion in CRITERIA:
        model = StructurePurityClassifier(criterion=criterion)
        default = [seed for seed, sample in enumerate(samples) if solved(model.fit(*sample))]
        some = sum(any(map(solved, model.fit_grid(*sample, points))) for sample in samples)
        print(f"{criterion:<10}{len(default):>10}{some:>12}   default solves {default}")


if __name__ == "__main__":
    main()
