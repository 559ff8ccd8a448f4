"""The content of a page, whatever it is written as, and where its words may lead.

Each writer knows where a reference leads.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from retree_lab.reports.comparison import Comparison, Word
from retree_lab.reports.formatting import cell_parts


@dataclass(frozen=True)
class Named:
    """The target of a reference, by its name alone."""

    name: str


class ToPage(Named):
    """A page of the paper's results: of an item, or ``claims``, ``audit`` or ``chance``."""


class ToFile(Named):
    """A file in the folder of the paper's results."""


class ToAddress(Named):
    """An address as it is."""


@dataclass(frozen=True)
class ToFolds:
    """The folds that a number of an item is the mean of."""

    item: str  # Names as the item shows them
    dataset: str
    method: str
    params: str  # The point of the grid as JSON, as a table has it

    @property
    def place(self) -> str:
        """The name of the place on the page of the data set's folds."""
        end = "-nested" if is_nested(self.params) else ""
        return f"{self.item}-{slug(self.method)}{end}"


@dataclass(frozen=True)
class ToValues:
    """The values that a number of an item over several data sets is made of."""

    item: str
    table: int  # Which table of the page of values, from 1
    method: str = ""  # The column, "" for the whole table

    @property
    def place(self) -> str:
        """The name of the place on the page of the item's values."""
        return f"values-{self.table}{f'-{slug(self.method)}' if self.method else ''}"


@dataclass(frozen=True)
class ToRun:
    """The run that computed folds, as the column ``run`` counts them, on the same page."""

    number: int

    @property
    def place(self) -> str:
        """The name of the place on the page."""
        return f"computed-{self.number}"


class ToMethod(Named):
    """A configured method, by its key."""


class ToEstimator(Named):
    """The description of an estimator, by its target as ``module:Class``."""


class ToSource(Named):
    """The source of an estimator, by its target as ``module:Class``."""


class ToTest(Named):
    """A test of retree, as pytest names it."""


class ToCommit(Named):
    """A commit of retree, in full."""


Place = ToFolds | ToValues | ToRun
Reference = (
    ToPage | ToFile | ToAddress | ToMethod | ToEstimator | ToSource | ToTest | ToCommit | Place
)


def is_nested(params: str) -> bool:
    """Return whether `params`, as a table has them, are one point of the grid per fold."""
    return params.startswith("[")


