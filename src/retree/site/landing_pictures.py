"""The pictures of the start page: gains with intervals, and how far numbers are from ours."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from retree.experiments.definition.item import BEST_TEST, NESTED
from retree.reports.formatting import VERDICT_HEADS
from retree.reports.headlines import NEAR_POINTS
from retree.reports.html_elements import element, name, text
from retree.statistics.effects import mean_difference

# Differences beyond are drawn at the ends, in points; and the width of a bar.
_REACH, _BIN = 8.0, 0.25
_HEIGHT = 40
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
        return "holds" if self.low > 0 else "a loss" if self.high < 0 else "not shown"

    @property
    def words(self) -> str:
        """The gain with its interval."""
        return _signed(f"{self.estimate:+.1f} ({self.low:+.1f} to {self.high:+.1f})")


def find_gains(pairs: pd.DataFrame, numbers: pd.DataFrame, method: str, base: str) -> list[Gain]:
    """Return the gains of a method, published and by both ways of choosing parameters.

    `pairs`: of a ``rank_diagram``; `numbers`: the accuracies of a table, published ones among them.
    """
    values = numbers.pivot(index="dataset", columns="method", values="published")
    both = values[[method, base]].dropna()
    theirs = mean_difference(both[method], both[base])
    gains = [Gain("published", *(100 * v for v in (theirs.estimate, theirs.low, theirs.high)))]
    for how in (BEST_TEST, NESTED):
        own = pairs[pairs["selection"] == how].set_index(["better", "worse"])
        is_better = (method, base) in own.index
        rows = own.loc[[(method, base) if is_better else (base, method)]]
        (ends,) = rows[["gain", "gain_low", "gain_high"]].to_numpy(dtype=float)
        estimate, low, high = 100 * ends if is_better else -100 * ends[[0, 2, 1]]
        gains.append(Gain(how, estimate, low, high))
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


def gap_strip(gaps: pd.Series, agrees: pd.Series) -> str:
    """Return how many accuracies are how far from ours, as bars; agreeing ones stand below.

    `gaps`: reproduced minus published, in points; `agrees`: by the paper's own rule.
    """
    known = gaps.notna()
    gaps, agrees = gaps[known].round(6), agrees[known]
    edges = np.arange(-_REACH - _BIN / 2, _REACH + _BIN, _BIN)
    placed = gaps.clip(-_REACH, _REACH)
    counts = [np.histogram(placed[own], edges)[0] for own in (agrees, ~agrees)]
    # The square root lets single numbers be seen beside hundreds.
    most = float(np.sqrt((counts[0] + counts[1]).max()))
    tops = [_HEIGHT * np.sqrt(c) / most for c in (counts[0], counts[0] + counts[1])]
    lower, upper = _bars(np.zeros(len(tops[0])), tops[0]), _bars(*tops)
    marks = f'<path class="rt-in" d="{lower}"/><path class="rt-out" d="{upper}"/>'
    near = 100 * NEAR_POINTS / _REACH
    band = f'<rect x="{100 - near:g}" width="{2 * near:g}" height="{_HEIGHT}"/>'
    ticks = (-_REACH / 2, -NEAR_POINTS, NEAR_POINTS, _REACH / 2)
    axis = "".join(
        f'<text x="{100 + 100 * v / _REACH:g}" y="{_HEIGHT + 11}">{_signed(f"{v:+g}")}</text>'
        for v in ticks
    )
    view = f'viewBox="0 0 200 {_HEIGHT + 14}" role="img"'
    label = text(_gap_words(gaps))
    return f'<svg class="rt-strip" {view} aria-label="{label}">{band}{marks}{axis}</svg>'


def _bars(low: NDArray[np.float64], high: NDArray[np.float64]) -> str:
    """Return bars side by side from one height to the other, as a path."""
    width = 200 / len(low)
    return "".join(
        f"M{i * width:.1f} {_HEIGHT - a:.1f}v{a - b:.1f}h{width - 0.3:.1f}v{b - a:.1f}"
        for i, (a, b) in enumerate(zip(low, high, strict=True))
        if b > a
    )


def _gap_words(gaps: pd.Series) -> str:
    beyond = int((gaps.abs() > _REACH).sum())
    ends = f", {beyond} of them beyond {_REACH:g}" if beyond else ""
    low, middle, high = gaps.quantile([0.05, 0.5, 0.95])
    return _signed(
        f"Reproduced minus published of {len(gaps)} accuracies, in points: median {middle:.2f}, "
        f"middle 90 % from {low:.1f} to {high:.1f}{ends}"
    )


def _signed(words: str) -> str:
    return words.replace("-", "\N{MINUS SIGN}")


def verdict_bar(counts: Mapping[Hashable, Any]) -> str:
    """Return all numbers of a paper by verdict, as parts of a bar with their words below."""
    parts = {str(v): (words, int(counts[v])) for v, words in VERDICT_HEADS.items() if counts[v]}
    blocks = "".join(
        element("span", class_=f"rt-{verdict}", style=f"flex:{count}")
        for verdict, (_, count) in parts.items()
    )
    words = ", ".join(f"{count:,} {words}" for words, count in parts.values())
    return element("div", blocks, class_="rt-all", aria_hidden="true") + element("p", text(words))
