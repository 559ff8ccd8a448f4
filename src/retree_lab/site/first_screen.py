"""The first screen of a paper's page: which claims survive, and who wrote it."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from retree import __version__
from retree_lab.provenance import commit_date, provenance
from retree_lab.reports.claims.judging import outcomes
from retree_lab.reports.comparison import NEAR_POINTS
from retree_lab.reports.html import element, link, text
from retree_lab.site.rendered_papers import PaperFiles

N_CLAIMS = 3  # Shown of each outcome
_OUTCOMES = (
    "A claim survives if our numbers show it, or its direction, as published and with honest "
    "selection. It is lost if either contradicts it, and unknown if it is not checkable."
)


def what_was_found(files: PaperFiles, comparisons: pd.DataFrame) -> str:
    """Return the findings on a paper: in sentences, by answers on its claims, and in numbers."""
    own = files.evidence(comparisons)
    parts = [element("p", text(own.verdict), class_="rt-lead")] if own.verdict else []
    claims = {} if files.claims is None else outcomes(files.claims)
    parts += [_outcome(name, said) for name, said in claims.items() if said]
    if n_claims := sum(map(len, claims.values())):
        parts.append(
            element(
                "p",
                link("claims.html", f"All claims ({n_claims}) and how they were checked")
                + text(f". {_OUTCOMES}"),
            )
        )
    numbers = [
        f"{row.label}: {row.coverage} accuracies checked, {row.near_words} within "
        f"{NEAR_POINTS:g} point, where an exact rerun would reach {row.possible_words}."
        for row in own.headlines
    ]
    numbers += [f"All numbers: {own.words}."] if own.counts["published"] else []
    return "".join([*parts, *(element("p", text(said)) for said in numbers)])


def _outcome(name: str, claims: Sequence[str]) -> str:
    head = element("strong", f"{name.capitalize()} ({len(claims)})", class_=f"rt-is-{name}")
    first, others = claims[:N_CLAIMS], claims[N_CLAIMS:]
    shown = f"{head} {text('; '.join(first))}{'; …' if others else '.'}"
    return element("p", shown, class_="rt-outcome")


def original(files: PaperFiles) -> str:
    """Return the title, authors, journal and key terms in the paper's own language."""
    if (printed := files.paper.original) is None:
        return ""
    said = ", ".join(filter(None, (printed.authors, printed.title, printed.journal)))
    parts = [element("span", text(said), lang=printed.language)]
    parts += [
        f"{element('span', text(term), lang=printed.language)} {text(english)}"
        for term, english in printed.terms.items()
    ]
    return element("p", " · ".join(parts), class_="rt-original")


def how_to_cite(files: PaperFiles) -> str:
    """Return how the verdict on a paper is cited: with version, commit and its date."""
    commit = provenance()["commit"]
    when = "" if commit is None else f", commit {commit[:12]} of {commit_date()}"
    said = f"{files.called} in retree {__version__}{when}, {files.home}."
    return element("p", f"Cite this verdict as: {text(said)}", id="cite")
