"""Clusters of a data set against its classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from retree.clustering import k_means
from retree.datasets import load_dataset
from retree.experiments.definition.item import Item
from retree.relief import ReliefF, measure_columns
from retree.reports.compare_items import compare_number
from retree.reports.comparison import Comparison
from retree.reports.context import Context
from retree.reports.document import Bullets, Document, Entry, Table, number_cell
from retree.reports.formatting import agreement_sentence, number, verdict_legend
from retree.reports.kind import NumericKind, refuse_several

ERRORS, WEIGHT = "errors", "relief_weight"
_N_DRAWS = 200
_COMPUTED = (
    "There are no folds: all is computed from the rows of the data set when this page is made, as "
    "`tests/papers/test_cluster_table.py::test_errors_by_number_of_assignments` checks."
)


@dataclass(frozen=True)
class _Data:
    """A numeric data set: rows on a scale where each column has range 1, codes, and names."""

    name: str
    rows: NDArray[np.float64]
    codes: NDArray[np.intp]
    classes: list[str]
    columns: list[str]


@dataclass(frozen=True)
class Rounds:
    """A run of k-means that starts from the centres of the classes, and what it is called."""

    name: str
    max_rounds: int


@dataclass(frozen=True, kw_only=True)
class ClusterTable(NumericKind):
    """The errors of clusterings of one data set, and the weights they use.

    An error is a row whose cluster has more rows of another class.
    """

    weights: bool  # Whether columns are weighted by Relief-F
    rounds: Mapping[str, Rounds]

    @property
    def metric_names(self) -> tuple[str, ...]:
        """The errors and, if there are any, the weights."""
        return (ERRORS, WEIGHT) if self.weights else (ERRORS,)

    def check(self, item: Item) -> None:
        """Refuse an item of more than one data set."""
        refuse_several(item, "clusters")

    def compare(self, context: Context) -> Sequence[Comparison]:
        """Return the errors by clustering, then the weights by column."""
        name = context.item.datasets[0]
        if name in context.plan.unavailable:
            return []
        data = _load(context)
        found = [
            replace(
                compare_number(context, name, rounds.name, ERRORS, _errors(counts)),
                method_key=key,
            )
            for key, (rounds, counts) in zip(self.rounds, self._clusterings(data), strict=True)
        ]
        if self.weights:
            weights = ReliefF().fit(data.rows, data.codes).feature_weights_
            named = zip(data.columns, weights, strict=True)
            found += [compare_number(context, name, c, WEIGHT, float(w)) for c, w in named]
        return context.judge(found)

    def document(self, context: Context, rows: Sequence[Comparison]) -> Document | None:
        """Return the table of clusters and that of weights; None if the data are unavailable."""
        if not rows:
            return None
        data = _load(context)
        legend = [
            "k-means from the centres of the classes, on columns of range 1. An error is a row "
            "whose cluster has more rows of another class.",
            agreement_sentence(rows),
            *verdict_legend(rows),
        ]
        header = ["k-means after", "errors", "", *data.classes]
        tables = [Table(header, self._lines(data, rows))]
        if self.weights:
            tables.append(Table(*_weights(data, rows)))
        return Document([_COMPUTED], [*tables, Bullets(legend)])

    def _clusterings(self, data: _Data) -> list[tuple[Rounds, NDArray[np.intp]]]:
        """Return the clusterings with the rows of each class in each cluster."""
        weights = None
        if self.weights:
            # A negative weight is none.
            weights = np.maximum(ReliefF().fit(data.rows, data.codes).feature_weights_, 0)
        found = []
        for rounds in self.rounds.values():
            most = rounds.max_rounds
            labels = k_means(data.rows, data.codes, weights=weights, max_rounds=most).labels
            counts = [np.bincount(data.codes[labels == c], minlength=len(data.classes))
                      for c in range(labels.max() + 1)]  # fmt: skip
            found.append((rounds, np.array(counts)))
        return found

    def _lines(self, data: _Data, comparisons: Sequence[Comparison]) -> list[list[Entry]]:
        errors = {c.method: c for c in comparisons if c.metric == ERRORS}
        rows = []
        for rounds, counts in self._clusterings(data):
            for i, row in enumerate(counts):
                first: list[Entry] = [rounds.name, number_cell(errors[rounds.name])]
                rows.append([*(first if i == 0 else ["", ""]), f"cluster {i + 1}", *map(str, row)])
        return rows


def _load(context: Context) -> _Data:
    dataset = load_dataset(context.item.datasets[0], sources=context.experiment.sources)
    X = dataset.X.to_numpy(dtype=np.float64)
    offset, scale = measure_columns(X, np.zeros(X.shape[1], dtype=np.bool_))
    classes, codes = np.unique(dataset.y.to_numpy(dtype=str), return_inverse=True)
    names = [str(column) for column in dataset.X]
    return _Data(dataset.name, (X - offset) / scale, codes, classes.tolist(), names)


def _errors(counts: NDArray[np.intp]) -> float:
    return float(counts.sum() - counts.max(axis=1).sum())


def _weights(data: _Data, comparisons: Sequence[Comparison]) -> tuple[list[str], list[list[Entry]]]:
    """Return a table of the weights: of all rows, and over draws of fewer."""
    by_name = {c.method: c for c in comparisons if c.metric == WEIGHT}
    rows: list[list[Entry]] = [
        ["all rows (published)", *(number_cell(by_name[name]) for name in data.columns)]
    ]
    for n_samples in (100, 50, 20):
        drawn = [
            ReliefF(n_samples=n_samples, random_state=s).fit(data.rows, data.codes)
            for s in range(_N_DRAWS)
        ]
        ends = np.quantile([d.feature_weights_ for d in drawn], [0.025, 0.975], axis=0).T
        texts = [f"{number(WEIGHT, low)} to {number(WEIGHT, high)}" for low, high in ends]
        rows.append([f"{n_samples} rows, 95 % of {_N_DRAWS} draws", *texts])
    return ["Relief-F weights of", *data.columns], rows
