"""Sections of a paper's page: what agrees, what was run, what is known and where data are from."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from retree_lab.experiments.definition.definitions import Experiment, Paper
from retree_lab.experiments.verifying.verified import unverified
from retree_lab.reports.claims import claims_total
from retree_lab.reports.claims.judging import JudgedClaim
from retree_lab.reports.comparison import COUNTED, Comparison, Word
from retree_lab.reports.context import (
    available,
    coverage_notes,
    grid_sentence,
    is_fresh_draw,
    protocol_sentence,
    tuned,
)
from retree_lab.reports.document import (
    Block,
    Bullets,
    Phrase,
    Prose,
    Reference,
    TableCell,
    Text,
    ToFile,
    ToPage,
)
from retree_lab.reports.files import folder, item_title
from retree_lab.reports.formatting import (
    BLANK,
    DIGITS_RULE,
    SECOND_HAND,
    blank_sentences,
    number,
    percent,
    rules,
    steps,
)
from retree_lab.reports.item_page import linked_number, place_of
from retree_lab.reports.kinds import ItemReport
from retree_lab.reports.sections import grouped, section
from retree_lab.statistics import Verdict, tolerance
from retree_lab.statistics.intervals import predict_mean
from retree_lab.statistics.metrics import NESTED, OPTIMISM, MetricKind, find_metric

Numbers = Sequence[Comparison]
# So many numbers that are nearly equal to the digit are listed; the items' pages have all.
NEAREST = 20


def agreement_section(numbers: Numbers) -> list[Block]:
    """Return the share of matching numbers by item, metric and method, and how far off they are."""
    judged = [c for c in numbers if c.verdict and not math.isnan(c.published)]
    rows = [
        {"item": item_title(item), "metric": metric, "method": method, **_agreement(cells)}
        for (item, metric), of_metric in grouped(judged, lambda c: (c.item, c.metric)).items()
        for method, cells in grouped(of_metric, lambda c: c.method).items()
    ]
    notes = [
        *rules(numbers),
        "The share counts the numbers that match among all that can be checked. The mean gap is "
        "the mean absolute difference. The mean ratio (reproduced over published) is geometric; it "
        "is given for sizes and ratios of times.",
    ]
    if copied := sum(c.theirs.second_hand for c in numbers):
        notes.append(
            f"{copied} published numbers are second hand: they were not copied from the paper "
            f"itself. Tables mark them with {SECOND_HAND}."
        )
    return section("Agreement with the paper", rows, None, notes, left=3)


def digits_section(numbers: Numbers) -> list[Block]:
    """Return how many numbers are equal to the digit by item, metric and method, and the others."""
    judged = [c for c in numbers if c.verdict and not math.isnan(c.steps)]
    groups = grouped(judged, lambda c: (item_title(c.item), c.metric, c.method))
    rows = [
        {**dict(zip(("item", "metric", "method"), place, strict=True)), **_equal(cells)}
        for place, cells in groups.items()
    ]
    others = sorted(judged, key=lambda c: c.steps)
    others = [c for c in others if c.verdict == Verdict.DIFFERS]
    nearest = [
        place_of(c)
        | {"reproduced": linked_number(c), "published": number(c.metric, c.published, unit=c.unit)}
        | {"distance": steps(c)}
        for c in others[:NEAREST]
    ]
    text = "The numbers that are not equal, the nearest first:"
    if len(others) > NEAREST:
        text = f"The nearest {NEAREST} of the {len(others)} that are not equal:"
    return [
        *section("Equal to the printed digit", rows, text=DIGITS_RULE, left=3),
        *section("", nearest, text=text, left=4),
    ]


def _equal(cells: Sequence[Comparison]) -> dict[Any, int]:
    means = [c.verdict == Verdict.EQUAL for c in cells]
    stds = [c.std_verdict == Verdict.EQUAL for c in cells]
    with_std = sum(bool(c.std_verdict) for c in cells)
    both = sum(mean and std for mean, std in zip(means, stds, strict=True))
    return {
        **{"numbers": len(cells), "equal": sum(means), "standard deviations": with_std},
        **{TableCell("equal"): sum(stds), "mean and deviation equal": both},
    }


def optimism_section(numbers: Numbers) -> list[Block]:
    """Return, by method, how much of the accuracy comes from selecting on the test rows."""
    reproduced = [c for c in numbers if not math.isnan(c.reproduced)]
    groups = grouped(reproduced, lambda c: (c.item, c.method, c.metric))
    rows = []
    for (item, method, metric), cells in groups.items():
        if metric == OPTIMISM:
            nested = float(np.mean([c.reproduced for c in groups[item, method, NESTED]]))
            row = {"item": item_title(item), "method": method, "data sets": len(cells)}
            row["mean nested accuracy"] = number("accuracy", nested)
            rows.append(row | _optimism(cells))
    text = (
        "The paper reports the grid point with the best test accuracy. Optimism is that accuracy "
        "minus the accuracy of points chosen inside the training folds. Where several replicates "
        "have both, the numbers are means over them, and the interval is the 95 % prediction "
        "interval of the mean optimism in one replicate."
    )
    return section("Optimism of the selection", rows, text=text, left=2)


def _optimism(cells: Sequence[Comparison]) -> dict[str, str]:
    """Return mean and largest optimism, the number of runs, and the interval of one run's mean."""
    values = [c.reproduced for c in cells]
    signed = partial(number, OPTIMISM, sign=True)
    row = {"mean optimism": signed(float(np.mean(values))), "largest": signed(max(values))}
    predictions = [c.prediction for c in cells if c.prediction is not None]
    if len(predictions) < len(cells):
        return {**row, "replicates": "1", "one replicate": BLANK}
    ends = " to ".join(map(signed, predict_mean(predictions).interval()))
    return {**row, "replicates": str(min(c.n_replicates for c in cells)), "one replicate": ends}


