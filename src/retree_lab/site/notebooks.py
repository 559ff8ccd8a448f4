"""Examples as notebooks, with what they show."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from retree_lab.site.examples import Output, ScriptCell

_KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def notebook_text(cells: Sequence[ScriptCell]) -> str:
    """Return the content of a notebook's file."""
    return json.dumps(as_notebook(cells), indent=1, ensure_ascii=False) + "\n"


def as_notebook(cells: Sequence[ScriptCell]) -> dict[str, Any]:
    """Return cells in the format of Jupyter notebooks, version 4.5."""
    found, n_run = [], 0
    for i, cell in enumerate(cells):
        common: dict[str, Any] = {
            "id": f"cell-{i}",
            "metadata": {},
            "source": cell.source.splitlines(True),
        }
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
    for svg in output.pictures:
        data = {"image/svg+xml": svg.splitlines(True)}
        shown.append({"output_type": "display_data", "metadata": {}, "data": data})
    return shown
