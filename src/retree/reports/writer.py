"""The files of an item, whatever its kind."""

from __future__ import annotations

from pathlib import Path

from retree.reports.context import Context
from retree.reports.figures import save_figure, style
from retree.reports.files import csv_text, folder, write


@style()
def write_item(context: Context) -> list[Path]:
    """Write the files of an item into ``<results>/<paper>/`` and return their paths.

    Raises
    ------
    RetreeError
        If the folder cannot be written, or the item asks for what its kind cannot do.
    """
    context.kind.check(context.item)
    base, rows = folder(context.experiment) / context.item.name, context.rows
    files = [
        write(base.with_name(f"{base.name}{suffix}.csv"), csv_text(table))
        for suffix, table in context.kind.tables(rows).items()
    ]
    for suffix, figure in context.kind.draw(context, rows):
        files += save_figure(figure, base.with_name(base.name + suffix))
    return files
