"""The columns of the authors' own methods, and how they may have been run.

Two questions: whether these columns share their folds, and whether each number may be the best of
several cross-validations. Both are asked of accuracies, and neither is answered with certainty.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import rankdata

from retree.arithmetic import running_sum
from retree_lab.reports.comparison import Comparison
from retree_lab.reports.document import Block
from retree_lab.reports.sections import Getter, csv_table, grouped, section
from retree_lab.statistics.effects import FEWEST
from retree_lab.statistics.metrics import ACCURACIES, find_metric, headline

FOLDS, BEST = "own_columns.csv", "best_of.csv"
Floats = NDArray[np.float64]
_PLACE = ("item", "metric", "method")
# So many draws that the ends of the intervals hardly depend on them.
_N_DRAWS = 20_000
# Of how many cross-validations the best may have been published.
TRIES = (1, 2, 5, 10)


@dataclass(frozen=True)
class OwnColumns:
    """The columns of the authors' own methods in one item and metric, over the same data sets."""

    item: str
    metric: str
    methods: tuple[str, ...]
    rows: Sequence[Sequence[Comparison]]  # By data set, a number of each method

    @property
    def n_datasets(self) -> int:
        """Return the number of data sets with a judged number of every method."""
        return len(self.rows)

    @property
    def published(self) -> float:
        """The mean rank correlation of the columns' distances from ours; see `concordance`."""
        distances = [[float(_scaled(c, c.published)) for c in row] for row in self.rows]
        return float(concordance(np.array([distances]))[0])

    @cached_property
    def shared(self) -> tuple[float, float]:
        """The 95 % interval of replicates of ours, one for all methods on a data set."""
        return self._simulated(is_shared=True)

    @cached_property
    def apart(self) -> tuple[float, float]:
        """The same with another replicate for each method."""
        return self._simulated(is_shared=False)

    def _simulated(self, is_shared: bool) -> tuple[float, float]:
        rng, drawn = np.random.default_rng(0), []
        for row in self.rows:
            runs = [_scaled(c, np.array(c.runs)) for c in row]
            size = (_N_DRAWS, 1 if is_shared else len(row))
            chosen = rng.integers(min(map(len, runs)), size=size)
            chosen = np.broadcast_to(chosen, (_N_DRAWS, len(row)))
            drawn.append([values[places] for values, places in zip(runs, chosen.T, strict=True)])
        correlations = concordance(np.array(drawn).transpose(2, 0, 1))
        low, high = np.quantile(correlations, [0.025, 0.975])
        return float(low), float(high)

    @property
    def answer(self) -> str:
        """The explanation that the correlation agrees with."""
        shared, apart = (low <= self.published <= high for low, high in (self.shared, self.apart))
        if shared == apart:
            return "both" if shared else "neither"
        return "shared folds" if shared else "folds of their own"


def find_own_columns(numbers: Iterable[Comparison], methods: Sequence[str]) -> list[OwnColumns]:
    """Return the columns of `methods` (their keys) wherever several of them are judged."""
    judged = [
        c
        for c in numbers
        if c.method_key in methods and c.is_by_interval and headline(c.metric) == ACCURACIES
    ]
    groups = []
    for place, cells in grouped(judged, lambda c: (c.item, c.metric)).items():
        names = tuple(dict.fromkeys(c.method for c in cells))
        by_set = grouped(cells, lambda c: c.dataset).values()
        rows = [row for row in by_set if len(row) == len(names)]
        if len(names) > 1 and len(rows) >= FEWEST:
            groups.append(OwnColumns(*place, names, rows))
    return groups


def concordance(distances: Floats) -> Floats:
    """Return the mean of Spearman's rank correlations over all pairs of columns.

    Shapes: `distances` (n_draws, n_datasets, n_columns), result (n_draws,).
    """
    ranks = rankdata(distances, axis=1)
    ranks -= ranks.mean(axis=1, keepdims=True)
    ranks /= np.sqrt((ranks**2).sum(axis=1, keepdims=True))
    pairs = itertools.combinations(range(distances.shape[2]), 2)
    return np.mean([(ranks[:, :, i] * ranks[:, :, j]).sum(axis=1) for i, j in pairs], axis=0)


