"""From numbers back to the learner, the options and the protocol that give them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from retree.arithmetic import running_sum
from retree.errors import RetreeError
from retree_lab.outside.deviations import Spread, read_spreads
from retree_lab.outside.index import Index
from retree_lab.outside.likelihood import MISSED, evidence, is_written
from retree_lab.outside.reading import Number
from retree_lab.outside.relatives import alike, has_number
from retree_lab.statistics.agreement import Digits

# How likely it is beforehand that the program of a column is in the index, or a relative of it: one
# of it with another option or seed. That is so many times as likely as the program itself.
IN_INDEX, RELATIVE = 0.5, 1.0
# How likely it is beforehand that numbers are cut after their last digit, and not rounded.
CUT = 0.1
# An explanation is named if it is this likely, and gives nearly all numbers: with fewer it may be
# a learner with other options, most of which change only some data sets.
SURE, NEARLY_ALL = 0.99, 0.95


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
class Identified:
    """The explanations of a column, the likeliest first."""

    column: str
    explanations: tuple[Explanation, ...]
    nearest: float  # How far the nearest explanation is off on average, in points

    @property
    def named(self) -> tuple[Explanation, ...]:
        """The likely ones, if they give nearly all numbers; otherwise ().

        One value of a number alone is not named, since others near it give the same.
        """
        likely = self.likely
        enough = likely and len(likely[0].equal) >= NEARLY_ALL * likely[0].compared
        return likely if enough and not all(has_number(e.learner) for e in likely) else ()

    @property
    def likely(self) -> tuple[Explanation, ...]:
        """The explanations that give the same numbers and are sure together; () if none are."""
        best = self.explanations[:1]
        same = tuple(e for e in self.explanations if best and e.equal == best[0].equal)
        return same if running_sum([e.probability for e in same]) >= SURE else ()


def identify(index: Index, column: str, numbers: Mapping[str, Number]) -> Identified:
    """Return what may have made a column of a table.

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
    kinds = alike(index.learners, accuracies, unit / full)
    spreads = read_spreads(index, places, list(numbers.values()), full)
    scores, relatives, matches, chances = [], [], [], []
    for writing in WRITINGS:
        written = full * (1.0 - accuracies if writing.error else accuracies)
        equal = compared & is_written(written, values, unit, writing.digits)
        score, share = evidence(equal, compared)
        odds = CUT if writing.digits == Digits.CUT else 1 - CUT
        scores.append(score + spreads.score + math.log(2 * odds))
        relatives.append(sum(_of_relatives(same, equal, compared) for same in kinds) / len(kinds))
        matches.append(equal)
        chances.append(np.where(compared, share, 0.0).sum(axis=0))
    likelihood = np.array(scores)
    likelihood[:, ~compared.any(axis=0)] = -np.inf
    weights = np.exp(np.minimum(likelihood, 600.0))
    prior = IN_INDEX / (1 + RELATIVE) / max(1, np.isfinite(likelihood).sum())
    total = prior * (weights * (1 + RELATIVE * np.array(relatives))).sum() + (1 - IN_INDEX)
    names = list(numbers)
    order = np.argsort(-likelihood, axis=None, kind="stable")
    explanations = []
    for flat in order[:20]:
        w, learner, protocol = np.unravel_index(flat, likelihood.shape)
        equal = matches[w][:, learner, protocol]
        if not equal.any():
            break
        explanations.append(
            Explanation(
                index.learners[learner],
                index.protocols[protocol],
                WRITINGS[w],
                tuple(name for name, same in zip(names, equal, strict=True) if same),
                int(compared[:, learner, protocol].sum()),
                float(chances[w][learner, protocol]),
                float(prior * weights[w, learner, protocol] / total),
                spreads.of(learner, protocol),
            )
        )
    return Identified(column, tuple(explanations), _nearest(accuracies, values / full))


def _of_relatives(
    same: NDArray[np.float64], equal: NDArray[np.bool_], compared: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Return how many times as likely as an entry a relative of it gives the numbers.

    `same`: how likely it gives the number of the entry on each data set.
    """
    ratio = np.where(equal, same / (1 - MISSED), (1 - same) / MISSED)
    return np.where(compared, ratio, 1.0).prod(axis=0)


def full_share(column: str, values: NDArray[np.float64]) -> float:
    """Return what stands for all rows, 1 or 100."""
    if (above := values[values > 100]).size:
        raise RetreeError(f"{column} has {above[0]:g}, and no share of rows is above 100 %.")
    if (values < 0).any():
        raise RetreeError(f"{column} has {values.min():g}, and no share of rows is below 0.")
    small, great = values[(values > 0) & (values < 1)], values[values > 1]
    if small.size and great.size and great.min() > 20 * small.max():
        raise RetreeError(
            f"{column} mixes units: {small[0]:g} is a share of 1, and {great[0]:g} one of 100. "
            "Write all of them in one."
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
    at = [
        (index.learners.index(e.learner), index.protocols.index(e.protocol)) for e in explanations
    ]
    values = np.array([index.accuracy[:, a, b] for a, b in at])
    spread = np.ptp(values, axis=0)
    order = np.argsort(-np.nan_to_num(spread), kind="stable")
    return [index.datasets[i] for i in order if spread[i] > unit]
