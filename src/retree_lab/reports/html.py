"""Documents as HTML."""

from __future__ import annotations

import html
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from retree_lab.reports.comparison import COUNTED, Word
from retree_lab.reports.document import (
    Block,
    Bullets,
    Document,
    Entry,
    Figure,
    Footnotes,
    Listing,
    Phrase,
    Place,
    Prose,
    Reference,
    Table,
    TableCell,
    Text,
    parts_of,
    text_of,
)
from retree_lab.reports.formatting import number
from retree_lab.reports.html_elements import boxed, element, is_safe, name, text, whole_page

# Characters from which on a cell is broken into lines.
LONG = 32
# Characters in a row that a wide screen has room for at the usual size, and in a column at least.
WIDEST, LEAST = 100, 8


def is_number(cell: TableCell) -> bool:
    """Return whether a cell has a number that leads somewhere, or is judged."""
    is_led = cell.comparison is not None or isinstance(cell.to, Place)
    return is_led or bool(cell.published or cell.word)


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
        return f"rt rt-cells rt-sortable{' rt-dense' if _width(block.rows) > WIDEST else ''}"
    return f"rt rt-sortable{' rt-words' if block.left == len(block.header) else ''}"


def _width(rows: Sequence[Sequence[Entry]]) -> int:
    """Return how many characters the widest cells of the columns have; published ones are below."""
    lengths = ([len(plain(entry)) for entry in column] for column in zip(*rows, strict=True))
    return sum(min(max(*found, LEAST), LONG) for found in lengths)


def matching_row(rows: Sequence[Sequence[Entry]]) -> str:
    """Return the row of how many published numbers of each column match, "" if that is of none."""
    counts = [_count(column) for column in zip(*rows, strict=True)]
    if not any(counts[1:]) or len(rows) < 2:
        return ""
    head = element("th", Word.MATCH, scope="row")
    return row_element([head, *(element("td", count) for count in counts[1:])])


def _count(column: Sequence[Entry]) -> str:
    words = [entry.word for entry in column if isinstance(entry, TableCell)]
    compared = sum(words.count(word) for word in COUNTED)
    return f"{words.count(Word.MATCH)} of {compared}" if compared else ""


@dataclass(frozen=True)
class Names:
    """Links and remarks of methods and data sets, by name."""

    pages: Mapping[str, str] = field(default_factory=dict)
    remarks: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Section:
    """A part of a page: its heading, "" above the first one, what leads to it, and its HTML."""

    title: str
    places: Sequence[Place]
    content: str


def _nowhere(reference: Reference) -> str | None:
    return None


def _image(figure: Figure) -> str:
    return f'<img src="{html.escape(figure.file)}" alt="{html.escape(figure.caption)}">'


@dataclass(frozen=True)
class HtmlWriter:
    """Writes documents as HTML."""

    # Returns where a reference leads to from the page, None if nowhere.
    address: Callable[[Reference], str | None] = _nowhere
    names: Names = field(default_factory=Names)  # What names in tables lead to
    picture: Callable[[Figure], str] = _image  # Returns a figure as HTML

    def sections(self, document: Document) -> Iterator[Section]:
        """Yield the sections of a document without its title, footnotes in the last."""
        notes, labels = Footnotes(), Counter[str]()
        lead = [Text(text=paragraph) for paragraph in document.lead]
        title, parts = "", list[str]()
        places: Sequence[Place] = ()
        for block in [*lead, Bullets(document.introduction), *document.blocks]:
            if isinstance(block, Table | Text) and block.title:
                if title or parts:
                    yield Section(title, places, "\n".join(parts))
                title, parts = block.title, []
                places = block.places if isinstance(block, Text) else ()
            label = ", ".join(words for words in (document.title, title) if words)
            labels[label] += isinstance(block, Table)
            count = f" ({labels[label]})" if labels[label] > 1 else ""
            if content := self._block(block, notes, label + count):
                parts.append(content)
        parts += [element("p", self.prose(line)) for line in notes.lines()]
        yield Section(title, places, "\n".join(parts))

    def prose(self, prose: Prose) -> str:
        """Return a sentence."""
        parts = parts_of(prose)
        return "".join(self._words(p) if isinstance(p, Phrase) else _with_code(p) for p in parts)

    def table(self, block: Table, label: str, notes: Footnotes | None = None) -> str:
        """Return a sortable table, which scrolls in a box of its own."""
        notes = notes or Footnotes()
        rows, left = block.rows, block.left
        classes = [class_of(i, [row[i] for row in rows]) for i in range(left)] if rows else []
        if classes and "rt-cells" in classes_of(block):
            classes[0] = None  # It stays in view while the numbers scroll.
        heads = [self._head(e, notes, "col", 0 < i < left) for i, e in enumerate(block.header)]
        row_of = _Rows(self, block, classes, notes)
        parts = {
            "thead": row_element(heads),
            "tbody": "\n".join(row_of.html(row) for row in rows if not sums(row)),
            "tfoot": "".join(
                [*(row_of.html(row) for row in rows if sums(row)), *matching_row(rows)]
            ),
        }
        content = "".join(element(tag, part) for tag, part in parts.items() if part)
        return boxed(element("table", content, class_=classes_of(block)), label)

    def _block(self, block: Block, notes: Footnotes, label: str) -> str:
        match block:
            case Table():
                return self.table(block, label, notes)
            case Text():
                return element("p", self.prose(block.text)) if block.text else ""
            case Bullets():
                items = [element("li", self.prose(sentence)) for sentence in block.sentences]
                return element("ul", "".join(items)) if items else ""
            case Figure():
                return self.picture(block)
            case Listing():
                lines = element("div", element("pre", text(block.lines)), class_="highlight")
                return element("div", lines, class_=f"highlight-{block.language} notranslate")

    def _words(self, words: Phrase) -> str:
        shown = element("code", text(words.text)) if words.code else name(words.text)
        shown = self._linked(shown, words.to)
        shown = element("strong", shown) if words.strong else shown
        return shown if words.place is None else element("a", id=words.place.place) + shown

    def _head(self, entry: Entry, notes: Footnotes, scope: str, is_of_words: bool) -> str:
        content = self._named(entry, notes)
        return element("th", content, scope=scope, class_="rt-text" if is_of_words else None)

    def _named(self, entry: Entry, notes: Footnotes) -> str:
        """Return words in which the names of methods and data sets lead to their pages."""
        if isinstance(entry, str):
            return self._known(entry)
        parts = parts_of(entry.text)
        shown = "".join(self._part(part) for part in parts)
        shown = element("strong", shown) if entry.strong else shown
        return self._linked(shown, entry.to) + text(entry.after + notes.mark(entry.reason))

    def _linked(self, shown: str, to: Reference | None) -> str:
        address = None if to is None else self.address(to)
        is_link = address is not None and is_safe(address)
        return element("a", shown, href=address) if is_link else shown

    def _part(self, part: str | Phrase) -> str:
        if isinstance(part, Phrase) and part != Phrase(part.text):
            return self._words(part)
        return self._known(text_of(part))

    def _known(self, words: str) -> str:
        remark = self.names.remarks.get(words)
        if words in self.names.pages:
            return element("a", name(words), href=self.names.pages[words], data_tip=remark)
        if remark is not None:
            return element("abbr", name(words), tabindex=0, data_tip=remark)
        return name(words) if words.isidentifier() else _with_code(words)


