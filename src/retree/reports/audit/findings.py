"""What the audit of published tables finds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import pandas as pd

# How many false alarms a rule may raise on average in one table or group of pairs.
LEVEL = 0.05


class PublishedCell(NamedTuple):
    """A published cell."""

    table: str
    dataset: str
    method: str
    metric: str


@dataclass(frozen=True)
class Finding:
    """Something published that is impossible, or hardly possible."""

    rule: str  # Name of the rule that found it
    cells: tuple[PublishedCell, ...]  # The cells that it is about
    numbers: str  # What is wrong, with numbers
    # How many findings at least as unlikely a sound table gives on average; 0: impossible.
    chance: float = 0.0
    errata: tuple[str, ...] = ()  # What the paper's errata say of the cells


@dataclass(frozen=True)
class Ruling:
    """A rule applied to all of a paper."""

    rule: str  # Name of the rule, and what it asks
    says: str
    judged: int  # How many cells, pairs of cells, data sets or sentences it could judge
    of: str
    # Which share of random numbers the rule would find wrong; NaN for rules of chance.
    power: float = float("nan")
    expected: float = 0.0  # How many false alarms it raises on average if the tables are sound
    findings: tuple[Finding, ...] = field(default=())


def cells_of(rows: pd.DataFrame) -> tuple[PublishedCell, ...]:
    """Return published rows as cells."""
    columns = [rows[name] for name in PublishedCell._fields]
    return tuple(PublishedCell(*names) for names in zip(*columns, strict=True))


def mean(values: Sequence[float]) -> float:
    """Return the arithmetic mean, NaN of nothing."""
    return sum(values) / len(values) if values else float("nan")


def listed(names: Iterable[str], most: int = 3) -> str:
    """Return different names separated by commas, or how many there are if more than `most`."""
    unique = list(dict.fromkeys(names))
    return ", ".join(unique) if len(unique) <= most else f"{len(unique)} of them"
