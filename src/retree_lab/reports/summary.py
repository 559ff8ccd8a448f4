"""The tables of a run on the screen, and a page with the pictures of all papers."""

from __future__ import annotations

import html
import math
import textwrap
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from os.path import relpath
from pathlib import Path
from typing import Any
from urllib.parse import quote

from rich.console import Console
from rich.text import Text

from retree_lab.experiments.definition.definitions import Experiment
from retree_lab.experiments.planning.keys import cells_text
from retree_lab.reports.agreement import count_headlines, headline_words
from retree_lab.reports.comparison import Comparison, Word, comparison_table
from retree_lab.reports.context import coverage_notes
from retree_lab.reports.document import Bullets, Table, TableCell, text_of
from retree_lab.reports.figures import seen
from retree_lab.reports.files import item_title, write
from retree_lab.reports.formatting import agreement_sentence, blank_sentences, number
from retree_lab.reports.html import HtmlWriter, element, link, text, whole_page
from retree_lab.reports.item_page import item_page
from retree_lab.reports.kinds import ItemReport
from retree_lab.screen import print_table, say, say_all

# Stands above the counts of a run of one replicate.
ROUGH_RULE = (
    "A rough check: each protocol ran once, so the range of repetitions is estimated as "
    "±2·√2·s/√n, with s the standard deviation over the n folds. A size whose s is as large as its "
    "mean is not checkable. The full rule is in docs/guide/judging.md."
)


@dataclass(frozen=True)
class Rendered:
    """One item of a paper as it was rendered."""

    name: str  # Its name in the configuration, and what it shows
    caption: str
    comparisons: Sequence[Comparison]  # Its numbers beside the published ones; none for a figure
    tables: str  # Its page in HTML, "" if it has none
    files: Sequence[Path]


@dataclass(frozen=True)
class PaperSummary:
    """The regenerated items of one paper."""

    called: str  # As readers call it: by authors and year
    title: str
    items: Sequence[Rendered]
    cells: int
    page: Path
    not_judged: str = ""  # The paper's own reason why none of its numbers is judged
    place: tuple[float, str] = (math.inf, "")  # Sorts papers by year

    @cached_property
    def counts(self) -> Mapping[Hashable, Any]:
        """A row of `retree_lab.reports.agreement.count_headlines`."""
        cells = comparison_table(c for item in self.items for c in item.comparisons)
        (counts,) = count_headlines(cells, []).to_dict("records")
        return counts

    @property
    def said(self) -> str:
        """Return a text on the number of numbers that agree, worded as on every page."""
        return headline_words(self.counts, self.not_judged)


def summarise(
    experiment: Experiment, entries: Sequence[tuple[ItemReport, Sequence[Path]]], page: Path
) -> PaperSummary:
    """Return the summary of a paper's items."""
    items = [
        Rendered(c.item.name, c.item.caption, c.comparisons, _tables(c), files)
        for c, files in entries
    ]
    cells = {cell.key for context, _ in entries for cell in context.plan.cells}
    paper = experiment.paper
    called = paper.called or paper.name
    return PaperSummary(called, paper.title, items, len(cells), page, paper.not_judged, paper.place)


def _tables(context: ItemReport) -> str:
    page = item_page(context)
    sections = [] if page is None else HtmlWriter().sections(page)
    pieces = [(element("h4", text(s.title)) if s.title else "", s.content) for s in sections]
    return "\n".join(part for pair in pieces for part in pair if part)


def summary_lines(summaries: Sequence[PaperSummary]) -> list[str]:
    """Return lines of 80 columns: the agreement of each paper, and its regenerated items."""
    width = max((len(summary.called) for summary in summaries), default=0)
    lines = [f"{'paper':{width}}  published numbers"]
    for summary in summaries:
        items = ", ".join(item_title(item.name) for item in summary.items)
        said = f"{summary.called:{width}}  {summary.said}"
        lines += textwrap.wrap(said, 80, subsequent_indent=" " * (width + 2))
        cells = cells_text(summary.cells) if summary.cells else "no fits needed"
        made = textwrap.wrap(f"{items}: {cells}", 76)
        lines += [f"    {line}" for line in made]
    return lines


