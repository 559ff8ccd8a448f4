"""What a report shows on the screen."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table

from retree.reports.comparison import Comparison
from retree.reports.coverage import coverage_notes
from retree.reports.files import item_title
from retree.reports.formatting import agreement_sentence, blank_sentences, number
from retree.reports.item_report import ItemReport
from retree.statistics import Verdict

COLOURS = {
    Verdict.EQUAL: "green",
    Verdict.AGREES: "green",
    Verdict.WEAK: "green",
    Verdict.EDGE: "yellow",
    Verdict.DIFFERS: "red",
    Verdict.EXPLAINED: "yellow",
}


def show_table(context: ItemReport, files: Sequence[Path], console: Console) -> None:
    """Print a numeric table cell by cell, what it covers, and where the item's files are."""
    item, comparisons = context.item, context.comparisons
    console.print(f"{item_title(item.name)}: {item.caption}", style="bold", markup=False)
    shown = [c for c in comparisons if c.verdict and not math.isnan(c.reproduced)]
    if shown:
        console.print(_table(shown))
    if comparisons:
        _plain(console, agreement_sentence(comparisons))
    for sentence in [*coverage_notes(context), *blank_sentences([context.plan])]:
        _plain(console, sentence)
    for path in files:
        _plain(console, f"  {path}")


def _plain(console: Console, text: str) -> None:
    console.print(text, markup=False, highlight=False, soft_wrap=True)


def _table(comparisons: Sequence[Comparison]) -> Table:
    table = Table("data set", "method", "metric", box=box.SIMPLE)
    for name in ("reproduced", "published", "difference"):
        table.add_column(name, justify="right")
    table.add_column("verdict")
    for c in comparisons:
        colour = COLOURS.get(Verdict(c.verdict))
        table.add_row(
            c.dataset,
            c.method,
            c.metric,
            number(c.metric, c.reproduced),
            number(c.metric, c.published),
            number(c.metric, c.difference, sign=True),
            f"[{colour}]{c.verdict}[/{colour}]" if colour else c.verdict,
        )
    return table
