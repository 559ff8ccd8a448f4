"""How a table looks in HTML: what its columns and cells are, and how many numbers agree."""

from __future__ import annotations

import math
from collections.abc import Sequence

from retree.reports.document import Entry, Table, TableCell, text_of
from retree.reports.formatting import number
from retree.reports.html_elements import element, text
from retree.reports.references import Place
from retree.statistics import AGREEING, JUDGED

# Characters from which on a cell is broken into lines.
LONG = 32
# Characters in a row that a wide screen has room for at the usual size, and in a column at least.
_WIDEST, _LEAST = 100, 8


def is_number(cell: TableCell) -> bool:
    """Return whether a cell has a number that leads somewhere, or is judged."""
    is_led = cell.comparison is not None or isinstance(cell.to, Place)
    return is_led or bool(cell.published or cell.verdict)


def difference_of(cell: TableCell) -> str:
    """Return by how much a number differs from the published one, "" if there is none."""
    c = cell.comparison
    return "" if c is None or math.isnan(c.difference) else number(c.metric, c.difference, True)


def bar(cell: TableCell) -> str:
    """Return a bar as long as a share, with the percentage beside it."""
    bar = element("span", element("span", style=f"width:{cell.share:.1%}"), class_="rt-bar")
    return f"{bar} {text(text_of(cell.text))}"


def plain(entry: Entry) -> str:
    """Return the text of an entry alone."""
    return entry if isinstance(entry, str) else text_of(entry.text)


def sums(row: Sequence[Entry]) -> bool:
    """Return whether a row is of all others."""
    return isinstance(row[0], TableCell) and row[0].sums


def row_element(cells: Sequence[str]) -> str:
    """Return a row of cells."""
    return element("tr", "".join(cells))


def class_of(index: int, entries: Sequence[Entry]) -> str | None:
    """Return the class of a column of words: long ones, those of a head, or others."""
    if max(len(plain(entry)) for entry in entries) > LONG:
        return "rt-long"
    return "rt-text" if index else None


def classes_of(block: Table) -> str:
    """Return the classes of a table: of numbers, and how wide, or of words."""
    cells = [entry for row in block.rows for entry in row if isinstance(entry, TableCell)]
    if any(is_number(cell) for cell in cells):
        return f"rt rt-cells rt-sortable{' rt-dense' if _width(block.rows) > _WIDEST else ''}"
    return f"rt rt-sortable{' rt-words' if block.left == len(block.header) else ''}"


def _width(rows: Sequence[Sequence[Entry]]) -> int:
    """Return how many characters the widest cells of the columns have; published ones are below."""
    lengths = ([len(plain(entry)) for entry in column] for column in zip(*rows, strict=True))
    return sum(min(max(*found, _LEAST), LONG) for found in lengths)


def agreeing_row(rows: Sequence[Sequence[Entry]]) -> str:
    """Return the row of how many published numbers of each column agree, "" if that is of none."""
    counts = [_count(column) for column in zip(*rows, strict=True)]
    if not any(counts[1:]) or len(rows) < 2:
        return ""
    head = element("th", "agree", scope="row")
    return row_element([head, *(element("td", count) for count in counts[1:])])


def _count(column: Sequence[Entry]) -> str:
    verdicts = [entry.verdict for entry in column if isinstance(entry, TableCell)]
    within = sum(verdicts.count(verdict) for verdict in AGREEING)
    compared = sum(verdicts.count(verdict) for verdict in JUDGED)
    return f"{within} of {compared}" if compared else ""
