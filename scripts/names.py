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
        "Studies, `published.csv` and `retree_lab.datasets.load` accept a key or another name. "
        "`retree data list WORD` searches them.",
    ),
    "methods": (
        "Methods by name",
        "Use these keys under `methods:` in a study. `retree methods WORD` searches them."
        " Parameters that are not shown have their default values.",
    ),
    "metrics": (
        "Metrics by name",
        "Under `metrics:` in a study, use these keys, any function such as"
        " `sklearn.metrics:cohen_kappa_score`, or a function of your own. `retree metrics WORD`"
        " searches them.",
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
