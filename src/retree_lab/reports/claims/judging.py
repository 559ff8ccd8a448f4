"""The paper's claims, checked on the published numbers and on two columns of reproduced ones."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import pandas as pd

from retree_lab.experiments.definition.claim_config import (
    MEAN,
    Check,
    Claim,
    Comparing,
    CountCheck,
    MeanOfCellsCheck,
    ParameterCheck,
    StarsCheck,
    WithinCheck,
)
from retree_lab.experiments.definition.definitions import Paper
from retree_lab.reports.claims.answers import (
    NO_ANSWER,
    NO_QUANTITY,
    Answer,
    Quantity,
    answer,
    answer_chosen,
    answer_stars,
    answer_within,
    direction,
    quantity,
)
from retree_lab.reports.claims.claim_numbers import (
    Compared,
    Replicates,
    nested_numbers,
    published_numbers,
    replicate_numbers,
    reproduced_numbers,
)
from retree_lab.reports.comparison import Word, claim_word
from retree_lab.reports.published import Published
from retree_lab.statistics.intervals import Prediction, predict

# From this share of the replicates on something holds here; at one minus it, it does not.
MOST = 0.95


class InPaper(StrEnum):
    """The answer of the paper's own tables to a claim; "" if they cannot show it."""

    YES = "yes"
    NO = "no"
    NOT_SHOWN = "not shown"  # By the choice of ours that the check makes
    SILENT = ""


class Here(StrEnum):
    """The answer of the reproduced numbers; "" for a claim about the paper's tables alone."""

    YES = "yes"
    DIRECTION = "direction only"
    POSSIBLE = "possible"
    NO = "no"
    OPEN = "cannot be checked"
    SILENT = ""


class Honest(StrEnum):
    """The answer with parameters chosen inside the training folds; "" for none."""

    YES = "yes"
    DIRECTION = "direction only"  # Of a count that does not reach the claimed one
    NO = "no"
    SILENT = ""


@dataclass(frozen=True)
class Replicated:
    """The answers of the replicates."""

    answers: Sequence[bool]  # Whether it holds in each, as it is worded
    # How many of the claim's data sets have several replicates, and how many there are.
    n_varied: int
    n_datasets: int
    # The paper's number, and what is expected of it in one replicate; None where nothing is.
    printed: Quantity = NO_QUANTITY
    prediction: Prediction | None = None
    # Of a count, whether the relation holds on most sets, or on few, as the claim says.
    directions: Sequence[bool] | None = None

    @property
    def count(self) -> int:
        """The number of replicates in which the claim holds as it is worded."""
        return sum(self.answers)

    @property
    def total(self) -> int:
        """Return the number of replicates."""
        return len(self.answers)

    @property
    def answer(self) -> Here:
        """The claim's number against the interval of one replicate, and its direction.

        Without a published number the share of the replicates decides in which the claim holds.
        """
        directions = self.answers if self.directions is None else self.directions
        share = sum(directions) / self.total
        if self.prediction is None:
            return Here.YES if share >= MOST else Here.NO if share <= 1 - MOST else Here.POSSIBLE
        is_inside = self.prediction.contains(self.printed.value, self.printed.rounding)
        if self.printed.is_count and self.directions is None:
            return Here.YES if is_inside else Here.NO
        if share >= MOST:
            return Here.YES if is_inside else Here.DIRECTION
        return Here.POSSIBLE if is_inside else Here.NO


