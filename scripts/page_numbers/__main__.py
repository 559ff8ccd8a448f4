"""Compare the numbers in the texts with the committed results; ``--write`` puts them there.

Each page's module yields phrases of its text, with every number in guillemets as the results have
it. A phrase must occur in the page once; a digit of the page that no phrase has must be no result.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path

import cmdt
import forest_thinning
import hundreds
import judging
import latent_space
import pruning
import readme_page
import structure_purity
from phrases import different, unexplained, written

ROOT = Path(__file__).parents[2]
_PAPERS = (structure_purity, latent_space, cmdt, forest_thinning, hundreds)


def findings() -> Iterator[str]:
    """Yield the phrases of the page of findings."""
    return chain.from_iterable(module.findings() for module in (*_PAPERS, judging))


PAGES: dict[str, Callable[[], Iterator[str]]] = {
    "README.md": readme_page.phrases,
    "docs/findings.md": findings,
    **{f"docs/guide/papers/{m.__name__}.md": m.page for m in (*_PAPERS, pruning)},
}


def complaints(page: str, text: str, phrases: list[str]) -> Iterator[str]:
    """Yield a sentence for each number of a page that is not as the results are."""
    yield from (f"{page}: {sentence}" for sentence in different(text, phrases))
    for number in unexplained(text, phrases):
        yield f"{page}: no phrase of scripts/page_numbers has the number in {number!r}"


def main(arguments: list[str]) -> int:
    """Print the numbers that are not as the results are; return 1 if there are any."""
    found = []
    for page, phrases in PAGES.items():
        path, wanted = ROOT / page, list(phrases())
        if arguments == ["--write"]:
            path.write_text(written(path.read_text(), wanted))
        found += complaints(page, path.read_text(), wanted)
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
