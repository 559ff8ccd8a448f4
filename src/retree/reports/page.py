"""The page of a paper: what was run, what agrees, what differs, and what is known of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

import pandas as pd

from retree.experiments.definitions import Experiment
from retree.experiments.fingerprint import unverified
from retree.experiments.plan import Plan
from retree.experiments.store import Store
from retree.reports.agreement import agreement_section, differing_section, optimism_section
from retree.reports.audit import audit_print
from retree.reports.audit.tables import audit_section, write_audit
from retree.reports.cells import write_cells
from retree.reports.claims.judging import Judgement, judge_claims
from retree.reports.claims.tables import claims_text, write_claims
from retree.reports.coverage import coverage_notes, grid_sentence, protocol_sentence, tuned
from retree.reports.files import folder, item_title, write
from retree.reports.markup import bullets, markdown_table
from retree.reports.numeric import comparisons_of, unprinted_numbers
from retree.reports.origins import origin
from retree.reports.provenance import provenance_section, write_provenance
from retree.reports.replicates.cells import replicate_cells
from retree.reports.replicates.page import chance_summary, write_chance
from retree.reports.wording import hole_sentences

SUFFIXES = (".md", ".csv", ".tex", ".png", ".svg")
Entries = Sequence[tuple[Plan, pd.DataFrame]]


def write_page(experiment: Experiment, entries: Entries, store: Store) -> list[Path]:
    """Write the page, cells, claims, audit and provenance of a paper and return their paths.

    Parameters
    ----------
    experiment : Experiment
        Names the folder and the paper.
    entries : sequence of (Plan, DataFrame)
        The plans and results of all items that the page is about; render the items first, since
        the page links to the files that are there.
    store : Store
        Knows on what machine and with what versions the cells were computed.
    """
    compared = {
        plan.item.name: comparisons_of(experiment, plan.item, plan, frame, store)
        for plan, frame in entries
    }
    ours = {
        plan.item.name: unprinted_numbers(experiment, plan.item, plan, frame)
        for plan, frame in entries
    }
    known = {name: cells or ours[name] for name, cells in compared.items()}
    further = [(plan, replicate_cells(plan, store)) for plan, _ in entries]
    judgements, rulings = judge_claims(experiment.paper, known), audit_print(experiment.paper)
    sections = [
        _head(experiment),
        _items_section(experiment, entries),
        _run_section(experiment, entries),
        _claims_section(judgements),
        audit_section(rulings),
        agreement_section(compared),
        optimism_section(compared),
        chance_summary(compared),
        differing_section(experiment.paper, compared),
        _known_section(experiment, entries),
        _data_section(experiment, entries),
        provenance_section((*entries, *further), store),
        _unverified_section(experiment, entries),
    ]
    text = "\n".join(section for section in sections if section)
    claims = write_claims(experiment, judgements) if judgements else []
    audit = write_audit(experiment, rulings) if rulings else []
    page = write(folder(experiment) / "README.md", text)
    chance = write_chance(experiment, compared)
    about = write_provenance(experiment, (*entries, *further), store)
    cells = write_cells(experiment, entries, further, store)
    return [page, *cells, *claims, *audit, *chance, about]


def _head(experiment: Experiment) -> str:
    paper = experiment.paper
    doi = f" [doi:{paper.doi}](https://doi.org/{quote(paper.doi)})" if paper.doi else ""
    return (
        f"# {paper.title}\n\n{paper.authors}. {paper.reference}.{doi}\n\n"
        "This page is written by `retree report`; the per-fold rows behind it are in "
        "[cells.csv.gz](cells.csv.gz).\n"
    )


def _items_section(experiment: Experiment, entries: Entries) -> str:
    rows = []
    for plan, frame in entries:
        item, done = plan.item, int((frame["status"] == "done").sum())
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


def _run_section(experiment: Experiment, entries: Entries) -> str:
    """Say how the cells were computed, and how that falls short of the paper's items."""
    told: dict[str, list[str]] = {}
    plans = [plan for plan, _ in entries if plan.item.datasets]
    for plan in plans:
        item = plan.item
        how = protocol_sentence(item.protocol, item.options.get("select"))
        sentences = [how] if item.methods else []
        for sentence in [*sentences, *coverage_notes(experiment, item, plan)]:
            told.setdefault(sentence, []).append(item_title(item.name))
    sentences = [f"{', '.join(names)}: {sentence}" for sentence, names in told.items()]
    varied = [plan.item.methods for plan in plans if "vary" not in plan.item.options]
    names = dict.fromkeys(name for methods in varied for name in tuned(methods))
    if names:
        grid = {name: experiment.paper.grid[name] for name in names}
        sentences.append(f"Grid: {grid_sentence(grid)}.")
    sentences += hole_sentences(plan for plan, _ in entries)
    return f"## What was run\n\n{bullets(sentences)}"


def _unverified_section(experiment: Experiment, entries: Entries) -> str:
    """Say which results are not known to come out of today's sources and libraries."""
    methods = [method for plan, _ in entries for method in plan.item.methods]
    names = {m.estimator for m in methods if m.estimator is not None and m.missing is None}
    sentences = unverified(names, experiment.committed)
    return f"## Unverified\n\n{bullets(sentences)}" if sentences else ""


def _claims_section(judgements: Sequence[Judgement]) -> str:
    if not judgements:
        return ""
    how = "How each is checked stands in [claims.md](claims.md)."
    return f"## Claims\n\n{claims_text(judgements)}\n{how}\n"


def _known_section(experiment: Experiment, entries: Entries) -> str:
    paper, items = experiment.paper, [plan.item for plan, _ in entries]
    used = {name for item in items for name in (*item.datasets, *(m.name for m in item.methods))}
    sentences = []
    for rule in paper.errata:
        place = ", ".join(str(value) for name, value in rule.items() if name != "reason")
        sentences.append(f"Wrong in print: {place}: {rule['reason']}")
    sentences += [f"{name}: {text}" for name, text in paper.remarks.items() if name in used]
    return f"## What is known\n\n{bullets(sentences)}" if sentences else ""


def _data_section(experiment: Experiment, entries: Entries) -> str:
    names = dict.fromkeys(
        name for plan, _ in entries for name in plan.item.datasets if name not in plan.holes
    )
    if not names:
        return ""
    rows = []
    for found in (origin(name, experiment.sources) for name in names):
        source = found.source + (", instead of the published sample" if found.generated else "")
        shape = [str(found.n_samples), str(found.n_features)]
        rows.append([found.name, source, *shape, f"`{found.sha256[:16]}`"])
    header = ["data set", "source", "rows", "attributes", "sha256 (first 16 digits)"]
    return f"## Data\n\n{markdown_table(header, rows, left=2)}"
