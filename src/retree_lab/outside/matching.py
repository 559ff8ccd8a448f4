"""From numbers back to the learner, the options and the protocol that give them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

import numpy as np
from numpy.typing import NDArray

from retree.errors import RetreeError
from retree_lab.outside.index import Index
from retree_lab.outside.likelihood import (
    MISSED,
    Spread,
    alike,
    chance,
    evidence,
    family,
    has_number,
    is_written,
    read_spreads,
)
from retree_lab.outside.reading import Number
from retree_lab.statistics.agreement import Digits

# How likely it is beforehand that the program of a column is in the index, or a relative of it: one
# of it with another option or seed. That is so many times as likely as the program itself.
IN_INDEX, RELATIVE = 0.5, 1.0
# How likely it is beforehand that numbers are cut after their last digit, and not rounded.
CUT = 0.1
# The most exact name is given that is so likely to be right; if none is, the least exact one, if it
# is fairly likely. Over columns of three data sets with two digits, taken from the index, the
# probabilities say that below 1 % of the names are wrong. Its entries have to give nearly all
# numbers: with fewer it may be another program, most of which differ on some data sets only.
SURE, FAIRLY, NEARLY_ALL = 0.99, 0.92, 0.95
LISTED = 20


@dataclass(frozen=True)
class Writing:
    """How an accuracy is written."""

    error: bool  # As the share of wrong rows
    digits: Digits

    def __str__(self) -> str:
        return ("error" if self.error else "accuracy") + (
            ", cut after the last digit" if self.digits == Digits.CUT else ""
        )


WRITINGS = tuple(Writing(error, digits) for error in (False, True) for digits in Digits)


@dataclass(frozen=True)
class Explanation:
    """A learner, a protocol and a way to write that may have made a column."""

    learner: str
    protocol: str
    writing: Writing
    equal: tuple[str, ...]  # The data sets on which it gives the number
    compared: int  # On how many data sets there is something to compare
    by_chance: float  # How many numbers a random entry of the index would give, on average
    probability: float  # Of being the right one
    spread: Spread  # Its deviations, and those behind the numbers


@dataclass(frozen=True)
class Name:
    """What is sure about a column: one of these learners made it, by one of these protocols.

    `entries`: of the index, those that give the same numbers, the likeliest first.
    `any_options`: whether the learner may have options that the index lacks.
    `any_folds`: whether the folds may be others.
    """

    entries: tuple[Explanation, ...]
    any_options: bool
    any_folds: bool
    probability: float  # Of being right

    @property
    def learners(self) -> tuple[str, ...]:
        """The learners, without options if these are open."""
        names = (family(e.learner) if self.any_options else e.learner for e in self.entries)
        return tuple(dict.fromkeys(names))

    @property
    def protocols(self) -> tuple[str, ...]:
        """The protocols, () if they are open."""
        return () if self.any_folds else tuple(dict.fromkeys(e.protocol for e in self.entries))


@dataclass(frozen=True)
class Identified:
    """The explanations of a column, the likeliest first."""

    column: str
    explanations: tuple[Explanation, ...]
    likely: Name | None  # What is sure if unequal numbers are misprints
    nearest: float  # How far the nearest explanation is off on average, in points

    @property
    def named(self) -> Name | None:
        """Return the likely name, None unless nearly all numbers are equal."""
        if self.likely is None:
            return None
        first = self.likely.entries[0]
        return self.likely if len(first.equal) >= NEARLY_ALL * first.compared else None


def identify(index: Index, column: str, numbers: Mapping[str, Number]) -> Identified:
    """Return the programs that may have made a column of a table.

    The likelihood of an entry of the index is that of its matches and misses, against the share of
    all entries of the data set that would be written as the same number. Each entry is as likely
    beforehand as that a relative of it made the column, which the index lacks; and all of them
    together as likely as that something else did.

    `numbers`: the column's numbers by data set, all of them in the index.

    Raises
    ------
    RetreeError
        If a number is above 100, or some are shares of 1 and others of 100.
    """
    places = np.array([index.place(name) for name in numbers])
    values = np.array([cell.value for cell in numbers.values()])
    unit = min(cell.unit for cell in numbers.values())
    full = full_share(column, values)
    accuracies = index.accuracy[places]  # (n_numbers, n_learners, n_protocols)
    compared = ~np.isnan(accuracies)
    deviations, spread_of = read_spreads(index, places, list(numbers.values()), full)
    likelihood, equal, chances, probability = _score(
        full * accuracies, values, unit, full, deviations, index.learners
    )
    shape, names = likelihood.shape, np.array(list(numbers))

    def explanation(flat: int) -> Explanation:
        at = w, learner, protocol = np.unravel_index(flat, shape)
        return Explanation(
            index.learners[learner],
            index.protocols[protocol],
            WRITINGS[w],
            tuple(names[equal[at]].tolist()),
            int(compared[:, learner, protocol].sum()),
            float(chances[at]),
            float(probability[0][at]),
            spread_of(int(learner), int(protocol)),
        )

    order = np.argsort(-likelihood, axis=None, kind="stable")
    matching = equal.any(axis=-1).flat
    explanations = tuple(
        explanation(flat) for flat in takewhile(lambda flat: matching[flat], order[:LISTED])
    )
    likely = None
    if explanations:
        best = np.unravel_index(order[0], shape)
        tied = (equal == equal[best]).all(axis=-1)
        # With deviations, equal numbers are not equally likely.
        tied &= likelihood > likelihood[best] - math.log(100)
        if (is_open := _open(probability, tied, index.learners)) is not None:
            entries = tuple(explanation(flat) for flat in order if tied.flat[flat])
            likely = Name(entries, *is_open)
    return Identified(column, explanations, likely, _nearest(accuracies, values / full))


def _score(
    shares: NDArray[np.float64],
    values: NDArray[np.float64],
    unit: float,
    full: float,
    deviations: NDArray[np.float64],
    learners: tuple[str, ...],
) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.float64], NDArray[np.float64]]:
    """Compare numbers with all entries.

    `shares`: what these give, `full` being all rows. `deviations`: the logarithm of the likelihood
    of those that are printed.

    Returns
    -------
    likelihood : array of shape (n_writings, n_learners, n_protocols)
    equal : array of bool
        The same shape, with the numbers as the last axis.
    chances : array of the shape of `likelihood`
    probability : array of shape (3, n_writings, n_learners, n_protocols)
        Of the entry, of its learner with an option, and of it by folds that the index lacks.
    """
    compared = ~np.isnan(shares)
    ways = [(full - shares if w.error else shares, w.digits) for w in WRITINGS]
    equal = np.array([compared & is_written(s, values, unit, digits) for s, digits in ways])
    odds = np.log([2 * (CUT if w.digits == Digits.CUT else 1 - CUT) for w in WRITINGS])
    bound = ((values <= 0) | (values >= full))[:, None, None]
    families = np.array([family(name) for name in learners])
    others = np.ones(len(learners), np.bool_)
    # Chances are those of learners that are no relatives of the best entry, which comes first.
    for _ in range(2):
        is_other = compared & others[:, None]
        chances = [chance(same & is_other, is_other) for same in equal]
        # Whatever memorizes gets all rows right.
        chances = [np.where(bound, np.maximum(share, 0.5), share) for share in chances]
        each = [evidence(s, compared, share) for s, share in zip(equal, chances, strict=True)]
        scores = np.array(each) + odds[:, None, None] + deviations
        likelihood = np.where(compared.any(axis=0), scores, -np.inf)
        best = np.unravel_index(likelihood.argmax(), likelihood.shape)
        others = families != families[best[1]]
    kinds = alike(learners, shares, unit)
    relatives = [RELATIVE / len(kinds) * _of_relatives(k, equal, compared) for k in kinds]
    prior = IN_INDEX / (1 + RELATIVE) / max(1, np.isfinite(likelihood).sum())
    ratios = np.array([np.ones_like(likelihood), *relatives])
    weights = prior * np.exp(np.minimum(likelihood, 600.0)) * ratios
    by_chance = [(compared * share).sum(axis=0) for share in chances]
    probability = weights / (weights.sum() + 1 - IN_INDEX)
    return likelihood, np.moveaxis(equal, 1, -1), np.array(by_chance), probability


def _of_relatives(
    same: NDArray[np.float64], equal: NDArray[np.bool_], compared: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Return how many times as likely as an entry a relative of it gives the numbers.

    `same`: how likely it gives the number of the entry on each data set.
    """
    ratio = np.where(equal, same / (1 - MISSED), (1 - same) / MISSED)
    return np.where(compared, ratio, 1.0).prod(axis=-3)


