"""The published numbers of a paper beside ours: here, how many agree.

Every page and picture counts by ``count_headlines``. ``count_headlines(read_comparisons(results))``
has a row for each paper and kind of number, and ``count_headlines(cells, ["paper"])`` one for each
paper. ``headline_words(row, paper.not_judged)`` says a row in words. Numbers in memory are counted
by ``count_headlines(comparison_table(cells))``.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import t as student

from retree.errors import RetreeError
from retree_lab.experiments.definition.paper_config import papers_by_year
from retree_lab.reports.comparison import CSV_COLUMNS, NEAR_POINTS, Word, words_of
from retree_lab.statistics import AGREEING, JUDGED, Verdict
from retree_lab.statistics.intervals import LEVEL as INTERVAL
from retree_lab.statistics.metrics import ACCURACIES, MetricKind, find_metric, headline

COUNTS = ("published", "judged", "agree", "share", "accuracies", "near", "strict")


def published_numbers(comparisons: pd.DataFrame) -> pd.DataFrame:
    """Return the published numbers that have a verdict, ``missing`` among them, with their kind.

    `comparisons`: rows with the columns of a rendered csv. ``kind`` is what totals are counted by,
    see `retree_lab.statistics.metrics.headline`.
    """
    cells = comparisons[(comparisons["verdict"] != "") & comparisons["published"].notna()]
    return cells.assign(kind=cells["metric"].map(headline).astype(object))


def count_headlines(
    comparisons: pd.DataFrame, by: Sequence[str] = ("paper", "kind")
) -> pd.DataFrame:
    """Count published numbers by verdict; every headline is one of these counts.

    Returns columns `by`, one for each verdict and each `Word`, and ``published`` (all of them),
    ``judged`` (those that agree, are at the edge or differ), ``agree`` (equal, agreeing or agreeing
    weakly), ``share`` (``agree / judged``, NaN of none), ``accuracies`` (judged ones), ``near``
    (judged ones within `NEAR_POINTS` of ours) and ``strict`` (judged ones that agree). Without `by`
    there is one row.
    """
    cells = published_numbers(comparisons)
    verdicts = [str(verdict) for verdict in Verdict]
    flags: Any = {name: cells["verdict"] == name for name in verdicts}
    said = words_of(cells)
    flags |= {str(word): said == word for word in Word}
    flags = pd.DataFrame(flags, index=cells.index).assign(published=True)
    flags["judged"] = flags[list(JUDGED)].any(axis=1)
    flags["agree"] = flags[list(AGREEING)].any(axis=1)
    flags["accuracies"] = flags["judged"] & _is_accuracy(cells)
    # Decimal fractions are not exact.
    flags["near"] = flags["accuracies"] & (point_gaps(cells).abs() <= NEAR_POINTS + 1e-9)
    flags["strict"] = flags["accuracies"] & flags["agree"]
    keys = [cells[name] for name in by] or [pd.Series(0, index=cells.index)]
    counts = flags.groupby(keys, sort=False).sum().astype(int)
    if not by:
        counts = counts.reindex([0], fill_value=0)
    counts["share"] = (counts["agree"] / counts["judged"]).where(counts["judged"] > 0)
    counts = counts.reset_index(drop=not by)
    return counts[[*by, *verdicts, *map(str, Word), *COUNTS]]


def headline_words(counts: Mapping[Hashable, Any], not_judged: str = "") -> str:
    """Return a row of `count_headlines` in words, as "128 of 168 match".

    `not_judged`: the paper's own reason why numbers of it are not judged, "" if all are.
    """
    if not counts["published"]:
        return "no published numbers"
    reason = f"{Word.UNCHECKED}{': ' * bool(not_judged)}{not_judged}"
    if not counts["judged"]:
        return reason
    said = f"{counts['agree']:,} of {counts['judged']:,} match"
    others = counts["published"] - counts["judged"]
    rest = f"{others:,} more {'is' if others == 1 else 'are'}"
    return f"{said}; {rest} {reason}" if not_judged else said


def near_by_chance(numbers: pd.DataFrame) -> pd.DataFrame:
    """Return chance levels for the count of accuracies within `NEAR_POINTS` of ours.

    `numbers`: rows of `published_numbers` that are accuracies.
    Returns for each number: ``possible``, the probability that it would be that near if the paper
    had run exactly our program (1 if its folds are known, NaN if replicates do not tell); and
    ``wrong``, the number of other methods of its table, out of ``n_wrong``, that ours would be that
    near to. Methods with the same numbers on all data sets count once.
    """
    ours = [name for name in ("paper", "item", "metric") if name in numbers]
    groups = (table for _, table in numbers.groupby(ours, sort=False))
    return (
        pd.concat([_wrong(table) for table in groups])
        .reindex(numbers.index)
        .assign(possible=_possible(numbers))
    )


def _possible(numbers: pd.DataFrame) -> pd.Series:
    """Return the share of replicates near our mean, by Student's t behind the interval of one."""
    df = numbers["n_replicates"].astype(float) - 1
    # How many repeats of one run an interval is from, the table does not say.
    df = df.where(df > 0, np.inf)
    half = (numbers["high"] - numbers["low"]).astype(float) / 2 * _scaled(numbers)
    with np.errstate(divide="ignore"):
        reach = student.ppf(0.5 + INTERVAL / 2, df) * NEAR_POINTS / half
    share = pd.Series(1 - 2 * student.sf(reach, df), numbers.index)
    return share.where(numbers["steps"].isna(), 1.0)


