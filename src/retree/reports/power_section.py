"""The section of a paper's page on what its agreement says."""

from __future__ import annotations

import math
from collections.abc import Sequence

from retree.reports.agreement_power import Power
from retree.reports.document import Block, Bullets, Table
from retree.reports.files import item_title
from retree.reports.formatting import BLANK, decimal, number
from retree.statistics.metrics import is_size
from retree.statistics.power import ONE_SIDED_LEVEL, Margins

_TITLE = "What agreement says"
_HEADER = ["item", "metric", "numbers", "agree", "with a wrong method", "skill", "weakly"]
_RIGHT = [
    "A number that agrees says little if it would agree with other methods, too. “With a wrong "
    "method” is the share that agrees with our numbers for another method on the same data set. "
    "Skill is (right − wrong) / (1 − wrong). It is 1 if all numbers agree with the right method "
    "and none with another. It is 0 if the right method agrees no more often.",
    "The smallest difference found would lie outside the interval in four of five cases. It is the "
    "median over the numbers, of sizes in per cent of ours.",
]


def power_section(found: Sequence[Power], margins: Margins) -> list[Block]:
    """Return what agreement says, by item and metric; nothing without numbers to say it of."""
    if not found:
        return []
    points = f"{margins.points:g} point{'s' * (margins.points != 1)}"
    near = f"within {points} or {margins.size:.0%}"
    header = [*_HEADER, "smallest difference found", near, "surely so"]
    notes = [
        *_RIGHT,
        f"A difference of at most {points} of accuracy or error, or {margins.size:.0%} of a size, "
        "is small enough for most purposes, whether the numbers agree or not. It surely is if two "
        f"one-sided tests say so at {ONE_SIDED_LEVEL:.0%}. Then the 90 % interval of the "
        "difference lies within these margins.",
    ]
    return [Table(header, [_row(power) for power in found], left=2, title=_TITLE), Bullets(notes)]


def _row(power: Power) -> list[str]:
    has_margin = not math.isnan(Margins().of(power.metric, 1.0))
    return [
        *(item_title(power.item), power.metric, str(power.n_numbers), f"{power.right:.0%}"),
        BLANK if math.isnan(power.wrong) else f"{power.wrong:.0%}",
        decimal(power.skill, 2),
        str(power.weak),
        _found(power),
        *((str(power.near), str(power.equivalent)) if has_margin else (BLANK, BLANK)),
    ]


def _found(power: Power) -> str:
    if math.isnan(power.found):
        return BLANK
    return f"{power.found:.0%}" if is_size(power.metric) else number(power.metric, power.found)
