"""Clusterings of rows, and distances worked out."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import f as f_distribution

from retree.relief import ReliefF, measure_columns
from retree_lab.datasets import load_dataset
from retree_lab.experiments.definition.item import Item
from retree_lab.reports.compare_items import compare_number
from retree_lab.reports.comparison import Comparison
from retree_lab.reports.context import Context
from retree_lab.reports.document import Bullets, Document, Entry, Table, Text, number_cell
from retree_lab.reports.formatting import agreement_sentence, number, verdict_legend
from retree_lab.reports.kinds import NumericKind, refuse_several

from .clustering import cluster, k_means, k_modes

if TYPE_CHECKING:
    pass

ERRORS, WEIGHT = "errors", "relief_weight"
_N_DRAWS = 200
_CLUSTERED = (
    "There are no folds: everything is computed from the rows of the data set when this page is "
    "made, as `tests/papers/test_cluster_table.py::test_errors_by_number_of_assignments` checks."
)


class _Data(NamedTuple):
    """A numeric data set: rows on a scale where each column has range 1, codes, and names."""

    rows: NDArray[np.float64]
    codes: NDArray[np.intp]
    classes: list[str]
    columns: list[str]

    @property
    def weights(self) -> NDArray[np.float64]:
        """The weights of the columns by Relief-F."""
        return ReliefF().fit(self.rows, self.codes).feature_weights_


@dataclass(frozen=True)
class Rounds:
    """A run of k-means that starts from the centres of the classes, and what it is called."""

    name: str
    max_rounds: int


@dataclass(frozen=True, kw_only=True)
class ClusterTable(NumericKind):
    """The errors of clusterings of one data set, and the weights they use."""

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
        data, comparisons = _load_data(context), []
        for key, (rounds, counts) in self._clusterings(data).items():
            # An error is a row whose cluster has more rows of another class.
            errors = float(counts.sum() - counts.max(axis=1).sum())
            one = compare_number(context, name, rounds.name, ERRORS, errors)
            comparisons.append(replace(one, method_key=key))
        if self.weights:
            named = zip(data.columns, data.weights, strict=True)
            comparisons += [compare_number(context, name, c, WEIGHT, float(w)) for c, w in named]
        return context.judge(comparisons)

    def document(self, context: Context, rows: Sequence[Comparison]) -> Document | None:
        """Return the tables of clusters and of weights; None if the data are unavailable."""
        if not rows:
            return None
        data = _load_data(context)
        legend = [
            "k-means starts from the centres of the classes; features are scaled to a range of 1. "
            "An error is a row whose cluster has more rows of another class.",
            agreement_sentence(rows),
            *verdict_legend(rows),
        ]
        header = ["k-means after", "errors", "", *data.classes]
        tables = [Table(header, self._lines(data, rows))]
        if self.weights:
            tables.append(Table(*_weights(data, rows)))
        return Document([_CLUSTERED], [*tables, Bullets(legend)])

    def _clusterings(self, data: _Data) -> dict[str, tuple[Rounds, NDArray[np.intp]]]:
        """Return the clusterings with the rows of each class in each cluster."""
        # A negative weight is none.
        weights, clusterings = np.maximum(data.weights, 0) if self.weights else None, {}
        for key, rounds in self.rounds.items():
            most = rounds.max_rounds
            labels = k_means(data.rows, data.codes, weights=weights, max_rounds=most).labels
            counts = [np.bincount(data.codes[labels == c], minlength=len(data.classes))
                      for c in range(labels.max() + 1)]  # fmt: skip
            clusterings[key] = rounds, np.array(counts)
        return clusterings

    def _lines(self, data: _Data, comparisons: Sequence[Comparison]) -> list[list[Entry]]:
        errors = {c.method: c for c in comparisons if c.metric == ERRORS}
        rows = []
        for rounds, counts in self._clusterings(data).values():
            for i, row in enumerate(counts):
                first: list[Entry] = [rounds.name, number_cell(errors[rounds.name])]
                rows.append([*(first if i == 0 else ["", ""]), f"cluster {i + 1}", *map(str, row)])
        return rows


def _load_data(context: Context) -> _Data:
    dataset = load_dataset(context.item.datasets[0], sources=context.experiment.sources)
    X = dataset.X.to_numpy(dtype=np.float64)
    offset, scale = measure_columns(X, np.zeros(X.shape[1], dtype=np.bool_))
    classes, codes = np.unique(dataset.y.to_numpy(dtype=str), return_inverse=True)
    return _Data((X - offset) / scale, codes, classes.tolist(), [str(name) for name in dataset.X])


def _weights(data: _Data, comparisons: Sequence[Comparison]) -> tuple[list[str], list[list[Entry]]]:
    by_name = {c.method: c for c in comparisons if c.metric == WEIGHT}
    row: list[Entry] = ["all rows (published)", *(number_cell(by_name[n]) for n in data.columns)]
    return ["Relief-F weights of", *data.columns], [row]


def weight_draws(
    context: Context, *, published_in: str, neighbours: tuple[int, ...], drawn: tuple[int, ...]
) -> pd.DataFrame:
    """Return the mean weights of draws of rows, and how likely the published ones are beside them.

    The p-value is that of Hotelling's test of one more draw against the others, which allows for
    weights that rise and fall together. Published weights are off by rounding, too.
    """
    data, (name,), rows = _load_data(context), context.item.datasets, []
    item, label = published_in, context.item.label(name)
    weights = [context.published.find(item, label, column, WEIGHT) for column in data.columns]
    rounding = np.diag([value.unit**2 / 12 for value in weights])
    for k, n_samples in itertools.product(neighbours, drawn):
        draws = np.array(
            [
                ReliefF(n_neighbors=k, n_samples=n_samples, random_state=s)
                .fit(data.rows, data.codes)
                .feature_weights_
                for s in range(_N_DRAWS)
            ]
        )
        mean, (n, p) = draws.mean(axis=0), draws.shape
        gap = np.array([value.value for value in weights]) - mean
        spread = np.cov(draws, rowvar=False) * (1 + 1 / n) + rounding
        square = float(gap @ np.linalg.solve(spread, gap))
        p_value = float(f_distribution.sf(square * (n - p) / (p * (n - 1)), p, n - p))
        rows.append([k, n_samples, *mean, p_value])
    columns = ["neighbours", "drawn", *data.columns, "p_value"]
    table = pd.DataFrame(rows, columns=columns)
    published = ", ".join(number(WEIGHT, value.value) for value in weights)
    table.attrs["notes"] = [
        f"Means over {_N_DRAWS} samples of rows. p is the probability that a sample is as far from "
        f"them as the published weights are ({published}), by Hotelling's test."
    ]
    return table


DISTANCE = "distance"
Counts = Mapping[str, tuple[int, ...]]
_COMPUTED = (
    "There are no folds: the distances are computed from these counts when this page is made, as "
    "`tests/papers/test_cluster_table.py::test_distances_of_the_worked_example` checks."
)


@dataclass(frozen=True)
class Cluster:
    """A cluster: its name and the counts of the levels of each feature."""

    name: str
    counts: Counts


@dataclass(frozen=True, kw_only=True)
class WorkedExample(NumericKind):
    """The distances between rows and clusters, by shares of levels and by modes."""

    levels: Mapping[str, tuple[str, ...]]  # The levels of each feature
    clusters: Mapping[str, Cluster]
    rows: Mapping[str, Mapping[str, str]]  # By name, the levels of rows
    notes: tuple[str, ...] = ()  # Sentences below the tables

    @property
    def metric_names(self) -> tuple[str, ...]:
        """The distance."""
        return (DISTANCE,)

    def compare(self, context: Context) -> Sequence[Comparison]:
        """Return the distances by row (as data set) and cluster (as method)."""
        comparisons = []
        for (name, row), (key, c) in itertools.product(self._coded_rows(), self.clusters.items()):
            distance = self._distance(row, c.counts)
            one = compare_number(context, name, c.name, DISTANCE, distance)
            comparisons.append(replace(one, method_key=key))
        return context.judge(comparisons)

    def document(self, context: Context, rows: Sequence[Comparison]) -> Document:
        """Return a table of the counts, and one of the distances."""
        legend = [agreement_sentence(rows), *verdict_legend(rows), *self.notes]
        named = [f"{name} = ({', '.join(row.values())})" for name, row in self.rows.items()]
        counts, distances = Table(*self._counts(), left=2), Table(*self._distances(rows), left=2)
        between = Text(text=f"Distances of {'; '.join(named)}:")
        return Document([_COMPUTED], [counts, between, distances, Bullets(legend)])

    def _coded_rows(self) -> Iterator[tuple[str, NDArray[np.float64]]]:
        """Yield name and level codes of each row."""
        for name, row in self.rows.items():
            codes = [levels.index(row[a]) for a, levels in self.levels.items()]
            yield name, np.array(codes, dtype=np.float64)

    def _distance(self, row: NDArray[np.float64], counts: Counts) -> float:
        columns = [np.repeat(np.arange(len(v)), counts[a]) for a, v in self.levels.items()]
        members = np.column_stack(columns).astype(np.float64)
        n_levels = [len(levels) for levels in self.levels.values()]
        one = np.zeros(len(members), dtype=np.intp)
        centre = cluster(members, one, n_levels, max_rounds=0, modes=False).centres
        return cluster(row[None], centre, n_levels, max_rounds=0, modes=False).cost

    def _modes(self, counts: Counts) -> list[tuple[int, ...]]:
        """Return every choice of modes of a cluster, as level codes."""
        tied = [np.flatnonzero(np.equal(counts[a], max(counts[a]))) for a in self.levels]
        return [tuple(int(code) for code in codes) for codes in itertools.product(*tied)]

    def _counts(self) -> tuple[list[str], list[list[Entry]]]:
        clusters = self.clusters.values()
        rows: list[list[Entry]] = [
            [attribute, level, *(str(c.counts[attribute][i]) for c in clusters)]
            for attribute, levels in self.levels.items()
            for i, level in enumerate(levels)
        ]
        return ["feature", "value", *(f"rows of {c.name}" for c in clusters)], rows

    def _distances(self, comparisons: Sequence[Comparison]) -> tuple[list[str], list[list[Entry]]]:
        """Return the distances by shares, and by every choice of modes, and the nearest cluster."""
        clusters = list(self.clusters.values())
        rows: list[list[Entry]] = []
        for name, row in self._coded_rows():
            ours = [c for c in comparisons if c.dataset == name]
            near = _nearest([c.reproduced for c in ours], clusters)
            rows.append([name, "shares of the values", *map(number_cell, ours), near])
            for choice in itertools.product(*(self._modes(c.counts) for c in clusters)):
                far = [k_modes(row[None], [list(codes)], max_rounds=0).cost for codes in choice]
                label = f"modes {' and '.join(map(self._word, choice))}"
                near = _nearest(far, clusters)
                rows.append([name, label, *(number(DISTANCE, d) for d in far), near])
        heads = [f"distance to {c.name}" for c in clusters]
        return ["row", "centres", *heads, "nearest"], rows

    def _word(self, codes: Sequence[int]) -> str:
        return "".join(v[c] for v, c in zip(self.levels.values(), codes, strict=True))


def _nearest(distances: Sequence[float], clusters: Sequence[Cluster]) -> str:
    least = [i for i, d in enumerate(distances) if math.isclose(d, min(distances))]
    return clusters[least[0]].name if len(least) == 1 else "tied"
