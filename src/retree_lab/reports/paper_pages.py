"""The files of an item, whatever its kind, and the pages of a paper as a whole."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pandas as pd

from retree_lab.experiments.definition.definitions import Experiment, Paper
from retree_lab.experiments.planning.plan import Plan
from retree_lab.experiments.storing.exports import CELLS
from retree_lab.experiments.storing.results import StoredCells, merge_cells
from retree_lab.reports.agreement import read_folder
from retree_lab.reports.agreement.chance import STEM as CHANCE
from retree_lab.reports.agreement.chance import (
    chance_document,
    chance_summary,
    chance_tables,
    distance_table,
    judged,
)
from retree_lab.reports.agreement.columns import STEM as COLUMNS
from retree_lab.reports.agreement.columns import (
    ColumnShift,
    find_shifts,
    shift_table,
    shifts_document,
    shifts_summary,
)
from retree_lab.reports.agreement.headlines import STEM as CAUSES
from retree_lab.reports.agreement.headlines import causes_section, count_causes, headlines
from retree_lab.reports.agreement.pictures import draw_distances, draw_shifts
from retree_lab.reports.agreement.skill import FILE as POWER
from retree_lab.reports.agreement.skill import find_power, power_section
from retree_lab.reports.audit import audit_document, audit_published, audit_section, audit_table
from retree_lab.reports.audit.published_cells import Ruling
from retree_lab.reports.cells import (
    cell_tables,
    is_protected,
    provenance_content,
    provenance_section,
    runs_of_cells,
    write_cells,
    write_provenance,
)
from retree_lab.reports.claims import claims_document, claims_table, how_checked
from retree_lab.reports.claims.judging import JudgedClaim, judge_claims
from retree_lab.reports.comparison import CSV_COLUMNS, Comparison, comparison_table
from retree_lab.reports.document import (
    Document,
    Phrase,
    Prose,
    Reference,
    ToAddress,
    ToFile,
)
from retree_lab.reports.figures import save_figure, style
from retree_lab.reports.files import csv_text, folder, write
from retree_lab.reports.item_page import citation, item_page, values_page, with_command
from retree_lab.reports.kinds import ItemReport, Kind
from retree_lab.reports.markup import to_markdown, to_tex
from retree_lab.reports.paper_sections import (
    agreement_section,
    claims_section,
    data_section,
    differing_section,
    digits_section,
    items_section,
    known_section,
    optimism_section,
    run_section,
    tried_section,
    unverified_section,
)
from retree_lab.reports.site_pages import PrintedTable, fold_documents, printed_tables
from retree_lab.study.folders import named_on_pages
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


@dataclass(frozen=True)
class PaperResults:
    """The results of a paper as a whole: its numbers, claims and published tables."""

    experiment: Experiment  # Names the folder and the paper
    contexts: Sequence[ItemReport]  # All items that the pages are about

    @cached_property
    def stored(self) -> StoredCells:
        """The stored values of all their cells."""
        return merge_cells(context.stored for context in self.contexts)

    @cached_property
    def compared(self) -> dict[str, Sequence[Comparison]]:
        """The comparisons of each item, by its name."""
        return {context.item.name: context.comparisons for context in self.contexts}

    @cached_property
    def numbers(self) -> Sequence[Comparison]:
        """All of these."""
        return [c for numbers in self.compared.values() for c in numbers]

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The same as rows of their csv files, with ``item``."""
        return comparison_table(self.numbers, ("item", *CSV_COLUMNS))

    @cached_property
    def power(self) -> pd.DataFrame:
        """The power of each item, by metric."""
        return find_power(self.numbers, self.experiment.paper.margins)

    @cached_property
    def shifts(self) -> Sequence[ColumnShift]:
        """Whole columns against the published ones."""
        paper = self.experiment.paper
        return find_shifts(self.numbers, paper.margins, paper.same_file)

    @cached_property
    def judgements(self) -> Sequence[JudgedClaim]:
        """The judged claims."""
        return judge_claims(self.experiment.paper, self.compared)

    @cached_property
    def rulings(self) -> Sequence[Ruling]:
        """The audit of the published tables."""
        return audit_published(self.experiment.paper)

    @property
    def entries(self) -> list[tuple[Plan, pd.DataFrame]]:
        """The plans of the items, and their cells."""
        return [(context.plan, context.frame) for context in self.contexts]

    @property
    def replicates(self) -> list[tuple[Plan, pd.DataFrame]]:
        """The plans of the items, and the chosen cells of their further replicates."""
        return [(context.plan, context.replicates.every) for context in self.contexts]

    @cached_property
    def about(self) -> dict[str, Any]:
        """The runs that computed the cells, and their data."""
        return provenance_content([*self.entries, *self.replicates], self.stored)

    @cached_property
    def cells(self) -> dict[str, pd.DataFrame]:
        """The cells as files have them, by the name of the file."""
        return cell_tables(self.entries, self.replicates, self.stored)


