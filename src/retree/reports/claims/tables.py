"""The checked claims as files and as a section of the paper's page."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from retree.experiments.claims import (
    MEAN,
    Check,
    Claim,
    Comparing,
    CountCheck,
    MeanCheck,
    MeanOfCellsCheck,
    ParameterCheck,
    WithinCheck,
)
from retree.experiments.definitions import Experiment
from retree.reports.claims.judging import Answer, Judgement, Outcome
from retree.reports.files import csv_text, folder, item_title, write
from retree.reports.markup import bullets, markdown_table
from retree.reports.wording import HOLE, number
from retree.statistics.metrics import find_metric

_ANSWERS = {True: "yes", False: "no", None: "?"}
_STATISTICS = {"mean": "", "std": "standard deviation of the ", "spread": "std/mean of the "}


def write_claims(experiment: Experiment, judgements: Sequence[Judgement]) -> list[Path]:
    """Write ``claims.csv`` and ``claims.md`` and return their paths."""
    base = folder(experiment) / "claims"
    paper = experiment.paper
    text = f"# Claims\n\n{paper.authors}: {paper.title}. {paper.reference}.\n\n"
    text += f"{claims_text(judgements)}\n## How they are checked\n\n{_checks(judgements)}"
    return [
        write(base.with_suffix(".csv"), csv_text(_table(judgements))),
        write(base.with_suffix(".md"), text),
    ]


def claims_text(judgements: Sequence[Judgement]) -> str:
    """Return what the paper claims, and whether it holds, as Markdown; "" without claims."""
    if not judgements:
        return ""
    theirs, ours = ([j for j in judgements if j.claim.ours is own] for own in (False, True))
    counts = Counter(j.outcome for j in theirs)
    told = ", ".join(f"{outcome} {counts[outcome]}" for outcome in Outcome if counts[outcome])
    text = f"Of {len(theirs)} claims: {told}.\n\n{_claim_table('claim', theirs)}"
    if ours:
        text += (
            "\nOur own statements, which the paper does not make:\n\n"
            f"{_claim_table('statement', ours)}"
        )
    return text


def _claim_table(what: str, judgements: Sequence[Judgement]) -> str:
    header = ["place", what, "in print", "here"]
    with_runs = any(j.held for j in judgements)
    header += ["replicates in which it holds"] * with_runs
    rows = [
        [
            j.claim.place,
            j.claim.text,
            _cell(j.in_print),
            _here(j),
            *([_held(j)] * with_runs),
            f"**{j.outcome}**",
        ]
        for j in judgements
    ]
    return markdown_table([*header, "outcome"], rows, left=len(header) + 1)


def check_words(check: Check) -> str:
    """Return a check in words."""
    metric = f"{find_metric(check.metric).label} ({item_title(check.item)})"
    over = "" if MEAN in check.datasets else f"{len(check.datasets)} data sets"
    if isinstance(check, Comparing):
        words = f"{_STATISTICS[check.statistic]}{metric} of {_group(check.of, check.every)} "
        words += f"{check.relation} {_right(check)}"
        if isinstance(check, CountCheck):
            return f"{words}, on {_bounds(check)} of {over}"
        mean = "geometric means" if isinstance(check, MeanCheck) and check.geometric else "means"
        return f"{words}, {mean} over {over}" if over else f"{words}, as the means are printed"
    if isinstance(check, WithinCheck):
        allowed = f"{check.points:g}" if check.points is not None else f"{check.share:.0%}"
        cells = "all cells" if check.at_least is None else f"at least {check.at_least} cells"
        names = _group(check.of, True)
        return f"{metric} of {names} within {allowed} of the print, {cells} of {over}"
    if isinstance(check, MeanOfCellsCheck):
        return f"the means of the {metric} are those of the cells of {item_title(check.cells)}"
    if isinstance(check, ParameterCheck):
        values = f"{check.low:g}" if check.low == check.high else f"{check.low:g} to {check.high:g}"
        words = f"best {check.parameter} of {_group(check.of, True)} ({item_title(check.item)}) "
        if check.most_frequent:
            return f"{words}is most often {values}, over {over}"
        return f"{words}is {values}, at least {check.at_least} times over {over}"
    raise TypeError(f"A {type(check).__name__} has no words.")


def _group(names: Sequence[str], every: bool) -> str:
    if len(names) == 1:
        return names[0]
    return f"{'every one' if every else 'some'} of {', '.join(names)}"


def _right(check: Comparing) -> str:
    times = f"{check.factor:g} · " if check.factor != 1 else ""
    if isinstance(check.than, int | float):
        return f"{times}{check.than:g}"
    names = ", ".join(check.than)
    return f"{times}{names if len(check.than) == 1 else f'all of {names}'}"


def _bounds(check: CountCheck) -> str:
    low, high = check.at_least, check.at_most
    if low is not None and high is not None:
        return f"exactly {low}" if low == high else f"{low} to {high}"
    return f"at least {low}" if low is not None else f"at most {high}"


def _cell(answer: Answer) -> str:
    return f"{_ANSWERS[answer.holds]}: {answer.numbers}" if answer.numbers else HOLE


def _held(judgement: Judgement) -> str:
    """Return in how many replicates a claim holds, and of means how they differ in one run."""
    if (found := judgement.held) is None or judgement.claim.check is None:
        return ""
    words = f"{found.count} of {found.total}"
    if math.isnan(found.low):
        return words
    metric = judgement.claim.check.metric
    ends = " to ".join(number(metric, value, sign=True) for value in (found.low, found.high))
    return f"{words}; left − right in one run {ends}"


def _here(judgement: Judgement) -> str:
    claim = judgement.claim
    if claim.unchecked is not None:
        return claim.unchecked
    return _cell(judgement.here) if claim.test is None else f"`{claim.test.partition('::')[2]}`"


def _how(claim: Claim) -> str:
    """Return how a claim is checked, in words."""
    if claim.unchecked is not None:
        return f"not checked: {claim.unchecked}"
    if claim.check is not None:
        return check_words(claim.check)
    contrary = ", which shows the contrary" if claim.refuted else ""
    return f"by the test `{claim.test}`{contrary}"


def _checks(judgements: Sequence[Judgement]) -> str:
    """Return the checks behind the claims as a Markdown list."""
    sentences = []
    for judgement in judgements:
        sentences.append(f"{judgement.claim.name}: {_how(judgement.claim).rstrip('.')}.")
    notes = [
        "A check is asked twice: of the printed numbers as they stand, known errors included, and "
        "of the reproduced ones. What hangs on a number that is missing or unreadable cannot be "
        "checked.",
        "A claim that print leaves open, or that is about the reproduction itself, is judged by "
        "the reproduced numbers alone: it holds here or fails here. Whether the print agrees with "
        "itself is judged by the print alone.",
    ]
    return bullets(sentences) + "\n" + bullets(notes)


def _table(judgements: Sequence[Judgement]) -> pd.DataFrame:
    rows = [
        {
            "claim": j.claim.name,
            "place": j.claim.place,
            "text": j.claim.text,
            "check": _how(j.claim).replace("`", ""),
            "in_print": _ANSWERS[j.in_print.holds] if j.in_print.numbers else "",
            "print_numbers": j.in_print.numbers,
            "here": _ANSWERS[j.here.holds] if j.here.numbers else "",
            "here_numbers": j.here.numbers,
            "outcome": str(j.outcome),
            "ours": "yes" if j.claim.ours else "",
            "held": "" if j.held is None else j.held.count,
            "replicates": "" if j.held is None else j.held.total,
        }
        for j in judgements
    ]
    return pd.DataFrame(rows)
