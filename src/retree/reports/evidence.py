"""The papers in the order of their evidence, each with its counts and its verdict in words."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from retree.experiments.definition.definitions import Paper
from retree.experiments.definition.paper_config import load_paper
from retree.reports.headlines import count_headlines, headline_words, published_numbers
from retree.reports.page_template import fill
from retree.reports.power import FILE, pooled_skill
from retree.statistics.metrics import ACCURACIES, headline

TEMPLATE = "verdict.md"


@dataclass(frozen=True)
class Evidence:
    """What the numbers of a paper say."""

    paper: Paper
    counts: Mapping[Hashable, Any]  # A row of `retree.reports.headlines.count_headlines`
    by_digits: bool  # Whether folds are known, so that accuracies are equal or not
    wrong: float  # The share of accuracies that would agree with another method's, NaN if unknown
    verdict: str  # What was found, in a sentence or two; "" if the paper's folder says nothing

    @property
    def is_compared(self) -> bool:
        """Whether it has accuracies that are judged, so that it can be compared with others."""
        return bool(self.counts["accuracies"])

    @property
    def near_share(self) -> float:
        """The share of its accuracies within 1 point of ours."""
        return float(self.counts["near"] / self.counts["accuracies"])

    @property
    def strict_share(self) -> float:
        """The share of its accuracies that agree by the paper's own rule."""
        return float(self.counts["strict"] / self.counts["accuracies"])

    @property
    def words(self) -> str:
        """How many of all its numbers agree, in words."""
        return headline_words(self.counts, self.paper.not_judged)


def find_evidence(name: str, results: Path, comparisons: pd.DataFrame) -> Evidence:
    """Return what the numbers of a paper, or of an opened study, say.

    `comparisons`: cells as from `retree.reports.rendered_tables.read_comparisons`.
    """
    paper = load_paper(name)
    own = comparisons[comparisons["paper"] == name]
    (counts,) = count_headlines(own, []).to_dict("records")
    by_digits = bool(published_numbers(own)["steps"].notna().any())
    return Evidence(paper, counts, by_digits, _wrong(results / name), _verdict(paper, results))


def _wrong(folder: Path) -> float:
    if not (file := folder / FILE).is_file():
        return math.nan
    power = pd.read_csv(file)
    _, wrong, _ = pooled_skill(power[power["metric"].map(headline) == ACCURACIES])
    return wrong


def _verdict(paper: Paper, results: Path) -> str:
    """Return the verdict, "" if there is none, or no whole results that it could be of."""
    template, folder = paper.folder / TEMPLATE, results / paper.name
    is_whole = all(any(folder.glob(f"{item}[._]*")) for item in paper.items)
    if not (is_whole and template.is_file()):
        return ""
    return " ".join(fill(template.read_text(), results, paper.name, template).split())


def by_evidence(found: list[Evidence]) -> list[Evidence]:
    """Return papers in the order of their share of accuracies within 1 point, others last."""

    def rank(own: Evidence) -> tuple[float, bool]:
        return (-own.near_share if own.is_compared else 1.0, not own.counts["published"])

    return sorted(found, key=rank)