def _open(
    probability: NDArray[np.float64], tied: NDArray[np.bool_], learners: tuple[str, ...]
) -> tuple[bool, bool, float] | None:
    """Return whether options and folds stay open in a name, and how likely it is; None: too little.

    `tied`: the entries that would be named. One value of a number is no name: others near it give
    the same.
    """
    _, learner_at, protocol_at = np.nonzero(tied)
    kin = {family(learners[i]) for i in learner_at}
    is_kin = np.array([family(name) in kin for name in learners])
    has_name = not all(has_number(learners[i]) for i in learner_at)
    itself, by_option, by_folds = probability.sum(axis=1)  # Whichever way it is written
    protocols, named = np.unique(protocol_at), np.unique(learner_at)
    shares = {
        (False, False): has_name * probability[0][tied].sum(),
        (True, False): (itself + by_option)[is_kin][:, protocols].sum(),
        (False, True): has_name * (itself + by_folds)[named].sum(),
        (True, True): (itself + by_option + by_folds)[is_kin].sum(),
    }
    sure = [at for at, share in shares.items() if share >= SURE]
    best = sure[0] if sure else (True, True)
    return (*best, float(shares[best])) if shares[best] >= FAIRLY else None


def full_share(column: str, values: NDArray[np.float64]) -> float:
    """Return the value that means all rows, 1 or 100."""
    if (above := values[values > 100]).size:
        raise RetreeError(f"{column} has {above[0]:g}, but no share of rows is above 100 %.")
    if (values < 0).any():
        raise RetreeError(f"{column} has {values.min():g}, but no share of rows is below 0.")
    small, great = values[(values > 0) & (values < 1)], values[values > 1]
    if small.size and great.size and great.min() > 20 * small.max():
        raise RetreeError(
            f"{column} mixes units: {small[0]:g} looks like a share of 1, and {great[0]:g} like a "
            "percentage. Use one unit."
        )
    return 1.0 if values.max() <= 1 else 100.0


def _nearest(accuracies: NDArray[np.float64], shares: NDArray[np.float64]) -> float:
    """Return the lowest mean distance of an entry of the index, in points."""
    gaps = [abs(accuracies - shares[:, None, None]), abs(1 - accuracies - shares[:, None, None])]
    with np.errstate(invalid="ignore"):
        means = [np.where(np.isnan(gap).any(axis=0), math.inf, gap.mean(axis=0)) for gap in gaps]
    return 100 * float(min(mean.min() for mean in means))


def differing(index: Index, explanations: Sequence[Explanation], unit: float) -> list[str]:
    """Return the data sets whose numbers would tell explanations apart, the clearest first."""
    learners = [index.learners.index(e.learner) for e in explanations]
    protocols = [index.protocols.index(e.protocol) for e in explanations]
    spread = np.ptp(index.accuracy[:, learners, protocols], axis=1)
    order = np.argsort(-np.nan_to_num(spread), kind="stable")
    return [index.datasets[i] for i in order if spread[i] > unit]
