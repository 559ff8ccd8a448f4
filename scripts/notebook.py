"""Run an example and write it as a notebook with its outputs: notebook.py examples/plot_tour.py.

With --check nothing is written: the script exits with 1 if a committed notebook says other things
than its example does now. Pictures are not compared, since they depend on Matplotlib's version.
"""

from __future__ import annotations

import argparse
import base64
import json
import sys
from pathlib import Path
from typing import Any

import matplotlib

from retree.site.examples import Output, ScriptCell, run_script

_KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def as_notebook(cells: list[ScriptCell]) -> dict[str, Any]:
    """Return cells in the format of Jupyter notebooks, version 4.5."""
    found, n_run = [], 0
    for i, cell in enumerate(cells):
        common = {"id": f"cell-{i}", "metadata": {}, "source": cell.source.splitlines(True)}
        if cell.output is None:
            found.append({"cell_type": "markdown", **common})
        else:
            n_run += 1
            shown = _outputs(cell.output, n_run)
            found.append(
                {"cell_type": "code", **common, "execution_count": n_run, "outputs": shown}
            )
    metadata = {"kernelspec": _KERNEL, "language_info": {"name": "python"}}
    return {"cells": found, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def _outputs(output: Output, n_run: int) -> list[dict[str, Any]]:
    shown: list[dict[str, Any]] = []
    if output.html is not None:
        data = {"text/plain": [output.text], "text/html": [output.html]}
        result = {"output_type": "execute_result", "execution_count": n_run}
        shown.append({**result, "metadata": {}, "data": data})
    elif output.text:
        text = output.text.splitlines(True)
        shown.append({"output_type": "stream", "name": "stdout", "text": text})
    for png in output.pictures:
        data = {"image/png": base64.b64encode(png).decode()}
        shown.append({"output_type": "display_data", "metadata": {}, "data": data})
    return shown


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
        notebook, target = as_notebook(run_script(path)), path.with_suffix(".ipynb")
        if not options.check:
            target.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")
        elif said(json.loads(target.read_text())) != said(notebook):
            stale.append(target)
    for target in stale:
        print(f"{target} is out of date; run scripts/notebook.py {target.with_suffix('.py')}.")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
