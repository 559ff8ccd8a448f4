"""What a report shows on the screen."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from retree_lab.reports.comparison import Comparison
from retree_lab.reports.coverage import coverage_notes
from retree_lab.reports.document import Bullets, Table, TableCell, text_of
from retree_lab.reports.files import item_title
from retree_lab.reports.formatting import agreement_sentence, blank_sentences, number
from retree_lab.reports.kind import ItemReport
from retree_lab.reports.words import Word
from retree_lab.screen import print_table, say

COLOURS = {Word.MATCH: "green", Word.CLOSE: "yellow", Word.OFF: "red"}


def show_table(context: ItemReport, files: Sequence[Path], console: Console) -> None:
    """Print a numeric table cell by cell, what it covers, and where the item's files are."""
    item, comparisons = context.item, context.comparisons
    console.print(f"{item_title(item.name)}: {item.caption}", style="bold", markup=False)
    shown = [c for c in comparisons if c.verdict and not math.isnan(c.reproduced)]
    if shown:
        _print_numbers(shown, console)
    if comparisons:
        say(agreement_sentence(comparisons), console)
    for sentence in [*coverage_notes(context), *blank_sentences([context.plan])]:
        say(sentence, console)
    for path in files:
        say(f"  {path}", console)


def show_tables(context: ItemReport, console: Console) -> None:
    """Print the tables of an item's page, and what stands below them."""
    item = context.item
    console.print(f"{item_title(item.name)}: {item.caption}", style="bold", markup=False)
    for block in context.document.blocks if context.document else ():
        if isinstance(block, Table):
            say(block.title, console, style="bold")
            head, *rows = (
                [text_of(entry.text) if isinstance(entry, TableCell) else entry for entry in line]
                for line in (block.header, *block.rows)
            )
            print_table(head, rows, console, keys=block.left)
        elif isinstance(block, Bullets):
            for sentence in block.sentences:
                say(text_of(sentence), console)


def _print_numbers(comparisons: Sequence[Comparison], console: Console) -> None:
    rows: list[list[str | Text]] = [
        [
            *(c.dataset, c.method, c.metric),
            *(number(c.metric, value) for value in (c.reproduced, c.published)),
            number(c.metric, c.difference, sign=True),
            Text(c.word, COLOURS.get(c.word, "")) if c.word else "",
        ]
        for c in comparisons
    ]
    head = ["data set", "method", "metric", "reproduced", "published", "difference", "word"]
    print_table(head, rows, console, keys=3, left=["word"])