def to_page(document: Document) -> str:
    """Return a document as one page, which needs no other file."""
    content = []
    for section in HtmlWriter().sections(document):
        head = element("h2", text(section.title)) if section.title else ""
        content.append(f"{head}\n{section.content}\n")
    return whole_page(document.title, "".join(content))


@dataclass(frozen=True)
class _Rows:
    """The rows of a table, given the classes of its first columns."""

    writer: HtmlWriter
    block: Table
    classes: Sequence[str | None]
    notes: Footnotes

    def html(self, row: Sequence[Entry]) -> str:
        writer, left = self.writer, self.block.left
        head = writer._named(row[0], self.notes)
        cells = [element("th", head, scope="row", class_=self.classes[0])]
        for i, entry in enumerate(row[1:], start=1):
            class_ = self.classes[i] if i < left else None
            cells.append(self._cell(entry, class_, (row[0], self.block.header[i])))
        return row_element(cells)

    def _cell(self, entry: Entry, class_: str | None, place: tuple[Entry, Entry]) -> str:
        if isinstance(entry, TableCell) and is_number(entry):
            return self._number(entry, place)
        if isinstance(entry, TableCell) and entry.share is not None:
            return element("td", bar(entry))
        class_ = "rt-long" if len(plain(entry)) > LONG else class_
        opened = f'<td class="{class_}">' if class_ else "<td>"
        return f"{opened}{self.writer._named(entry, self.notes)}</td>"

    def _number(self, cell: TableCell, place: tuple[Entry, Entry]) -> str:
        """Return a number with its marks and, below, the published one."""
        difference = difference_of(cell)
        shown = text(text_of(cell.text))
        if difference:  # One of the two is shown.
            shown = element("span", shown, class_="rt-number")
            shown += element("span", difference, class_="rt-difference")
        if cell.to is not None and (address := self.writer.address(cell.to)):
            shown = element("a", shown, href=address)
        shown = element("strong", shown) if cell.strong else shown
        shown += f" {element('i', text(cell.marks), class_='rt-marks')}" if cell.marks else ""
        if cell.published:
            shown += element("span", text(cell.published), class_="rt-published")
        tip = [" · ".join(plain(entry) for entry in place), *cell.facts]
        return element(
            "td",
            shown + text(self.notes.mark(cell.reason)),
            class_=f"rt-{cell.word.style}" if cell.word else None,
            data_difference=difference.replace("−", "-") if difference else None,
            data_tip="\n".join(tip) if cell.facts else None,
        )


def _with_code(words: str) -> str:
    """Return words in which what is between backticks is a name of code."""
    if "`" not in words:
        return text(words)
    parts = text(words).split("`")
    if len(parts) % 2 == 0:
        return text(words)
    return "".join(element("code", part) if i % 2 else part for i, part in enumerate(parts))
