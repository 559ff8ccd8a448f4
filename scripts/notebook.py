"""Run an example and write it as a notebook with its outputs: notebook.py examples/plot_tour.py.

With --check nothing is written: the script exits with 1 if a committed notebook says other things
than its example does now. Pictures are not compared, since they depend on Matplotlib's version.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import matplotlib

from retree.site.examples import run_script
from retree.site.notebooks import as_notebook, notebook_text


def said(notebook: dict[str, Any]) -> list[Any]:
    """Return sources and texts of a notebook, without pictures and HTML."""
    lines = []
    for cell in notebook["cells"]:
        shown = [o.get("text") or o["data"].get("text/plain") for o in cell.get("outputs", [])]
        lines.append((cell["source"], shown))
    return lines


def main() -> int:
    """Write the notebooks beside their examples, or check them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("examples", nargs="+", type=Path)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    matplotlib.use("agg")
    stale = []
    for path in options.examples:
        cells, target = run_script(path), path.with_suffix(".ipynb")
        if not options.check:
            target.write_text(notebook_text(cells))
        elif said(json.loads(target.read_text())) != said(as_notebook(cells)):
            stale.append(target)
    for target in stale:
        print(f"{target} is out of date; run scripts/notebook.py {target.with_suffix('.py')}.")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
