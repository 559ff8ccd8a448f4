"""Fernández-Delgado et al. 2014."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
from committed import agree, judged, numbers, one, only_if, percent, select, table

PAPER = "hundreds"
# It shows that the published folds are not those that were run.
_CONTRARY = "archive_files"
_CLASSIFIERS, _SETS = 179, 121
# Points above the most frequent class, below which a column is that of another file.
_NEAR_CHANCE = 5.0


def findings() -> Iterator[str]:
    """Yield the phrases of the page of findings."""
    yield f"compares «{_CLASSIFIERS}» classifiers on «{_SETS}» data sets"
    columns = dict(iter(computed().groupby("method")))
    yield f"«{len(columns)}» of them come out"
    for name, own in columns.items():
        words = str(name).removesuffix("_J48") if name != "J48" else "J48 is equal"
        yield f"{words} on «{agree(own)}» of «{len(own)}»"
    low = select(table(PAPER, "oddities"), kind="chance")
    yield f"bridges, «{len(low[low['points'] < _NEAR_CHANCE])}» columns of Weka were run"
    yield f"«{_missing()}» sets are not available here"


def page() -> Iterator[str]:
    """Yield the phrases of the paper's own page."""
    found, columns = computed(), computed()["method"].nunique()
    yield f"# Fernández-Delgado et al. 2014: «{_CLASSIFIERS}» classifiers"
    yield f"compares «{_CLASSIFIERS}» classifiers on «{_SETS}» data sets"
    iris = one(found, "published", dataset="iris", method="J48")
    yield f"J48 on iris is published as «{iris}» %"
    yield f"«{columns}» of them were computed again. Of «{judged(found)}» numbers «{agree(found)}»"
    ranks = table(PAPER, "ranks").set_index("classifier")
    first = ranks["share_of_maximum"].idxmax() == ranks["all sets"].idxmin() == "parRF_caret"
    best = ranks["share_of_maximum"]["parRF_caret"]
    yield only_if(first, f"parRF has «{best:.1f}» % of the maximum accuracy")
    place = {c: int(ranks[c].rank()["svm_C"]) for c in ("all sets",)}["all sets"]
    share = int(ranks["share_of_maximum"].rank(ascending=False)["svm_C"])
    ordinals = {2: "second", 3: "third", 4: "fourth", 5: "fifth", 6: "sixth", 7: "seventh"}
    yield (
        f"By average rank it is {ordinals[place]}; by the share of the maximum accuracy it is "
        f"{ordinals[share]}"
    )
    scales = table(PAPER, "scales")["standardised"]
    one_only = int(scales.str.endswith("only").sum())
    yield f"in «{one_only}» of «{len(scales)}» data sets only one of them is"
    wrong = one(table(PAPER, "power"), "wrong", item="folds")
    yield f"A wrong method agrees with «{percent(wrong)}» % of the numbers by folds"
    yield f"for the other «{_CLASSIFIERS - columns}» columns"
    yield f"«{_missing()}» data sets are not available to us"


def computed() -> pd.DataFrame:
    """Return the numbers of the six columns that are computed."""
    found = numbers(PAPER)
    return found[(found["item"] != _CONTRARY) & (found["verdict"] != "missing")]


def _missing() -> int:
    """Return how many data sets have no file here."""
    found = pd.concat([table(PAPER, name) for name in ("folds", "test_files")])
    return int(select(found, method="J48")["reproduced"].isna().sum())
