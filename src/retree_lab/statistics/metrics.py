"""The quantities that tables print, and how they come from the results of cells."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

import pandas as pd
from sklearn.metrics import get_scorer_names

from retree.errors import unknown_name

# The accuracy on the rows that a sample lacks, and that of a fit to all rows on the same rows,
# weighted as by Efron (JASA 78, 1983): a sample has about 0.632 = 1 - 1/e of the rows.
ACCURACY_632 = "accuracy_632"
OUT_OF_BAG_SHARE = 0.632


class MetricKind(StrEnum):
    """The kind of a quantity, which decides how its numbers are compared."""

    SHARE = "share"
    SIZE = "size"
    TIME = "time"
    RATIO = "ratio"
    COUNT = "count"
    SCORE = "score"
    STATISTIC = "statistic"  # Of a test, computed from published values alone


@dataclass(frozen=True)
class Metric:
    """A quantity: ``offset + scale * column`` of the results of a cell."""

    name: str  # As in the published tables
    kind: MetricKind
    column: str  # Column of the results frame; "" if the quantity is not one of cells
    label: str
    decimals: int
    scale: float = 1.0
    offset: float = 0.0
    is_loss: bool = False  # Of a score: whether a smaller value is the better one

    @property
    def smaller_is_better(self) -> bool:
        """Return whether a smaller value is the better one."""
        if self.kind == MetricKind.SCORE:
            return self.is_loss
        return self.kind != MetricKind.SHARE or self.scale < 0

    @property
    def most(self) -> float:
        """The largest value of a share of right or wrong rows, 1 or 100; NaN of other metrics."""
        is_share = self.kind == MetricKind.SHARE and self.column in ("accuracy", ACCURACY_632)
        return abs(self.scale) if is_share else math.nan

    @property
    def best(self) -> str:
        """The word for its best value."""
        return "lowest" if self.smaller_is_better else "highest"

    @property
    def log_plus(self) -> float | None:
        """The number added to a size before its logarithm is taken, since a depth may be 0."""
        if self.kind != MetricKind.SIZE:
            return None
        return 1.0 if self.column == "depth" else 0.0

    @property
    def has_spread(self) -> bool:
        """Return whether its values differ by chance from fold to fold as the number itself would.

        A part of a .632 estimate is one number, which all its values share.
        """
        return self.column != ACCURACY_632

    def of(self, cells: pd.DataFrame) -> pd.Series:
        """Return the value of each row of a results frame."""
        values = cells[self.column]
        # Reports ask ten thousands of times for what is a column as it stands.
        is_column = self.scale == 1 and self.offset == 0
        return values if is_column else self.offset + self.scale * values


_TEN_TREES = "time of ten trees in ms"
_ALL = (
    Metric("accuracy", MetricKind.SHARE, "accuracy", "accuracy", 4),
    Metric("accuracy_pct", MetricKind.SHARE, "accuracy", "accuracy in %", 2, scale=100),
    Metric("error", MetricKind.SHARE, "accuracy", "error", 4, scale=-1, offset=1),
    Metric("error_pct", MetricKind.SHARE, "accuracy", "error in %", 1, scale=-100, offset=100),
    Metric("correct_pct", MetricKind.SHARE, "accuracy", "correct test rows in %", 1, scale=100),
    Metric(ACCURACY_632, MetricKind.SHARE, ACCURACY_632, ".632 accuracy", 4),
    Metric("error_632_pct", MetricKind.SHARE, ACCURACY_632, ".632 error in %", 1, -100, 100),
    # These come from two selections of an item's cells, so they have no column of their own.
    Metric("accuracy_nested", MetricKind.SHARE, "accuracy", "accuracy, nested selection", 4),
    Metric("optimism", MetricKind.SHARE, "accuracy", "optimism of the selection", 4),
    Metric("depth", MetricKind.SIZE, "depth", "depth", 1),
    Metric("leaves", MetricKind.SIZE, "leaves", "leaves", 1),
    Metric("nodes", MetricKind.SIZE, "nodes", "nodes", 1),
    Metric("tree_size", MetricKind.SIZE, "nodes", "nodes", 1),
    Metric("train_ms_10_trees", MetricKind.TIME, "cpu_seconds", f"CPU {_TEN_TREES}", 0, 1e4),
    Metric("train_wall_ms_10_trees", MetricKind.TIME, "fit_seconds", f"wall {_TEN_TREES}", 0, 1e4),
    # Of two times, so it has no column of its own.
    Metric("train_time_ratio", MetricKind.RATIO, "", "ratio of CPU times", 2),
    Metric("rows", MetricKind.COUNT, "", "rows", 0),
    Metric("attributes", MetricKind.COUNT, "", "features", 0),
    Metric("classes", MetricKind.COUNT, "", "classes", 0),
    Metric("numeric", MetricKind.COUNT, "", "numeric features", 0),
    Metric("nominal", MetricKind.COUNT, "", "categorical features", 0),
    Metric("missing", MetricKind.COUNT, "", "missing cells", 0),
    Metric("errors", MetricKind.COUNT, "", "rows in a cluster of mostly another class", 0),
    Metric("hyperplanes", MetricKind.COUNT, "", "hyperplanes tried", 0),
    Metric("distance", MetricKind.COUNT, "", "distance", 1),
    Metric("relief_weight", MetricKind.SHARE, "", "Relief-F weight", 2),
    Metric(
        "accuracy_gain_pct", MetricKind.SHARE, "", "difference of mean accuracies in points", 2, 100
    ),
    Metric("rank", MetricKind.STATISTIC, "", "rank", 3),
    Metric("chi2", MetricKind.STATISTIC, "", "χ²", 3),
    Metric("f_statistic", MetricKind.STATISTIC, "", "F", 3),
    Metric("critical_difference", MetricKind.STATISTIC, "", "critical difference", 3),
    Metric("signed_ranks", MetricKind.STATISTIC, "", "smaller sum of signed ranks", 1),
    Metric("wins", MetricKind.STATISTIC, "", "wins", 0),
    Metric("z", MetricKind.STATISTIC, "", "z", 3),
    Metric("p_value", MetricKind.STATISTIC, "", "p", 4),
    Metric("p_bonferroni", MetricKind.STATISTIC, "", "p, Bonferroni", 4),
    Metric("p_holm", MetricKind.STATISTIC, "", "p, Holm", 4),
    Metric("p_shaffer", MetricKind.STATISTIC, "", "p, Shaffer", 4),
)
# Parts of the names of scikit-learn's scorers as people write them.
_WORDS = {"auc": "AUC", "f1": "F1", "neg": "negative", "ovo": "one-vs-one", "ovr": "one-vs-rest"}
_WORDS |= {"r2": "R²", "roc": "ROC"}
METRICS = {metric.name: metric for metric in _ALL}
# They are of our own choice of parameters inside the training folds: no paper publishes them.
_NESTED = "_nested"
NESTED, OPTIMISM = f"accuracy{_NESTED}", "optimism"
# How scikit-learn's names of functions end of which less is better.
_LOSSES = ("_error", "_loss", "_deviance")
# The directions that opened studies declare, by names of scores.
_DIRECTIONS: dict[str, bool] = {}
# Kinds of numbers as totals call them.
ACCURACIES, SIZES = "accuracies and errors", "sizes of trees"
_HEADLINES = {
    MetricKind.SHARE: ACCURACIES,
    MetricKind.SIZE: SIZES,
    MetricKind.COUNT: "counts of rows",
    MetricKind.RATIO: "ratios of times",
    MetricKind.TIME: "times",
    MetricKind.STATISTIC: "statistics of tests",
}


def nested_name(name: str) -> str:
    """Return the name of a metric beside its number chosen on the test rows."""
    return f"{name}{_NESTED}"


def is_nested(name: str) -> bool:
    """Return whether a metric is of parameters chosen inside the training folds, beside others."""
    return name.endswith(_NESTED)


def headline(name: str) -> str:
    """Return the group in which totals over tables count the numbers of a metric."""
    measure = find_metric(name)
    if name in ("distance", "relief_weight", OPTIMISM):
        return "other numbers"
    if (
        measure.column == "accuracy"
        or name.startswith("accuracy")
        or measure.kind == MetricKind.SCORE
    ):
        return ACCURACIES
    return _HEADLINES[measure.kind]


def is_size(name: str) -> bool:
    """Return whether the metric called `name` is a size of a tree."""
    return find_metric(name).kind == MetricKind.SIZE


def is_statistic(name: str) -> bool:
    """Return whether the metric called `name` is a statistic of a test; an unknown name is none."""
    return name in METRICS and METRICS[name].kind == MetricKind.STATISTIC


def is_scorer(name: str) -> bool:
    """Return whether `name` is one of scikit-learn's scorers, or is written ``module:function``."""
    return ":" in name or name in get_scorer_names()


