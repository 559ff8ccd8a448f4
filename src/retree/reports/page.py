"""The page of a paper: what was run, what agrees, what differs, and what is known about it."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from retree.experiments.definition.definitions import Experiment, Paper
from retree.experiments.storing.exports import CELLS
from retree.reports.agreement_power import FILE, power_table
from retree.reports.agreement_sections import (
    agreement_section,
    differing_section,
    digits_section,
    optimism_section,
)
from retree.reports.audit.audit_tables import audit_document, audit_section, write_audit
from retree.reports.cells import write_cells
from retree.reports.claims.claim_tables import claims_document, write_claims
from retree.reports.destination import is_protected
from retree.reports.document import Document, Phrase, Prose
from retree.reports.files import csv_text, folder, write
from retree.reports.item_page import citation
from retree.reports.judged import Contexts, Judged
from retree.reports.markdown import to_markdown
from retree.reports.paper_sections import (
    claims_section,
    data_section,
    items_section,
    known_section,
    run_section,
    tried_section,
    unverified_section,
)
from retree.reports.power_section import power_section
from retree.reports.references import ToAddress, ToFile
from retree.reports.replicates.chance_page import STEM as CHANCE
from retree.reports.replicates.chance_page import chance_document, chance_summary, write_chance
from retree.reports.run_sentences import provenance_section, write_provenance
from retree.study.folders import named_on_pages

PAGE, CLAIMS, AUDIT = "README", "claims", "audit"
# Overrides that say what is rendered where, but not how.
_ELSEWHERE = ("paper", "item", "results", "committed", "store")


def paper_documents(judged: Judged) -> dict[str, Document]:
    """Return the pages of a paper beside those of its items, by name; first its own, ``README``."""
    paper = judged.experiment.paper
    source, pages = citation(paper), {PAGE: _readme(judged)}
    if judged.judgements:
        pages[CLAIMS] = claims_document(judged.judgements, source)
    if judged.rulings:
        pages[AUDIT] = audit_document(paper, judged.rulings, source)
    if chance := chance_document(paper, judged.compared, source):
        pages[CHANCE] = chance
    return pages


def write_page(
    experiment: Experiment, contexts: Contexts, *, numbers_only: bool = False
) -> list[Path]:
    """Write the page, cells, claims, audit and provenance of a paper; return their paths.

    `contexts`: all items that the page is about; render the items first, since the page links to
    the files that are there.
    `numbers_only`: whether to leave out figures, whose numbers are those of other files.
    """
    judged, base = Judged(experiment, contexts), folder(experiment)
    pages = {
        name: write(base / f"{name}.md", to_markdown(page))
        for name, page in paper_documents(judged).items()
    }
    claims = write_claims(experiment, judged.judgements) if judged.judgements else []
    audit = write_audit(experiment, judged.rulings) if judged.rulings else []
    chance = write_chance(experiment, judged.compared, pictures=not numbers_only)
    power = [write(base / FILE, csv_text(power_table(judged.power)))] if judged.power else []
    archives = write_cells(experiment, judged.cells)
    provenance = write_provenance(experiment, judged.about | _overrides(experiment))
    page = pages.pop(PAGE)
    return [page, *archives, *pages.values(), *claims, *audit, *chance, *power, provenance]


def _overrides(experiment: Experiment) -> dict[str, list[str]]:
    """Return what was asked for other than configured, so that the site can render it again."""
    if is_protected(experiment):
        return {}
    names = ((text.partition("=")[0].lstrip("+"), text) for text in experiment.overrides)
    kept = [
        text for name, text in names if not (name in _ELSEWHERE or name.startswith("execution"))
    ]
    return {"overrides": kept} if kept else {}


def _readme(judged: Judged) -> Document:
    experiment, contexts, compared = judged.experiment, judged.contexts, judged.compared
    paper = experiment.paper
    every = [*judged.entries, *judged.replicates]
    blocks = [
        *items_section(experiment, contexts),
        *run_section(experiment, contexts),
        *claims_section(judged.judgements),
        *audit_section(judged.rulings),
        *agreement_section(compared),
        *power_section(judged.power, paper.margins),
        *digits_section(compared),
        *optimism_section(compared),
        *chance_summary(compared),
        *differing_section(paper, compared),
        *known_section(experiment, contexts),
        *tried_section(experiment),
        *data_section(experiment, contexts),
        *provenance_section(every, judged.stored),
        *unverified_section(experiment, contexts),
    ]
    cells, name = Phrase(CELLS, ToFile(CELLS)), " ".join(named_on_pages(paper.name))
    how: Prose = (
        "This page is written by `retree report`; the per-fold rows behind it are in ",
        *(cells, f"; `retree show {name} ITEM DATASET METHOD` shows those of a number."),
    )
    return Document([], blocks, paper.title, [_head(paper), how])


def _head(paper: Paper) -> Prose:
    if not paper.doi:
        return f"{paper.authors}. {paper.reference}."
    doi = Phrase(f"doi:{paper.doi}", ToAddress(f"https://doi.org/{quote(paper.doi)}"))
    return f"{paper.authors}. {paper.reference}. ", doi
