"""Examples run and written as notebooks with their outputs.

Pictures are not compared, since they depend on Matplotlib's version.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib

from retree_lab.site.examples import run_script
from retree_lab.site.notebooks import as_notebook, notebook_text

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def said(notebook: dict[str, Any]) -> list[Any]:
    """Return sources and texts of a notebook, without pictures and HTML."""
    lines = []
    for cell in notebook["cells"]:
        outputs = [o.get("text") or o["data"].get("text/plain") for o in cell.get("outputs", [])]
        lines.append((cell["source"], outputs))
    return lines


def files() -> Iterator[tuple[Path, str]]:
    """Yield the committed notebooks; one that would say the same stays as it is."""
    matplotlib.use("agg")
    for target in sorted(EXAMPLES.glob("*.ipynb")):
        cells, before = run_script(target.with_suffix(".py")), target.read_text()
        is_same = said(json.loads(before)) == said(as_notebook(cells))
        yield target, before if is_same else notebook_text(cells)


if __name__ == "__main__":
    from generated import main

    sys.exit(main([*sys.argv[1:], "notebook"]))