PAGE, CLAIMS, AUDIT = "README", "claims", "audit"
# Overrides that say what is rendered where, but not how.
_ELSEWHERE = ("paper", "item", "results", "committed", "store")


def paper_documents(results: PaperResults) -> dict[str, Document]:
    """Return the pages of a paper beside its items' pages, by name; first its own, ``README``."""
    paper = results.experiment.paper
    source, pages = citation(paper), {PAGE: _readme(results)}
    if results.judgements:
        pages[CLAIMS] = claims_document(results.judgements, source)
    if results.rulings:
        pages[AUDIT] = audit_document(paper, results.rulings, source)
    if chance := chance_document(paper, results.numbers, source):
        pages[CHANCE] = chance
    if columns := shifts_document(results.shifts, paper.margins, source):
        pages[COLUMNS] = columns
    return pages


def write_page(
    experiment: Experiment, contexts: Sequence[ItemReport], *, numbers_only: bool = False
) -> list[Path]:
    """Write the page, cells, claims, audit and provenance of a paper; return their paths.

    `contexts`: all items that the page is about; render the items first, since the page links to
    the files that are there.
    `numbers_only`: whether to leave out figures, whose numbers other files have.
    """
    results, base = PaperResults(experiment, contexts), folder(experiment)
    pages = {
        name: write(base / f"{name}.md", to_markdown(page))
        for name, page in paper_documents(results).items()
    }
    page, tables = pages.pop(PAGE), _tables(results)
    return [
        page,
        *write_cells(experiment, results.cells),
        *pages.values(),
        *(write(base / name, csv_text(table)) for name, table in tables.items()),
        *(() if numbers_only else _draw(results, base)),
        write_provenance(experiment, results.about | _overrides(experiment)),
    ]


def _tables(results: PaperResults) -> dict[str, pd.DataFrame]:
    """Return the csv files on all numbers of a paper, by name."""
    paper, numbers, tables = results.experiment.paper, results.numbers, dict[str, pd.DataFrame]()
    if results.judgements:
        tables[f"{CLAIMS}.csv"] = claims_table(results.judgements)
    if results.rulings:
        tables[f"{AUDIT}.csv"] = audit_table(paper, results.rulings)
    tables |= chance_tables(paper, numbers)
    if results.shifts:
        tables[f"{COLUMNS}.csv"] = shift_table(results.shifts)
    if len(results.power):
        tables[POWER] = results.power
    if paper.causes and numbers:
        tables[f"{CAUSES}.csv"] = count_causes(paper, results.frame)
    return tables


def _draw(results: PaperResults, base: Path) -> Iterator[Path]:
    """Yield the pictures of all numbers of a paper."""
    called = results.experiment.paper.called
    with style():
        if judged(results.numbers):
            counts = distance_table(results.numbers)
            yield from save_figure(draw_distances(counts, called), base / CHANCE)
        if results.shifts:
            yield from save_figure(draw_shifts(results.shifts, called), base / COLUMNS)