def _wrong(table: pd.DataFrame) -> pd.DataFrame:
    """Return of how many other methods ours would be near each number of a table."""
    ours = table.pivot_table(
        index="dataset", columns="method", values="reproduced", aggfunc="first", sort=False
    )
    columns = {str(name): tuple(column.fillna(math.inf)) for name, column in ours.items()}
    first = dict[Hashable, str]()
    twin = {m: first.setdefault(c if len(c) > 1 else m, m) for m, c in columns.items()}
    others = list(first.values())
    values = ours.loc[table["dataset"], others].to_numpy(dtype=float)
    gaps = np.abs(values - table[["published"]].to_numpy(dtype=float))
    is_near = gaps * _scaled(table).to_numpy()[:, None] <= NEAR_POINTS + 1e-9
    is_other = np.array([[twin[m] != other for other in others] for m in table["method"]])
    is_other &= ~np.isnan(values)
    counts = {"wrong": (is_near & is_other).sum(axis=1), "n_wrong": is_other.sum(axis=1)}
    return pd.DataFrame(counts, index=table.index)


def is_judged_accuracy(numbers: pd.DataFrame) -> pd.Series:
    """Return which rows of `published_numbers` are accuracies or errors that are judged."""
    return numbers["verdict"].isin(JUDGED) & _is_accuracy(numbers)


def point_gaps(cells: pd.DataFrame) -> pd.Series:
    """Return reproduced minus published of shares in points, NaN of what is not a share."""
    return _scaled(cells) * (cells["reproduced"] - cells["published"])


def percent_values(cells: pd.DataFrame, column: str) -> pd.Series:
    """Return a column of shares in per cent."""
    return _scaled(cells) * cells[column].astype(float)


def _scaled(cells: pd.DataFrame) -> pd.Series:
    """Return the number of points that one unit of each number is worth."""
    points = {
        name: 100 / abs(metric.scale) if metric.kind == MetricKind.SHARE else np.nan
        for name in cells["metric"].unique()
        for metric in [find_metric(name)]
    }
    return cells["metric"].map(points).astype(float)


def _is_accuracy(cells: pd.DataFrame) -> pd.Series:
    return (cells["kind"] == ACCURACIES) & _scaled(cells).notna()


# A kind that counts rows adds these to its csv: the right test rows, of each fold or of all, and
# all test rows; texts, since other tables have none.
RIGHT_ROWS = ("correct", "rows")
# "results" where the data set is known by the published numbers themselves.
KNOWN_BY = "known_by"
_TEXTS = (*RIGHT_ROWS, KNOWN_BY)
_COLUMNS = ["item", *CSV_COLUMNS, *_TEXTS]


def read_comparisons(results: Path) -> pd.DataFrame:
    """Return all cells of the numeric tables of all papers, published or not.

    `results`: folder of the rendered files; of it ``<paper>/<item>.csv`` is read if it has the
    columns of a numeric table.
    Returns the columns of the csv, behind ``paper`` and ``item``, `RIGHT_ROWS` and `KNOWN_BY`;
    texts are "" where they are empty.
    """
    tables = [read_folder(results / paper).assign(paper=paper) for paper in papers_by_year()]
    filled = [table for table in tables if len(table)]
    if not filled:
        raise RetreeError(f"There are no tables in {results}; render them with retree report.")
    return pd.concat(filled, ignore_index=True)[["paper", *_COLUMNS]]


def read_folder(folder: Path) -> pd.DataFrame:
    """Return all cells of the numeric tables in the folder of a paper, behind ``item``."""
    tables = {path.stem: read_comparison(path) for path in sorted(folder.glob("*.csv"))}
    numeric = [
        table.assign(item=item, **{name: "" for name in _TEXTS if name not in table})[_COLUMNS]
        for item, table in tables.items()
        if table is not None
    ]
    return pd.concat(numeric, ignore_index=True) if numeric else pd.DataFrame(columns=_COLUMNS)


def read_comparison(path: Path) -> pd.DataFrame | None:
    """Return the cells of an item's csv, None if it is not a numeric table's.

    A kind may add columns of its own behind the columns of all numeric tables.
    """
    table = read_table(path, ("dataset", "method", "metric", "verdict", "params", *_TEXTS))
    return table if tuple(table.columns[: len(CSV_COLUMNS)]) == CSV_COLUMNS else None


def read_table(path: Path, texts: Collection[str]) -> pd.DataFrame:
    """Return a csv; of the columns `texts` every cell is a text, of others the empty one is NaN."""
    try:
        columns = pd.read_csv(path, nrows=0).columns
        return pd.read_csv(
            path,
            dtype=dict.fromkeys(columns.intersection(list(texts)), str),
            keep_default_na=False,
            na_values={name: [] if name in texts else [""] for name in columns},
        )
    except (OSError, ValueError) as error:
        raise RetreeError(f"{path} cannot be read ({error}); render it again.") from error
