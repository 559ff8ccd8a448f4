"""The lecture notes."""

from __future__ import annotations

from collections.abc import Iterator

from committed import claims, mean, only_if, outcomes, select, table

PAPER = "pruning"


def page() -> Iterator[str]:
    """Yield the phrases of the page of the notes."""
    found = claims(PAPER)
    yield (
        f"Of «{len(found)}» statements «{outcomes(PAPER, 'confirmed by a test')}» are confirmed "
        f"by a test and «{_reproduced()}» are reproduced by an experiment"
    )
    yield f"«{outcomes(PAPER, 'contradicted by a test')}» statements are contradicted by a test"
    cut, full = _accuracies("{}, PEP 1.96"), _accuracies("{}")
    yield f"average: «{cut['CART']:.3f}», against «{full['CART']:.3f}» unpruned"
    yield (
        f"that is not so: «{cut['ID3']:.3f}» and «{cut['C4.5']:.3f}», against "
        f"«{full['ID3']:.3f}» and «{full['C4.5']:.3f}»"
    )
    names = [f"pep-better-or-simpler-{tree}" for tree in ("id3", "c45", "cart")]
    smaller = select(found, claim=names)["here"].eq("yes").all()
    n_sets = table(PAPER, "table1")["dataset"].nunique()
    yield only_if(bool(smaller), f"table1.md) smaller on all «{n_sets}» data sets")
    yield f"What the «{n_sets}» data sets show"


def _reproduced() -> int:
    return outcomes(PAPER, "not in the paper's tables, reproduced")


def _accuracies(name: str) -> dict[str, float]:
    trees = ("ID3", "C4.5", "CART")
    found = {tree: name.format(tree) for tree in trees}
    return {t: mean(PAPER, "table1", metric="accuracy", method=m) for t, m in found.items()}
