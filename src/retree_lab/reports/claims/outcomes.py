"""What of a paper's claims survives, what is lost and what is unknown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from retree_lab.reports.words import Word, claim_word

SURVIVES, LOST, UNKNOWN = "survives", "lost", "unknown"


def outcomes(claims: pd.DataFrame) -> Mapping[str, Sequence[str]]:
    """Return the paper's own claims by what became of them, the most tested ones first.

    A claim is lost if our numbers contradict it, as published or with parameters chosen inside the
    training folds. It survives if they show it, or its direction, under both.

    `claims`: rows of a ``claims.csv``.
    """
    own = claims[claims["ours"] != "yes"]
    first = own.assign(later=own["nested"] == "").sort_values("later", kind="stable")
    found: dict[str, list[str]] = {SURVIVES: [], LOST: [], UNKNOWN: []}
    for row in first.to_dict("records"):
        # What is about the published tables alone has an answer there only.
        here = claim_word(row["here"] or row["published"])
        outcome = UNKNOWN if here in ("", Word.UNCHECKED) else SURVIVES
        outcome = LOST if "no" in (here, row["nested"]) else outcome
        said = row["text"].rstrip(".")
        found[outcome].append(f"{said} ({here})" if here == "direction only" else said)
    return found
