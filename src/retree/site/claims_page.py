"""The page of all claims, and how many there are of each outcome."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence

import pandas as pd

from retree.reports.claims.judging import ClaimOutcome
from retree.reports.document import Entry, Phrase, Table, TableCell
from retree.reports.references import ToAddress
from retree.site.blocks import markdown_table
from retree.site.rendered_papers import PaperFiles


def claims_page(papers: Sequence[PaperFiles]) -> str:
    """Return the page of all claims as Markdown; our own statements stand apart."""
    return "\n".join(
        [
            "---\nhide-toc: true\n---\n",
            "# Claims\n",
            "What the papers say of their tables, checked on the published and on the reproduced "
            "numbers. The page of a paper's claims has the numbers that decide.\n",
            markdown_table(outcomes_table(papers), "Outcomes of the claims by paper"),
            "## Claims of the papers\n",
            markdown_table(_claims_table("claim", papers, ours=""), "Every claim"),
            "## Our own statements\n",
            "The papers do not make these statements, and they are not counted above.\n",
            markdown_table(_claims_table("statement", papers, ours="yes"), "Every statement"),
        ]
    )


def paper_link(files: PaperFiles, page: str = "index") -> Phrase:
    """Return what readers call a paper, as a link to one of its pages."""
    return Phrase(files.called, ToAddress(f"{files.home}/{page}.html"))


def _claims_table(what: str, papers: Sequence[PaperFiles], ours: str) -> Table:
    rows: list[list[Entry]] = []
    for files in papers:
        for claim in claims_of(files, ours).to_dict("records"):
            rows.append(
                [
                    TableCell((Phrase(claim["outcome"], strong=True), _share(claim))),
                    claim["text"],
                    TableCell((paper_link(files, "claims"), f", {claim['place']}")),
                    TableCell(files.rendered.checks.get(claim["claim"], claim["check"])),
                ]
            )
    header = ["outcome", what, "place", "how it is checked"]
    return Table(header, rows, left=len(header))


def _share(claim: Mapping[Hashable, str]) -> str:
    """Return in how many replicates a claim holds whose outcome depends on them, else ""."""
    if claim["outcome"] != ClaimOutcome.DEPENDS:
        return ""
    return f": holds in {claim['held']} of {claim['replicates']} replicates"


def claims_of(files: PaperFiles, ours: str = "") -> pd.DataFrame:
    """Return the judged claims of a paper or, with "yes", our own statements on it."""
    if files.claims is None:
        return pd.DataFrame(columns=["text", "outcome", "place", "check", "ours"])
    return files.claims[files.claims["ours"] == ours]


def outcomes_table(papers: Sequence[PaperFiles]) -> Table:
    """Return how many claims of each paper, without our own statements, have which outcome."""
    counts = {files.called: Counter(claims_of(files)["outcome"]) for files in papers}
    counts = {name: found for name, found in counts.items() if found}
    total = sum(counts.values(), Counter())
    columns = [*counts.values(), total]
    rows = [[o, *(str(column[o]) for column in columns)] for o, _ in total.most_common()]
    rows.append(["all", *(str(column.total()) for column in columns)])
    header = ["outcome", *counts, "all papers"]
    # The outcomes are sentences: on a phone each row is a card.
    return Table(header, rows, left=len(header))
