"""The page of an item: its document with what its numbers lead to and their tooltips."""

from __future__ import annotations

import shlex
from dataclasses import replace

from retree.experiments.definition.definitions import Paper
from retree.reports.comparison import Comparison
from retree.reports.document import Document, Entry, Table, TableCell, Text, text_of
from retree.reports.files import item_title
from retree.reports.item_report import ItemReport
from retree.reports.published import known_wrong
from retree.reports.tooltips import facts
from retree.reports.values_page import Values, folds_of
from retree.statistics import Verdict
from retree.study.folders import named_on_pages


def citation(paper: Paper) -> str:
    """Return the paper as its pages cite it."""
    return f"{paper.authors}: {paper.title}. {paper.reference}."


def item_page(context: ItemReport) -> Document | None:
    """Return the page of an item, None if it has none."""
    document, item = context.document, context.item
    if document is None:
        return None
    values = Values(item.name, document)

    def led(entry: Entry) -> Entry:
        if isinstance(entry, str) or not _has_number(entry):
            return entry
        to = values.reference(entry.sources) if entry.sources else None
        if (c := entry.comparison) is None:
            return replace(entry, to=to, sources=())
        found = facts(c, *entry.facts, _misprint(context, c))
        return replace(entry, to=to or folds_of(item.name, c), facts=found, sources=())

    blocks = [
        replace(block, header=[*map(led, block.header)], rows=[[*map(led, r)] for r in block.rows])
        if isinstance(block, Table)
        else block
        for block in document.blocks
    ]
    title, lead = f"{item_title(item.name)}: {item.caption}", [citation(context.paper)]
    return replace(document, blocks=blocks, title=title, lead=lead)


def values_page(context: ItemReport) -> Document | None:
    """Return the page of the values behind an item's numbers, None if no number needs it."""
    return Values(context.item.name, context.document).page() if context.document else None


def with_command(page: Document, context: ItemReport) -> Document:
    """Return the page of an item with the command that shows the folds behind its numbers."""
    document, item = context.document, context.item
    numbers = [c for cell in document.cells for c in _numbers(cell)] if document else []
    datasets = item.datasets_by_label
    methods = {method.name: method.key for method in item.methods}
    known = (c for c in numbers if c.dataset in datasets and c.method in methods)
    first = next((c for c in known if folds_of(item.name, c)), None)
    if first is None:
        return page
    named = named_on_pages(context.paper.name)
    place = *named, item.name, datasets[first.dataset], methods[first.method]
    site = f"retree site {' '.join(named)}" if len(named) > 1 else "make site"
    words = (
        f"`{shlex.join(['retree', 'show', *place])}` shows the folds behind {first.method} on "
        f"{first.dataset}. On the site (`{site}`) each number leads to its folds or values."
    )
    return replace(page, blocks=[*page.blocks, Text(text=words)])


def _has_number(cell: TableCell) -> bool:
    """Whether a number is shown, and not that there is none."""
    known = cell.comparison is not None or bool(cell.sources)
    return known and any(sign.isdigit() for sign in text_of(cell.text))


def _numbers(cell: TableCell) -> list[Comparison]:
    return [*([cell.comparison] if cell.comparison else []), *cell.sources]


def _misprint(context: ItemReport, c: Comparison) -> str:
    """Return why a published number is known to be wrong, "" if it is not."""
    place = context.item.name, c.dataset, c.method, c.metric
    return known_wrong(context.paper, *place) if c.verdict == Verdict.EXPLAINED else ""