def best_of(runs: Sequence[float], tries: int) -> float:
    """Return the mean of the highest of `tries` of the runs, over all ways to choose them."""
    ordered, n = sorted(runs), len(runs)
    weighted = [x * comb(i, tries - 1) for i, x in enumerate(ordered)]
    return running_sum(weighted) / comb(n, tries)


def best_of_table(groups: Sequence[OwnColumns]) -> pd.DataFrame:
    """Return each column against the best of `TRIES` replicates, averaged over its data sets.

    ``gap`` is published minus ours in points, positive where the published accuracy is higher.
    """
    rows = []
    for columns in groups:
        scale = find_metric(columns.metric).scale
        for method, cells in zip(columns.methods, zip(*columns.rows, strict=True), strict=True):
            for tries in TRIES[: sum(k <= min(len(c.runs) for c in cells) for k in TRIES)]:
                best = [best_of([run / scale for run in c.runs], tries) for c in cells]
                gaps = [c.published / scale - high for c, high in zip(cells, best, strict=True)]
                gap = 100 * float(np.mean(gaps))
                rows.append([columns.item, columns.metric, method, tries, len(cells), gap])
    return pd.DataFrame(rows, columns=[*_PLACE, "tries", "n_datasets", "gap"])


def _scaled(number: Comparison, values: float | Floats) -> Floats:
    """Return how many standard deviations of a replicate `values` are above their mean."""
    runs = np.array(number.runs)
    spread = runs.std(ddof=1) if np.ptp(runs) else math.inf
    return (np.asarray(values) - runs.mean()) / spread


_FOLDS = (
    "If the authors ran all their methods on the same folds, a lucky draw of folds lifts all of "
    "them on that data set. So we correlate the distances of the published numbers from ours, in "
    "standard deviations of one replicate, between the authors' own columns: the table has the "
    "mean of Spearman's rank correlation over data sets, for all pairs of columns. The intervals "
    "hold 95 % of what our own replicates give, with the same replicate for all methods or another "
    "one for each."
)
_BEST = (
    "This is a hypothesis that no paper states and the numbers cannot prove: each number of the "
    "authors' own methods is the best of several cross-validations. The table has the mean of "
    "published minus ours, in points of accuracy, if ours is the best of that many replicates. A "
    "column near 0 would fit the hypothesis."
)


def own_columns_table(groups: Sequence[OwnColumns]) -> pd.DataFrame:
    """Return the results on shared folds for each group of columns, as in ``own_columns.csv``."""
    columns = {
        **{name: name for name in ("item", "metric")},
        "methods": lambda group: "; ".join(group.methods),
        **{name: name for name in ("n_datasets", "published")},
        "shared_low": lambda group: group.shared[0],
        "shared_high": lambda group: group.shared[1],
        "apart_low": lambda group: group.apart[0],
        "apart_high": lambda group: group.apart[1],
        "answer": "answer",
    }
    return csv_table(columns, groups)


def own_columns_sections(groups: Sequence[OwnColumns]) -> list[Block]:
    """Return the sections on the authors' own columns; none without such columns."""
    if not groups:
        return []
    columns: dict[str, Getter] = {
        **{"item": "{item:title}", "metric": "{metric}"},
        "columns": lambda row: row["methods"].replace("; ", ", "),
        **{"data sets": "{n_datasets}", "rank correlation": "{published:+.3f}"},
        "shared folds": "{shared_low:+.3f} to {shared_high:+.3f}",
        "folds of their own": "{apart_low:+.3f} to {apart_high:+.3f}",
        "agrees with": "{answer}",
    }
    best = best_of_table(groups).pivot(index=list(_PLACE), columns="tries", values="gap")
    heads = {"item": "{item:title}", "metric": "{metric}", "method": "{method}"}
    heads |= {f"best of {tries}": f"{{best{tries}:+.2f}}" for tries in best}
    table = best.add_prefix("best").reset_index()
    return [
        *section(
            "Do the authors' columns share folds?",
            own_columns_table(groups),
            columns,
            text=_FOLDS,
            left=3,
        ),
        *section("The best of several cross-validations?", table, heads, text=_BEST, left=3),
    ]


def own_columns_tables(groups: Sequence[OwnColumns]) -> dict[str, pd.DataFrame]:
    """Return ``own_columns.csv`` and ``best_of.csv``; nothing without such columns."""
    tables = {FOLDS: own_columns_table(groups), BEST: best_of_table(groups)}
    return tables if groups else {}
