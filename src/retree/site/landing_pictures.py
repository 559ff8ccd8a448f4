"""The pictures of the start page: ranks that move, and how far numbers are from ours."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from retree.reports.formatting import VERDICT_HEADS
from retree.reports.headlines import NEAR_POINTS
from retree.reports.html_elements import element, name, text
from retree.reports.kinds.rank_figures import Ranks

# Differences beyond are drawn at the ends, in points; and the width of a bar.
_REACH, _BIN = 8.0, 0.25
_HEIGHT = 40


@dataclass(frozen=True)
class Slope:
    """Average ranks with parameters chosen on the test rows and inside the training folds."""

    before: Ranks
    after: Ranks

    def html(self) -> str:
        """Return both orders as lists, with lines between, and a switch that needs no script."""
        places = [{m: i for i, m in enumerate(own.names)} for own in (self.before, self.after)]
        roles = {self.before.names[0]: "rt-fell"}
        if self.after.names[0] not in roles:
            roles[self.after.names[0]] = "rt-rose"
        height = 100 / len(places[0])
        lines, dots = [], []
        for method, place in places[0].items():
            ends = [(p + 0.5) * height for p in (place, places[1][method])]
            a, b = (f"{end:g}" for end in ends)
            role = roles.get(method, "rt-other")
            lines.append(f'<path class="{role}" d="M0 {a}C50 {a} 50 {b} 100 {b}"/>')
            dots.append(element("i", class_=role, style=f"--a:{a}%;--b:{b}%"))
        view = 'viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true"'
        middle = f"<svg {view}>{''.join(lines)}</svg>{''.join(dots)}"
        parts = [
            _ranked(self.before, "Chosen on the test rows", roles, "rt-before"),
            element("div", middle, class_="rt-lines", aria_hidden="true"),
            _ranked(self.after, "Chosen inside the training folds", roles, "rt-after"),
        ]
        plot = element("div", "".join(parts), class_="rt-plot", style=f"--n:{len(places[0])}")
        return _SWITCH + element("div", self._said(), class_="rt-sentences") + plot

    def _said(self) -> str:
        """Return a sentence for each way of choosing."""
        test = f"As published: {self.before.finding}."
        honest = f"{self.before.finding_before(self.after)}."
        shown = (("rt-of-test", test), ("rt-of-nested", honest))
        return "".join(element("p", text(said), class_=class_) for class_, said in shown)

    def caption(self) -> str:
        """Return what the ranks are of, and how large a difference may be chance."""
        return (
            f"Each line is a way to grow a decision tree, by its average rank in accuracy over "
            f"{self.after.n_datasets} data sets{self.after.over_replicates}, the same on both "
            "sides: 1 would be the best on all. Two ranks that are less than "
            f"{self.after.critical_difference:.2f} apart are not significantly different."
        )


_SWITCH = (
    '<fieldset class="rt-switch"><legend>Parameters chosen</legend>'
    '<label><input type="radio" name="selection" id="rt-test">on the test rows, as published'
    '</label><label><input type="radio" name="selection" id="rt-nested" checked>'
    "inside the training folds</label></fieldset>"
)


def _ranked(own: Ranks, title: str, roles: Mapping[str, str], side: str) -> str:
    entries = [
        element("li", f"<span>{name(method)}</span> <b>{own.ranks[method]:.2f}</b>",
                class_=roles.get(method))
        for method in own.names
    ]  # fmt: skip
    return element("div", element("p", title) + element("ol", "".join(entries)), class_=side)


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
