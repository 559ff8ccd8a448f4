"""The sentences of README; its table of shares is that of ``scripts/readme.py``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from committed import agree, judged
from forest_thinning import ensembles
from hundreds import computed


def phrases() -> Iterator[str]:
    """Yield them."""
    found = ensembles()
    yield f"(results/forest_thinning/README.md), «{agree(found)}» of «{len(found)}» numbers"
    found = computed()
    yield f"folds.md), «{agree(found)}» of «{judged(found)}» numbers"
    yield "«179» classifiers on «121» data sets"
    references = list((Path(__file__).parents[2] / "tests" / "reference" / "j48").glob("*.gz"))
    yield f"J48 on [«{len(references)}» sets](docs/guide/j48.md)"
