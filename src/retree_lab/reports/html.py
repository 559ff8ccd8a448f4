"""Documents as HTML, and its elements and texts."""

from __future__ import annotations

import html
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

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

# Of a page that needs no other file.
_STYLE = (
    ":root{color-scheme:light dark;--match:#d5e8f7;--close:#fdf0dc;--off:#fbdcc8}"
    "@media(prefers-color-scheme:dark){:root{--match:#12405f;--close:#4a3410;--off:#75340a}}"
    "body{font:15px/1.5 system-ui,sans-serif;max-width:64rem;margin:2rem auto;padding:0 1rem}"
    "img{max-width:100%}code,p{overflow-wrap:anywhere}"
    "table{border-collapse:collapse;font-size:13px}.rt-box{overflow:auto}"
    "th,td{padding:.15rem .5rem;text-align:right;white-space:nowrap;border-bottom:1px solid #ddd}"
    "th:first-child{text-align:left}.rt-published{padding-left:.4rem}.rt-difference{display:none}"
    ".rt-box{margin:1rem 0}.rt-match{background:var(--match)}"
    ".rt-close{background:var(--close)}.rt-off{background:var(--off)}"
)


def whole_page(title: str, content: str) -> str:
    """Return a page that stands alone, with `content` in HTML below its title."""
    return (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>{text(title)}</title>\n<style>{_STYLE}</style>\n"
        f"<main>\n<h1>{text(title)}</h1>\n{content}</main>\n</html>\n"
    )