def differing_section(paper: Paper, numbers: Numbers) -> list[Block]:
    """Return the cells that differ by their tolerance, those farthest outside first.

    Those that are judged by the interval of one run have a page of their own.
    """
    by_tolerance = (c for c in numbers if c.prediction is None and math.isnan(c.steps))
    differing = [c for c in by_tolerance if c.verdict == Verdict.DIFFERS]
    rows = [
        place_of(c)
        | {"reproduced": linked_number(c), "published": number(c.metric, c.published)}
        | {"difference": number(c.metric, c.difference, sign=True)}
        | {"tolerance": number(c.metric, _tolerance(c))}
        | {"what is known": paper.remarks.get(c.dataset, "")}
        for c in sorted(differing, key=lambda c: -_excess(c))
    ]
    return section("Numbers that differ", rows, left=4)


def _agreement(cells: Sequence[Comparison]) -> dict[Any, object]:
    counts = Counter(c.word for c in cells)
    judged = sum(counts[word] for word in COUNTED)
    share = f"{percent(counts[Word.MATCH] / judged)}%" if judged else BLANK
    compared = [c for c in cells if c.verdict != Verdict.MISSING]
    gap = float(np.mean([abs(c.difference) for c in compared])) if compared else math.nan
    ratios = [c.reproduced / c.published for c in compared if min(c.reproduced, c.published) > 0]
    ratio = BLANK
    if ratios and find_metric(cells[0].metric).kind in (MetricKind.SIZE, MetricKind.RATIO):
        ratio = f"{math.exp(float(np.mean(np.log(ratios)))):.2f}"
    row = {"share": share, "mean gap": number(cells[0].metric, gap), "mean ratio": ratio}
    return {**{word: counts[word] for word in Word}, **row}


def _tolerance(c: Comparison) -> float:
    return tolerance(c.metric, c.reproduced_std, c.n_folds, c.published, c.difference < 0)


def _excess(c: Comparison) -> float:
    """Return the difference in units of the tolerance; a count has none."""
    allowed = _tolerance(c)
    return abs(c.difference) / allowed if allowed else math.inf


# The section of the items, which the site has its own of.
ITEMS = "Tables and figures"
SUFFIXES = (".md", ".csv", ".svg")


def items_section(experiment: Experiment, contexts: Sequence[ItemReport]) -> list[Block]:
    """Return the items, each with how much of it is computed and the files that there are."""
    rows = []
    for context in contexts:
        item, frame = context.item, context.frame
        done = int((frame["status"] == "done").sum())
        row = {"item": item_title(item.name), "what it shows": item.caption}
        row |= {"data sets": str(len(item.datasets) or "")}
        row |= {"cells computed": f"{done} of {len(frame)}" if len(frame) else ""}
        rows.append({**row, "files": TableCell(_links(experiment, item.name))})
    return section(ITEMS, rows, left=2)


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
    """Return the section on what we tried where numbers differ."""
    sentences = [f"{topic}: {text}" for topic, text in experiment.paper.tried.items()]
    return _listed("What we tried", sentences)


def data_section(experiment: Experiment, contexts: Sequence[ItemReport]) -> list[Block]:
    """Return where the data are from, and their digests."""
    names = {
        name: c for c in contexts for name in c.item.datasets if name not in c.plan.unavailable
    }
    heads = "data set", "source", "rows", "features", "sha256 (first 16 digits)"
    rows = []
    for data in (data for name, c in names.items() for data in available([name], c)):
        source = data.source + ", instead of the published sample" * is_fresh_draw(data)
        source += ", drawn anew in each replicate" * (data.name in experiment.paper.drawn_anew)
        digest = TableCell(Phrase(data.sha256[:16], code=True))
        rows.append((data.name, source, *data.X.shape, digest))
    here = {name for name, *_ in rows}
    lacking = [(name, "not available here", "", "", "") for name in names if name not in here]
    return section(
        "Data", [dict(zip(heads, row, strict=True)) for row in (*rows, *lacking)], left=2
    )


def _listed(title: str, sentences: Sequence[str]) -> list[Block]:
    return [Text(title), Bullets(sentences)] if sentences else []