def find_metric(name: str) -> Metric:
    """Return the metric called `name`: one of the papers', or a score.

    Of a score more is better, unless `declare_directions` says otherwise, or the name of a
    function ends as scikit-learn's names of losses do.
    """
    if name in METRICS:
        return METRICS[name]
    if is_nested(name):
        metric = find_metric(name.removesuffix(_NESTED))
        return replace(metric, name=name, label=f"{metric.label}, nested selection")
    if not is_scorer(name):
        raise unknown_name("metric", name, [*METRICS, *get_scorer_names()])
    _, colon, function = name.rpartition(":")
    words = " ".join(_WORDS.get(word, word) for word in function.split("_"))
    named_so = bool(colon) and function.endswith(_LOSSES) and not function.startswith("neg")
    is_loss = _DIRECTIONS.get(name, named_so)
    return Metric(name, MetricKind.SCORE, name, words, 4, is_loss=is_loss)


def declare_directions(names: Iterable[str], smaller_is_better: Mapping[str, bool]) -> None:
    """Note whether smaller values are better of the scores called `names`, as far as it is said."""
    for name in names:
        _DIRECTIONS.pop(name, None)
    _DIRECTIONS.update(smaller_is_better)


def find_scores(names: Iterable[str]) -> tuple[str, ...]:
    """Return which of `names` cells have only if they are asked for them."""
    return tuple(name for name in names if find_metric(name).kind == MetricKind.SCORE)
