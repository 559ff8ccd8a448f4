"""An item as csv, Markdown, LaTeX, HTML and figures, whatever its kind."""

from __future__ import annotations

import html
import re
import sys
from collections.abc import Callable
from pathlib import Path

from retree.reports.document import Bullets, Cell, Document, Entry, Table, Tex, Text
from retree.reports.figures import save_figure, style
from retree.reports.files import csv_text, folder, item_title, write
from retree.reports.item_report import ItemReport
from retree.reports.markup import (
    Footnotes,
    References,
    bullets,
    html_list,
    html_sentence,
    html_table,
    markdown_escape,
    markdown_table,
    tex_escape,
    tex_table,
)
from retree.reports.notes import note
from retree.reports.published import known_wrong
from retree.reports.values_page import Values, folds_address
from retree.statistics import Verdict
from retree.study.registry import explained

# Returns what a cell is shown as, given its text in the markup.
Shown = Callable[[Cell, str], str]


def write_item(context: ItemReport, *, pictures: bool = True) -> list[Path]:
    """Write the files of an item into ``<results>/<paper>/`` and return their paths.

    Parameters
    ----------
    context : ItemReport
        The item.
    pictures : bool, default=True
        Whether to draw its figures, which takes longer than all else.

    Raises
    ------
    RetreeError
        If the folder cannot be written, or the item asks for what its kind cannot do.
    """
    with explained(sys.modules[type(context.kind).__module__]):
        return _write(context, pictures)


def _write(context: ItemReport, pictures: bool) -> list[Path]:
    kind, rows, name = context.kind, context.rows, context.item.name
    base = folder(context.experiment) / name
    files = [
        write(base.with_name(f"{name}{suffix}.csv"), csv_text(table))
        for suffix, table in kind.tables(rows).items()
    ]
    if document := context.document:
        files.append(write(base.with_suffix(".md"), _page(context, document)))
        if tex := to_tex(document, name):
            files.append(write(base.with_suffix(".tex"), tex))
    if pictures:
        with style():
            for suffix, figure in kind.draw(context, rows):
                files += save_figure(figure, base.with_name(name + suffix))
    return files


def _page(context: ItemReport, document: Document) -> str:
    paper, item = context.paper, context.item
    head = f"# {item_title(item.name)}: {item.caption}\n\n"
    head += f"{paper.authors}: {paper.title}. {paper.reference}.\n"
    values = Values(item.name, document)

    def source(cell: Cell) -> tuple[str, str]:
        c, address = cell.comparison, values.address(cell.sources) if cell.sources else ""
        if c is None:
            return address, cell.note
        place = item.name, c.dataset, c.method, c.metric
        wrong = known_wrong(paper, *place) if c.verdict == Verdict.EXPLAINED else ""
        return address or folds_address(item.name, c), note(c, cell.note, wrong)

    return "\n".join([head, *to_markdown(document, source)])


def to_markdown(document: Document, source: Callable[[Cell], tuple[str, str]]) -> list[str]:
    """Return the blocks of a document in Markdown, its introduction first, footnotes last.

    Parameters
    ----------
    document : Document
    source : callable
        Returns the address of what a cell is made of, "" for nothing, and the note on it.
    """
    notes, references = Footnotes(), References()

    def shown(cell: Cell, text: str) -> str:
        number, rest = _split(text)
        address, note = source(cell)
        if number and address:
            text = references.link(number, address, note) + rest
        return f"**{text}**" if cell.strong else text

    blocks = [Bullets(document.introduction), *document.blocks]
    texts = [_markdown(block, notes, shown) for block in blocks]
    texts += [notes.text().rstrip() + "\n", references.text()]
    return [text for text in texts if text.strip()]


def _split(text: str) -> tuple[str, str]:
    """Return the number that a text begins with, "" if it does not, and what follows."""
    found = re.match(r"(< |\()?[+−]?\d[^ ]*", text)
    return (found.group(), text[found.end() :]) if found else ("", text)


def to_tex(document: Document, name: str) -> str:
    """Return the tables of a document in LaTeX, "" if it has none; labels have the item's `name`.

    Each table has footnotes of its own.
    """
    tables = [block for block in document.blocks if isinstance(block, Table)]
    return "\n".join(_tex(table, table.tex, f"tab:{name}") for table in tables if table.tex)


def to_html(document: Document) -> str:
    """Return a document in HTML; the class of a number is its verdict."""
    notes = Footnotes()
    blocks = [Bullets(document.introduction), *document.blocks]
    parts = [_html(block, notes) for block in blocks]
    return "\n".join([*parts, *(f"<p>{html_sentence(line)}</p>" for line in notes.lines())])


def _html(block: Table | Text | Bullets, notes: Footnotes) -> str:
    if isinstance(block, Bullets):
        return html_list([html_sentence(sentence) for sentence in block.sentences])
    title = f"<h4>{html.escape(block.title)}</h4>\n" if block.title else ""
    if isinstance(block, Text):
        return title + (f"<p>{html_sentence(block.text)}</p>" if block.text else "")
    header, *rows = _lines(block, notes, html.escape, _html_cell)
    return title + html_table(header, rows, block.left)


def _html_cell(cell: Cell, text: str) -> str:
    shown = f"<strong>{text}</strong>" if cell.strong else text
    verdict = cell.comparison.verdict if cell.comparison is not None else ""
    return f'<span class="{verdict}">{shown}</span>' if verdict else shown


def _markdown(block: Table | Text | Bullets, notes: Footnotes, shown: Shown) -> str:
    if isinstance(block, Bullets):
        return bullets([markdown_escape(sentence) for sentence in block.sentences])
    parts = [f"## {block.title}\n"] if block.title else []
    if isinstance(block, Text):
        return "\n".join([*parts, *([f"{block.text}\n"] if block.text else [])])
    header, *rows = _lines(block, notes, markdown_escape, shown)
    return "\n".join([*parts, markdown_table(header, rows, block.left)])


def _tex(table: Table, tex: Tex, label: str) -> str:
    def shown(cell: Cell, text: str) -> str:
        return rf"\textbf{{{text}}}" if cell.strong else text

    notes = Footnotes()
    header, *rows = _lines(table, notes, tex_escape, shown)
    legend = [*tex.legend, *notes.lines()]
    return tex_table(header, rows, tex.caption, label + tex.label, legend, table.left)


def _lines(
    table: Table, notes: Footnotes, escape: Callable[[str], str], shown: Shown
) -> list[list[str]]:
    """Return header and rows as texts, with the marks of footnotes."""

    def text(entry: Entry) -> str:
        if isinstance(entry, str):
            return escape(entry)
        return shown(entry, escape(entry.text + notes.mark(entry.reason)))

    return [[text(entry) for entry in line] for line in (table.header, *table.rows)]
