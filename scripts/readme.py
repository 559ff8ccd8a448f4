"""Compare the shares of README's table with the committed results; ``--write`` puts them there."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pandas as pd

from retree.reports.headlines import count_headlines
from retree.reports.rendered_tables import read_comparisons
from retree.statistics.metrics import ACCURACIES, SIZES

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
# Kinds of numbers by the column of the table.
COLUMNS = (ACCURACIES, SIZES)
# The name of a paper with its folder, and the two cells behind it; "–" is left as it is.
_ROW = re.compile(r"^(\| \[[^]]*\]\(results/(\w+)/README\.md\)[^|]*\|)([^|]*)\|([^|]*)\|", re.M)
_BARS = 5


def bar(share: float) -> str:
    """Return a share as a bar of text and in per cent."""
    full = round(_BARS * share)
    return f"{'█' * full}{'░' * (_BARS - full)} {share:.0%}".replace("%", " %")


def shares(comparisons: pd.DataFrame) -> dict[tuple[str, str], float]:
    """Return the share of numbers that agree by paper and kind."""
    counts = count_headlines(comparisons).to_dict("records")
    return {(row["paper"], row["kind"]): row["share"] for row in counts}


def written(text: str, found: dict[tuple[str, str], float]) -> str:
    """Return README with these shares in its table."""

    def row(match: re.Match[str]) -> str:
        cells = []
        for kind, old in zip(COLUMNS, match.groups()[2:], strict=True):
            star = " *" if "*" in old else ""
            kept = old.strip() == "–"
            cells.append(old if kept else f" {bar(found[match[2], kind])}{star} ")
        return f"{match[1]}{'|'.join(cells)}|"

    return _ROW.sub(row, text)


def main(arguments: list[str]) -> int:
    """Print whether README is as the results are; return 1 if it is not."""
    old = README.read_text()
    new = written(old, shares(read_comparisons(ROOT / "results")))
    if arguments == ["--write"]:
        README.write_text(new)
    elif old != new:
        print("README's table is not as the results are: run python scripts/readme.py --write")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
