"""Content of the site alone: folds behind numbers by data set, and tables as printed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from statistics import fmean
from typing import Any

from retree_lab.experiments.definition.definitions import Paper
from retree_lab.experiments.storing.exports import CELLS, REPLICATES, run_name
from retree_lab.reports.agreement import published_numbers
from retree_lab.reports.cells import run_sentences
from retree_lab.reports.comparison import Comparison, Word, comparison_table, distance
from retree_lab.reports.document import (
    Block,
    Bullets,
    Document,
    Listing,
    Phrase,
    Prose,
    Table,
    Text,
    ToEstimator,
    ToFile,
    ToMethod,
    ToRun,
    ToSource,
)
from retree_lab.reports.fold_groups import (
    INTRODUCTION,
    SEED,
    Column,
    FoldSection,
    find_fold_groups,
)
from retree_lab.reports.formatting import exact, number
from retree_lab.reports.kinds import ItemReport
from retree_lab.reports.sections import entries_table, grouped
from retree_lab.statistics.metrics import NESTED, MetricKind, find_metric
from retree_lab.study.folders import named_on_pages

_DEFAULTS = "Parameters that are not named have their defaults."
_RUNS = (
    "If a protocol has replicates, which differ in their folds, a number is the mean over all of "
    "them, or over the first ones where the page says so. The folds below are those of the first "
    "replicate."
)
# Facts that are said once where they hold for all sections.
_COMMON = ("Protocol", "Test rows")
# More folds than that are listed in a line per repeat.
FEW = 20
Facts = Mapping[str, Prose]


def fold_documents(
    paper: Paper,
    contexts: Sequence[ItemReport],
    runs: Mapping[str, str],
    about: Mapping[str, Any],
) -> dict[str, Document]:
    """Return the pages that numbers in tables lead to, by data set.

    `runs`: the names of the runs that computed the cells, by the digits of keys that files have.
    `about`: the runs that computed them and their data, as from `provenance_content`.
    """
    items = {c.item.name: c.item for c in contexts}
    seeds = {cell.key: cell.parts.seed for c in contexts for cell in c.plan.every}
    files = [CELLS]
    if any(len(context.replicates.every) for context in contexts):
        files.append(REPLICATES)
    pages = {}
    for dataset, groups in find_fold_groups(contexts, runs).items():
        sections = [
            FoldSection(
                paper.name, items[group.places[0][0]], group, seeds, about["data"], about["runs"]
            )
            for group in groups
        ]
        pages[dataset] = _page(f"Folds of {dataset} in {paper.called}", dataset, sections, files)
    return pages


def _page(
    title: str, dataset: str, sections: Sequence[FoldSection], files: Sequence[str]
) -> Document:
    """Return the page of a data set."""
    first = sections[0]
    digest = first.data.get(first.group.dataset_key, "")
    *option, name = named_on_pages(first.paper)
    study = f"{' '.join([*option, name])} " if option else ""
    lead: list[Prose] = [INTRODUCTION.format(dataset, study)]
    rows = _joined([Phrase(name, ToFile(name)) for name in files])
    lead.append(("All rows, with other grid points and further runs: ", *rows, "."))
    lead.append(f"Data: {dataset}, sha256 `{digest}`. {_DEFAULTS}")
    if any(section.n_runs > 1 for section in sections):
        lead.append(_RUNS)
    facts = [_facts(section) for section in sections]
    common = {name: facts[0][name] for name in _COMMON if len({f[name] for f in facts}) == 1}
    blocks: list[Block] = []
    for section, own_facts in zip(sections, facts, strict=True):
        blocks += _section(
            section, {name: own_facts[name] for name in own_facts if name not in common}
        )
    blocks += [
        Text("Computed", "The column `run` of the files names the run that computed a cell."),
        _computed(sections),
    ]
    return Document(_sentences(common), blocks, title, lead)


def _computed(sections: Sequence[FoldSection]) -> Bullets:
    numbers = sorted({number for section in sections for number in section.run_numbers})
    runs = sections[0].runs
    return Bullets(
        [
            (Phrase(run_name(runs[n]), place=ToRun(n)), ": ", *run_sentences([runs[n]])[0])
            for n in numbers
        ]
    )


def _section(section: FoldSection, facts: Facts) -> Iterator[Block]:
    yield Text(section.title, places=section.group.references)
    if section.numbers:
        yield entries_table(section.numbers, left=2)
    yield Bullets(_sentences(facts))
    yield Listing(section.command, "console")
    first = [fold for fold in section.group.folds if not fold["replicate"]]
    columns = replace(section, group=replace(section.group, folds=first)).columns
    if len(first) > FEW:
        yield Listing(_by_repeat(columns))
    else:
        folds = [list(row) for row in zip(*(values for _, values in columns), strict=True)]
        yield Table([label for label, _ in columns], folds)


def _sentences(facts: Facts) -> list[Prose]:
    return [
        (f"{name}: ", *fact) if isinstance(fact, tuple) else f"{name}: {fact}"
        for name, fact in facts.items()
    ]


def _joined(words: Sequence[Phrase]) -> tuple[str | Phrase, ...]:
    """Return words with commas between them."""
    return tuple(part for word in words for part in (", ", word))[1:]


def _facts(section: FoldSection) -> dict[str, Prose]:
    method = section.method
    target = method.registered.target
    name = Phrase(target.rpartition(":")[2], ToEstimator(target))
    # Of a file of a study no path of the machine is shown.
    file, _, cls = target.rpartition(":")
    path = Path(file)
    place = f"{path.parent.name}/{path.name}:{cls}" if path.is_absolute() else target
    source = Phrase(place, ToSource(target), code=True)
    return {
        "Estimator": (name, ", method ", Phrase(method.name, ToMethod(method.key)), ", ", source),
        **section.facts,
        **_means(section),
        "Computed": _joined(
            [Phrase(run_name(section.runs[n]), ToRun(n)) for n in section.run_numbers]
        ),
    }


def _means(section: FoldSection) -> dict[str, str]:
    """Return the mean of each quantity over the folds of each run, if there are several."""
    group, length = section.group, section.item.protocol.repeats
    if not any(fold["replicate"] for fold in group.folds):
        return {}
    runs = [int(fold["repeat"]) // length for fold in group.folds]
    means = {}
    for metric in section.metrics:
        by_run = groupby(zip(runs, group.values(metric), strict=True), key=lambda pair: pair[0])
        values = exact(fmean(value for _, value in pairs) for _, pairs in by_run)
        means[f"Mean {find_metric(metric).label} of each replicate"] = ", ".join(values)
    return means


def _by_repeat(columns: Sequence[Column]) -> str:
    """Return columns as lines of text, in which the folds of a repeat stand side by side.

    Seeds, which a key leads to, are left out.
    """
    (_, places), *quantities = columns
    repeats = [place.partition(",")[0] for place in places]
    lines = ["repeat, and its folds from the first to the last"]
    for label, values in quantities:
        if label == SEED:
            continue
        width = max(map(len, values))
        lines.append(f"{label}:")
        for repeat, pairs in groupby(zip(repeats, values, strict=True), key=lambda pair: pair[0]):
            lines.append(f"{repeat:>2}  {' '.join(value.rjust(width) for _, value in pairs)}")
    return "\n".join(lines)


PUBLISHED, INSIDE = "published", "inside"
_FINEST = 1e-6
# From these distances on, in points or tenths of a size, a colour is stronger.
_STEPS = (0.5, 1.0, 2.0)
Place = tuple[str, str]


@dataclass(frozen=True)
class View:
    """A table for one way to choose parameters: what is said of each number, and its colour."""

    choice: str  # `PUBLISHED` or `INSIDE`
    words: Mapping[Place, Word | None]
    # From -3 to 3: 0 is half a point away at most, 3 more than two points; negative if ours is the
    # higher one. None where nothing can be checked.
    levels: Mapping[Place, int | None]

    @property
    def counts(self) -> Counter[Word]:
        """Return the number of numbers with each word."""
        return Counter(word for word in self.words.values() if word)


@dataclass(frozen=True)
class PrintedTable:
    """A metric of a table of the paper: rows are data sets, columns methods."""

    item: str
    metric: str
    # The published numbers beside ours, by data set and method, for each way to choose parameters:
    # as published, and inside the training folds where that was run beside.
    numbers: Mapping[str, Mapping[Place, Comparison]]

    @property
    def rows(self) -> list[str]:
        """Its data sets."""
        return list(dict.fromkeys(dataset for dataset, _ in self.numbers[PUBLISHED]))

    @property
    def columns(self) -> list[str]:
        """Its methods."""
        return list(dict.fromkeys(method for _, method in self.numbers[PUBLISHED]))

    def views(self) -> Iterator[View]:
        """Yield the table for each way to choose parameters."""
        for choice, numbers in self.numbers.items():
            words = {place: c.word for place, c in numbers.items()}
            yield View(choice, words, {place: level(c) for place, c in numbers.items()})


def level(c: Comparison) -> int | None:
    """Return the colour of a number by its distance from ours, see `View`."""
    if c.word in (None, Word.UNCHECKED):
        return None
    away = distance(c.metric, c.reproduced, c.published)
    size = sum(abs(away) > step + 1e-9 for step in _STEPS)
    return int(math.copysign(size, away))


def printed_tables(contexts: Iterable[ItemReport]) -> list[PrintedTable]:
    """Return the tables of published numbers with several data sets and methods."""
    tables = []
    for context in contexts:
        of_metrics = grouped(context.comparisons, lambda c: c.metric)
        for metric, every in of_metrics.items():
            numbers = _published(every)
            by = {PUBLISHED: numbers}
            if nested := _published(_nested(context, numbers, of_metrics.get(NESTED, ()))):
                by |= {INSIDE: nested} if metric == "accuracy" else {}
            table = PrintedTable(context.item.name, metric, by)
            if min(len(table.rows), len(table.columns)) > 1:
                tables.append(table)
    return tables


def _published(comparisons: Iterable[Comparison]) -> dict[Place, Comparison]:
    """Return the numbers that every count is of, see `published_numbers`."""
    every = list(comparisons)
    kept = published_numbers(comparison_table(every)).index
    return {(every[i].dataset, every[i].method): every[i] for i in kept}


def _nested(
    context: ItemReport, published: Mapping[Place, Comparison], nested: Sequence[Comparison]
) -> list[Comparison]:
    """Return published accuracies beside ours of parameters chosen inside the training folds."""
    beside = ((c, published.get((c.dataset, c.method))) for c in nested)
    return context.judge(
        replace(c, metric=theirs.metric, theirs=theirs.theirs) for c, theirs in beside if theirs
    )


def printed_text(c: Comparison) -> str:
    """Return a published number as it is printed."""
    values = (v for v in (c.published, c.published_std) if not math.isnan(v))
    return "±".join(number(c.metric, value, unit=shown_unit(c)) for value in values)


def shown_unit(c: Comparison) -> float:
    """Return the unit of the last digit on a page, NaN for the digits of the metric.

    It is the paper's, but a program writes up to 17 decimals, and a ratio is ours.
    """
    is_ratio = find_metric(c.metric).kind == MetricKind.RATIO
    return math.nan if is_ratio else max(c.unit, _FINEST)
