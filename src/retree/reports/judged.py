"""What is said of a paper as a whole: its numbers, claims and published tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from retree.experiments.definition.definitions import Experiment
from retree.experiments.planning.plan import Plan
from retree.experiments.storing.stored_cells import StoredCells, together
from retree.reports.agreement_power import Power, find_power
from retree.reports.audit import audit_published
from retree.reports.audit.findings import Ruling
from retree.reports.cells import cell_tables
from retree.reports.claims.judging import Judgement, judge_claims
from retree.reports.comparison import Comparison
from retree.reports.item_report import ItemReport
from retree.reports.run_sentences import provenance_content

Contexts = Sequence[ItemReport]


@dataclass(frozen=True)
class Judged:
    """What is said of a paper as a whole: its numbers, claims and published tables."""

    experiment: Experiment  # Names the folder and the paper
    contexts: Contexts  # All items that the pages are about

    @cached_property
    def stored(self) -> StoredCells:
        """What the store knows of all their cells."""
        return together(context.stored for context in self.contexts)

    @cached_property
    def compared(self) -> dict[str, Sequence[Comparison]]:
        """The comparisons of each item, by its name."""
        return {context.item.name: context.comparisons for context in self.contexts}

    @cached_property
    def power(self) -> Sequence[Power]:
        """What the agreement of each item says, by metric."""
        return find_power(self.compared, self.experiment.paper.margins)

    @cached_property
    def judgements(self) -> Sequence[Judgement]:
        """The judged claims."""
        return judge_claims(self.experiment.paper, self.compared)

    @cached_property
    def rulings(self) -> Sequence[Ruling]:
        """The audit of the published tables."""
        return audit_published(self.experiment.paper)

    @property
    def entries(self) -> list[tuple[Plan, pd.DataFrame]]:
        """The plans of the items, and their cells."""
        return [(context.plan, context.frame) for context in self.contexts]

    @property
    def replicates(self) -> list[tuple[Plan, pd.DataFrame]]:
        """The plans of the items, and the chosen cells of their further replicates."""
        return [(context.plan, context.replicates.every) for context in self.contexts]

    @cached_property
    def about(self) -> dict[str, Any]:
        """The runs that computed the cells, and their data."""
        return provenance_content([*self.entries, *self.replicates], self.stored)

    @cached_property
    def cells(self) -> dict[str, pd.DataFrame]:
        """The cells as files have them, by the name of the file."""
        return cell_tables(self.entries, self.replicates, self.stored)
