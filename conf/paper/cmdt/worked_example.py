"""A worked example of distances between a row and two clusters."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from retree.clustering import k_distributions, k_modes
from retree.reports.compare_items import compare_number
from retree.reports.comparison import Comparison
from retree.reports.context import Context
from retree.reports.document import Bullets, Document, Entry, Table, Text, number_cell
from retree.reports.formatting import agreement_sentence, number, verdict_legend
from retree.reports.kind import NumericKind

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
        return context.judge(
            replace(
                compare_number(context, name, c.name, DISTANCE, self._distance(row, c.counts)),
                method_key=key,
            )
            for name, row in self._coded_rows()
            for key, c in self.clusters.items()
        )

    def document(self, context: Context, rows: Sequence[Comparison]) -> Document:
        """Return a table of the counts, and one of the distances."""
        legend = [agreement_sentence(rows), *verdict_legend(rows), *self.notes]
        named = [f"{name} = ({', '.join(row.values())})" for name, row in self.rows.items()]
        return Document(
            [_COMPUTED],
            [
                Table(*self._counts(), left=2),
                Text(text=f"Distances of {'; '.join(named)}:"),
                Table(*self._distances(rows), left=2),
                Bullets(legend),
            ],
        )

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
        centre = k_distributions(members, one, n_levels, max_rounds=0).centres
        return k_distributions(row[None], centre, n_levels, max_rounds=0).cost

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
