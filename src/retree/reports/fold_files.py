"""The folds behind the numbers of a paper's tables in Markdown, a file for each data set."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from statistics import fmean
from typing import Any

import pandas as pd

from retree.experiments.definition.definitions import Experiment
from retree.experiments.planning.plan import KEY_DIGITS
from retree.experiments.storing.exports import CELLS, REPLICATES
from retree.paths import project_dir
from retree.reports.comparison import comparison_table
from retree.reports.files import folder, item_title, write
from retree.reports.fold_groups import find_fold_groups, folds_file
from retree.reports.fold_sections import INTRODUCTION, NUMBERS, SEED, Column, FoldSection
from retree.reports.formatting import exact
from retree.reports.item_report import ItemReport
from retree.reports.markup import References, bullets, markdown_escape, markdown_table
from retree.reports.run_sentences import run_sentences
from retree.reports.values_page import Values
from retree.statistics.metrics import find_metric
from retree.study.registry import import_estimator

FOLDS_OF = "# Folds of "
_DEFAULTS = "Parameters that are not named have their defaults."
_RUNS = (
    "Where a protocol has replicates, which differ in their folds, a number is the mean over them, "
    "or over the first ones where that is said. The folds below are of the first replicate."
)
# Facts that are said once where they hold for all sections.
_COMMON = ("Protocol", "Test rows")
# More folds than that are listed in a line per repeat.
FEW = 20


def write_folds(
    experiment: Experiment,
    contexts: Sequence[ItemReport],
    cells: Mapping[str, pd.DataFrame],
    about: Mapping[str, Any],
) -> list[Path]:
    """Write the files that numbers in tables lead to, and return their paths.

    Parameters
    ----------
    experiment : Experiment
        Names the folder.
    contexts : sequence of ItemReport
        The items that the files are about.
    cells : dict of str to DataFrame
        Their cells, as from `retree.reports.cells.cell_tables`.
    about : dict
        The runs that computed them and their data, as from `provenance_content`.
    """
    base, paper = folder(experiment), experiment.paper
    tables = {c.item.name: _numbers(c) for c in contexts}
    items = {c.item.name: c.item for c in contexts}
    values = [Values(c.item.name, c.document) for c in contexts if c.document is not None]
    paths = [write(base / v.file, text) for v in values if (text := v.page())]
    seeds = {cell.key[:KEY_DIGITS]: cell.parts.seed for c in contexts for cell in c.plan.every}
    found = find_fold_groups(cells, tables, paper.names, _shared_cells(contexts))
    for dataset, groups in found.items():
        sections = [
            FoldSection(paper.name, items[group.places[0][0]], group, seeds, **about)
            for group in groups
        ]
        path = base / folds_file(dataset)
        paths.append(write(path, "\n".join(_page(dataset, sections, path.parent))))
    return paths


def _numbers(context: ItemReport) -> pd.DataFrame:
    """Return the means over folds that the page of an item has, and those that it is made of."""
    cells = [] if context.document is None else list(context.document.cells)
    shown = [cell.comparison for cell in cells if cell.comparison is not None]
    found = [*shown, *(c for cell in cells for c in cell.sources)]
    first = [*[True] * len(shown), *[False] * (len(found) - len(shown))]
    table = comparison_table(found).assign(is_shown=first)
    return table.drop_duplicates(["dataset", "method", "metric", "params", "reproduced"])


def _shared_cells(contexts: Sequence[ItemReport]) -> dict[str, dict[tuple[str, str], str]]:
    """Return name and point of each cell's method where items differ, with the items of each.

    A cell goes by what the files have of its key.
    """
    found: dict[str, dict[tuple[str, str], dict[str, None]]] = {}
    for context in contexts:
        names = {method.key: method.name for method in context.item.methods}
        for frame in (context.frame, context.further.every):
            columns = [frame[name] for name in ("key", "method", "params")] if len(frame) else []
            for key, method, params in zip(*columns, strict=True):
                known = found.setdefault(key[:KEY_DIGITS], {})
                known.setdefault((names[method], params), {})[context.item.name] = None
    return {
        key: {named: " ".join(items) for named, items in known.items()}
        for key, known in found.items()
        if len(known) > 1
    }


def _page(dataset: str, sections: Sequence[FoldSection], here: Path) -> Iterator[str]:
    """Yield the parts of the file of a data set, which stands in the folder `here`."""
    files = [
        f"[{name}](../{name})" for name in (CELLS, REPLICATES) if (here.parent / name).exists()
    ]
    first = sections[0]
    digest = first.data.get(first.dataset, "")
    yield f"{FOLDS_OF}{dataset} in {first.paper}\n"
    yield f"{INTRODUCTION.format(dataset)}\n"
    yield f"All rows, those of other grid points and further runs too: {', '.join(files)}.\n"
    yield f"Data: {dataset}, sha256 `{digest}`. {_DEFAULTS}\n"
    if any(section.n_runs > 1 for section in sections):
        yield f"{_RUNS}\n"
    references = References()
    facts = [_facts(section, here, references) for section in sections]
    common = {name: facts[0][name] for name in _COMMON if len({f[name] for f in facts}) == 1}
    if common:
        yield _list(common)
    for section, own in zip(sections, facts, strict=True):
        yield from _section(section, {name: own[name] for name in own if name not in common})
    yield "## Computed\n\nAs the column `run` of the files counts.\n"
    numbers = sorted({number for section in sections for number in section.run_numbers})
    yield "".join(
        f'- <a id="computed-{number}"></a>{number}: {run_sentences([first.runs[number]])[0]}\n'
        for number in numbers
    )
    yield references.text()


def _section(section: FoldSection, facts: Mapping[str, str]) -> Iterator[str]:
    places = "".join(f'<a id="{name}"></a>' for name in section.group.anchors)
    yield f"{places}\n\n## {section.title}\n"
    rows = [
        [f"[{item_title(item)}](../{item}.md)", *map(markdown_escape, others)]
        for item, *others in section.numbers
    ]
    if rows:
        yield markdown_table(NUMBERS, rows, left=2)
    yield _list(facts)
    yield f"```console\n{section.command}\n```\n"
    first = [fold for fold in section.group.folds if not fold["replicate"]]
    columns = replace(section, group=replace(section.group, folds=first)).columns
    if len(first) > FEW:
        yield _by_repeat(columns)
    else:
        rows = [list(row) for row in zip(*(values for _, values in columns), strict=True)]
        yield markdown_table([label for label, _ in columns], rows)


def _list(facts: Mapping[str, str]) -> str:
    return bullets([f"{name}: {text}" for name, text in facts.items()])


def _facts(section: FoldSection, here: Path, references: References) -> dict[str, str]:
    target = section.method.registered.target
    source, name = _source(target, here), target.rpartition(":")[2]
    facts = {fact: markdown_escape(text) for fact, text in section.facts.items()}
    computed = (f"[{number}](#computed-{number})" for number in section.run_numbers)
    return {
        "Estimator": references.link(name, source) if source else target,
        **facts,
        **_means(section),
        "Computed": ", ".join(computed),
    }


def _source(target: str, here: Path) -> str:
    """Return where the source of an estimator is, "" if it or `here` is outside the project."""
    path, root = Path(inspect.getfile(import_estimator(target))).resolve(), project_dir()
    inside = path.is_relative_to(root) and here.resolve().is_relative_to(root)
    if not inside or "site-packages" in path.parts:
        return ""
    return os.path.relpath(path, here.resolve())


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
    return "```text\n" + "\n".join(lines) + "\n```\n"
