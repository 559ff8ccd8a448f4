"""What is on the page of an item, whatever it is written as."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from retree.reports.comparison import Comparison
from retree.reports.formatting import cell_text


@dataclass(frozen=True)
class Cell:
    """An entry of a table that is more than a text.

    Attributes
    ----------
    text : str
        What is shown.
    reason : str
        A footnote; the same reason has the same number everywhere in the document.
    strong : bool
        Whether it stands out, as the row of means does.
    comparison : Comparison or None
        The number that is shown, which leads to its folds.
    sources : sequence of Comparison
        The numbers that what is shown is made of, if that is no mean over folds: it leads to them.
    """

    text: str
    reason: str = ""
    strong: bool = False
    comparison: Comparison | None = None
    sources: Sequence[Comparison] = ()


Entry = Cell | str
MEAN_CELL = Cell("mean", strong=True)


def number_cell(comparison: Comparison, reason: str | None = None) -> Cell:
    """Return the cell of a number beside the published one.

    Parameters
    ----------
    comparison : Comparison
    reason : str, optional
        The footnote, by default the comparison's own.
    """
    note = comparison.reason if reason is None else reason
    text, sources = cell_text(comparison), comparison.sources
    return Cell(text, note, comparison=comparison, sources=sources)


@dataclass(frozen=True)
class Tex:
    """What a table has in LaTeX only.

    Attributes
    ----------
    caption : str
    label : str
        What is appended to ``tab:<item>``, "" for the only table of an item.
    legend : sequence of str
        Sentences below the table, before its footnotes.
    """

    caption: str
    label: str = ""
    legend: Sequence[str] = ()


@dataclass(frozen=True)
class Table:
    """A table; its first `left` columns are aligned left.

    Attributes
    ----------
    header : sequence of Cell or str
    rows : sequence of sequence of Cell or str
    left : int, default=1
    title : str
        The heading above it on the page, "" for none.
    tex : Tex or None
        None: the table is on the page only.
    """

    header: Sequence[Entry]
    rows: Sequence[Sequence[Entry]]
    left: int = 1
    title: str = ""
    tex: Tex | None = None


@dataclass(frozen=True)
class Text:
    """A heading, a paragraph below it, or both; "" for none."""

    title: str = ""
    text: str = ""


@dataclass(frozen=True)
class Bullets:
    """A list of sentences; without any there is no list."""

    sentences: Sequence[str]


@dataclass(frozen=True)
class Document:
    """The page of an item below its title and source; footnotes end it.

    Attributes
    ----------
    introduction : sequence of str
        How the numbers came about.
    blocks : sequence of Table, Text or Bullets
    """

    introduction: Sequence[str]
    blocks: Sequence[Table | Text | Bullets]

    @property
    def cells(self) -> Iterator[Cell]:
        """The entries of its tables that are more than a text."""
        for block in self.blocks:
            if isinstance(block, Table):
                for line in (block.header, *block.rows):
                    yield from (entry for entry in line if isinstance(entry, Cell))
