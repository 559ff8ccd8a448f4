"""The judged claims as files, how each is checked, and how many there are of each outcome."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from retree.errors import RetreeError
from retree.experiments.definition.claims import (
    MEAN,
    Check,
    Claim,
    Comparing,
    CountCheck,
    MeanCheck,
    MeanOfCellsCheck,
    ParameterCheck,
    StarsCheck,
    WithinCheck,
)
from retree.experiments.definition.definitions import Experiment
from retree.reports.claims.answers import Answer
from retree.reports.claims.judging import MOST, ClaimOutcome, JudgedClaim
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
    text_of,
)
from retree.reports.files import csv_text, folder, item_title, write
from retree.reports.formatting import BLANK, number
from retree.reports.references import ToTest
from retree.statistics.metrics import find_metric

_STATISTICS = {"mean": "", "std": "standard deviation of the ", "spread": "std/mean of the "}


def check_words(check: Check) -> str:
    """Return a check in words."""
    metric = f"{find_metric(check.metric).label} ({item_title(check.item)})"
    over = "" if MEAN in check.datasets else f"{len(check.datasets)} data sets"
    if isinstance(check, Comparing):
        words = f"{_STATISTICS[check.statistic]}{metric} of {_group(check, check.every)} "
        words += f"{check.relation} {_right(check)}"
        if isinstance(check, CountCheck):
            return f"{words}, on {_bounds(check)} of {over}"
        mean = "geometric means" if isinstance(check, MeanCheck) and check.geometric else "means"
        return f"{words}, {mean} over {over}" if over else f"{words}, as the means are published"
    if isinstance(check, WithinCheck):
        allowed = f"{check.points:g}" if check.points is not None else f"{check.share:.0%}"
        cells = "all cells" if check.at_least is None else f"at least {check.at_least} cells"
        names = _group(check, True)
        return f"{metric} of {names} within {allowed} of the published value, {cells} of {over}"
    if isinstance(check, MeanOfCellsCheck):
        return f"the means of the {metric} are those of the cells of {item_title(check.cells)}"
    if isinstance(check, ParameterCheck):
        values = f"{check.low:g}" if check.low == check.high else f"{check.low:g} to {check.high:g}"
        words = f"best {check.parameter} of {_group(check, True)} ({item_title(check.item)}) "
        if check.most_frequent:
            return f"{words}is most often {values}, over {over}"
        return f"{words}is {values}, at least {check.at_least} times over {over}"
    if isinstance(check, StarsCheck):
        words = f"{metric} of {_group(check, True)} significantly better than its pair (*)"
        return f"{words}, at least {check.at_least} times over {over}"
    raise TypeError(f"A {type(check).__name__} has no words.")


def _group(check: Check, every: bool) -> str:
    names = [check.label(key) for key in check.of]
    if len(names) == 1:
        return names[0]
    return f"{'every one' if every else 'some'} of {', '.join(names)}"


def _right(check: Comparing) -> str:
    times = f"{check.factor:g} · " if check.factor != 1 else ""
    if isinstance(check.than, int | float):
        return f"{times}{check.than:g}"
    names = ", ".join(map(check.label, check.than))
    return f"{times}{names if len(check.than) == 1 else f'all of {names}'}"


def _bounds(check: CountCheck) -> str:
    low, high = check.at_least, check.at_most
    if low is not None and high is not None:
        return f"exactly {low}" if low == high else f"{low} to {high}"
    return f"at least {low}" if low is not None else f"at most {high}"


_ANSWERS = {True: "yes", False: "no", None: "?"}


def write_claims(experiment: Experiment, judgements: Sequence[JudgedClaim]) -> list[Path]:
    """Write ``claims.csv`` and return its path."""
    path = (folder(experiment) / "claims").with_suffix(".csv")
    return [write(path, csv_text(pd.DataFrame(list(map(_entries, judgements)))))]


def claims_document(judgements: Sequence[JudgedClaim], source: Prose) -> Document:
    """Return the page of the claims of a paper, which is cited as `source`."""
    theirs, ours = ([j for j in judgements if j.claim.ours is own] for own in (False, True))
    blocks: list[Block] = [claims_total(judgements), _claim_table("claim", theirs)]
    if ours:
        text = "Our own statements, which the paper does not make, and which are not counted above:"
        blocks += [Text(text=text), _claim_table("statement", ours)]
    return Document([], [*blocks, *_checks(judgements)], "Claims", [source])


def claims_total(judgements: Sequence[JudgedClaim]) -> Table:
    """Return how many claims of the paper have each outcome; our own statements do not count."""
    counts = Counter(j.outcome for j in judgements if not j.claim.ours)
    rows = [[str(outcome), str(counts[outcome])] for outcome in ClaimOutcome if counts[outcome]]
    return Table(["outcome", "claims of the paper"], [*rows, ["all", str(counts.total())]])


def _claim_table(what: str, judgements: Sequence[JudgedClaim]) -> Table:
    with_nested = any(j.nested.numbers for j in judgements)
    with_runs = any(j.held for j in judgements)
    header = ["place", what, "published", "reproduced as published"]
    header += ["parameters chosen inside the training folds"] * with_nested
    header += ["replicates in which it holds"] * with_runs
    rows: list[list[Entry]] = [
        [
            j.claim.place,
            j.claim.text,
            _cell(j.published),
            TableCell(_reproduced(j)),
            *([_cell(j.nested)] * with_nested),
            *([_held(j)] * with_runs),
            TableCell(
                (Phrase(j.outcome, strong=True), f": {reason}" if (reason := _reason(j)) else "")
            ),
        ]
        for j in judgements
    ]
    return Table([*header, "outcome"], rows, left=len(header) + 1)


def _cell(answer: Answer) -> str:
    return f"{_ANSWERS[answer.holds]}: {answer.numbers}" if answer.numbers else BLANK


def _reason(judgement: JudgedClaim) -> str:
    """Return what to know of an outcome; "" if nothing."""
    reasons = []
    if judgement.outcome == ClaimOutcome.OTHER_REASON:
        reasons.append(judgement.claim.other_reason)
    if judgement.outcome == ClaimOutcome.DEPENDS and judgement.held is not None:
        share = judgement.held.count / judgement.held.total
        reasons.append(f"holds in {share:.0%} of the replicates")
    if judgement.n_ours and judgement.outcome not in (ClaimOutcome.OPEN, ClaimOutcome.CONSISTENT):
        of = f"{judgement.n_ours} of {judgement.n_datasets} data sets"
        reasons.append(f"{of} are not the paper's, whose own are not known")
    return "; ".join(reasons)


def _held(judgement: JudgedClaim) -> str:
    """Return in how many replicates a claim holds, and of means how they differ in one run."""
    if (found := judgement.held) is None or judgement.claim.check is None:
        return ""
    words = f"{found.count} of {found.total}"
    if not math.isnan(found.low):
        metric = judgement.claim.check.metric
        ends = " to ".join(number(metric, value, sign=True) for value in (found.low, found.high))
        words += f"; left − right in one replicate {ends}"
    if found.n_varied < found.n_datasets:
        words += f" ({found.n_varied} of {found.n_datasets} data sets vary)"
    return words


def _reproduced(judgement: JudgedClaim) -> Prose:
    claim = judgement.claim
    if claim.unchecked is not None:
        return claim.unchecked
    if claim.test is None:
        return _cell(judgement.reproduced)
    name = Phrase(claim.test.partition("::")[2], ToTest(claim.test), code=True)
    return name, f": {claim.tolerance}; {_digits(claim)}"


def _digits(claim: Claim) -> str:
    """Return whether a test reaches what the paper publishes, to its last digit."""
    if claim.to_published_digits is None:
        return "no figure is published"
    if claim.to_published_digits:
        return "equal to the published figures, to their last digit"
    return "not equal to the published figures to their last digit"


def how_checked(claim: Claim) -> tuple[str | Phrase, ...]:
    """Return how a claim is checked, in words."""
    if claim.unchecked is not None:
        return (f"not checked: {claim.unchecked}",)
    if claim.check is not None:
        return (check_words(claim.check),)
    assert claim.test is not None
    contrary = ", which shows the contrary" if claim.refuted else ""
    test = Phrase(claim.test, ToTest(claim.test), code=True)
    return "by the test ", test, f"{contrary}; tolerance: {claim.tolerance}; {_digits(claim)}"


def _checks(judgements: Sequence[JudgedClaim]) -> list[Block]:
    """Return the checks behind the claims."""
    sentences: list[Prose] = []
    for judgement in judgements:
        *parts, last = how_checked(judgement.claim)
        assert isinstance(last, str)
        sentences.append((f"{judgement.claim.name}: ", *parts, f"{last.rstrip('.')}."))
    notes = [
        "A check is made on up to three columns of numbers. The first are the published ones as "
        "they are, known errors included. The second are those reproduced as published, averaged "
        "over any replicates. The third are those with parameters chosen inside the training "
        "folds. What depends on a number that is missing or unreadable cannot be checked.",
        "Some claims are left open by the paper's tables, or are about the reproduction itself. "
        "They are judged by the reproduced numbers alone. Whether the paper's tables agree with "
        "each other is judged by the published numbers alone.",
    ]
    if any(j.claim.our_choice for j in judgements):
        notes.append(
            "Where the paper gives no number, as for “far lower”, the threshold after “here” is "
            "ours. If the published numbers do not reach it, the paper does not contradict itself."
        )
    if any(j.held for j in judgements):
        notes.append(
            f"A claim is reproduced if it holds in at least {MOST:.0%} of the replicates. If it "
            f"holds in at most {1 - MOST:.0%}, it is not reproduced. Otherwise it depends on the "
            "folds."
        )
        notes.append(
            "A replicate is the whole protocol run again with other folds. Data sets that were run "
            "once keep the numbers of that run in all of them. How many vary is stated."
        )
    return [Text("How they are checked"), Bullets(sentences), Bullets(notes)]


def _entries(judgement: JudgedClaim) -> dict[str, object]:
    claim, held = judgement.claim, judgement.held
    digits = claim.to_published_digits
    return {
        "claim": claim.name,
        "place": claim.place,
        "text": claim.text,
        "check": text_of(how_checked(claim)),
        "published": _answered(judgement.published),
        "published_numbers": judgement.published.numbers,
        "here": _answered(judgement.reproduced),
        "here_numbers": judgement.reproduced.numbers,
        "outcome": str(judgement.outcome),
        "ours": "yes" if claim.ours else "",
        "held": "" if held is None else held.count,
        "replicates": "" if held is None else held.total,
        "varied_datasets": "" if held is None else held.n_varied,
        "nested": _answered(judgement.nested),
        "nested_numbers": judgement.nested.numbers,
        "to_published_digits": "" if digits is None else _ANSWERS[digits],
    }


def _answered(answer: Answer) -> str:
    return _ANSWERS[answer.holds] if answer.numbers else ""


TOTAL = "all papers"


def all_claims(results: Path) -> pd.DataFrame:
    """Return the rows of the papers' ``claims.csv``, after a column ``paper``, as text."""
    tables = []
    for path in sorted(results.glob("*/claims.csv")):
        table = pd.read_csv(path, dtype=str, keep_default_na=False)
        if lacking := [name for name in ("claim", "outcome") if name not in table]:
            raise RetreeError(
                f"{path} lacks {' and '.join(lacking)}; write it again by `retree report`."
            )
        table.insert(0, "paper", path.parent.name)
        tables.append(table)
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=["paper"])


def claims_overview(results: Path) -> pd.DataFrame:
    """Return how many claims of each paper, our own statements left out, have each outcome.

    Returns a row for each paper that has claims, by name, and one for all of them (`TOTAL`);
    columns ``claims`` and, in the order of `ClaimOutcome`, each outcome that occurs. Empty without
    claims.
    """
    claims = all_claims(results)
    if claims.empty:
        return pd.DataFrame(columns=["claims"], dtype=int)
    outcomes = [str(outcome) for outcome in ClaimOutcome]
    if unknown := sorted(set(claims["outcome"]) - set(outcomes)):
        raise RetreeError(
            f"Claims of {results} have the outcome {', '.join(unknown)}, which does not exist; "
            "write them again by `retree report`."
        )
    claims = claims[claims["ours"] != "yes"] if "ours" in claims else claims
    counts = pd.crosstab(claims["paper"], claims["outcome"])
    counts = counts[[outcome for outcome in outcomes if outcome in counts]]
    counts.insert(0, "claims", counts.sum(axis=1))
    counts.loc[TOTAL] = counts.sum()
    return counts.rename_axis(index=None, columns=None)
