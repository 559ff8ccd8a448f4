"""The page of a paper: what was run, what agrees, what differs, and what is known about it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from retree.experiments.definition.definitions import Experiment
from retree.experiments.storing.stored_cells import together
from retree.experiments.verifying.fingerprint import unverified
from retree.reports.agreement_sections import (
    agreement_section,
    differing_section,
    digits_section,
    optimism_section,
)
from retree.reports.audit import audit_print
from retree.reports.audit.audit_tables import audit_section, write_audit
from retree.reports.cells import cell_tables, write_cells
from retree.reports.claims.claim_tables import claims_text, write_claims
from retree.reports.claims.judging import Judgement, judge_claims
from retree.reports.coverage import coverage_notes, grid_sentence, protocol_sentence, tuned
from retree.reports.files import folder, item_title, write
from retree.reports.fold_files import write_folds
from retree.reports.formatting import blank_sentences
from retree.reports.item_report import ItemReport
from retree.reports.markup import bullets, markdown_table
from retree.reports.origins import origin
from retree.reports.replicates.chance_page import chance_summary, write_chance
from retree.reports.run_sentences import provenance_content, provenance_section, write_provenance

SUFFIXES = (".md", ".csv", ".tex", ".png", ".svg")
Contexts = Sequence[ItemReport]


def write_page(
    experiment: Experiment, contexts: Contexts, *, numbers_only: bool = False
) -> list[Path]:
    """Write the page, cells, folds, claims, audit and provenance of a paper; return their paths.

    Parameters
    ----------
    experiment : Experiment
        Names the folder and the paper.
    contexts : sequence of ItemReport
        All items that the page is about; render the items first, since the page links to the files
        that are there.
    numbers_only : bool, default=False
        Whether to leave out figures and folds, whose numbers are those of other files.
    """
    stored = together(context.stored for context in contexts)
    compared = {context.item.name: context.comparisons for context in contexts}
    entries = [(context.plan, context.frame) for context in contexts]
    further = [(context.plan, context.further.every) for context in contexts]
    judgements, rulings = judge_claims(experiment.paper, compared), audit_print(experiment.paper)
    sections = [
        _head(experiment),
        _items_section(experiment, contexts),
        _run_section(experiment, contexts),
        _claims_section(judgements),
        audit_section(rulings),
        agreement_section(compared),
        digits_section(compared),
        optimism_section(compared),
        chance_summary(compared),
        differing_section(experiment.paper, compared),
        _known_section(experiment, contexts),
        _tried_section(experiment),
        _data_section(experiment, contexts),
        provenance_section((*entries, *further), stored),
        _unverified_section(experiment, contexts),
    ]
    text = "\n".join(section for section in sections if section)
    claims = write_claims(experiment, judgements) if judgements else []
    audit = write_audit(experiment, rulings) if rulings else []
    page = write(folder(experiment) / "README.md", text)
    chance = write_chance(experiment, compared, pictures=not numbers_only)
    every = (*entries, *further)
    about, cells = provenance_content(every, stored), cell_tables(entries, further, stored)
    provenance, archives = write_provenance(experiment, about), write_cells(experiment, cells)
    folds = [] if numbers_only else write_folds(experiment, contexts, cells, about)
    return [page, *archives, *claims, *audit, *chance, provenance, *folds]


def _head(experiment: Experiment) -> str:
    paper = experiment.paper
    doi = f" [doi:{paper.doi}](https://doi.org/{quote(paper.doi)})" if paper.doi else ""
    return (
        f"# {paper.title}\n\n{paper.authors}. {paper.reference}.{doi}\n\n"
        "This page is written by `retree report`; the per-fold rows behind it are in "
        "[cells.csv.gz](cells.csv.gz).\n"
    )


def _items_section(experiment: Experiment, contexts: Contexts) -> str:
    rows = []
    for context in contexts:
        item, frame = context.item, context.frame
        done = int((frame["status"] == "done").sum())
        cells = f"{done} of {len(frame)}" if len(frame) else ""
        links = _links(experiment, item.name)
        rows.append(
            [item_title(item.name), item.caption, str(len(item.datasets) or ""), cells, links]
        )
    header = ["item", "what it shows", "data sets", "cells computed", "files"]
    return f"## Tables and figures\n\n{markdown_table(header, rows, left=2)}"


def _links(experiment: Experiment, name: str) -> str:
    """Return links to the item's files that exist; an item may have a file for each data set."""
    base = folder(experiment)
    found = [p for s in SUFFIXES for p in (base / f"{name}{s}", *base.glob(f"{name}_*{s}"))]
    names = sorted({p.name for p in found if p.exists()}, key=lambda n: (Path(n).stem, n))
    return " ".join(f"[{n.removeprefix(name).lstrip('_.')}]({quote(n)})" for n in names)


def _run_section(experiment: Experiment, contexts: Contexts) -> str:
    """Say how the cells were computed, and how that falls short of the paper's items."""
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
    return f"## What was run\n\n{bullets(sentences)}"


def _unverified_section(experiment: Experiment, contexts: Contexts) -> str:
    """Say which results are not known to come out of today's sources and libraries."""
    methods = [method for context in contexts for method in context.item.methods]
    names = {m.estimator for m in methods if m.estimator is not None and m.missing is None}
    sentences = unverified(names, experiment.committed)
    return f"## Unverified\n\n{bullets(sentences)}" if sentences else ""


def _claims_section(judgements: Sequence[Judgement]) -> str:
    if not judgements:
        return ""
    how = "[claims.md](claims.md) says how each is checked."
    return f"## Claims\n\n{claims_text(judgements)}\n{how}\n"


def _known_section(experiment: Experiment, contexts: Contexts) -> str:
    paper, items = experiment.paper, [context.item for context in contexts]
    used = {m.name for item in items for m in item.methods}
    used |= {name for item in items for d in item.datasets for name in (d, item.label(d))}
    sentences = []
    for rule in paper.errata:
        place = ", ".join(str(value) for name, value in rule.items() if name != "reason")
        sentences.append(f"Known misprint: {place}: {rule['reason']}")
    sentences += [f"{name}: {text}" for name, text in paper.remarks.items() if name in used]
    return f"## What is known\n\n{bullets(sentences)}" if sentences else ""


def _tried_section(experiment: Experiment) -> str:
    sentences = [f"{topic}: {text}" for topic, text in experiment.paper.tried.items()]
    return f"## What we tried\n\n{bullets(sentences)}" if sentences else ""


def _data_section(experiment: Experiment, contexts: Contexts) -> str:
    names = dict.fromkeys(
        name for c in contexts for name in c.item.datasets if name not in c.plan.unavailable
    )
    if not names:
        return ""
    rows = []
    for found in (origin(name, experiment.sources) for name in names):
        source = found.source + (", instead of the published sample" if found.generated else "")
        shape = [str(found.n_samples), str(found.n_features)]
        rows.append([found.name, source, *shape, f"`{found.sha256[:16]}`"])
    header = ["data set", "source", "rows", "features", "sha256 (first 16 digits)"]
    return f"## Data\n\n{markdown_table(header, rows, left=2)}"
