"""The pages of a paper: what was run, what agrees, what differs, and what is known about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pandas as pd

from retree.experiments.definition.definitions import Experiment, Paper
from retree.experiments.planning.plan import Plan
from retree.experiments.storing.exports import CELLS
from retree.experiments.storing.stored_cells import StoredCells, together
from retree.experiments.verifying.verified import unverified
from retree.reports.agreement_sections import (
    agreement_section,
    differing_section,
    digits_section,
    optimism_section,
)
from retree.reports.audit import audit_published
from retree.reports.audit.audit_tables import audit_document, audit_section, write_audit
from retree.reports.audit.published_cells import Ruling
from retree.reports.causes import STEM as CAUSES
from retree.reports.causes import causes_section, count_causes
from retree.reports.cells import cell_tables, write_cells
from retree.reports.claims.claim_tables import (
    claims_document,
    claims_total,
    how_checked,
    write_claims,
)
from retree.reports.claims.judging import JudgedClaim, judge_claims
from retree.reports.comparison import CSV_COLUMNS, Comparison, comparison_table
from retree.reports.coverage import coverage_notes, grid_sentence, origins, protocol_sentence, tuned
from retree.reports.destination import is_protected
from retree.reports.document import (
    Block,
    Bullets,
    Document,
    Entry,
    Phrase,
    Prose,
    Table,
    TableCell,
    Text,
)
from retree.reports.evidence import headlines
from retree.reports.files import csv_text, folder, item_title, write
from retree.reports.fold_pages import fold_documents
from retree.reports.formatting import blank_sentences
from retree.reports.item_page import citation, item_page, values_page
from retree.reports.kind import ItemReport
from retree.reports.markdown import to_markdown
from retree.reports.printed_tables import PrintedTable, printed_tables
from retree.reports.references import Reference, ToAddress, ToFile, ToPage
from retree.reports.rendered_tables import read_folder
from retree.reports.replicates.chance import STEM as CHANCE
from retree.reports.replicates.chance import chance_document, chance_summary, write_chance
from retree.reports.replicates.column_shifts import ColumnShift, find_shifts
from retree.reports.replicates.shift_pages import STEM as COLUMNS
from retree.reports.replicates.shift_pages import shifts_document, shifts_summary, write_shifts
from retree.reports.run_sentences import provenance_content, provenance_section, write_provenance
from retree.reports.table_power import FILE, Power, find_power, power_section, power_table
from retree.study.folders import named_on_pages

# The section of the items, which the site has its own of.
ITEMS = "Tables and figures"
SUFFIXES = (".md", ".csv", ".svg")


def items_section(experiment: Experiment, contexts: Sequence[ItemReport]) -> list[Block]:
    """Return the items, each with how much of it is computed and the files that there are."""
    rows: list[list[Entry]] = []
    for context in contexts:
        item, frame = context.item, context.frame
        done = int((frame["status"] == "done").sum())
        cells = f"{done} of {len(frame)}" if len(frame) else ""
        links = TableCell(_links(experiment, item.name))
        rows.append(
            [item_title(item.name), item.caption, str(len(item.datasets) or ""), cells, links]
        )
    header = ["item", "what it shows", "data sets", "cells computed", "files"]
    return [Table(header, rows, left=2, title=ITEMS)]


def _links(experiment: Experiment, name: str) -> Prose:
    """Return links to the item's files that exist; an item may have a file for each data set."""
    base = folder(experiment)
    found = [p for s in SUFFIXES for p in (base / f"{name}{s}", *base.glob(f"{name}_*{s}"))]
    names = sorted({p.name for p in found if p.exists()}, key=lambda n: (Path(n).stem, n))
    words = [Phrase(n.removeprefix(name).lstrip("_."), _file(name, n)) for n in names]
    return tuple(part for word in words for part in (" ", word))[1:]


def _file(item: str, name: str) -> Reference:
    return ToPage(item) if name == f"{item}.md" else ToFile(name)


def run_section(experiment: Experiment, contexts: Sequence[ItemReport]) -> list[Block]:
    """Return how the cells were computed, and how that falls short of the paper's items."""
    items: dict[str, list[str]] = {}
    chosen = [context for context in contexts if context.item.datasets]
    for context in chosen:
        item = context.item
        how = protocol_sentence(item.protocol, item.select)
        sentences = [how] if item.methods else []
        for sentence in [*sentences, *coverage_notes(context)]:
            items.setdefault(sentence, []).append(item_title(item.name))
    sentences = [f"{', '.join(names)}: {sentence}" for sentence, names in items.items()]
    varied = [c.item.methods for c in chosen if c.item.vary is None]
    names = dict.fromkeys(name for methods in varied for name in tuned(methods))
    if names:
        grid = {name: experiment.paper.grid[name] for name in names}
        sentences.append(f"Grid: {grid_sentence(grid)}.")
    sentences += blank_sentences(context.plan for context in contexts)
    return [Text("What was run"), Bullets(sentences)]


def unverified_section(experiment: Experiment, contexts: Sequence[ItemReport]) -> list[Block]:
    """Return which results are not known to come out of today's sources and libraries."""
    methods = [method for context in contexts for method in context.item.methods]
    names = {m.estimator for m in methods if m.estimator is not None and m.missing is None}
    sentences = unverified(names, experiment.committed)
    return _listed("Unverified", sentences)


