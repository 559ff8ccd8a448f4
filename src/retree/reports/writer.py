"""The files of an item: csv, Markdown, LaTeX and figures, whatever its kind."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from retree.experiments.registry import explained
from retree.reports.context import Context
from retree.reports.document import Bullets, Document, Entry, Table, Tex, Text
from retree.reports.figures import save_figure, style
from retree.reports.files import csv_text, folder, item_title, write
from retree.reports.markup import (
    Footnotes,
    bullets,
    markdown_escape,
    markdown_table,
    tex_escape,
    tex_table,
)


def write_item(context: Context, *, pictures: bool = True) -> list[Path]:
    """Write the files of an item into ``<results>/<paper>/`` and return their paths.

    Parameters
    ----------
    context : Context
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


def _write(context: Context, pictures: bool) -> list[Path]:
    kind, rows, name = context.kind, context.rows, context.item.name
    base = folder(context.experiment) / name
    files = [
        write(base.with_name(f"{name}{suffix}.csv"), csv_text(table))
        for suffix, table in kind.tables(rows).items()
    ]
    if document := kind.document(context, rows):
        files.append(write(base.with_suffix(".md"), _page(context, document)))
        if tex := to_tex(document, name):
            files.append(write(base.with_suffix(".tex"), tex))
    if pictures:
        with style():
            for suffix, figure in kind.draw(context, rows):
                files += save_figure(figure, base.with_name(name + suffix))
    return files


def _page(context: Context, document: Document) -> str:
    paper, item = context.paper, context.item
    head = f"# {item_title(item.name)}: {item.caption}\n\n"
    head += f"{paper.authors}: {paper.title}. {paper.reference}.\n"
    return "\n".join([head, *to_markdown(document)])


def to_markdown(document: Document) -> list[str]:
    """Return the blocks of a document in Markdown, its introduction first, footnotes last."""
    notes = Footnotes()
    blocks = [Bullets(document.introduction), *document.blocks]
    texts = [_markdown(block, notes) for block in blocks]
    return [text for text in (*texts, notes.text().rstrip() + "\n") if text.strip()]


def to_tex(document: Document, name: str) -> str:
    """Return the tables of a document in LaTeX, "" if it has none; labels have the item's `name`.

    Each table has footnotes of its own.
    """
    tables = [block for block in document.blocks if isinstance(block, Table)]
    return "\n".join(_tex(table, table.tex, f"tab:{name}") for table in tables if table.tex)


def _markdown(block: Table | Text | Bullets, notes: Footnotes) -> str:
    if isinstance(block, Bullets):
        return bullets([markdown_escape(sentence) for sentence in block.sentences])
    parts = [f"## {block.title}\n"] if block.title else []
    if isinstance(block, Text):
        return "\n".join([*parts, *([f"{block.text}\n"] if block.text else [])])
    header, *rows = _lines(block, notes, markdown_escape, "**{}**")
    return "\n".join([*parts, markdown_table(header, rows, block.left)])


def _tex(table: Table, tex: Tex, label: str) -> str:
    notes = Footnotes()
    header, *rows = _lines(table, notes, tex_escape, r"\textbf{{{}}}")
    legend = [*tex.legend, *notes.lines()]
    return tex_table(header, rows, tex.caption, label + tex.label, legend, table.left)


def _lines(
    table: Table, notes: Footnotes, escape: Callable[[str], str], strong: str
) -> list[list[str]]:
    """Return header and rows as texts, with the marks of footnotes."""

    def text(entry: Entry) -> str:
        if isinstance(entry, str):
            return escape(entry)
        shown = escape(entry.text + notes.mark(entry.reason))
        return strong.format(shown) if entry.strong else shown

    return [[text(entry) for entry in line] for line in (table.header, *table.rows)]
