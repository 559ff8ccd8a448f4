"""All pages of a paper, before anything is written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from retree.experiments.definition.definitions import Experiment
from retree.reports.claims.claim_tables import how_checked
from retree.reports.document import Document, Prose
from retree.reports.fold_pages import fold_documents
from retree.reports.item_page import item_page, values_page
from retree.reports.item_report import ItemReport
from retree.reports.judged import Judged
from retree.reports.page import paper_documents
from retree.reports.references import Reference


@dataclass(frozen=True)
class PaperPages:
    """The pages of a paper."""

    # The paper's own page, ``README``, and those of items, claims, audit and chance, by name.
    pages: Mapping[str, Document] = field(default_factory=dict)
    # The values behind the numbers of an item, by its name.
    values: Mapping[str, Document] = field(default_factory=dict)
    # The folds behind the numbers, by data set.
    folds: Mapping[str, Document] = field(default_factory=dict)
    # How each claim is checked, by its name.
    checks: Mapping[str, Prose] = field(default_factory=dict)

    @property
    def references(self) -> Iterator[Reference]:
        """What anything on the pages leads to."""
        for pages in (self.pages, self.values, self.folds):
            for page in pages.values():
                yield from page.references


def paper_pages(experiment: Experiment, contexts: Sequence[ItemReport]) -> PaperPages:
    """Return the pages of a paper."""
    judged = Judged(experiment, contexts)
    items = {c.item.name: page for c in contexts if (page := item_page(c))}
    values = {c.item.name: page for c in contexts if (page := values_page(c))}
    folds = fold_documents(experiment.paper, contexts, judged.cells, judged.about)
    checks = {j.claim.name: how_checked(j.claim) for j in judged.judgements}
    return PaperPages({**paper_documents(judged), **items}, values, folds, checks)
