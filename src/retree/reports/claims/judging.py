"""The paper's claims, checked on the published numbers and on two columns of reproduced ones."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

from retree.experiments.definition.claims import (
    MEAN,
    Check,
    Claim,
    Comparing,
    MeanCheck,
    MeanOfCellsCheck,
    ParameterCheck,
    StarsCheck,
    WithinCheck,
)
from retree.experiments.definition.definitions import Paper
from retree.reports.claims.answers import (
    NO_ANSWER,
    Answer,
    answer,
    answer_chosen,
    answer_stars,
    answer_within,
    mean_gap,
)
from retree.reports.claims.claim_numbers import (
    Compared,
    Find,
    nested_numbers,
    published_numbers,
    replicate_numbers,
    reproduced_numbers,
)
from retree.reports.published import Published
from retree.statistics.intervals import predict

# The share of replicates from which on a claim is reproduced; at one minus it, it is not.
MOST = 0.95


class ClaimOutcome(StrEnum):
    """What is to be said of a claim."""

    REPRODUCED = "true in the paper and reproduced"
    ON_TEST_ROWS = (
        "reproduced by the paper's protocol, not with parameters chosen inside the training folds"
    )
    OTHER_REASON = "reproduced, its cause open"
    DEPENDS = "depends on the folds"
    NOT_REPRODUCED = "true in the paper, not reproduced"
    CONTRADICTED = "contradicted by the paper's own tables"
    OUR_CHOICE = "not shown by the paper's tables, as we interpret the sentence"
    CONSISTENT = "confirmed by the paper's own tables"
    HERE = "not in the paper's tables, reproduced"
    NOT_HERE = "not in the paper's tables, not reproduced"
    CONFIRMED = "confirmed by a test"
    ROUGHLY = "confirmed by a test, but not to the published digits"
    REFUTED = "contradicted by a test"
    OPEN = "cannot be checked"


@dataclass(frozen=True)
class Held:
    """In how many replicates a claim holds, of how many."""

    count: int  # In how many it holds, and how many there are
    total: int
    # How many of the claim's data sets have several replicates, and how many there are.
    n_varied: int
    n_datasets: int
    # Of a claim on means, the 95 % prediction interval of the left side minus the right one in one
    # replicate; otherwise NaN.
    low: float = math.nan
    high: float = math.nan

    @property
    def holds(self) -> bool | None:
        """Whether it holds in nearly all replicates or in hardly any, None if that depends."""
        share = self.count / self.total
        return True if share >= MOST else False if share <= 1 - MOST else None


@dataclass(frozen=True)
class JudgedClaim:
    """A claim with its answers in three columns."""

    claim: Claim
    published: Answer = NO_ANSWER  # On the published numbers
    # On the numbers reproduced as published, means over the replicates.
    reproduced: Answer = NO_ANSWER
    # On those with parameters chosen inside the training folds, where that exists.
    nested: Answer = NO_ANSWER
    held: Held | None = None  # In how many replicates the claim holds, None where there are none
    n_ours: int = 0  # How many data sets of the claim are not the paper's, and how many there are
    n_datasets: int = 0

    @property
    def outcome(self) -> ClaimOutcome:
        """What the columns say together."""
        claim = self.claim
        if claim.unchecked is not None:
            return ClaimOutcome.OPEN
        if claim.check is None:
            return _outcome_of_test(claim)
        if self.published.holds is False:
            return ClaimOutcome.OUR_CHOICE if claim.our_choice else ClaimOutcome.CONTRADICTED
        if isinstance(claim.check, MeanOfCellsCheck):
            return ClaimOutcome.CONSISTENT if self.published.holds else ClaimOutcome.OPEN
        holds = self.reproduced.holds if self.held is None else self.held.holds
        if self.held is not None and holds is None:
            return ClaimOutcome.DEPENDS
        if holds and self.nested.holds is False:
            return ClaimOutcome.ON_TEST_ROWS
        if holds and claim.other_reason:
            return ClaimOutcome.OTHER_REASON
        # What is to be near a published number is published.
        is_published = isinstance(claim.check, WithinCheck) and not claim.ours
        published = is_published or self.published.holds
        return _OUTCOMES[published, holds]


_OUTCOMES = {
    (True, True): ClaimOutcome.REPRODUCED,
    (True, False): ClaimOutcome.NOT_REPRODUCED,
    (True, None): ClaimOutcome.OPEN,
    (None, True): ClaimOutcome.HERE,
    (None, False): ClaimOutcome.NOT_HERE,
    (None, None): ClaimOutcome.OPEN,
}


def _outcome_of_test(claim: Claim) -> ClaimOutcome:
    if claim.refuted:
        return ClaimOutcome.REFUTED
    return ClaimOutcome.ROUGHLY if claim.to_published_digits is False else ClaimOutcome.CONFIRMED


def judge_claims(paper: Paper, compared: Compared) -> list[JudgedClaim]:
    """Check each of the paper's claims.

    `compared`: the comparisons of the items that are reproduced, by the item's name.
    """
    return [
        _with_ours(_judge(claim, paper, compared), claim.check, paper) for claim in paper.claims
    ]


def _with_ours(judgement: JudgedClaim, check: Check | None, paper: Paper) -> JudgedClaim:
    """Return a judgement with how many data sets of its check are not the paper's."""
    if check is None:
        return judgement
    every = paper.items[check.item].get("datasets", ()) if MEAN in check.datasets else ()
    keys = every or check.datasets
    n_ours = sum(key in paper.our_data for key in keys)
    return replace(judgement, n_ours=n_ours, n_datasets=len(keys))


def _judge(claim: Claim, paper: Paper, compared: Compared) -> JudgedClaim:
    if (check := claim.check) is None:
        return JudgedClaim(claim)
    published = published_numbers(Published(paper), check)
    reproduced = reproduced_numbers(compared)
    if isinstance(check, ParameterCheck):
        chosen = answer_chosen(check, compared.get(check.item, ()))
        return JudgedClaim(claim, reproduced=chosen)
    if isinstance(check, StarsCheck):
        return JudgedClaim(claim, *answer_stars(check, compared.get(check.item, ())))
    if isinstance(check, WithinCheck):
        near = answer_within(check, published, reproduced)
        held = _held(check, paper, compared, lambda find: answer_within(check, published, find))
        return JudgedClaim(claim, reproduced=near, held=held)
    if isinstance(check, MeanOfCellsCheck):
        # Our means are those of our cells: nothing to check.
        return JudgedClaim(claim, answer(check, published))
    if not isinstance(check, Comparing):
        return JudgedClaim(claim)
    nested = answer(check, nested_numbers(paper, compared))
    return JudgedClaim(
        claim,
        answer(check, published),
        answer(check, reproduced),
        nested if nested.holds is not None else NO_ANSWER,
        _held(check, paper, compared, lambda find: answer(check, find)),
    )


def _held(
    check: Check, paper: Paper, compared: Compared, ask: Callable[[Find], Answer]
) -> Held | None:
    """Return in how many replicates a claim holds; None if that is unknown of some."""
    if (replicates := replicate_numbers(check, paper, compared)) is None:
        return None
    answers = [ask(find).holds for find in replicates.finds]
    if None in answers:
        return None
    low, high = math.nan, math.nan
    if isinstance(check, MeanCheck) and not check.geometric and len(answers) > 1:
        low, high = predict([mean_gap(check, find) for find in replicates.finds]).interval()
    n_sets = replicates.n_varied, replicates.n_datasets
    return Held(sum(map(bool, answers)), len(answers), *n_sets, low, high)
