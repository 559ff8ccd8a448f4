"""Sections of a paper's page: what was run, what is known, and where the data are from."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from retree_lab.experiments.definition.definitions import Experiment
from retree_lab.experiments.verifying.verified import unverified
from retree_lab.reports.claims.claim_tables import claims_total
from retree_lab.reports.claims.judging import JudgedClaim
from retree_lab.reports.coverage import (
    coverage_notes,
    grid_sentence,
    origins,
    protocol_sentence,
    tuned,
)
from retree_lab.reports.document import (
    Block,
    Bullets,
    Entry,
    Phrase,
    Prose,
    Table,
    TableCell,
    Text,
)
from retree_lab.reports.files import folder, item_title
from retree_lab.reports.formatting import blank_sentences
from retree_lab.reports.kind import ItemReport
from retree_lab.reports.references import Reference, ToFile, ToPage

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
    paths = [p for s in SUFFIXES for p in (base / f"{name}{s}", *base.glob(f"{name}_*{s}"))]
    names = sorted({p.name for p in paths if p.exists()}, key=lambda n: (Path(n).stem, n))
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
    here = {n: about for n, c in names.items() for about in origins([n], c).values()}
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
