"""The pictures of the start page: gains with intervals, and how many numbers have which word."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from retree_lab.experiments.definition.item import BEST_TEST, NESTED
from retree_lab.reports.comparison import Word
from retree_lab.reports.html import element, name, text
from retree_lab.statistics.effects import mean_difference

_ARROW = 0.3  # points that a mark moves, at least, for an arrow


_HEADS = {
    "published": "published",
    BEST_TEST: "ours, same way",
    NESTED: "ours, honest",
}
_LEFT, _PLOT, _RIGHT, _ROW = 92, 190, 38, 17


@dataclass(frozen=True)
class Gain:
    """A mean gain over a baseline in points, with its 95 % interval over data sets."""

    how: str  # A key of `_HEADS`
    estimate: float
    low: float
    high: float

    @property
    def answer(self) -> str:
        """Whether there is a gain."""
        return "holds" if self.low > 0 else "a loss" if self.high < 0 else "no clear gain"

    @property
    def words(self) -> str:
        """The gain with its interval."""
        return _signed(f"{self.estimate:+.1f} ({self.low:+.1f} to {self.high:+.1f})")


def find_gains(numbers: pd.DataFrame, metric: str, method: str, base: str) -> list[Gain]:
    """Return the gains of a method, published and by both ways of choosing parameters.

    `numbers`: the csv of a table, with ``metric`` also by nested selection.
    """
    columns = {
        "published": (metric, "published"),
        BEST_TEST: (metric, "reproduced"),
        NESTED: (f"{metric}_{NESTED}", "reproduced"),
    }
    gains = []
    for how, (kind, column) in columns.items():
        own = numbers[numbers["metric"] == kind]
        values = own.pivot(index="dataset", columns="method", values=column)
        both = values[[method, base]].dropna()
        gain = mean_difference(both[method], both[base])
        gains.append(Gain(how, *(100 * value for value in (gain.estimate, gain.low, gain.high))))
    return gains


def gains_picture(gains: Mapping[str, Sequence[Gain]], meanings: Mapping[str, str]) -> str:
    """Return a row of marks with intervals for each method, with what its name means."""
    ends = [end for own in gains.values() for g in own for end in (0.0, g.low, g.high)]
    low, high = np.floor(min(ends)), np.ceil(max(ends))

    def place(value: float) -> str:
        return f"{_LEFT + _PLOT * (value - low) / (high - low):.1f}"

    blocks = []
    for method, own in gains.items():
        head = f"<b>{name(method)}</b> {text(meanings[method])} "
        head += element("em", own[-1].answer, class_=f"rt-is-{own[-1].answer.split()[-1]}")
        blocks.append(element("p", head) + _marks(method, own, place))
    ticks = "".join(
        f'<text x="{place(v)}" y="12" text-anchor="middle">{_signed(f"{v:+g}")}</text>'
        for v in np.arange(low, high + 1)
    )
    axis = f'<svg viewBox="0 0 {_LEFT + _PLOT + _RIGHT} 16" aria-hidden="true">{ticks}</svg>'
    return "".join(blocks) + axis


def _marks(method: str, own: Sequence[Gain], place: Callable[[float], str]) -> str:
    height, marks = _ROW * len(own), []
    for i, gain in enumerate(own):
        y, x = _ROW * i + _ROW / 2, place(gain.estimate)
        gained = _signed(f"{gain.estimate:+.1f}")
        marks.append(
            f'<g class="rt-{gain.how}"><text x="0" y="{y + 4:g}">{_HEADS[gain.how]}</text>'
            f'<path d="M{place(gain.low)} {y:g}H{place(gain.high)}"/>'
            f'<circle cx="{x}" cy="{y:g}" r="4"/>'
            f'<text x="{_LEFT + _PLOT + 6}" y="{y + 4:g}">{gained}</text></g>'
        )
    before, after = own[-2], own[-1]
    if abs(before.estimate - after.estimate) > _ARROW:
        back = math.copysign(4, before.estimate - after.estimate)
        tip, y = float(place(after.estimate)) + 1.5 * back, _ROW * (len(own) - 0.5)
        marks.append(
            f'<path class="rt-arrow" d="M{place(before.estimate)} {y - _ROW + 4:g}L{tip:.1f} {y:g}'
            f'm{back:g} -4L{tip:.1f} {y:g}l{back:g} 3"/>'
        )
    zero = f'<path class="rt-zero" d="M{place(0)} 0V{height}"/>'
    said = "; ".join(f"{_HEADS[gain.how]} {gain.words}" for gain in own)
    view = f'viewBox="0 0 {_LEFT + _PLOT + _RIGHT} {height}" role="img"'
    label = text(f"Gain of {method} in points: {said}")
    return f'<svg {view} aria-label="{label}">{zero}{"".join(marks)}</svg>'


def _signed(words: str) -> str:
    return words.replace("-", "\N{MINUS SIGN}")


def word_bar(counts: Mapping[Hashable, Any]) -> str:
    """Return all numbers of a paper by word, as parts of a bar with the words below."""
    parts = [(word, int(counts[word])) for word in Word if counts[word]]
    blocks = "".join(
        element("span", class_=f"rt-{word.style}", style=f"flex:{count}") for word, count in parts
    )
    said = ", ".join(f"{count:,} {word}" for word, count in parts)
    return element("div", blocks, class_="rt-all", aria_hidden="true") + element("p", text(said))
