"""The table of agreement on the pages of methods and of data sets."""

from __future__ import annotations

import math
from collections.abc import Iterable

import pandas as pd

from retree_lab.reports.agreement import count_headlines
from retree_lab.reports.document import Entry, Phrase, Table, TableCell, ToAddress
from retree_lab.reports.files import item_title
from retree_lab.reports.formatting import BLANK, number
from retree_lab.site.paper_pages import COUNT_HEADS, count_cells
from retree_lab.site.rendered_papers import PaperFiles
from retree_lab.statistics.metrics import find_metric


def agreement_table(groups: Iterable[tuple[PaperFiles, pd.DataFrame]]) -> Table | None:
    """Return how many numbers agree, by item and metric; None without numbers.

    `groups`: papers, each with those rows of its comparisons that are meant.
    """
    found = [*groups]
    if not found:
        return None
    homes, by = {files.name: files for files, _ in found}, ["paper", "item", "metric"]
    every = pd.concat([own for _, own in found])
    means = every.assign(difference=every["difference"].abs()).groupby(by)["difference"].mean()
    rows: list[list[Entry]] = []
    for row in count_headlines(every, by).to_dict("records"):
        paper, item, metric = (row[name] for name in by)
        named = item_cell(homes[paper], item), TableCell(paper_link(homes[paper]))
        mean = float(means[paper, item, metric])
        shown = BLANK if math.isnan(mean) else number(metric, mean)
        rows.append([*named, find_metric(metric).label, *count_cells(row), shown])
    header = ["item", "paper", "metric", *COUNT_HEADS, "mean abs. difference"]
    return Table(header, rows, left=3) if rows else None


def item_cell(files: PaperFiles, item: str) -> TableCell:
    """Return the name of an item with a link to its page, from a page in a folder of the site."""
    return TableCell(item_title(item), to=ToAddress(f"../{files.home}/{item}.html"))


def paper_link(files: PaperFiles) -> Phrase:
    """Return the name of a paper as a link to its page."""
    return Phrase(files.called, ToAddress(f"../{files.home}/index.html"))
