"""What a study can name, as pages of the guide: docs/guide/names/*.md."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from retree_lab.commands.methods import TABLES

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "guide" / "names"
HEADS = {
    "datasets": (
        "Data sets by name",
        "A study, `published.csv` and `retree_lab.datasets.load` take a key or another name. "
        "`retree data list WORD` prints those that have a word.",
    ),
    "methods": (
        "Methods by name",
        "`methods:` in a study takes these keys. `retree methods WORD` prints those that have a"
        " word. Parameters that are not shown have their defaults.",
    ),
    "metrics": (
        "Metrics by name",
        "`metrics:` in a study takes these keys, any function such as"
        " `sklearn.metrics:cohen_kappa_score`, and functions of your own. `retree metrics WORD`"
        " prints those that have a word.",
    ),
}


def page(kind: str) -> str:
    """Return the page of a kind of names."""
    title, text = HEADS[kind]
    table = TABLES[kind](None)
    rows = [[f"`{key}`", *map(_escaped, rest)] for key, *rest in table.rows]
    lines = [list(table.head), [":--"] * len(table.head), *rows]
    return "\n".join([f"# {title}", "", text, "", *(f"| {' | '.join(r)} |" for r in lines), ""])


def _escaped(text: str) -> str:
    return text.replace("|", r"\|").replace("_", r"\_").replace("*", r"\*")


def files() -> Iterator[tuple[Path, str]]:
    """Yield the pages and what they should say."""
    for kind in TABLES:
        yield FOLDER / f"{kind}.md", page(kind)


if __name__ == "__main__":
    from generated import main

    sys.exit(main([*sys.argv[1:], "names"]))
