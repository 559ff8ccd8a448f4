"""Tables of training times, compared as ratios (kind ``time_table``)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from retree_lab.experiments.definition.item import Item
from retree_lab.reports.compare_items import compare_item
from retree_lab.reports.comparison import Comparison
from retree_lab.reports.context import Context
from retree_lab.reports.coverage import introduction
from retree_lab.reports.document import Bullets, Document, Table
from retree_lab.reports.formatting import agreement_sentence, verdict_legend
from retree_lab.reports.kind import NumericKind
from retree_lab.reports.kinds.metric_table import method_cells, method_heads
from retree_lab.reports.published import PublishedValue
from retree_lab.reports.run_sentences import machine_sentence

CPU, WALL, RATIO = "train_ms_10_trees", "train_wall_ms_10_trees", "train_time_ratio"


@dataclass(frozen=True, kw_only=True)
class TimeTable(NumericKind):
    """CPU and wall times of ten trees, and the ratios of CPU times to a method's.

    The published times are those of another machine, so they have no verdict. Their ratios to the
    time of the reference on the same data set are compared with ours.
    """

    reference: str  # Key of the method that times are divided by

    @property
    def metric_names(self) -> tuple[str, ...]:
        """The metrics of its tables."""
        return CPU, WALL, RATIO

    def method_keys(self) -> Iterable[str]:
        """Return the reference."""
        return [self.reference]

    def compare(self, context: Context) -> Sequence[Comparison]:
        """Return the times by data set and method, each with its ratio."""
        times, reference = compare_item(context, [CPU, WALL]), self._reference(context.item)
        base = {c.dataset: c for c in times if (c.method, c.metric) == (reference, CPU)}
        comparisons = []
        for cpu, wall in zip(times[::2], times[1::2], strict=True):
            comparisons += [cpu, wall]
            if reference not in ("", cpu.method):
                comparisons.append(_ratio(cpu, base[cpu.dataset]))
        return context.judge(comparisons)

    def document(self, context: Context, rows: Sequence[Comparison]) -> Document:
        """Return a table of each metric."""
        legend = _legend(context, rows)
        headings = {CPU: "CPU time of ten trees in ms", WALL: "Wall time of ten trees in ms"}
        if reference := self._reference(context.item):
            headings[RATIO] = f"CPU time in units of that of {reference}"
        tables = [
            _table(context, [c for c in rows if c.metric == metric], heading)
            for metric, heading in headings.items()
        ]
        return Document(introduction(context), [*tables, Bullets(legend)])

    def _reference(self, item: Item) -> str:
        """Return the name of the method that times are divided by, "" if the item lacks it."""
        return next((m.name for m in item.methods if m.key == self.reference), "")


def _table(context: Context, cells: Sequence[Comparison], heading: str) -> Table:
    names = [m.name for m in context.item.methods]
    # The reference has no ratio to itself.
    places = [i for i, name in enumerate(names) if name in {c.method for c in cells}]
    heads = method_heads(context)
    rows = [
        [d, *method_cells(context, {c.method: c for c in cells if c.dataset == d})]
        for d in map(context.item.label, context.item.datasets)
    ]
    return Table(["data set", *(heads[i] for i in places)], rows, title=heading)


def _ratio(time: Comparison, base: Comparison) -> Comparison:
    ours = _quotient(time.reproduced, base.reproduced)
    theirs = _quotient(time.published, base.published)
    n_folds = 0 if math.isnan(ours) else min(time.n_folds, base.n_folds)
    return replace(
        time,
        metric=RATIO,
        reproduced=ours,
        reproduced_std=math.nan,
        theirs=PublishedValue(theirs, math.nan, time.theirs.unit),
        n_folds=n_folds,
        reason=time.reason or base.reason,
    )


def _quotient(time: float, base: float) -> float:
    # A clock of coarse ticks may show no time at all.
    return time / base if base else math.nan


def _legend(context: Context, comparisons: Sequence[Comparison]) -> list[str]:
    protocol = context.item.protocol
    n_trees = protocol.folds * protocol.repeats
    sentences = [
        machine_sentence(context.frame, context.stored),
        f"A time is ten times the mean over the {n_trees} training sets, of the fit alone; "
        "no other cell ran beside it."
        if protocol.timed
        else f"A time is ten times the mean over the {n_trees} training sets; other cells ran "
        "beside, so times are rough.",
        "In brackets are the published times, of another machine and other programs. They are not "
        "judged; their ratios are."
        if any(not math.isnan(c.published) for c in comparisons)
        else "",
        agreement_sentence(comparisons),
        *verdict_legend(comparisons),
    ]
    return [sentence for sentence in sentences if sentence]
