"""Guo & Fan 2014."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
from committed import agree, judged, numbers, only_if, select, table

PAPER = "forest_thinning"
_LITERAL = "Algorithm 1 to the letter"
_SECTION = "section 3.1 (training rows' shares, F their plain average, gain < 0)"
_FTCG = ("FTCG/unpruned", "FTCG/pruned")


def findings() -> Iterator[str]:
    """Yield the phrases of the page of findings."""
    own, found = numbers(PAPER), ensembles()
    yield f"printed digit or it is not: «{agree(own)}» of «{judged(own)}» are"
    yield f"AdaBoost.M1: «{agree(found)}» of their «{len(found)}» numbers are"
    rest = select(found, verdict="differs")
    on_two = set(rest["dataset"]) == {"horse-colic", "pima"}
    yield only_if(on_two, f"The other «{len(rest)}» are of horse-colic and pima")
    epic = numbers(PAPER, item="table3", method="EPIC/pruned")
    nodes, accuracies = (select(epic, metric=name) for name in ("nodes", "accuracy_pct"))
    yield (
        f"«{agree(nodes)}» of «{judged(nodes)}» numbers of nodes are equal; "
        f"«{agree(accuracies)}» of its «{judged(accuracies)}» accuracies are"
    )
    ours, theirs = _kept(_SECTION), _kept("published")
    yield (
        f"keeps «{ours.mean():.0f}» % of the nodes, where the paper keeps «{theirs.min():.0f}» to "
        f"«{theirs.max():.0f}» %"
    )
    marks = select(table(PAPER, "table2_marks"), method=_FTCG)
    smaller = bool((marks["t_mark"] == "*").all())
    yield only_if(smaller, f"significantly smaller on all «{marks['dataset'].nunique()}» sets")
    yield f"if only by «{100 - ours.mean():.0f}» % of the nodes"
    yield _more_accurate("on «{}» sets with unpruned trees and «{}» with")
    corrected = _stars("corrected_mark")
    yield f"leaves «{corrected[0]}» and «{corrected[1]}» of these gains"
    yield _literal("Algorithm 1, implemented literally, keeps")


def page() -> Iterator[str]:
    """Yield the phrases of the paper's own page."""
    found = ensembles()
    yield f"So «{agree(found)}» of their «{len(found)}» numbers are"
    yield _more_accurate("more accurate on «{}» sets with unpruned trees and on «{}» with")
    ours, theirs = _kept(_SECTION), _kept("published")
    yield (
        f"keeps «{ours.mean():.0f}» % of the nodes; the paper keeps «{theirs.min():.0f}» to "
        f"«{theirs.max():.0f}» %"
    )
    steps = select(table(PAPER, "effects"), group="AdaBoost.M1, unpruned trees")
    gain = steps.groupby("step")["difference"].mean()
    yield (
        f"that vote alone gains «{gain['vote alone']:.2f}» points, and thinning "
        f"«{gain['thinning alone']:.2f}»"
    )
    tried = table(PAPER, "excluded")
    small = tried["equal"].max() <= 1
    yield only_if(small, f"[«{len(tried)}» combinations](../../../results/forest_thinning/exc")
    yield _literal("Algorithm 1, implemented literally, keeps")
    rest = select(found, verdict="differs")["dataset"].nunique()
    yield f"The ensembles are certain, but for «{rest}» data sets"
    yield from _example()


def ensembles() -> pd.DataFrame:
    """Return the published numbers of the ensembles before thinning."""
    names = [f"Bagging/{trees}" for trees in ("unpruned", "pruned")]
    return numbers(PAPER, item=("table1", "table2"), method=names)


def _boosted(interpretation: str) -> pd.DataFrame:
    found = select(table(PAPER, "interpretations"), interpretation=interpretation)
    return found[found["group"].str.startswith("AdaBoost.M1")]


def _kept(interpretation: str) -> pd.Series:
    """Return the per cent of nodes that an interpretation keeps of boosted trees."""
    return _boosted(interpretation)["kept_pct"]


def _literal(before: str) -> str:
    kept, lost = _kept(_LITERAL), -_boosted(_LITERAL)["change"].mean()
    return (
        f"{before} «{kept.min():.0f}» to «{kept.max():.0f}» % of the nodes and loses "
        f"«{lost:.0f}» points"
    )


def _stars(column: str) -> list[int]:
    """Return on how many sets FTCG is significantly more accurate, unpruned and pruned."""
    marks = table(PAPER, "table1_marks")
    return [int((select(marks, method=name)[column] == "*").sum()) for name in _FTCG]


def _more_accurate(words: str) -> str:
    ours, theirs = _stars("t_mark"), _stars("published")
    return f"{words.format(*ours)} pruned ones (published: «{theirs[0]}» and «{theirs[1]}»)"


def _example() -> Iterator[str]:
    row = table(PAPER, "example1").set_index("row").loc["x5"]
    yield f"gives the row x5 a share of «{row['forest']:.2f}» for its class"
