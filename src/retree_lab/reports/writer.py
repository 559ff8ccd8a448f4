"""An item as csv, Markdown, LaTeX and figures, whatever its kind."""

from __future__ import annotations

import sys
from pathlib import Path

from retree_lab.reports.figures import save_figure, style
from retree_lab.reports.files import csv_text, folder, write
from retree_lab.reports.item_page import item_page, with_command
from retree_lab.reports.kind import ItemReport, Kind
from retree_lab.reports.latex import to_tex
from retree_lab.reports.markdown import to_markdown
from retree_lab.study.importing import explained


def write_item(context: ItemReport, *, pictures: bool = True, tex: bool = False) -> list[Path]:
    """Write the files of an item into ``<results>/<paper>/`` and return their paths.

    `tex`: whether to write what LaTeX takes too: tables, of which a file that is there is written
    anew in any case, and figures as pdf.
    """
    with explained(sys.modules[type(context.kind).__module__]):
        return _write(context, pictures, tex)


def _write(context: ItemReport, pictures: bool, tex: bool) -> list[Path]:
    kind, rows, name = context.kind, context.rows, context.item.name
    base = folder(context.experiment) / name
    files = [
        write(base.with_name(f"{name}{suffix}.csv"), csv_text(table))
        for suffix, table in kind.tables(rows).items()
    ]
    if page := item_page(context):
        files.append(write(base.with_suffix(".md"), to_markdown(with_command(page, context))))
        file = base.with_suffix(".tex")
        if (tex or file.exists()) and (tables := to_tex(page, name, context.item.caption)):
            files.append(write(file, tables))
    if pictures and type(kind).draw is not Kind.draw:
        with style():
            for suffix, figure in kind.draw(context, rows):
                files += save_figure(figure, base.with_name(name + suffix), pdf=tex)
    return files