def _overrides(experiment: Experiment) -> dict[str, list[str]]:
    """Return the overrides of a command, so that the site can render the same again."""
    if is_protected(experiment):
        return {}
    names = ((text.partition("=")[0].lstrip("+"), text) for text in experiment.overrides)
    kept = [
        text for name, text in names if not (name in _ELSEWHERE or name.startswith("execution"))
    ]
    return {"overrides": kept} if kept else {}


def _readme(results: PaperResults) -> Document:
    experiment, contexts, numbers = results.experiment, results.contexts, results.numbers
    paper = experiment.paper
    every = [*results.entries, *results.replicates]
    blocks = [
        *items_section(experiment, contexts),
        *run_section(experiment, contexts),
        *claims_section(results.judgements),
        *audit_section(results.rulings),
        *agreement_section(numbers),
        *power_section(results.power, paper.margins),
        *digits_section(numbers),
        *optimism_section(numbers),
        *chance_summary(numbers),
        *shifts_summary(results.shifts),
        *differing_section(paper, numbers),
        *causes_section(paper, results.frame),
        *known_section(experiment, contexts),
        *tried_section(experiment),
        *data_section(experiment, contexts),
        *provenance_section(every, results.stored),
        *unverified_section(experiment, contexts),
    ]
    cells, name = Phrase(CELLS, ToFile(CELLS)), " ".join(named_on_pages(paper.name))
    how: Prose = (
        "This page is written by `retree report`; the per-fold rows behind it are in ",
        *(cells, f"; `retree show {name} ITEM DATASET METHOD` shows the folds behind a number."),
    )
    committed = read_folder(folder(experiment)).assign(paper=paper.name)
    rendered = committed[committed["item"].isin(list(results.compared))]
    said = [row.sentence for row in headlines(rendered, [paper])]
    return Document([], blocks, paper.title, [cited(paper), *said, how])


def cited(paper: Paper) -> Prose:
    """Return authors and reference of a paper, with its DOI or address."""
    said = f"{paper.authors}. {paper.reference}."
    if paper.doi:
        to = ToAddress(f"https://doi.org/{quote(paper.doi)}")
        return f"{said} ", Phrase(f"doi:{paper.doi}", to)
    if paper.url:
        return f"{said} ", Phrase(paper.url.partition("://")[2], ToAddress(paper.url))
    return said


@dataclass(frozen=True)
class PaperPages:
    """The pages of a paper."""

    # The paper's own page, ``README``, and pages of items, claims, audit and chance, by name.
    pages: Mapping[str, Document] = field(default_factory=dict)
    # The values behind the numbers of an item, by its name.
    values: Mapping[str, Document] = field(default_factory=dict)
    # The folds behind the numbers, by data set.
    folds: Mapping[str, Document] = field(default_factory=dict)
    claims: Sequence[JudgedClaim] = ()
    tables: Sequence[PrintedTable] = ()  # As the paper prints them

    @property
    def checks(self) -> dict[str, Prose]:
        """Return descriptions of how claims are checked, by claim name."""
        return {j.claim.name: how_checked(j.claim) for j in self.claims}

    @property
    def references(self) -> Iterator[Reference]:
        """The targets of everything on the pages."""
        for pages in (self.pages, self.values, self.folds):
            for page in pages.values():
                yield from page.references


def paper_pages(experiment: Experiment, contexts: Sequence[ItemReport]) -> PaperPages:
    """Return the pages of a paper."""
    results = PaperResults(experiment, contexts)
    items = {c.item.name: page for c in contexts if (page := item_page(c))}
    values = {c.item.name: page for c in contexts if (page := values_page(c))}
    runs = runs_of_cells([*results.entries, *results.replicates], results.stored)
    folds = fold_documents(experiment.paper, contexts, runs, results.about)
    pages = {**paper_documents(results), **items}
    return PaperPages(pages, values, folds, results.judgements, printed_tables(contexts))
