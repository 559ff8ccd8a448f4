"""The published table of 179 classifiers: its ranks and its oddities."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from retree_lab.reports.context import Context
from retree_lab.reports.document import Bullets, Document, Table
from retree_lab.reports.figures import bare_spines, conclude, draw_dots, legend_below, new_figure
from retree_lab.reports.formatting import p_text
from retree_lab.reports.kinds import FrameKind
from retree_lab.reports.sections import Column, page_table
from retree_lab.statistics import (
    bayesian_signed_rank_test,
    critical_difference,
    friedman_test,
    holm_test,
    nemenyi_test,
    rank_biserial,
    sign_test,
    wilcoxon_signed_rank,
    win_tie_loss,
)

from .accuracies import (
    copies,
    friedman_ranks,
    is_possible,
    published_accuracies,
    shares_of_maximum,
)
from .datasets import PREFIX, archived_sets, file_rows

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLUMNS = ["kind", "what", "with", "count", "of", "points"]
IMPOSSIBLE, COPY, CHANCE = "impossible", "copy", "chance"
ZERO_R = "ZeroR_weka"
# More rows than that give any number of one digit.
_MOST_ROWS = 1000
# Up to so many rows give a third of the numbers of one digit, or fewer.
_FEW_ROWS = 330
# Columns less than so many points above ZeroR are listed.
_NEAR = 5.0


@dataclass(frozen=True, kw_only=True)
class Oddities(FrameKind):
    """Numbers that no count of test rows gives, copied columns, and sets of another file."""

    # Published names of data sets on which columns of Weka are listed that hardly beat ZeroR.
    other_file: tuple[str, ...] = ()

    def compare(self, context: Context) -> pd.DataFrame:
        """Return a row for each data set with impossible numbers and each column that is odd."""
        table = published_accuracies(context.paper.folder)
        rows = [[IMPOSSIBLE, name, "", *counts, ""] for name, counts in impossible(table).items()]
        rows += [[COPY, *pair, ""] for pair in copies(table)]
        above = above_zero_r(table.loc[list(self.other_file)])
        rows += [[CHANCE, name, ZERO_R, "", "", points] for name, points in above.items()]
        return pd.DataFrame(rows, columns=_COLUMNS)

    def document(self, context: Context, rows: pd.DataFrame) -> Document:
        """Return both lists."""
        by_kind = {kind: rows[rows["kind"] == kind].astype(str) for kind in (IMPOSSIBLE, COPY)}
        odd = by_kind[IMPOSSIBLE][["what", "count", "of"]].values.tolist()
        same = by_kind[COPY][["what", "with", "count", "of"]].values.tolist()
        title = "Columns that are equal on nine tenths of the data sets"
        header, chance = ["data set", "impossible", "of"], rows[rows["kind"] == CHANCE]
        blocks = [
            Table(header, odd, title="Numbers that no count of test rows gives"),
            Bullets([_RULE]),
            Table(["column", "column", "equal on", "of"], same, left=2, title=title),
            *_chance(chance["what"], chance["points"], self.other_file),
            *_counted(published_accuracies(context.paper.folder)),
        ]
        introduction = "Computed from the published table and the numbers of rows: nothing is run."
        return Document([introduction], blocks)


def _counted(table: pd.DataFrame) -> list[Table | Bullets]:
    """Return over which rows the columns of each program can be counted."""
    header = ["program", "numbers", "all rows", "published folds", "folds of n / 4 rows, rounded"]
    lines = [[str(cell) for cell in row] for row in possible_counts(table).itertuples()]
    rule = (
        "How many numbers can be shares of that many rows, cut or rounded after one digit. We "
        f"looked at data sets without a test file, of at most {_FEW_ROWS} rows, where the "
        "published folds have fewer or more test rows than the data set. Halves are rounded to the "
        "even number, as R does."
    )
    return [Table(header, lines, title="Which rows the numbers are shares of"), Bullets([rule])]


def _chance(names: pd.Series, points: pd.Series, sets: tuple[str, ...]) -> list[Table | Bullets]:
    """Return the columns that hardly beat ZeroR on `sets`, and how far the others are from it."""
    if not sets:
        return []
    of, near = dict(zip(names, points, strict=True)), points < _NEAR
    lines = [[name, f"{round(value, 1) + 0.0:.1f}"] for name, value in of.items() if value < _NEAR]
    header = ["column", "points above ZeroR"]
    rule = (
        f"Means over {', '.join(sets)}: Weka's columns that are less than {_NEAR:.0f} points above "
        "ZeroR, which predicts the most frequent class. Copies of ZeroR are left out. The other "
        f"{sum(~near)} columns are at least {points[~near].min():.1f} points above it. IB1 and IBk "
        f"are both one nearest neighbour, but at {of['IB1_weka']:.1f} and {of['IBk_weka']:.1f} "
        "points, so they were not run on the same file."
    )
    title = "Weka's columns that hardly beat the most frequent class on some data sets"
    return [Table(header, lines, title=title), Bullets([rule])]


_RULE = (
    "The numbers are correctly classified test rows over all test rows, cut or rounded after one "
    f"digit. We looked at data sets of at most {_MOST_ROWS} test rows: at all columns where there "
    "is a test file, elsewhere only at Weka's, since the others are means over four folds of "
    "unequal size."
)


def possible_counts(table: pd.DataFrame) -> pd.DataFrame:
    """Return how many numbers of each program can be counts over three numbers of rows.

    A row for each program, the columns: numbers, possible over all rows of the set, over the test
    rows of the published folds, over four folds of a quarter of the rows, rounded.
    """
    files = {name: archived_sets()[f"{PREFIX}{name}"][0] for name in table.index}
    sets = {
        name: (file.rows, file.fold_rows, 4 * round(file.rows / 4))
        for name, file in files.items()
        if file.fold_rows not in (0, file.rows) and 0 < file.rows <= _FEW_ROWS
    }
    programs = table.columns.str.rpartition("_").get_level_values(2)
    counts = {}
    for program in sorted(set(programs)):
        values = table.loc[list(sets), programs == program].stack().dropna()
        possible = [[is_possible(v, n) for n in sets[name]] for (name, _), v in values.items()]
        counts[program] = [len(values), *map(sum, zip(*possible, strict=True))]
    columns = ["numbers", "all_rows", "published_folds", "quarters"]
    return pd.DataFrame.from_dict(counts, orient="index", columns=columns)


def above_zero_r(table: pd.DataFrame) -> pd.Series:
    """Return by how many points on average each column of Weka is above ZeroR, rising.

    Columns that are ZeroR's on all sets, or that lack one, are left out.
    """
    weka = table.filter(like="_weka").dropna(axis=1)
    points = weka.sub(table[ZERO_R], axis=0)
    means = points.loc[:, (points != 0).any()].mean().round(2)
    # Adding 0 turns -0.0 into 0.0.
    return means.sort_values(kind="stable") + 0.0


def impossible(table: pd.DataFrame) -> dict[str, tuple[int, int]]:
    """Return for each data set how many numbers are impossible, and of how many; none: left out."""
    weka = [str(name) for name in table if str(name).endswith("_weka")]
    values_left = {}
    for dataset, values in table.iterrows():
        sizes = file_rows(f"{PREFIX}{dataset}")
        if not sizes or sizes[-1] > _MOST_ROWS:
            continue
        printed = (values if len(sizes) > 1 else values[weka]).dropna()
        count = sum(not is_possible(value, sizes[-1]) for value in printed)
        if count:
            values_left[str(dataset)] = (count, len(printed))
    return values_left


# Points of accuracy that count as no difference in the Bayesian test.
ROPE = 1.0
ALL, FAILED = "all sets", "all sets, failed runs left out"


@dataclass(frozen=True, kw_only=True)
class PublishedRanks(FrameKind):
    """Average ranks over the authors' table, for several choices of data sets."""

    # For each choice, its name and the published names of the data sets that it leaves out.
    without: Mapping[str, tuple[str, ...]]
    shown: int = 20  # How many of the best classifiers are shown

    def compare(self, context: Context) -> pd.DataFrame:
        """Return ranks and shares of all classifiers, the best first."""
        table = published_accuracies(context.paper.folder)
        shares = shares_of_maximum(table)
        columns = {
            "share_of_maximum": shares.mean(),
            "over_90": 100 * (shares >= 90).mean(),
            "share_failed_left_out": shares_of_maximum(table, failed_as_zero=False).mean(),
            "failed": table.isna().sum(),
            "mean_accuracy": table.mean(),
            **{name: friedman_ranks(part) for name, part in self._choices(table).items()},
            FAILED: friedman_ranks(table, fill_failed=False),
        }
        ranks = pd.DataFrame(columns).sort_values(ALL, kind="stable")
        return ranks.rename_axis("classifier").reset_index()

    def document(self, context: Context, rows: pd.DataFrame) -> Document:
        """Return the ranks of the best classifiers, and the tests against the first."""
        table = published_accuracies(context.paper.folder)
        ranked = [ALL, *self.without, FAILED]
        places = rows[ranked].rank(method="min")
        columns = [
            Column("classifier", itemgetter("classifier")),
            Column("% of maximum", itemgetter("share_of_maximum"), "{:.1f}".format),
            Column("sets over 90 %", itemgetter("over_90"), "{:.1f} %".format),
            Column("failed", itemgetter("failed")),
            Column("without failed", itemgetter("share_failed_left_out"), "{:.1f}".format),
            *(Column(name, partial(_rank, name, places[name])) for name in ranked),
        ]
        best = (row for _, row in rows.head(self.shown).iterrows())
        return Document(
            ["Computed from the published table alone: nothing is run."],
            [
                page_table(columns, best),
                Table(*_tests(table, rows["classifier"].head(self.shown)), title="Tests"),
                Bullets([*_LEGEND, _TESTED, *_sentences(table)]),
            ],
        )

    def draw(self, context: Context, rows: pd.DataFrame) -> Iterable[tuple[str, Figure]]:
        """Yield the ranks of the best classifiers under each choice, a mark for each."""
        names, best = [ALL, *self.without], rows.head(self.shown)
        figure = new_figure(0.15 * len(best) + 1.5)
        axes = figure.subplots()
        marks = {name: [float(rank) for rank in best[name]] for name in names}
        handles = draw_dots(axes, list(best["classifier"]), marks)
        axes.set_xlabel("average rank among 179 (1 is best)")
        bare_spines(axes)
        legend_below(figure, handles)
        yield "", conclude(figure, *_first(rows, [*names, FAILED]))

    def _choices(self, table: pd.DataFrame) -> dict[str, pd.DataFrame]:
        rest = {name: table.drop(index=list(sets)) for name, sets in self.without.items()}
        return {ALL: table, **rest}


