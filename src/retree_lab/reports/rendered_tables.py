"""Reading the csv files of rendered tables."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import pandas as pd

from retree.errors import RetreeError
from retree_lab.experiments.definition.paper_config import papers_by_year
from retree_lab.reports.comparison import CSV_COLUMNS

# What a kind that counts rows adds to its csv: the right test rows, of each fold or of all, and all
# test rows; texts, since other tables have none.
COUNTS = ("correct", "rows")
# "results" where the data set is known by the published numbers themselves.
KNOWN_BY = "known_by"
_TEXTS = (*COUNTS, KNOWN_BY)
_COLUMNS = ["item", *CSV_COLUMNS, *_TEXTS]


def read_comparisons(results: Path) -> pd.DataFrame:
    """Return all cells of the numeric tables of all papers, published or not.

    `results`: folder of the rendered files; of it ``<paper>/<item>.csv`` is read if it has the
    columns of a numeric table.
    Returns the columns of the csv, behind ``paper`` and ``item``, `COUNTS` and `KNOWN_BY`; texts
    are "" where they are empty.
    """
    tables = [read_folder(results / paper).assign(paper=paper) for paper in papers_by_year()]
    found = [table for table in tables if len(table)]
    if not found:
        raise RetreeError(f"There are no tables in {results}; render them with retree report.")
    return pd.concat(found, ignore_index=True)[["paper", *_COLUMNS]]


def read_folder(folder: Path) -> pd.DataFrame:
    """Return all cells of the numeric tables in the folder of a paper, behind ``item``."""
    tables = {path.stem: read_comparison(path) for path in sorted(folder.glob("*.csv"))}
    found = [
        table.assign(item=item, **{name: "" for name in _TEXTS if name not in table})[_COLUMNS]
        for item, table in tables.items()
        if table is not None
    ]
    return pd.concat(found, ignore_index=True) if found else pd.DataFrame(columns=_COLUMNS)


def read_comparison(path: Path) -> pd.DataFrame | None:
    """Return the cells of an item's csv, None if it is not a numeric table's.

    A kind may add columns of its own behind those of all numeric tables.
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
        raise RetreeError(f"{path} cannot be read ({error}); render it anew.") from error
