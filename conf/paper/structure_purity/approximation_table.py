"""How far eq. 7 is from eq. 6, which it approximates, in the nodes of Gini's trees."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from retree.datasets import load_dataset
from retree.errors import RetreeError
from retree.experiments.definition.item import Item
from retree.reports.context import Context
from retree.reports.coverage import coverage_notes
from retree.reports.document import Bullets, Document, Entry, Table
from retree.reports.kind import FrameKind
from retree.trees.structure.structure_purity import StructurePurityClassifier

_COMPUTED = "There are no folds: all is computed from the data sets when this page is made."
_HEADER = [
    "data set",
    "nodes",
    "another split",
    "another feature",
    "penalty by eq. 6",
    "by eq. 7",
    "mean abs. difference",
]
_COUNTS = ("other_split", "other_feature")
_MEANS = ("penalty_6", "penalty_7", "difference")
_LEGEND = [
    "The nodes are those that Gini splits, grown from all rows of a data set. In each of them "
    "BNM+Gini chooses a split by either equation, whatever the size of the children.",
    "The penalties are those of the split that eq. 7 chooses, means over the nodes. Eq. 6 sums up "
    "squared distances over all features, eq. 7 distances from the threshold along one feature.",
]


@dataclass(frozen=True, kw_only=True)
class ApproximationTable(FrameKind):
    """A row for each data set: how often the equations choose differently, and their penalties."""

    omega2: float

    def check(self, item: Item) -> None:
        """Refuse a weight that is not positive: without BNM there is nothing to compare."""
        if not self.omega2 > 0:
            raise RetreeError(f"{item.name} needs an omega2 above 0.")

    def compare(self, context: Context) -> pd.DataFrame:
        """Return the counts and mean penalties by data set."""
        rows = []
        for name in context.item.datasets:
            if name in context.plan.unavailable:
                continue
            dataset = load_dataset(name, sources=context.experiment.sources)
            X = np.ascontiguousarray(dataset.X.to_numpy(np.float64))
            y = np.unique(dataset.y.to_numpy(str), return_inverse=True)[1]
            found = pd.DataFrame(self._nodes(X, y))
            rows.append({
                "dataset": context.item.label(name),
                "nodes": len(found),
                "other_split": int(found["other_split"].sum()),
                "other_feature": int(found["other_feature"].sum()),
                "penalty_6": found["nearest"].mean(),
                "penalty_7": found["within"].mean(),
                "difference": (found["nearest"] - found["within"]).abs().mean(),
            })  # fmt: skip
        return pd.DataFrame(rows)

    def document(self, context: Context, rows: pd.DataFrame) -> Document:
        """Return the table."""
        lines: list[list[Entry]] = [
            [
                row["dataset"],
                str(row["nodes"]),
                *(f"{row[n]} ({row[n] / row['nodes']:.0%})" for n in _COUNTS),
                *(f"{row[n]:.4f}" for n in _MEANS),
            ]
            for row in rows.to_dict("records")
        ]
        introduction = [_COMPUTED, *coverage_notes(context)]
        return Document(introduction, [Table(_HEADER, lines), Bullets(_LEGEND)])

    def _nodes(self, X: NDArray[np.float64], y: NDArray[np.intp]) -> Iterator[dict[str, Any]]:
        """Yield of each node that Gini splits what the equations say of it."""
        tree = StructurePurityClassifier("gini").fit(X, y).tree_
        rows_of = {0: np.arange(len(y))}
        for node in map(int, np.flatnonzero(~tree.is_leaf)):
            rows = rows_of.pop(node)
            goes_left = X[rows, tree.feature[node]] <= tree.threshold[node]
            for child, inside in zip(tree.children_of(node), (goes_left, ~goes_left), strict=True):
                if not tree.is_leaf[child]:
                    rows_of[int(child)] = rows[inside]
            chosen = {p: self._split(X[rows], y[rows], p) for p in ("within", "nearest")}
            within, nearest = penalties(X[rows], y[rows], *chosen["within"])
            yield {
                "other_split": chosen["within"] != chosen["nearest"],
                "other_feature": chosen["within"][0] != chosen["nearest"][0],
                "within": within,
                "nearest": nearest,
            }

    def _split(
        self, X: NDArray[np.float64], y: NDArray[np.intp], penalty: str
    ) -> tuple[int, float]:
        """Return the feature and the threshold that BNM+Gini chooses."""
        model = StructurePurityClassifier(
            "bnm", omega2=self.omega2, penalty=penalty, small_child="keep", max_depth=1
        )
        tree = model.fit(X, y).tree_
        return int(tree.feature[0]), float(tree.threshold[0])


def penalties(
    X: NDArray[np.float64], y: NDArray[np.intp], feature: int, threshold: float
) -> tuple[float, float]:
    """Return the penalty of a split by eq. 7 and by eq. 6.

    Shapes: `X` (n_samples, n_features), `y` (n_samples,).
    """
    low, extent = X.min(axis=0), np.ptp(X, axis=0)
    divisor = np.where(extent > 0, extent, 1.0)
    scaled, cut = (X - low) / divisor, (threshold - low[feature]) / divisor[feature]
    left, by_threshold, by_rows = X[:, feature] <= threshold, 0.0, 0.0
    for inside in (left, ~left):
        rows, labels = scaled[inside], y[inside]
        off, classes = np.abs(rows[:, feature] - cut), np.unique(labels)
        if len(classes) < 2:
            continue
        own = [labels == c for c in classes]
        by_threshold += float(np.mean([off[is_c].min() + off[~is_c].min() for is_c in own]))
        by_rows += float(np.mean([_nearest(rows[is_c], rows[~is_c]) ** 2 for is_c in own]))
    return by_threshold, by_rows


def _nearest(rows: NDArray[np.float64], others: NDArray[np.float64]) -> float:
    """Return the least Euclidean distance of one of `rows` from one of `others`."""
    few, many = sorted((rows, others), key=len)
    return float(np.min(cKDTree(many).query(few)[0]))