@dataclass(frozen=True)
class JudgedClaim:
    """A claim with its answers in three columns."""

    claim: Claim
    published: Answer = NO_ANSWER  # On the published numbers
    # On the numbers reproduced as published, means over the replicates.
    reproduced: Answer = NO_ANSWER
    # On those with parameters chosen inside the training folds, where that exists.
    nested: Answer = NO_ANSWER
    honest: Honest = Honest.SILENT
    replicated: Replicated | None = None  # None where there are no replicates
    # The same with the programs that the paper ran, where ours are others.
    program: JudgedClaim | None = None
    # Why the numbers that it is about cannot be compared with the paper's; "" if they can.
    not_judged: str = ""
    n_ours: int = 0  # How many data sets of the claim are not the paper's, and how many there are
    n_datasets: int = 0

    @property
    def in_paper(self) -> InPaper:
        """The answer of the published numbers."""
        if self.claim.check is None or self.published.holds is None:
            return InPaper.SILENT
        if self.published.holds:
            return InPaper.YES
        return InPaper.NOT_SHOWN if self.claim.our_choice else InPaper.NO

    @property
    def here(self) -> Here:
        """The answer of the reproduced numbers, or of a test."""
        if self.claim.unchecked is not None or (self.not_judged and not self.claim.ours):
            return Here.OPEN
        if self.claim.check is None:
            return Here.NO if self.claim.refuted else Here.YES
        if isinstance(self.claim.check, MeanOfCellsCheck):
            # Our means are the means of our cells: nothing to check.
            return Here.SILENT if self.published.numbers else Here.OPEN
        if self.replicated is not None:
            return self.replicated.answer
        return {True: Here.YES, False: Here.NO, None: Here.OPEN}[self.reproduced.holds]


def judge_claims(paper: Paper, compared: Compared) -> list[JudgedClaim]:
    """Check each of the paper's claims.

    `compared`: the comparisons of the items that are reproduced, by the item's name.
    """
    return [
        _with_ours(_judge(claim, paper, compared), claim.check, paper) for claim in paper.claims
    ]


def _with_ours(judgement: JudgedClaim, check: Check | None, paper: Paper) -> JudgedClaim:
    """Return a judgement with what is known about the data sets and numbers of its check."""
    if check is None:
        return judgement
    every = paper.items[check.item].get("datasets", ()) if MEAN in check.datasets else ()
    keys = every or check.datasets
    n_ours = sum(key in paper.our_data for key in keys)
    why = paper.why_not_judged(check.item)
    return replace(judgement, not_judged=why, n_ours=n_ours, n_datasets=len(keys))


def _judge(claim: Claim, paper: Paper, compared: Compared) -> JudgedClaim:
    if (check := claim.check) is None:
        return JudgedClaim(claim)
    published = published_numbers(Published(paper), check)
    reproduced = reproduced_numbers(compared)
    replicates = replicate_numbers(check, paper, compared)
    match check:
        case ParameterCheck():
            cells = compared.get(check.item, ())
            answers = [answer_chosen(check, cells, i) for i in range(len(replicates.finds))]
            runs = _replicated(replicates, answers)
            return JudgedClaim(claim, reproduced=answer_chosen(check, cells), replicated=runs)
        case StarsCheck():
            return JudgedClaim(claim, *answer_stars(check, compared.get(check.item, ())))
        case WithinCheck():
            near = answer_within(check, published, reproduced)
            answers = [answer_within(check, published, find) for find in replicates.finds]
            # A number that ours is to be near is published.
            theirs = Answer(None if claim.ours else True, "")
            return JudgedClaim(claim, theirs, near, replicated=_replicated(replicates, answers))
        case MeanOfCellsCheck():
            return JudgedClaim(claim, answer(check, published))
        case Comparing():
            theirs, ours = answer(check, published), answer(check, reproduced)
            printed = _printed(claim, check, theirs, quantity(check, published))
            runs = _compared(check, replicates, printed)
            honest = nested_numbers(paper, compared)
            as_worded = answer(check, honest)
            nested = _directed(check, as_worded, quantity(check, honest))
            word = _honest(nested.holds, as_worded.holds)
            judged = JudgedClaim(claim, theirs, ours, nested, word, runs)
            return replace(judged, program=_with_program(claim, check, paper, compared, judged))
    return JudgedClaim(claim)


def _with_program(
    claim: Claim, check: Comparing, paper: Paper, compared: Compared, judged: JudgedClaim
) -> JudgedClaim | None:
    """Return a claim judged with the programs that the paper ran; None if it is not about them."""
    if (program := paper.program) is None or claim.ours:
        return None
    than = check.than if isinstance(check.than, tuple) else ()
    measured = paper.items[program.item].get("metrics") or ()
    if check.metric not in measured or not {*check.of, *than} & {*program.instead}:
        return None
    check = replace(
        check,
        item=program.item,
        of=tuple(program.instead.get(key, key) for key in check.of),
        than=tuple(program.instead.get(key, key) for key in than) or check.than,
        labels={**check.labels, **paper.methods[program.item]},
    )
    printed = NO_QUANTITY if judged.replicated is None else judged.replicated.printed
    return replace(
        judged,
        claim=replace(claim, check=check),
        reproduced=answer(check, reproduced_numbers(compared)),
        replicated=_compared(check, replicate_numbers(check, paper, compared), printed),
    )