def slug(name: str) -> str:
    """Return a name in lower-case letters, digits and hyphens, for files and places."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower().replace("+", " plus ")).strip("-")


@dataclass(frozen=True)
class Phrase:
    """A part of a sentence that leads somewhere, or is set otherwise.

    Attributes
    ----------
    text : str
        What is shown.
    to : Reference or None
        What it leads to, if the page is written where that can be reached.
    code, strong : bool
        Whether it is a name of code, and whether it stands out.
    place : Place or None
        What leads to these words.
    """

    text: str
    to: Reference | None = None
    code: bool = False
    strong: bool = False
    place: Place | None = None


# Names of code in a text_of text stand between backticks.
Prose = str | Phrase | tuple[str | Phrase, ...]


def parts_of(prose: Prose) -> tuple[str | Phrase, ...]:
    """Return the parts of a sentence."""
    return prose if isinstance(prose, tuple) else (prose,)


def text_of(prose: Prose) -> str:
    """Return the text of a sentence alone."""
    texts = (part.text if isinstance(part, Phrase) else part for part in parts_of(prose))
    return "".join(texts)


@dataclass(frozen=True)
class TableCell:
    """An entry of a table that is more than a text.

    Attributes
    ----------
    text : Prose
        What is shown: a number, or words.
    reason : str
        A footnote; the same reason has the same number everywhere in the document.
    strong : bool
        Whether it stands out, as the row of means does.
    comparison : Comparison or None
        The number that is shown, which leads to its folds.
    sources : sequence of Comparison
        The numbers that what is shown is made of, if that is no mean over folds: it leads to them.
    facts : sequence of str
        The tooltip of a number.
    published : str
        The published number, in brackets, behind the number.
    marks : str
        The signs of verdict and tests behind both.
    word : Word or None
        What is said of the number, which one of them stands for.
    to : Reference or None
        What the number leads to.
    sums : bool
        Whether its row is of all others, as means are, so that it stays last.
    share : float or None
        A share that is drawn as a bar where it can be.
    """

    text: Prose
    reason: str = ""
    strong: bool = False
    comparison: Comparison | None = None
    sources: Sequence[Comparison] = ()
    facts: Sequence[str] = ()
    published: str = ""
    marks: str = ""
    word: Word | None = None
    to: Reference | None = None
    sums: bool = False
    share: float | None = None

    @property
    def after(self) -> str:
        """The published number and the marks, which stand behind the text."""
        return "".join(f" {text}" for text in (self.published, self.marks) if text)


Entry = TableCell | str
MEAN_CELL = TableCell("mean", strong=True, sums=True)


def number_cell(comparison: Comparison, reason: str | None = None) -> TableCell:
    """Return the cell of a number beside the published one.

    Parameters
    ----------
    comparison : Comparison
    reason : str, optional
        The footnote, by default the comparison's own.
    """
    text, published, marks = cell_parts(comparison)
    return TableCell(
        text,
        comparison.reason if reason is None else reason,
        comparison=comparison,
        sources=comparison.sources,
        published=published,
        marks=marks,
        word=comparison.word,
    )


@dataclass(frozen=True)
class Table:
    """A table; its first `left` columns are aligned left.

    Attributes
    ----------
    header : sequence of TableCell or str
    rows : sequence of sequence of TableCell or str
    left : int, default=1
    title : str
        The heading above it on the page, "" for none.
    """

    header: Sequence[Entry]
    rows: Sequence[Sequence[Entry]]
    left: int = 1
    title: str = ""


@dataclass(frozen=True)
class Text:
    """A heading, a paragraph below it, or both; "" for none. `places` lead to the heading."""

    title: str = ""
    text: Prose = ""
    places: Sequence[Place] = ()


@dataclass(frozen=True)
class Bullets:
    """A list of sentences; without any there is no list."""

    sentences: Sequence[Prose]


@dataclass(frozen=True)
class Figure:
    """A picture among the files of the paper's results, and what it shows."""

    file: str
    caption: str


@dataclass(frozen=True)
class Listing:
    """Lines as they are: of ``text``, or a command for the ``console``."""

    lines: str
    language: str = "text"


Block = Table | Text | Bullets | Figure | Listing


@dataclass(frozen=True)
class Document:
    """A page; footnotes end it."""

    introduction: Sequence[Prose]  # Of an item's page, how the numbers came about
    blocks: Sequence[Block]
    title: str = ""  # Of an item's page, `retree_lab.reports.paper_pages` gives it
    lead: Sequence[Prose] = ()  # Paragraphs below the title

    @property
    def cells(self) -> Iterator[TableCell]:
        """The entries of its tables that are more than a text."""
        for block in self.blocks:
            if isinstance(block, Table):
                for line in (block.header, *block.rows):
                    yield from (entry for entry in line if isinstance(entry, TableCell))

    @property
    def references(self) -> Iterator[Reference]:
        """The targets of its words and numbers."""
        sentences = [*self.lead, *self.introduction]
        for block in self.blocks:
            sentences += block.sentences if isinstance(block, Bullets) else []
            sentences += [block.text] if isinstance(block, Text) else []
        for cell in self.cells:
            sentences.append(cell.text)
            if cell.to is not None:
                yield cell.to
        words = (part for sentence in sentences for part in parts_of(sentence))
        yield from (part.to for part in words if isinstance(part, Phrase) and part.to is not None)


class Footnotes:
    """Numbered reasons; the same reason has the same number."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def mark(self, reason: str) -> str:
        """Return `` [n]`` for a reason, "" for no reason."""
        if not reason:
            return ""
        return f" [{self._numbers.setdefault(reason, len(self._numbers) + 1)}]"

    def lines(self) -> list[str]:
        """Return the numbered reasons."""
        return [f"[{n}] {reason}" for reason, n in self._numbers.items()]
