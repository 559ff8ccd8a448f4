"""Tables that no cell is behind: of data sets, and of tests of published values.

Their kinds are ``dataset_table`` and ``statistics_table``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Annotated, Literal

import pandas as pd
from scipy import stats

from retree.errors import RetreeError, unknown_name
from retree_lab.datasets import Dataset
from retree_lab.experiments.definition.claim_config import MEAN
from retree_lab.experiments.definition.item import Item
from retree_lab.reports.compare_items import compare_number
from retree_lab.reports.comparison import Comparison
from retree_lab.reports.context import Context, coverage_notes, is_fresh_draw
from retree_lab.reports.document import (
    MEAN_CELL,
    Bullets,
    Document,
    Entry,
    TableCell,
    number_cell,
)
from retree_lab.reports.formatting import agreement_sentence, verdict_legend
from retree_lab.reports.kinds import NumericKind
from retree_lab.reports.sections import entries_table, grid_table, grouped
from retree_lab.statistics import (
    Friedman,
    critical_difference,
    friedman_test_of_ranks,
    holm_adjusted,
    rank_rows,
    shaffer_adjusted,
    sign_test,
    wilcoxon_signed_rank,
)
from retree_lab.statistics.metrics import find_metric
from retree_lab.yaml_files import Bounds, Line, Name

METRICS: Mapping[str, Callable[[Dataset], int]] = {
    "rows": lambda data: len(data.X),
    "attributes": lambda data: data.X.shape[1],
    "nominal": lambda data: data.X.select_dtypes(exclude="number").shape[1],
    "numeric": lambda data: data.X.select_dtypes("number").shape[1],
    "missing": lambda data: int(data.X.isna().to_numpy().sum()),
    "classes": lambda data: 0 if data.is_regression else data.y.nunique(),
}
_COUNTED = "There are no folds: the numbers are counted in the data when this page is made."


@dataclass(frozen=True, kw_only=True)
class DatasetTable(NumericKind):
    """A row for each data set: the counts that are its `metrics`, and where it is from."""

    metrics: tuple[str, ...] = ("rows", "attributes", "classes")

    def compare(self, context: Context) -> Sequence[Comparison]:
        """Return the counts by data set and metric; their method is ""."""
        comparisons = []
        for dataset in context.item.datasets:
            reason = context.plan.unavailable.get(dataset, "")
            data = None if reason else context.dataset(dataset)
            for metric in self.metrics:
                ours = math.nan if data is None else float(METRICS[metric](data))
                place = context.item.label(dataset), "", metric
                comparisons.append(compare_number(context, *place, ours, reason, dataset))
        return context.judge(comparisons)

    def document(self, context: Context, rows: Sequence[Comparison]) -> Document:
        """Return the table."""
        cells, legend = {(c.dataset, c.metric): c for c in rows}, verdict_legend(rows)
        lines: list[dict[str, Entry]] = []
        for dataset in context.item.datasets:
            label = context.item.label(dataset)
            numbers = {metric: number_cell(cells[label, metric], "") for metric in self.metrics}
            remark = context.paper.remarks.get(label) or context.plan.unavailable.get(dataset, "")
            name = TableCell(label, remark)
            lines.append({"data set": name, **numbers, "source": _source(context, dataset)})
        table = entries_table(lines)
        return Document(
            [_COUNTED, *coverage_notes(context)],
            [table, Bullets([agreement_sentence(rows), *legend])],
        )


def _source(context: Context, dataset: str) -> str:
    if dataset in context.plan.unavailable:
        return ""
    data = context.dataset(dataset)
    return data.source + ", a fresh draw" * is_fresh_draw(data)


RANK = "rank"
_FROM = "There are no folds. All is computed from published values, {} of {} on {} data sets."
_RANKS = "Rank 1 is the best method on a data set; equal values share their ranks."


@dataclass(frozen=True, kw_only=True)
class Values:
    """The published values that the tests use."""

    table: Name
    metric: Name  # ``rank``: the published ranks themselves


@dataclass(frozen=True, kw_only=True)
class DeclaredTest:
    """A test, or a test of two methods."""

    name: Line  # As in ``published.csv``
    # ``ranks`` compares two average ranks; the p-values of all such tests are adjusted together.
    test: Literal[
        "friedman", "iman_davenport", "nemenyi", "bonferroni_dunn", "ranks", "wilcoxon", "sign"
    ]
    methods: tuple[Name, ...] = ()  # Keys of two methods, for those tests that are of two
    level: Annotated[float, Bounds(0, 1)] = 0.05  # Of a critical difference
    ties: bool = False  # Whether Friedman's statistic is corrected for shared ranks

    @property
    def is_of_two(self) -> bool:
        """Return whether it compares two methods."""
        return self.test in ("ranks", "wilcoxon", "sign")


@dataclass(frozen=True)
class _Published:
    """Published values and their ranks, a column for each method by its key."""

    values: pd.DataFrame
    ranks: pd.DataFrame

    def friedman(self, ties: bool = False) -> Friedman:
        return friedman_test_of_ranks(self.ranks, corrected=ties)


@dataclass(frozen=True, kw_only=True)
class StatisticsTable(NumericKind):
    """Average ranks and tests of published values, each beside the published statistic.

    Nothing is run: the numbers say whether published statistics follow from the published table.
    """

    chooses = False

    values: Values  # ``table`` and ``metric`` of the published values; ``rank`` if they are ranks
    # Each under a key that claims can use: its ``name`` in ``published.csv``, the ``test``, and if
    # it has any, two ``methods``, the ``level``, and whether it is corrected for ``ties``.
    tests: Mapping[str, DeclaredTest] = field(default_factory=dict)
    by_dataset: bool = False  # Whether to show the ranks on each data set, too
    notes: tuple[str, ...] = ()  # Sentences below the tables

    def check(self, item: Item) -> None:
        """Refuse one method, methods that the item lacks, and tests of two that are not of two."""
        keys = [method.key for method in item.methods]
        if len(keys) < 2:
            raise RetreeError(f"{item.name} compares methods; give it two or more.")
        for key, test in self.tests.items():
            if len(test.methods) != 2 * test.is_of_two:
                count = "two methods" if test.is_of_two else "all methods, so that none is named"
                raise RetreeError(f"{key} of {item.name} is a test of {count}; change methods.")
            if unknown := [name for name in test.methods if name not in keys]:
                raise unknown_name(f"method of {item.name}", unknown[0], keys)

    def compare(self, context: Context) -> Sequence[Comparison]:
        """Return the ranks by data set and method, then the statistics by test."""
        given = self._given(context)
        names = {m.key: m.name for m in context.item.methods}
        names |= {key: test.name for key, test in self.tests.items()}
        numbers = [*self._ranks(given), *self._statistics(given)]
        return context.judge(
            replace(
                compare_number(context, dataset, names[key], metric, float(value)), method_key=key
            )
            for dataset, key, metric, value in numbers
        )

    def document(self, context: Context, rows: Sequence[Comparison]) -> Document:
        """Return a table of ranks, and one for each kind of test."""
        methods = [method.key for method in context.item.methods]
        ranks = [c for c in rows if c.metric == RANK]
        tests = grouped((c for c in rows if c.metric != RANK), lambda c: c.method_key)
        shapes = grouped(tests.values(), lambda same_shape: tuple(c.metric for c in same_shape))
        names = [c.method for c in ranks[-len(methods) :]]
        by_dataset = grouped(ranks, lambda c: c.dataset)
        starts = {name: MEAN_CELL if name == MEAN else name for name in by_dataset}
        cells: dict[tuple[str, str], Entry]
        cells = {(c.dataset, c.method): number_cell(c) for c in ranks}
        tables = [grid_table(starts, names, cells, title="Ranks")]
        for metrics, same_shape in shapes.items():
            labels = {metric: find_metric(metric).label for metric in metrics}
            numbers = [*chain(*same_shape)]
            cells = {(c.method, c.metric): number_cell(c) for c in numbers}
            tables.append(grid_table([c.method for c in numbers], labels, cells, "test"))
        n = len(self._given(context).ranks.dropna())
        label = find_metric(self.values.metric).label
        legend = [agreement_sentence(rows), *verdict_legend(rows), _RANKS, *self.notes]
        first = [_FROM.format(label, self.values.table, n), *coverage_notes(context)]
        return Document(first, [*tables, Bullets(legend)])

    def _given(self, context: Context) -> _Published:
        table = context.published.table()
        rows = table[
            (table["table"] == self.values.table)
            & (table["metric"] == self.values.metric)
            & (table["dataset"] != MEAN)
        ]
        values = rows.pivot(index="dataset", columns="method", values="value")
        names = {m.name: m.key for m in context.item.methods}
        if lacking := [name for name in names if name not in values]:
            raise RetreeError(
                f"{context.item.name} ranks {lacking[0]}, of which {self.values.table} has no "
                f"{self.values.metric}; add it to published.csv, or take the method out."
            )
        values = values.loc[rows["dataset"].unique(), list(names)].rename(columns=names)
        if self.values.metric == RANK:
            return _Published(values, values)
        is_greater = not find_metric(self.values.metric).smaller_is_better
        ranks = rank_rows(values.to_numpy(), is_greater)
        return _Published(values, pd.DataFrame(ranks, values.index, values.columns))

    def _ranks(self, given: _Published) -> Iterator[tuple[str, str, str, float]]:
        if self.by_dataset:
            for dataset, ranks in given.ranks.iterrows():
                yield from ((str(dataset), str(key), RANK, value) for key, value in ranks.items())
        yield from ((MEAN, key, RANK, r) for key, r in given.friedman().average_ranks.items())

    def _statistics(self, given: _Published) -> Iterator[tuple[str, str, str, float]]:
        pairs = _compared_ranks(
            {key: test for key, test in self.tests.items() if test.test == "ranks"},
            given.friedman(),
        )
        for key, test in self.tests.items():
            statistics = pairs[key] if key in pairs else _statistics(test, given)
            yield from ((MEAN, key, metric, value) for metric, value in statistics.items())


_PAIRED = {"wilcoxon": (wilcoxon_signed_rank, "signed_ranks"), "sign": (sign_test, "wins")}


def _statistics(test: DeclaredTest, given: _Published) -> dict[str, float]:
    """Return the statistics of a test, but of one of two average ranks."""
    if test.test in _PAIRED:
        compare, name = _PAIRED[test.test]
        one, other = (given.values[key] for key in test.methods)
        outcome = compare(one, other)
        return {name: outcome.statistic, "p_value": outcome.p_value}
    if test.test in ("nemenyi", "bonferroni_dunn"):
        shape, to_control = given.ranks.dropna().shape, test.test == "bonferroni_dunn"
        difference = critical_difference(*shape[::-1], test.level, to_control=to_control)
        return {"critical_difference": difference}
    friedman = given.friedman(test.ties)
    if test.test == "friedman":
        return {"chi2": friedman.statistic, "p_value": friedman.p_value}
    return {"f_statistic": friedman.iman_davenport, "p_value": friedman.iman_davenport_p_value}


def _compared_ranks(
    tests: Mapping[str, DeclaredTest], friedman: Friedman
) -> dict[str, dict[str, float]]:
    """Return z and p-values of pairs of average ranks, adjusted for the number of pairs.

    Shaffer's procedure is of all pairs of methods; of fewer there is none.
    """
    ranks, n_methods = friedman.average_ranks, len(friedman.average_ranks)
    pairs = {key: [ranks[method] for method in test.methods] for key, test in tests.items()}
    gaps = pd.DataFrame(pairs, index=["one", "other"], dtype=float).diff().iloc[-1].abs()
    table = (gaps / friedman.standard_error).to_frame("z")
    table["p_value"] = 2 * stats.norm.sf(table["z"])
    table["p_bonferroni"] = (len(table) * table["p_value"]).clip(upper=1.0)
    table["p_holm"] = holm_adjusted(table["p_value"])
    if len({frozenset(test.methods) for test in tests.values()}) == n_methods * (n_methods - 1) / 2:
        table["p_shaffer"] = shaffer_adjusted(table["p_value"], n_methods)
    rows = table.iterrows()
    return {str(key): {str(name): float(value) for name, value in row.items()} for key, row in rows}