def _first(rows: pd.DataFrame, choices: Sequence[str]) -> tuple[str, str]:
    """Return who is first under the choices of data sets, and by how much."""
    ranks = rows.set_index("classifier")[list(choices)]
    first = sorted({str(ranks[name].idxmin()) for name in choices})
    finding = f"{first[0]} is first by all {len(choices)} choices of runs"
    if len(first) > 1:
        apart = (ranks.loc[first].max() - ranks.loc[first].min()).round(1)
        finding = (
            f"{' and '.join(first)} share the first place: {apart.min():.1f} to {apart.max():.1f} "
            f"ranks apart, each first by some of {len(choices)} choices of runs"
        )
    best = {name: ranks[name].nsmallest(3).items() for name in choices}
    texts = (f"{n}: {', '.join(f'{who} {rank:.1f}' for who, rank in b)}" for n, b in best.items())
    return finding, f"Best average ranks by data sets used. {'; '.join(texts)}"


_LEGEND = (
    "% of maximum is the accuracy in % of the highest one on the data set, averaged over data "
    "sets; a run that failed counts as 0 %, as in the abstract. Ranks are averages over the data "
    "sets, with the place in brackets; a run that failed has the mean accuracy of the data set.",
)


def _rank(name: str, places: pd.Series, row: Any) -> str:
    return f"{row[name]:.1f} ({places[row.name]:.0f})"


