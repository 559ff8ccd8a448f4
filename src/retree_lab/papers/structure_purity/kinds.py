"""Marks of the published tables, and eq. 7 against eq. 6."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from retree.trees.structure.structure_trees import StructurePurityClassifier
from retree_lab.reports.compare_items import compare_item
from retree_lab.reports.comparison import Comparison
from retree_lab.reports.context import Context, introduction
from retree_lab.reports.document import Bullets, Document, Entry, TableCell
from retree_lab.reports.files import item_title
from retree_lab.reports.formatting import BLANK
from retree_lab.reports.kinds import FrameKind
from retree_lab.reports.sections import Column, page_table
from retree_lab.yaml_files import Bounds

if TYPE_CHECKING:
    pass

UP, DOWN, TICK = "↑", "↓", "√"
# Whether a number that is marked so is above that of the baseline.
_ABOVE = {UP: True, DOWN: False, TICK: False}
_MARK_COLUMNS = ["table", "dataset", "method", "metric", "mark", "published", "reproduced", "runs"]
_MARKS_LEGEND = [
    f"{UP} marks an accuracy above the baseline's, {DOWN} one below it, and {TICK} a smaller size.",
    "A mark holds in the paper if the published numbers differ in that direction, and here if the "
    "means over the runs do.",
    "Only marks that our copy of the paper shows are counted; it has lost most ticks.",
]


@dataclass(frozen=True, kw_only=True)
class MarkTable(FrameKind):
    """A row for each table, method and mark: how often it holds in the paper, and here."""

    baseline: str  # Key of the method that marked numbers are compared with
    of: Mapping[str, tuple[str, ...]]  # The metrics of each published table that has marks

    @property
    def metric_names(self) -> tuple[str, ...]:
        """The metrics of all tables."""
        return tuple(dict.fromkeys(metric for metrics in self.of.values() for metric in metrics))

    def method_keys(self) -> Iterable[str]:
        """Return the baseline."""
        return [self.baseline]

    def compare(self, context: Context) -> pd.DataFrame:
        """Return a row for each readable mark.

        ``published`` and ``reproduced`` say whether it holds, NaN where a number is lacking; `runs`
        is the share of our runs in which it does.
        """
        cells = compare_item(context, self.metric_names)
        ours = {(c.dataset, c.method, c.metric): c for c in cells}
        base = next(m.name for m in context.item.methods if m.key == self.baseline)
        marks = context.published.table()
        marks = marks[marks["marker"].isin(list(_ABOVE)) & marks["table"].isin(list(self.of))]
        rows = []
        for row in marks.to_dict("records"):
            place = row["dataset"], row["method"], row["metric"]
            beside = context.published.find(row["table"], place[0], base, place[2]).value
            pair = ours.get(place), ours.get((place[0], base, place[2]))
            above = _ABOVE[row["marker"]]
            rows.append([
                row["table"], *place, row["marker"],
                _holds(above, row["value"] - beside),
                *_in_runs(above, *pair),
            ])  # fmt: skip
        table = pd.DataFrame(rows, columns=_MARK_COLUMNS)
        ranks = table["method"].map({m.name: i for i, m in enumerate(context.item.methods)})
        return table.iloc[np.lexsort([table["mark"], ranks, table["table"]])]

    def document(self, context: Context, rows: pd.DataFrame) -> Document:
        """Return the counts, and the marks that do not hold."""
        names = ["table", "method", "metric", "mark"]
        groups = [(*map(str, place), group) for place, group in rows.groupby(names, sort=False)]
        columns = [
            Column("table", lambda row: item_title(row[0])),
            *(Column(name, itemgetter(place)) for place, name in enumerate(names[1:], 1)),
            Column("readable", lambda row: len(row[-1])),
            Column("holds in the paper", lambda row: _count(row[-1]["published"])),
            Column("holds here", lambda row: _count(row[-1]["reproduced"])),
        ]
        legend = Bullets([*_MARKS_LEGEND, *_contradicted(rows)])
        return Document(introduction(context), [page_table(columns, groups, left=4), legend])


def _holds(above: bool, difference: float) -> float:
    """Return 1 where a difference has the marked direction, 0 elsewhere, NaN where it is NaN."""
    if np.isnan(difference):
        return np.nan
    return float(difference > 0 if above else difference < 0)


def _in_runs(above: bool, ours: Comparison | None, base: Comparison | None) -> Sequence[float]:
    """Return whether a mark holds for the means over the runs, and the share of runs."""
    if ours is None or base is None:
        return np.nan, np.nan
    values, beside = (c.runs or (c.reproduced,) for c in (ours, base))
    if len(values) != len(beside):
        return np.nan, np.nan
    differences = np.subtract(values, beside)
    share = np.mean([_holds(above, float(d)) for d in differences])
    return _holds(above, float(differences.mean())), float(share)


def _count(held: pd.Series) -> Entry:
    values = held.dropna()
    return TableCell(f"{int(values.sum())} of {len(values)}") if len(values) else BLANK


def _contradicted(rows: pd.DataFrame) -> Iterator[str]:
    """Yield a sentence for the marks that the published numbers contradict, and one for ours."""
    for name, words in (("published", "the published numbers"), ("reproduced", "our means")):
        wrong = rows[rows[name] == 0]
        if len(wrong):
            names = (f"{r.method} on {r.dataset} ({r.mark})" for r in wrong.itertuples())
            yield f"Contradicted by {words}: {', '.join(names)}."


def approximation(
    context: Context, *, omega2: Annotated[float, Bounds(0, above=True)]
) -> pd.DataFrame:
    """Return how often the equations choose differently, and their penalties, by data set."""
    rows = []
    for name in context.item.datasets:
        if name in context.plan.unavailable:
            continue
        dataset = context.dataset(name)
        X = np.ascontiguousarray(dataset.X.to_numpy(np.float64))
        y = np.unique(dataset.y.to_numpy(str), return_inverse=True)[1]
        nodes = pd.DataFrame(_nodes(X, y, omega2))
        rows.append({
            "dataset": context.item.label(name),
            "nodes": len(nodes),
            "other_split": int(nodes["other_split"].sum()),
            "other_feature": int(nodes["other_feature"].sum()),
            "penalty_6": nodes["nearest"].mean(),
            "penalty_7": nodes["within"].mean(),
            "difference": (nodes["nearest"] - nodes["within"]).abs().mean(),
        })  # fmt: skip
    return pd.DataFrame(rows)


def _nodes(X: NDArray[np.float64], y: NDArray[np.intp], omega2: float) -> Iterator[dict[str, Any]]:
    """Yield of each node that Gini splits what the equations say of it."""
    tree = StructurePurityClassifier(criterion="gini").fit(X, y).tree_
    rows_of = {0: np.arange(len(y))}
    for node in map(int, np.flatnonzero(~tree.is_leaf)):
        rows = rows_of.pop(node)
        goes_left = X[rows, tree.feature[node]] <= tree.threshold[node]
        for child, inside in zip(tree.children_of(node), (goes_left, ~goes_left), strict=True):
            if not tree.is_leaf[child]:
                rows_of[int(child)] = rows[inside]
        chosen = {p: _split(X[rows], y[rows], omega2, p) for p in ("within", "nearest")}
        within, nearest = penalties(X[rows], y[rows], *chosen["within"])
        yield {
            "other_split": chosen["within"] != chosen["nearest"],
            "other_feature": chosen["within"][0] != chosen["nearest"][0],
            "within": within,
            "nearest": nearest,
        }


def _split(
    X: NDArray[np.float64], y: NDArray[np.intp], omega2: float, penalty: Any
) -> tuple[int, float]:
    """Return the feature and the threshold that BNM+Gini chooses."""
    model = StructurePurityClassifier(
        criterion="bnm", omega2=omega2, penalty=penalty, small_child="keep", max_depth=1
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
        members = [labels == c for c in classes]
        by_threshold += float(np.mean([off[is_c].min() + off[~is_c].min() for is_c in members]))
        by_rows += float(np.mean([_nearest(rows[is_c], rows[~is_c]) ** 2 for is_c in members]))
    return by_threshold, by_rows


def _nearest(rows: NDArray[np.float64], others: NDArray[np.float64]) -> float:
    """Return the smallest Euclidean distance of one of `rows` from one of `others`."""
    few, many = sorted((rows, others), key=len)
    return float(np.min(cKDTree(many).query(few)[0]))
