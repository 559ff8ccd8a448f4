"""Liu & Song 2020."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from committed import agree, numbers, one, only_if, signed, table

PAPER = "cmdt"
_ALL = "CMDT − algorithm 0"


def findings() -> Iterator[str]:
    """Yield the phrases of the page of findings."""
    near, far, right = _distances()
    yield only_if(right, f"The worked distances («{near:.1f}» and «{far:.1f}») and the")
    yield only_if(_misses()[0] == _published(), f"rows of Table 2 («{_misses()[0]}») are")
    _, one_step, two_steps, converged = _misses()
    yield (
        f"«{one_step}» of Table 1 are reproduced after one assignment of k-means; two give "
        f"«{two_steps}», and convergence «{converged}»"
    )
    weights = numbers(PAPER, metric="relief_weight")
    yield only_if(not agree(weights), f"The «{len(weights)}» Relief-F weights of Table 2 are not")
    whole = numbers(PAPER, item="table6", dataset="MEAN").iloc[0]
    ours, theirs, verdict = _effects()
    yield (
        f"mean accuracy is «{whole['reproduced']:.2f}» % (published: «{whole['published']:.2f}» "
        f"%), and the gain over C4.5 is «{ours['CMDT − C4.5']:.2f}» points (published: "
        f"«{theirs['CMDT − C4.5']:.2f}»)"
    )
    yield only_if(
        verdict["clustering"] == "differs",
        f"(«{signed(theirs['clustering'])}») is [not reproduced](../results/cmdt/effects.md): "
        f"here it is «{signed(ours['clustering'])}»",
    )
    at_edge = f"(«{signed(theirs[_ALL])}»; here «{signed(ours[_ALL])}») is at the edge"
    yield only_if(verdict[_ALL] == "edge", at_edge)


def page() -> Iterator[str]:
    """Yield the phrases of the paper's own page."""
    near, far, right = _distances()
    yield only_if(right, f"The distances are «{near:.1f}» and «{far:.1f}», as published")
    six, one_step, _, converged = _misses()
    yield only_if(six == _published(), f"Clustering iris with weights puts «{six}» rows into")
    yield f"Without weights it is «{one_step}», but only after one assignment"
    yield f"at convergence it is «{converged}»"
    ours, theirs, verdict = _effects()
    gains = {name: (f"«{ours[name]:.2f}»", f"«{theirs[name]:.2f}»") for name in ours.index}
    yield "weights by {} points (published: {})".format(*gains["weights"])
    yield "shares by {} (published: {})".format(*gains["distributions"])
    clustering = [f"«{signed(found['clustering'])}»" for found in (ours, theirs)]
    yield "gains nothing here: {} points (published: {})".format(*clustering)
    yield "CMDT is {} points more accurate than C4.5 (published: {})".format(*gains["CMDT − C4.5"])
    yield "and {} more than CART (published: {})".format(*gains["CMDT − CART"])
    wide = table(PAPER, "effects").query("dataset == 'MEAN'").set_index("method")
    low, high = (wide[end]["CMDT − C4.5"] for end in ("low", "high"))
    yield f"C4.5 it reaches from «{signed(low, 1)}» to «{signed(high, 1)}» points"
    alone = [name for name, found in verdict.items() if found == "differs"] == ["clustering"]
    yield only_if(alone, "Only the effect of clustering lies outside")


def _distances() -> tuple[float, float, bool]:
    """Return the two worked distances, and whether they are as published."""
    found = numbers(PAPER, item="table3")
    near, far = sorted(found["reproduced"])
    return near, far, agree(found) == len(found)


def _misses() -> list[int]:
    """Return the misclassified rows of iris: weighted, after one and two steps, converged."""
    weighted = one(table(PAPER, "table2"), "reproduced", method="one assignment", metric="errors")
    plain = table(PAPER, "table1").set_index("method")["reproduced"]
    steps = ("one assignment", "two assignments", "convergence")
    return [int(weighted), *(int(plain[step]) for step in steps)]


def _published() -> int:
    return int(one(numbers(PAPER, item="table2", metric="errors"), "published"))


def _effects() -> tuple[Any, Any, Any]:
    """Return the mean effects here and as published, and the verdicts."""
    found = numbers(PAPER, item="effects").set_index("method")
    return found["reproduced"], found["published"], found["verdict"]
