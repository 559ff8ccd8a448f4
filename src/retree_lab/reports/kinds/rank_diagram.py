"""Average ranks, and the tests of ranks behind them (kind ``rank_diagram``)."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import pandas as pd

from retree.errors import RetreeError
from retree_lab.experiments.definition.item import Item
from retree_lab.reports.comparison import LEVEL
from retree_lab.reports.context import Context, introduction
from retree_lab.reports.document import Bullets, Document, Entry, Table, TableCell, Text
from retree_lab.reports.fold_values import selection_title
from retree_lab.reports.formatting import BLANK, decimal, number, p_text
from retree_lab.reports.kinds import Kind
from retree_lab.reports.kinds.rank_figures import SHORT, draw_ranks, ranks_in
from retree_lab.reports.kinds.rankings import Ranking, find_rankings
from retree_lab.reports.sections import Getter, csv_table, entries_table, grid_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_ENDS = ("", "_low", "_high")
_TESTS_CSV: Mapping[str, Getter] = {
    **{"selection": "fold_values.selection", "metric": "fold_values.metric.name"},
    "n_methods": lambda ranking: len(ranking.friedman.average_ranks),
    **{"n_datasets": "friedman.n_datasets", "friedman": "friedman.statistic"},
    **{"friedman_p": "friedman.p_value", "iman_davenport": "friedman.iman_davenport"},
    "iman_davenport_p": "friedman.iman_davenport_p_value",
    **{"critical_difference": "critical_difference", "control": "control"},
    "rope": lambda ranking: math.nan if ranking.rope is None else ranking.rope,
    "left_out": lambda ranking: " ".join(ranking.friedman.left_out),
}
_POSTERIOR = "better/equal/worse"
_MATRIX_TITLE = "Each method against every other"
_MATRIX = (
    "In the matrix (Ismail-Fawaz et al. 2023) methods are ordered by their mean. A cell has the "
    "mean of the row's method minus that of the column's. It then counts the data sets on which "
    "the row's method wins, ties and loses. Last is the p-value of Wilcoxon's signed-rank test, in "
    f"bold below {LEVEL:g}. These do not depend on which other methods are compared, so they are "
    "not corrected for the number of methods."
)
# Of fewer data sets hardly any method differs.
FEWEST = 10


@dataclass(frozen=True, kw_only=True)
class RankDiagram(Kind[list[Ranking]]):
    """Ranks of the methods by one metric, for each way of choosing parameters."""

    shows_both: ClassVar[bool] = True
    metrics: tuple[str, ...]
    # Key of the method that the others are compared with, by default the best one.
    control: str = ""
    # The largest difference that counts as no difference, by default 0.01 for an accuracy.
    rope: float | None = None
    matrix: bool = False  # Whether to compare each pair of methods, too
    notes: tuple[str, ...] = ()  # Sentences below the tables

    def method_keys(self) -> Iterable[str]:
        """Return the control."""
        return [self.control] if self.control else []

    def check(self, item: Item) -> None:
        """Refuse more metrics than one."""
        if len(self.metrics) != 1:
            raise RetreeError(f"{item.name} ranks by one metric; give it metrics: [NAME].")

    def compare(self, context: Context) -> list[Ranking]:
        """Return the rankings; of too few results there is none."""
        return find_rankings(context, self.metrics[0], self.control, self.rope)

    def tables(self, rows: list[Ranking]) -> Mapping[str, pd.DataFrame]:
        """Return the rows of methods, of pairs of methods and of ways of selection."""
        if not rows:
            return {}
        return {
            "": _stacked([(r, r.methods) for r in rows]),
            "_pairs": _stacked([(r, r.pairs) for r in rows]),
            "_tests": csv_table(_TESTS_CSV, rows),
        }

    def document(self, context: Context, rows: list[Ranking]) -> Document:
        """Return tests and comparisons with the control, for each way of selection."""
        if not rows:
            few = "Ranks need two methods, and two data sets on which all of these have results."
            return Document(introduction(context, of_means=False), [Text(text=few)])
        blocks: list[Table | Text | Bullets] = []
        for ranking in rows:
            item, how = context.item, ranking.fold_values.selection
            title = selection_title(how, item) if item.select else ""
            blocks += [Text(title), Bullets(_tests(context, ranking)), _table(ranking)]
            blocks += [_matrix(ranking)] * self.matrix
        legend = [*_legend(rows[0]), *([_MATRIX] * self.matrix), *self.notes]
        return Document(introduction(context, of_means=False), [*blocks, Bullets(legend)])

    def draw(self, context: Context, rows: list[Ranking]) -> Iterator[tuple[str, Figure]]:
        """Yield the ranks as a figure, unless they are of too few data sets."""
        if drawn := [r for r in rows if r.friedman.n_datasets >= FEWEST]:
            tables = self.tables(drawn)
            titles = SHORT if context.item.select else {}
            data = (
                "On our data sets: " if context.item.not_judged and context.paper.our_data else ""
            )
            yield "", draw_ranks(ranks_in(tables[""], tables["_tests"], titles), data)


def _stacked(tables: Sequence[tuple[Ranking, pd.DataFrame]]) -> pd.DataFrame:
    named = [
        pd.concat({r.fold_values.selection: table}, names=["selection"]).reset_index(level=0)
        for r, table in tables
    ]
    return pd.concat(named, ignore_index=True)


def _tests(context: Context, ranking: Ranking) -> list[str]:
    f, k, n = ranking.friedman, len(ranking.friedman.average_ranks), ranking.friedman.n_datasets
    groups = "; ".join(", ".join(group) for group in ranking.groups)
    sentences = [
        f"Friedman: χ² = {f.statistic:.2f} with {k - 1} degrees of freedom, "
        f"{p_text(f.p_value, 'p')}. Iman and Davenport: F = {f.iman_davenport:.2f} with {k - 1} "
        f"and {(k - 1) * (n - 1)}, {p_text(f.iman_davenport_p_value, 'p')}. Both are for {k} "
        f"methods and {n} data sets.",
        f"Critical difference of Nemenyi's test at {LEVEL:.0%}: {ranking.critical_difference:.2f}."
        f" Not significantly different: {groups or 'none'}.",
    ]
    sentences.append(f"Values are {_average_of(ranking)}.")
    if ranking.has_range:
        sentences.append(_of_replicates(ranking))
    if n < FEWEST:
        sentences.append(f"No figure is drawn for fewer than {FEWEST} data sets.")
    for dataset in f.left_out:
        lacking = [
            m for m in ranking.fold_values.methods if (dataset, m) not in ranking.fold_values.values
        ]
        reasons = dict.fromkeys(ranking.fold_values.reasons[dataset, m] for m in lacking)
        sentences.append(
            f"{dataset} is left out: no result of {', '.join(lacking)} ({'; '.join(reasons)})."
        )
    for method, twin in ranking.twins.items():
        sentences.append(
            f"{method} is left out: it has the same numbers as {twin} on all data sets."
        )
    for method in ranking.fold_values.without:
        reasons = dict.fromkeys(
            ranking.fold_values.reasons[d, method] for d in context.item.datasets
        )
        sentences.append(f"{method} is left out: no results ({'; '.join(reasons)}).")
    return sentences


def _of_replicates(ranking: Ranking) -> str:
    """Return how replicates are ranked."""
    n = len(ranking.replicates)
    counts = {d: len(ranking.fold_values.numbers[d, ranking.control].runs) or 1
              for d in ranking.fold_values.means.dropna().index}  # fmt: skip
    fewer = "".join(f", {k} on {d}" for d, k in counts.items() if k < n)
    return (
        f"Methods are ranked inside each of {n} replicates{fewer}, which differ in their folds, "
        "and these ranks are averaged. In single replicates: the lowest and the highest average "
        "rank. All ways of choosing parameters are compared on the same replicates."
    )


def _table(ranking: Ranking) -> Table:
    metric, ranked, rows = ranking.fold_values.metric.name, ranking.numbers(), []
    for row in ranking.methods.to_dict("records"):
        rank, name = TableCell(f"{row['average_rank']:.2f}", sources=ranked), row["method"]
        line: dict[str, Entry] = {"method": name, "average rank": rank}
        if ranking.has_range:
            ends = f"{row['rank_lowest']:.2f}–{row['rank_highest']:.2f}"
            line["in single replicates"] = TableCell(ends, sources=ranked)
        line["mean"] = TableCell(number(metric, row["mean"]), sources=ranking.numbers(name))
        rows.append(line | _beside_control(ranking, row))
    return entries_table(rows)


def _beside_control(ranking: Ranking, row: Mapping[Hashable, Any]) -> dict[str, Entry]:
    """Return the cells in which a method is compared with the control, by heading."""
    metric = ranking.fold_values.metric.name
    gaps = (number(metric, row[f"difference{end}"], sign=True) for end in _ENDS)
    effects = (decimal(row[f"rank_biserial{end}"], 2, sign=True) for end in _ENDS)
    texts = {
        "Wilcoxon p": p_text(row["wilcoxon_p_holm"]),
        "win/tie/loss": f"{row['wins']:.0f}/{row['ties']:.0f}/{row['losses']:.0f}",
        "difference [95 %]": _interval(*gaps),
        "rank-biserial [95 %]": _interval(*effects),
    }
    if ranking.rope is not None:
        shares = (row["p_better"], row["p_equivalent"], row["p_worse"])
        texts[_POSTERIOR] = "/".join(f"{share:.2f}" for share in shares)
    if row["method"] == ranking.control:
        return {"rank p": "control", **dict.fromkeys(texts, "")}
    both = ranking.numbers(row["method"], ranking.control)
    by_ranks = TableCell(p_text(row["rank_p_holm"]), sources=ranking.numbers())
    return {"rank p": by_ranks, **{n: TableCell(t, sources=both) for n, t in texts.items()}}


def _matrix(ranking: Ranking) -> Table:
    """Return each method against each other one; cells lead to the numbers of both."""
    metric, matrix = ranking.fold_values.metric.name, ranking.matrix
    means = dict(zip(matrix["method"], matrix["mean"], strict=True))
    starts = {name: f"{name} ({number(metric, mean)})" for name, mean in means.items()}
    cells: dict[tuple[str, str], Entry] = {}
    for row in matrix.to_dict("records"):
        name, p = row["method"], row["wilcoxon_p"]
        texts = [
            number(metric, row["difference"], sign=True),
            f"{row['wins']}/{row['ties']}/{row['losses']}",
            "p < 0.001" if p < 0.001 else f"p {p:.3f}",
        ]
        both = ranking.numbers(name, row["other"])
        text = "; ".join(texts)
        cells[name, row["other"]] = TableCell(text, sources=both, strong=p < LEVEL)
    return grid_table(starts, [*starts], cells, "method (mean)", title=_MATRIX_TITLE)


def _interval(estimate: str, low: str, high: str) -> str:
    return estimate if BLANK in (low, high) else f"{estimate} [{low}, {high}]"


def _average_of(ranking: Ranking) -> str:
    """Return over what the ranked values are averaged."""
    counts = {c.n_replicates for c in ranking.numbers()}
    if max(counts) == 1:
        return "averaged over the folds"
    return f"averaged over {'up to ' * (len(counts) > 1)}{max(counts)} replicates of the protocol"


def _legend(ranking: Ranking) -> list[str]:
    metric, control = ranking.fold_values.metric, ranking.control
    sentences = [
        f"Rank 1 is the {metric.best} {metric.label} on a data set. Equal values "
        "share their ranks, and Friedman's statistic is corrected for them.",
        f"All other columns compare with {control}. Rank p tests the difference of average ranks, "
        "Wilcoxon p the signed ranks of the differences. Both are adjusted by Holm. Wins, ties and "
        "losses count data sets.",
        f"The difference ({metric.label}) is the mean over the data sets with the interval of "
        "Student's t. The rank-biserial correlation is positive where the method is better.",
    ]
    if ranking.rope is not None:
        sentences.append(
            f"{_POSTERIOR}: probabilities of the Bayesian signed-rank test that on most data sets "
            f"the method is better, practically equal (within {ranking.rope:g}) or worse."
        )
    return sentences