def _printed(claim: Claim, check: Comparing, theirs: Answer, of_table: Quantity) -> Quantity:
    """Return the paper's number: the table's or, where this contradicts it, the sentence's."""
    if theirs.holds is not False:
        return of_table
    if claim.our_choice or not isinstance(check, CountCheck) or not of_table.is_count:
        return NO_QUANTITY
    said = check.at_least if check.at_least is not None else check.at_most
    return replace(of_table, value=math.nan if said is None else float(said))


def _directed(check: Comparing, given: Answer, of: Quantity) -> Answer:
    """Return an answer by the direction of a count, if it has one; nothing where it is unknown."""
    is_so = direction(check, of)
    given = given if is_so is None else replace(given, holds=is_so)
    return NO_ANSWER if given.holds is None else given


def _honest(holds: bool | None, as_worded: bool | None) -> Honest:
    """Return the word for an answer, which may hold by its direction and not as it is worded."""
    if holds is None:
        return Honest.SILENT
    return Honest.NO if not holds else Honest.YES if as_worded else Honest.DIRECTION


def _replicated(replicates: Replicates, answers: Sequence[Answer]) -> Replicated | None:
    """Return in how many replicates a claim holds; None if that is unknown of some."""
    holds = [answer.holds for answer in answers if answer.holds is not None]
    if not holds or len(holds) < len(answers):
        return None
    return Replicated(holds, replicates.n_varied, replicates.n_datasets)


def _compared(check: Comparing, replicates: Replicates, printed: Quantity) -> Replicated | None:
    """Return the replicates' answers on a count or a difference, and predict another one."""
    replicated = _replicated(replicates, [answer(check, find) for find in replicates.finds])
    if replicated is None:
        return None
    ours = [quantity(check, find) for find in replicates.finds]
    values = [one.value for one in ours]
    directions = [is_so for one in ours if (is_so := direction(check, one)) is not None]
    replicated = replace(replicated, printed=printed, directions=directions or None)
    if len(values) < 2 or math.isnan(printed.value) or any(map(math.isnan, values)):
        return replicated
    return replace(
        replicated, prediction=predict(values, log_plus=0.0 if printed.is_ratio else None)
    )


SURVIVES, LOST, UNKNOWN = "survives", "lost", "unknown"


def outcomes(claims: pd.DataFrame) -> Mapping[str, Sequence[str]]:
    """Return the paper's own claims by what became of them, the most tested ones first.

    Lost ones have our count in brackets, which may be higher than claimed.

    A claim is lost if our numbers contradict it, as published or with parameters chosen inside the
    training folds. It survives if they show it, or its direction, under both.

    `claims`: rows of a ``claims.csv``.
    """
    of_paper = claims[claims["ours"] != "yes"]
    first = of_paper.assign(later=of_paper["nested"] == "").sort_values("later", kind="stable")
    by_outcome: dict[str, list[str]] = {SURVIVES: [], LOST: [], UNKNOWN: []}
    for row in first.to_dict("records"):
        # A claim about the published tables alone has an answer there only.
        here = claim_word(row["here"] or row["published"])
        outcome = UNKNOWN if here in ("", Word.UNCHECKED) else SURVIVES
        outcome = LOST if "no" in (here, row["nested"]) else outcome
        more = Here.DIRECTION.value if Here.DIRECTION in (here, row["nested"]) else ""
        if outcome == LOST:
            column, whose = "here_numbers", "ours"
            if row["nested"] == "no":
                column, whose = "nested_numbers", "with honest selection"
            # A single data set is no count.
            count = re.match(r"\d+ of (?!1\b)\d+", str(row.get(column)))
            more = f"{whose}: {count.group()}" if count else ""
        said = row["text"].rstrip(".")
        by_outcome[outcome].append(f"{said} ({more})" if more else said)
    return by_outcome
