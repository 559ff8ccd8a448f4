"""What became of a paper as a whole, as a record for registries of reproductions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd

from retree import __version__
from retree_lab.experiments.definition.definitions import Paper
from retree_lab.reports.claims.judging import Here, InPaper
from retree_lab.reports.headlines import COUNTS, count_headlines, headline_words
from retree_lab.reports.register import FOLDER
from retree_lab.reports.rendered_tables import read_table
from retree_lab.reports.words import NEAR_POINTS

# The share of the judged numbers from which on a reproduction is successful, since a 95 % interval
# leaves one in twenty out by chance; and the share below which it is not even a partial one.
MOST, HALF = 0.95, 0.5
RULES = {
    "computation": (
        f"successful: at least {100 * MOST:g} % of the judged numbers agree; partial: at least "
        f"{100 * HALF:g} % agree, or of the accuracies at least {100 * HALF:g} % are within "
        f"{NEAR_POINTS:g} point of retree's; not: fewer; not checked: no number can be judged"
    ),
    "robustness": (
        "of the claims that the paper's own tables show and that are checked on replicates with "
        "other folds; robust: all hold; challenges: some do not; not checked: there are none"
    ),
}
# The words of FORRT's library of reproductions, FLoRA, for the two outcomes.
_FORRT = {
    "computation": {
        "successful": "computationally successful",
        "partial": "computational issues",
        "not": "computational issues",
        "not checked": "computation not checked",
    },
    "robustness": {
        "robust": "robust",
        "challenges": "robustness challenges",
        "not checked": "robustness not checked",
    },
}


def paper_record(paper: Paper, folder: Path, comparisons: pd.DataFrame) -> dict[str, Any]:
    """Return a paper's record, as JSON has it.

    `folder`: the paper's rendered results. `comparisons`: as from
    `retree_lab.reports.rendered_tables.read_comparisons`.
    """
    own = comparisons[comparisons["paper"] == paper.name]
    counts = count_headlines(own, []).to_dict("records")[0]
    numbers = {name: int(counts[name]) for name in COUNTS if name != "share"}
    claims = _claims(folder / "claims.csv")
    outcomes = {"computation": _computation(paper, numbers), "robustness": _robustness(claims)}
    words = [_FORRT[axis][outcome] for axis, outcome in outcomes.items()]
    said = headline_words(counts, paper.not_judged)
    return {
        "type": "reproduction",
        "original": {
            name: getattr(paper, name) for name in ("title", "authors", "reference", "doi")
        },
        "key": paper.name,
        "software": {"name": "retree", "version": __version__},
        "numbers": {**numbers, "in_words": said},
        "claims": claims,
        "outcomes": {
            axis: {"outcome": outcome, "rule": RULES[axis]} for axis, outcome in outcomes.items()
        },
        "forrt": ", ".join(words),
        "register": f"files/{FOLDER}/{paper.name}.csv",
        "page": f"papers/{paper.name}/index.html",
        "license": "BSD-3-Clause",
    }


def record_text(record: dict[str, Any]) -> str:
    """Return a record as a file of JSON."""
    return json.dumps(record, indent=1, ensure_ascii=False) + "\n"


def _computation(paper: Paper, numbers: dict[str, int]) -> str:
    if not numbers["judged"]:
        return "not checked"
    if numbers["agree"] >= MOST * numbers["judged"]:
        return "successful"
    is_near = numbers["accuracies"] and numbers["near"] >= HALF * numbers["accuracies"]
    return "partial" if is_near or numbers["agree"] >= HALF * numbers["judged"] else "not"


def _robustness(claims: dict[str, int]) -> str:
    if not claims["on_replicates"]:
        return "not checked"
    return "robust" if claims["hold"] == claims["on_replicates"] else "challenges"


def _claims(path: Path) -> dict[str, int]:
    """Count the paper's own claims, those checked on replicates, and those of them that hold."""
    if not path.is_file():
        return dict.fromkeys(("stated", "on_replicates", "hold"), 0)
    table = read_table(path, ("published", "here", "ours"))
    own = table[table["ours"] == ""]
    checked = own[
        (own["published"] == InPaper.YES)
        & (own["replicates"] > 1)
        & ~own["here"].isin([Here.OPEN, Here.SILENT])
    ]
    holding = int((checked["here"] == Here.YES).sum())
    return {"stated": len(own), "on_replicates": len(checked), "hold": holding}
