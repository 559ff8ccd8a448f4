"""The claims of all papers, and how many of each have what outcome."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from retree.errors import RetreeError
from retree.reports.claims.judging import ClaimOutcome

TOTAL = "all papers"


def all_claims(results: Path) -> pd.DataFrame:
    """Return the rows of the papers' ``claims.csv``, after a column ``paper``, as text."""
    tables = []
    for path in sorted(results.glob("*/claims.csv")):
        table = pd.read_csv(path, dtype=str, keep_default_na=False)
        if lacking := [name for name in ("claim", "outcome") if name not in table]:
            raise RetreeError(
                f"{path} lacks {' and '.join(lacking)}; write it again by `retree report`."
            )
        table.insert(0, "paper", path.parent.name)
        tables.append(table)
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=["paper"])


def claims_overview(results: Path) -> pd.DataFrame:
    """Return how many claims of each paper, our own statements left out, have each outcome.

    Returns a row for each paper that has claims, by name, and one for all of them (`TOTAL`);
    columns ``claims`` and, in the order of `ClaimOutcome`, each outcome that occurs. Empty without
    claims.
    """
    claims = all_claims(results)
    if claims.empty:
        return pd.DataFrame(columns=["claims"], dtype=int)
    outcomes = [str(outcome) for outcome in ClaimOutcome]
    if unknown := sorted(set(claims["outcome"]) - set(outcomes)):
        raise RetreeError(
            f"Claims of {results} have the outcome {', '.join(unknown)}, which does not exist; "
            "write them again by `retree report`."
        )
    claims = claims[claims["ours"] != "yes"] if "ours" in claims else claims
    counts = pd.crosstab(claims["paper"], claims["outcome"])
    counts = counts[[outcome for outcome in outcomes if outcome in counts]]
    counts.insert(0, "claims", counts.sum(axis=1))
    counts.loc[TOTAL] = counts.sum()
    return counts.rename_axis(index=None, columns=None)
