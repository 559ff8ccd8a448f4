"""Speed of CMDTClassifier and ReliefF, against scikit-rebate's ReliefF if it is installed.

    python benchmarks/bench_cmdt.py [--repeats N]

One thread; each time is printed beside its limit. It only measures, and checks nothing.

scikit-rebate (``skrebate``) differs from `ReliefF` in four ways. It treats numeric columns with at
most ten values as categorical. It leaves missing values out of a distance and divides by the number
of the others. Among rows that tie for the last place as a neighbour, it takes those that its sort
puts first. And it scales its sums differently. On complete data with many values its weights are
roughly a multiple of ours, so the ranks of the columns are compared.
"""

from __future__ import annotations

from race import ROW, fastest, print_row  # isort: skip (sets the threads)

import argparse
import importlib.util
from collections.abc import Iterator
from typing import Any

from scipy.stats import spearmanr
from sklearn.datasets import make_classification

from retree.relief import ReliefF
from retree.trees.cmdt import CMDTClassifier
from retree_lab.datasets import load

HAS_REBATE = importlib.util.find_spec("skrebate") is not None
_REBATE_SECONDS = 1.6  # what skrebate takes on 1000 x 21, as measured on another machine


def problems() -> Iterator[tuple[str, Any, Any, Any, float]]:
    """Yield name, model, rows, labels and limit in seconds."""
    shape: dict[str, Any] = {"n_samples": 1000, "n_features": 21, "n_informative": 8}
    X, y = make_classification(**shape, random_state=0)
    yield "ReliefF 1000x21", ReliefF(), X, y, _REBATE_SECONDS / 50
    for name, limit in (("abalone", 1.0), ("nursery", 0.4)):
        X, y = load(name)
        shape_text = f"{X.shape[0]}x{X.shape[1]}"
        yield f"ReliefF {name} {shape_text}", ReliefF(), X, y, limit
        yield f"CMDT {name} {shape_text}", CMDTClassifier(), X, y, limit
        unweighted = CMDTClassifier(weights=False)
        yield f"CMDT {name} without weights", unweighted, X, y, limit
        sampled = CMDTClassifier(n_samples=500, random_state=0)
        yield f"CMDT {name} 500 rows of Relief-F", sampled, X, y, limit


def race_rebate(repeats: int) -> None:
    """Print Relief-F against scikit-rebate's, and how alike their ranks are."""
    from skrebate import ReliefF as Rebate

    shape: dict[str, Any] = {"n_samples": 1000, "n_features": 21, "n_informative": 8}
    X, y = make_classification(**shape, random_state=0)
    ours, theirs = ReliefF(), Rebate(n_neighbors=10)
    print_row("ReliefF / skrebate", fastest([ours, theirs], X, y, repeats), "s", "<= 0.02", "")
    alike = spearmanr(ours.feature_weights_, theirs.feature_importances_).statistic
    print(f"rank correlation of the weights: {alike:.3f}")


def main() -> None:
    """Read the command line and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--repeats", type=int, default=3, help="fits of which the fastest counts")
    arguments = parser.parse_args()
    print(ROW.format("", "seconds", "limit", "ratio", "target", "nodes"))
    for name, model, X, y, limit in problems():
        model.fit(X[:200], y[:200])
        (seconds,) = fastest([model], X, y, arguments.repeats)
        nodes = str(model.tree_.node_count) if hasattr(model, "tree_") else ""
        print_row(name, [seconds, limit], "s", "<= 1", nodes)
    if HAS_REBATE:
        race_rebate(arguments.repeats)
    else:
        print("skrebate is left out: it is not installed.")


if __name__ == "__main__":
    main()
