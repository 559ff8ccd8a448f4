"""The ranking of all published classifiers, and how it changes with the data sets that count."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from retree.reports.context import Context
from retree.reports.document import Bullets, Document, Table
from retree.reports.figures import new_figure
from retree.reports.formatting import p_text
from retree.reports.kind import FrameKind
from retree.statistics import (
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
    friedman_ranks,
    published_accuracies,
    shares_of_maximum,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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
        found = pd.DataFrame(columns).sort_values(ALL, kind="stable")
        return found.rename_axis("classifier").reset_index()

    def document(self, context: Context, rows: pd.DataFrame) -> Document:
        """Return the ranks of the best classifiers, and the tests against the first."""
        table = published_accuracies(context.paper.folder)
        ranked = [ALL, *self.without, FAILED]
        header = ["classifier", "% of maximum", "sets over 90 %", "failed", "without failed"]
        places = {name: rows[name].rank(method="min") for name in ranked}
        lines = [
            [
                row["classifier"],
                f"{row['share_of_maximum']:.1f}",
                f"{row['over_90']:.1f} %",
                f"{row['failed']}",
                f"{row['share_failed_left_out']:.1f}",
                *(f"{row[name]:.1f} ({places[name].iloc[i]:.0f})" for name in ranked),
            ]
            for i, row in enumerate(rows.head(self.shown).to_dict("records"))
        ]
        return Document(
            ["Computed from the published table alone: nothing is run."],
            [
                Table([*header, *ranked], lines),
                Table(*_tests(table, rows["classifier"].head(self.shown)), title="Tests"),
                Bullets([*_LEGEND, _TESTED, *_sentences(table)]),
            ],
        )

    def draw(self, context: Context, rows: pd.DataFrame) -> Iterable[tuple[str, Figure]]:
        """Yield the ranks of the best classifiers under each choice, a line for each."""
        names = [ALL, *self.without]
        figure = new_figure(5.0)
        axes = figure.subplots()
        for _, row in rows.head(self.shown).iterrows():
            axes.plot(range(len(names)), [row[name] for name in names], marker="o", lw=1)
            axes.annotate(
                row["classifier"], (len(names) - 1, row[names[-1]]), (6, 0),
                textcoords="offset points", va="center", fontsize=7,
            )  # fmt: skip
        axes.set_xticks(range(len(names)), names)
        axes.set_ylabel("average rank among 179 (1 is best)")
        axes.margins(x=0.05)
        axes.invert_yaxis()
        yield "", figure

    def _choices(self, table: pd.DataFrame) -> dict[str, pd.DataFrame]:
        rest = {name: table.drop(index=list(sets)) for name, sets in self.without.items()}
        return {ALL: table, **rest}


_LEGEND = (
    "% of maximum is the mean of the accuracies in % of the highest one on the data set; a run "
    "that failed counts as 0 %, as in the abstract. Ranks are averages over the data sets, with "
    "the place in brackets; a run that failed has the mean accuracy of the data set.",
)

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
        p_values = [
            holm[name],
            nemenyi[name],
            wilcoxon_signed_rank(*pair).p_value,
            sign_test(*pair).p_value,
        ]
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
