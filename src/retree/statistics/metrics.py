"""The quantities that tables print, and how they come from the results of cells."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

import pandas as pd
from sklearn.metrics import get_scorer_names

from retree.errors import unknown_name
from retree.statistics.scoring import is_scorer


class Kind(StrEnum):
    """What a quantity measures, which decides how numbers of it are compared."""

    SHARE = "share"
    SIZE = "size"
    TIME = "time"
    RATIO = "ratio"
    COUNT = "count"
    SCORE = "score"


@dataclass(frozen=True)
class Metric:
    """A quantity: ``offset + scale * column`` of the results of a cell.

    Attributes
    ----------
    name : str
        As in the published tables.
    kind : Kind
    column : str
        Column of the results frame; "" if the quantity is not one of cells.
    label : str
        What a reader calls it.
    decimals : int
        As the papers print it.
    scale, offset : float
    """

    name: str
    kind: Kind
    column: str
    label: str
    decimals: int
    scale: float = 1.0
    offset: float = 0.0

    @property
    def smaller_is_better(self) -> bool:
        """Whether a smaller value is the better one."""
        return self.kind not in (Kind.SHARE, Kind.SCORE) or self.scale < 0

    def of(self, cells: pd.DataFrame) -> pd.Series:
        """Return the value of each row of a results frame."""
        return self.offset + self.scale * cells[self.column]


_ALL = (
    Metric("accuracy", Kind.SHARE, "accuracy", "accuracy", 4),
    Metric("accuracy_pct", Kind.SHARE, "accuracy", "accuracy in %", 2, scale=100),
    Metric("error_pct", Kind.SHARE, "accuracy", "error in %", 1, scale=-100, offset=100),
    Metric("correct_pct", Kind.SHARE, "accuracy", "correct test rows in %", 1, scale=100),
    # These come from two selections of an item's cells, so they have no column of their own.
    Metric("accuracy_nested", Kind.SHARE, "accuracy", "accuracy, nested selection", 4),
    Metric("optimism", Kind.SHARE, "accuracy", "optimism of the selection", 4),
    Metric("depth", Kind.SIZE, "depth", "depth", 1),
    Metric("leaves", Kind.SIZE, "leaves", "leaves", 1),
    Metric("nodes", Kind.SIZE, "nodes", "nodes", 1),
    Metric("tree_size", Kind.SIZE, "nodes", "nodes", 1),
    Metric(
        "train_ms_10_trees", Kind.TIME, "cpu_seconds", "CPU time of ten trees in ms", 0, scale=1e4
    ),
    Metric(
        "train_wall_ms_10_trees",
        Kind.TIME,
        "fit_seconds",
        "wall time of ten trees in ms",
        0,
        scale=1e4,
    ),
    # Of two times, so it has no column of its own.
    Metric("train_time_ratio", Kind.RATIO, "", "ratio of CPU times", 2),
    Metric("rows", Kind.COUNT, "", "rows", 0),
    Metric("attributes", Kind.COUNT, "", "features", 0),
    Metric("classes", Kind.COUNT, "", "classes", 0),
    Metric("numeric", Kind.COUNT, "", "numeric features", 0),
    Metric("nominal", Kind.COUNT, "", "categorical features", 0),
    Metric("missing", Kind.COUNT, "", "missing cells", 0),
    Metric("errors", Kind.COUNT, "", "rows in a cluster of mostly another class", 0),
    Metric("distance", Kind.COUNT, "", "distance", 1),
    Metric("relief_weight", Kind.SHARE, "", "Relief-F weight", 2),
    Metric("accuracy_gain_pct", Kind.SHARE, "", "difference of mean accuracies in points", 2, 100),
)
# Parts of the names of scikit-learn's scorers as people write them.
_WORDS = {"auc": "AUC", "f1": "F1", "neg": "negative", "ovo": "one-vs-one", "ovr": "one-vs-rest"}
_WORDS |= {"r2": "R²", "roc": "ROC"}
METRICS = {metric.name: metric for metric in _ALL}


def is_size(name: str) -> bool:
    """Whether the metric called `name` is a size of a tree."""
    return find_metric(name).kind == Kind.SIZE


def find_metric(name: str) -> Metric:
    """Return the metric called `name`: one of the papers', or a score, of which more is better.

    Raises
    ------
    UnknownNameError
        If there is none.
    """
    if name in METRICS:
        return METRICS[name]
    if not is_scorer(name):
        raise unknown_name("metric", name, [*METRICS, *get_scorer_names()])
    words = name.rpartition(":")[2].split("_")
    return Metric(name, Kind.SCORE, name, " ".join(_WORDS.get(word, word) for word in words), 4)


def find_scores(names: Iterable[str]) -> tuple[str, ...]:
    """Return those of `names` that cells have only if they are asked for them."""
    return tuple(name for name in names if find_metric(name).kind == Kind.SCORE)