def write_index(folder: Path, summaries: Sequence[PaperSummary], preface: Sequence[str]) -> Path:
    """Write ``index.html``, which shows the pictures and tables of all papers."""
    words = (f"{word.sign} {word}: {word.meaning}." for word in Word)
    pieces = [f"<p>{html.escape(sentence)}</p>" for sentence in [*preface, " ".join(words)]]
    contents = "".join(
        f'<li><a href="#paper-{number}">{html.escape(summary.called)}</a>: '
        f"{html.escape(summary.said)}</li>"
        for number, summary in enumerate(summaries)
    )
    pieces.append(f'<nav aria-label="Papers"><ul>{contents}</ul></nav>\n')
    pieces += [_paper(folder, summary, number) for number, summary in enumerate(summaries)]
    page = whole_page("Decision-tree papers, regenerated", "".join(pieces))
    return write(folder / "index.html", page)


def _paper(folder: Path, summary: PaperSummary, number: int) -> str:
    title = summary.title
    page = link(_target(folder, summary.page), "everything about it")
    items = "".join(_item(folder, item) for item in summary.items)
    said = html.escape(f"{title}: {summary.cells:,} fold results, {summary.said}")
    head = f'<h2 id="paper-{number}">{html.escape(summary.called)}</h2>'
    return f"<section>{head}\n<p>{said}; {page}.</p>\n{items}</section>\n"


def _item(folder: Path, item: Rendered) -> str:
    pictures = "".join(
        f'<img src="{_target(folder, path)}" alt="{html.escape(seen(path) or item.caption)}">\n'
        for path in item.files
        if path.suffix == ".svg"
    )
    links = ", ".join(link(_target(folder, path), path.name) for path in item.files)
    heading = f"{item_title(item.name)}. {item.caption}"
    content = pictures or item.tables
    summary = element("summary", html.escape(heading))
    return f"<details>{summary}\n{content}<p>{links}</p></details>\n"


def _target(folder: Path, path: Path) -> str:
    return quote(relpath(path, folder))


COLOURS = {Word.MATCH: "green", Word.CLOSE: "yellow", Word.OFF: "red"}


def show_table(context: ItemReport, files: Sequence[Path], console: Console) -> None:
    """Print a numeric table cell by cell, what it covers, and where the item's files are."""
    item, comparisons = context.item, context.comparisons
    console.print(f"{item_title(item.name)}: {item.caption}", style="bold", markup=False)
    compared = [c for c in comparisons if c.verdict and not math.isnan(c.reproduced)]
    if compared:
        _print_numbers(compared, console)
    if comparisons:
        say(agreement_sentence(comparisons), console)
    say_all([*coverage_notes(context), *blank_sentences([context.plan])], console)
    say_all((f"  {path}" for path in files), console)


def show_tables(context: ItemReport, console: Console) -> None:
    """Print an item's page: how its numbers came about, tables, sentences."""
    item, page = context.item, context.document
    console.print(f"{item_title(item.name)}: {item.caption}", style="bold", markup=False)
    say_all(map(text_of, page.introduction) if page else (), console)
    for block in page.blocks if page else ():
        if isinstance(block, Table):
            say(block.title, console, style="bold")
            head, *rows = (
                [text_of(entry.text) if isinstance(entry, TableCell) else entry for entry in line]
                for line in (block.header, *block.rows)
            )
            print_table(head, rows, console, keys=block.left)
        elif isinstance(block, Bullets):
            say_all(map(text_of, block.sentences), console)


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
    head = ["data set", "method", "metric", "reproduced", "published", "difference", "verdict"]
    print_table(head, rows, console, keys=3, left=["verdict"])