def element(name: str, content: str = "", **attributes: object) -> str:
    """Return an element around `content`, which is HTML already.

    Attributes that are None are left out; a trailing ``_`` of a name is dropped and other ``_``
    become hyphens.
    """
    texts = [
        f' {key.rstrip("_").replace("_", "-")}="{html.escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    ]
    return f"<{name}{''.join(texts)}>{content}</{name}>"


def text(content: object) -> str:
    """Return `content` escaped."""
    return html.escape(str(content), quote=False)


def name(content: object) -> str:
    """Return a name escaped, which may be broken after its underscores, strokes and plus signs."""
    return re.sub("[_/+]", r"\g<0><wbr>", text(content))


def link(target: str, content: str) -> str:
    """Return a link to `target` with the name `content`; of a script, the name alone."""
    return element("a", name(content), href=target) if is_safe(target) else name(content)


def is_safe(target: str) -> bool:
    """Return whether an address belongs to a page and not to a script."""
    scheme = re.split("[/?#]", target, maxsplit=1)[0]
    return ":" not in scheme or scheme in ("http:", "https:")


def embedded(data: Any) -> str:
    """Return data for the scripts of a page, as JSON that nothing in it ends."""
    content = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return f'<script type="application/json">{content}</script>'


def boxed(content: str, label: str) -> str:
    """Return `content` in a box that scrolls, by the keyboard too."""
    return element("div", content, class_="rt-box", role="region", tabindex=0, aria_label=label)


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


def class_of(index: int, entries: Sequence[Entry]) -> str | None:
    """Return the class of a column of words: long ones, words of a head, or others."""
    if max(len(plain(entry)) for entry in entries) > LONG:
        return "rt-long"
    return "rt-text" if index else None


def classes_of(block: Table) -> str:
    """Return the classes of a table: of numbers, and how wide, or of words."""
    cells = [entry for row in block.rows for entry in row if isinstance(entry, TableCell)]
    if any(is_number(cell) for cell in cells):
        # Published numbers stand below ours and need no width.
        lengths = (
            [len(plain(entry)) for entry in column] for column in zip(*block.rows, strict=True)
        )
        width = sum(min(max(*column, LEAST), LONG) for column in lengths)
        return f"rt rt-cells rt-sortable{' rt-dense' if width > WIDEST else ''}"
    return f"rt rt-sortable{' rt-words' if block.left == len(block.header) else ''}"


def matching_row(rows: Sequence[Sequence[Entry]]) -> str:
    """Return the row of how many published numbers of each column match, "" if that is of none."""
    counts = []
    for column in zip(*rows, strict=True):
        words = [entry.word for entry in column if isinstance(entry, TableCell)]
        compared = sum(words.count(word) for word in COUNTED)
        counts.append(f"{words.count(Word.MATCH)} of {compared}" if compared else "")
    if not any(counts[1:]) or len(rows) < 2:
        return ""
    head = element("th", Word.MATCH, scope="row")
    return element("tr", "".join([head, *(element("td", count) for count in counts[1:])]))


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


@dataclass(frozen=True)
class HtmlWriter:
    """Writes documents as HTML."""

    # Returns where a reference leads to from the page, None if nowhere.
    address: Callable[[Reference], str | None] = lambda reference: None
    names: Names = field(default_factory=Names)  # What names in tables lead to
    # Returns a figure as HTML.
    picture: Callable[[Figure], str] = lambda f: (
        f'<img src="{html.escape(f.file)}" alt="{html.escape(f.caption)}">'
    )

    def sections(self, document: Document) -> Iterator[Section]:
        """Yield the sections of a document without its title, footnotes in the last."""
        notes, labels = Footnotes(), Counter[str]()
        lead = [Text(text=paragraph) for paragraph in document.lead]
        title, contents = "", list[str]()
        places: Sequence[Place] = ()
        for block in [*lead, Bullets(document.introduction), *document.blocks]:
            if isinstance(block, Table | Text) and block.title:
                if title or contents:
                    yield Section(title, places, "\n".join(contents))
                title, contents = block.title, []
                places = block.places if isinstance(block, Text) else ()
            label = ", ".join(words for words in (document.title, title) if words)
            labels[label] += isinstance(block, Table)
            count = f" ({labels[label]})" if labels[label] > 1 else ""
            if content := self._block(block, notes, label + count):
                contents.append(content)
        contents += [element("p", self.prose(line)) for line in notes.lines()]
        yield Section(title, places, "\n".join(contents))

    def prose(self, prose: Prose) -> str:
        """Return a sentence."""
        phrases = parts_of(prose)
        return "".join(self._words(p) if isinstance(p, Phrase) else _with_code(p) for p in phrases)

    def table(self, block: Table, label: str, notes: Footnotes | None = None) -> str:
        """Return a sortable table, which scrolls in a box of its own."""
        notes, rows, left = notes or Footnotes(), block.rows, block.left
        classes = [class_of(i, [row[i] for row in rows]) for i in range(left)] if rows else []
        if classes and "rt-cells" in classes_of(block):
            classes[0] = None  # It stays in view while the numbers scroll.
        heads = [
            element(
                "th", self._named(e, notes), scope="col", class_="rt-text" if 0 < i < left else None
            )
            for i, e in enumerate(block.header)
        ]
        row_of = partial(self._row, block, classes, notes)
        groups = {
            "thead": element("tr", "".join(heads)),
            "tbody": "\n".join(row_of(row) for row in rows if not sums(row)),
            "tfoot": "".join([*(row_of(row) for row in rows if sums(row)), *matching_row(rows)]),
        }
        content = "".join(element(tag, part) for tag, part in groups.items() if part)
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

    def _row(
        self, block: Table, classes: Sequence[str | None], notes: Footnotes, row: Sequence[Entry]
    ) -> str:
        """Return a row; `classes`: of its first columns, which are aligned left."""
        head = self._named(row[0], notes)
        cells = [element("th", head, scope="row", class_=classes[0])]
        for i, entry in enumerate(row[1:], start=1):
            if isinstance(entry, TableCell) and is_number(entry):
                cells.append(self._number(entry, (row[0], block.header[i]), notes))
            elif isinstance(entry, TableCell) and entry.share is not None:
                cells.append(element("td", bar(entry)))
            else:
                class_ = classes[i] if i < len(classes) else None
                class_ = "rt-long" if len(plain(entry)) > LONG else class_
                cells.append(element("td", self._named(entry, notes), class_=class_ or None))
        return element("tr", "".join(cells))

    def _number(self, cell: TableCell, place: tuple[Entry, Entry], notes: Footnotes) -> str:
        """Return a number with its marks and, below, the published one."""
        difference = difference_of(cell)
        content = text(text_of(cell.text))
        if difference:  # One of the two is shown.
            content = element("span", content, class_="rt-number")
            content += element("span", difference, class_="rt-difference")
        content = self._linked(content, cell.to)
        content = element("strong", content) if cell.strong else content
        content += f" {element('i', text(cell.marks), class_='rt-marks')}" if cell.marks else ""
        if cell.published:
            content += element("span", text(cell.published), class_="rt-published")
        tip = [" · ".join(plain(entry) for entry in place), *cell.facts]
        return element(
            "td",
            content + text(notes.mark(cell.reason)),
            class_=f"rt-{cell.word.style}" if cell.word else None,
            data_difference=difference.replace("−", "-") if difference else None,
            data_tip="\n".join(tip) if cell.facts else None,
        )

    def _words(self, words: Phrase) -> str:
        content = element("code", text(words.text)) if words.code else name(words.text)
        content = self._linked(content, words.to)
        content = element("strong", content) if words.strong else content
        return content if words.place is None else element("a", id=words.place.place) + content

    def _named(self, entry: Entry, notes: Footnotes) -> str:
        """Return words in which the names of methods and data sets lead to their pages."""
        if isinstance(entry, str):
            return self._known(entry)
        content = "".join(
            self._words(part)
            if isinstance(part, Phrase) and part != Phrase(part.text)
            else self._known(text_of(part))
            for part in parts_of(entry.text)
        )
        content = element("strong", content) if entry.strong else content
        return self._linked(content, entry.to) + text(entry.after + notes.mark(entry.reason))

    def _linked(self, content: str, to: Reference | None) -> str:
        address = None if to is None else self.address(to)
        is_link = address is not None and is_safe(address)
        return element("a", content, href=address) if is_link else content

    def _known(self, words: str) -> str:
        remark = self.names.remarks.get(words)
        if words in self.names.pages:
            return element("a", name(words), href=self.names.pages[words], data_tip=remark)
        if remark is not None:
            return element("abbr", name(words), tabindex=0, data_tip=remark)
        return name(words) if words.isidentifier() else _with_code(words)


def to_page(document: Document) -> str:
    """Return a document as one page, which needs no other file."""
    content = (
        f"{element('h2', text(section.title)) if section.title else ''}\n{section.content}\n"
        for section in HtmlWriter().sections(document)
    )
    return whole_page(document.title, "".join(content))


def _with_code(words: str) -> str:
    """Return words in which what is between backticks is a name of code."""
    pieces = text(words).split("`")
    if len(pieces) % 2 == 0:
        return text(words)
    return "".join(element("code", part) if i % 2 else part for i, part in enumerate(pieces))
