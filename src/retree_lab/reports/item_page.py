"""The page of an item: its document with what its numbers lead to and their tooltips."""

from __future__ import annotations

import json
import math
import shlex
from dataclasses import replace

from retree_lab.experiments.definition.definitions import Paper
from retree_lab.reports.comparison import Comparison
from retree_lab.reports.document import Document, Entry, Table, TableCell, Text, text_of
from retree_lab.reports.files import item_title
from retree_lab.reports.formatting import number, steps, verdict_words
from retree_lab.reports.kind import ItemReport
from retree_lab.reports.published import known_wrong
from retree_lab.reports.values_page import Values, folds_of
from retree_lab.statistics import Verdict, tolerance
from retree_lab.statistics.metrics import MetricKind, find_metric
from retree_lab.study.folders import named_on_pages


def facts(c: Comparison, *others: str) -> tuple[str, ...]:
    """Return the facts on a number that are not beside it, and `others`, without empty ones."""
    judged = verdict_words(c.verdict)
    found = (judged, _spread(c), _difference(c), _test(c), *others, _parameters(c))
    return tuple(fact for fact in found if fact)


def _spread(c: Comparison) -> str:
    if math.isnan(c.reproduced_std):
        return ""
    folds = f"{c.n_folds} fold{'s' if c.n_folds > 1 else ''}"
    replicates = f", mean of {c.n_replicates} replicates" if c.n_replicates > 1 else ""
    return f"s = {number(c.metric, c.reproduced_std)} over {folds}{replicates}"


def _difference(c: Comparison) -> str:
    if math.isnan(c.difference):
        return ""
    return f"difference {number(c.metric, c.difference, sign=True)}{_allowed(c)}"


def _allowed(c: Comparison) -> str:
    if not math.isnan(c.steps):
        return f", {steps(c)}"
    if not math.isnan(c.low):
        return f", one replicate gives {number(c.metric, c.low)} to {number(c.metric, c.high)}"
    if find_metric(c.metric).kind == MetricKind.TIME or c.n_folds < 1:
        return ""
    below = c.reproduced < c.published
    allowed = tolerance(c.metric, c.reproduced_std, c.n_folds, c.published, below)
    return f", allowed {number(c.metric, allowed)}"


def _test(c: Comparison) -> str:
    if c.test is None or c.method == c.baseline or math.isnan(c.test.p_value):
        return ""
    difference = number(c.metric, c.test.mean_difference, sign=True)
    return f"against {c.baseline}: {difference}, t-test p = {c.test.p_value:.2g}"


def _parameters(c: Comparison) -> str:
    """Return the chosen grid point; where each fold has its own, the values that occur."""
    if c.params in ("", "{}"):
        return ""
    chosen = json.loads(c.params)
    points = chosen if isinstance(chosen, list) else [chosen]
    values = {name: list(dict.fromkeys(str(p[name]) for p in points)) for name in points[0]}
    texts = "; ".join(f"{name} = {', '.join(texts)}" for name, texts in values.items())
    # Each replicate chooses for itself.
    return f"first replicate: {texts}" if c.n_replicates > 1 else texts


def citation(paper: Paper) -> str:
    """Return the paper as its pages cite it."""
    end = "" if paper.title.endswith("?") else "."
    return f"{paper.authors}: {paper.title}{end} {paper.reference}."


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
    title = f"{item_title(item.name)}: {item.caption}"
    # A sweep of the command line is of no paper.
    lead = [] if context.experiment.is_sweep else [citation(context.paper)]
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