_TESTED = (
    "In the tests a run that failed counts as 0 %. Ranks, for Holm's and Nemenyi's p, are among "
    "the classifiers shown. P are the probabilities of the Bayesian signed-rank test that the "
    f"classifier is better, the same within {ROPE:.0f} point, or worse on most data sets."
)


def _tests(table: pd.DataFrame, names: pd.Series) -> tuple[list[str], list[list[str]]]:
    """Return how the best classifiers compare with the first, by ranks and by pairs."""
    values = table[list(names)].fillna(0.0)
    first, *others = names
    friedman = friedman_test(values)
    holm, nemenyi = holm_test(friedman, first)["p_holm"], nemenyi_test(friedman)[first]
    rows = []
    for name in others:
        pair = values[name], values[first]
        p_values = [holm[name], nemenyi[name]]
        p_values += [test(*pair).p_value for test in (wilcoxon_signed_rank, sign_test)]
        won, size = win_tie_loss(*pair), rank_biserial(*pair).estimate
        bayes = bayesian_signed_rank_test(*pair, rope=ROPE)
        texts = [f"{won.wins}/{won.ties}/{won.losses}", f"{size:.2f}"]
        texts += [f"{p:.2f}" for p in (bayes.greater, bayes.equivalent, bayes.smaller)]
        rows.append([name, *map(p_text, p_values), *texts])
    header = [f"against {first}", "rank p (Holm)", "rank p (Nemenyi)", "Wilcoxon p", "sign p"]
    return [*header, "wins/ties/losses", "rank-biserial", "P better", "P same", "P worse"], rows


def _sentences(table: pd.DataFrame) -> list[str]:
    friedman = friedman_test(table.fillna(0.0))
    cd = critical_difference(*table.shape[::-1])
    ranks = np.array(sorted(friedman.average_ranks.values()))
    near = int((ranks - ranks[0] < cd).sum()) - 1
    return [
        f"Friedman's test of all {table.shape[1]} classifiers: χ² = {friedman.statistic:.0f}, "
        f"{p_text(friedman.p_value, 'p')}.",
        f"Nemenyi's critical difference at 5 % is {cd:.1f} ranks: {near} classifiers are not "
        "significantly different from the first.",
    ]
