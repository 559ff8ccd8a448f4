"""How numbers are judged, and the papers' own tables."""

from __future__ import annotations

from collections.abc import Iterator

from committed import claim, found_in, table

PURITY, LATENT, CMDT, THINNING = "structure_purity", "latent_space", "cmdt", "forest_thinning"


def findings() -> Iterator[str]:
    """Yield the phrases of the page of findings."""
    for paper, words in ((PURITY, "In Du & Chen [{} of {}]"), (LATENT, "He et al. [{} of the {}]")):
        pattern = r"([\d,]+ of [\d,]+) published numbers lie outside"
        outside, of = found_in(paper, "README.md", pattern).split(" of ")
        yield words.format(f"«{outside}»", f"«{of}»")
    pattern = r"Of them ([\d.]+) % lie in their interval"
    lie = sorted(float(found_in(p, "README.md", pattern)) for p in (PURITY, LATENT, CMDT))
    yield f"each replicate from the others: «{lie[0]}» to «{lie[-1]}» % fall inside"
    flagged = sum(len(table(paper, "audit")) for paper in (PURITY, LATENT, CMDT, THINNING))
    yield f"automated audit flags «{flagged}» inconsistencies"
    yield "the means of the last «15» of its «21» sets"
    replicates = claim(PURITY, "bnm-more-accurate").replicates
    yield f"There are «{replicates:.0f}» of them for Du & Chen (ten on adult)"