def claims_section(judgements: Sequence[JudgedClaim]) -> list[Block]:
    """Return how many claims have which answers."""
    if not judgements:
        return []
    how = (Phrase("claims.md", ToPage("claims")), " has each claim, its numbers and its check.")
    return [Text("Claims"), claims_total(judgements), Text(text=how)]


def known_section(experiment: Experiment, contexts: Sequence[ItemReport]) -> list[Block]:
    """Return misprints, and remarks on what is shown."""
    paper, items = experiment.paper, [context.item for context in contexts]
    used = {m.name for item in items for m in item.methods} | {item.name for item in items}
    used |= {name for item in items for d in item.datasets for name in (d, item.label(d))}
    sentences = []
    for rule in paper.errata:
        place = ", ".join(str(value) for name, value in rule.items() if name != "reason")
        sentences.append(f"Known misprint: {place}: {rule['reason']}")
    sentences += [f"{name}: {text}" for name, text in paper.remarks.items() if name in used]
    return _listed("What is known", sentences)


def tried_section(experiment: Experiment) -> list[Block]:
    """Return what was tried where a number differs."""
    sentences = [f"{topic}: {text}" for topic, text in experiment.paper.tried.items()]
    return _listed("What we tried", sentences)


def data_section(experiment: Experiment, contexts: Sequence[ItemReport]) -> list[Block]:
    """Return where the data are from, and their digests."""
    names = {
        name: c for c in contexts for name in c.item.datasets if name not in c.plan.unavailable
    }
    if not names:
        return []
    rows: list[list[Entry]] = []
    here = {n: own for n, c in names.items() for own in origins([n], c).values()}
    for found in here.values():
        source = found.source + (", instead of the published sample" if found.generated else "")
        if found.name in experiment.paper.drawn_anew:
            source += ", drawn anew in each replicate"
        shape = [str(found.n_samples), str(found.n_features)]
        digest = TableCell(Phrase(found.sha256[:16], code=True))
        rows.append([found.name, source, *shape, digest])
    rows += [[name, "not available here", "", "", ""] for name in names if name not in here]
    header = ["data set", "source", "rows", "features", "sha256 (first 16 digits)"]
    return [Table(header, rows, left=2, title="Data")]


def _listed(title: str, sentences: Sequence[str]) -> list[Block]:
    return [Text(title), Bullets(sentences)] if sentences else []


@dataclass(frozen=True)
class PaperResults:
    """The results of a paper as a whole: its numbers, claims and published tables."""

    experiment: Experiment  # Names the folder and the paper
    contexts: Sequence[ItemReport]  # All items that the pages are about

    @cached_property
    def stored(self) -> StoredCells:
        """The stored values of all their cells."""
        return together(context.stored for context in self.contexts)

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
    def power(self) -> Sequence[Power]:
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
    """Return the pages of a paper beside those of its items, by name; first its own, ``README``."""
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
    `numbers_only`: whether to leave out figures, whose numbers are those of other files.
    """
    results, base = PaperResults(experiment, contexts), folder(experiment)
    pages = {
        name: write(base / f"{name}.md", to_markdown(page))
        for name, page in paper_documents(results).items()
    }
    page = pages.pop(PAGE)
    return [
        page,
        *write_cells(experiment, results.cells),
        *pages.values(),
        *(write_claims(experiment, results.judgements) if results.judgements else []),
        *(write_audit(experiment, results.rulings) if results.rulings else []),
        *write_chance(experiment, results.numbers, pictures=not numbers_only),
        *write_shifts(experiment, results.shifts, pictures=not numbers_only),
        *([write(base / FILE, csv_text(power_table(results.power)))] if results.power else []),
        *_write_causes(results),
        write_provenance(experiment, results.about | _overrides(experiment)),
    ]


def _write_causes(results: PaperResults) -> list[Path]:
    paper = results.experiment.paper
    if not paper.causes or not results.numbers:
        return []
    counts = count_causes(paper, results.frame)
    return [write(folder(results.experiment) / f"{CAUSES}.csv", csv_text(counts))]


def _overrides(experiment: Experiment) -> dict[str, list[str]]:
    """Return what was asked for other than configured, so that the site can render it again."""
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
        *(cells, f"; `retree show {name} ITEM DATASET METHOD` shows those of a number."),
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

    # The paper's own page, ``README``, and those of items, claims, audit and chance, by name.
    pages: Mapping[str, Document] = field(default_factory=dict)
    # The values behind the numbers of an item, by its name.
    values: Mapping[str, Document] = field(default_factory=dict)
    # The folds behind the numbers, by data set.
    folds: Mapping[str, Document] = field(default_factory=dict)
    claims: Sequence[JudgedClaim] = ()
    tables: Sequence[PrintedTable] = ()  # As the paper prints them

    @property
    def checks(self) -> dict[str, Prose]:
        """How each claim is checked, by its name."""
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
    folds = fold_documents(experiment.paper, contexts, results.cells, results.about)
    pages = {**paper_documents(results), **items}
    return PaperPages(pages, values, folds, results.judgements, printed_tables(contexts))
