"""Running example scripts cell by cell, as a notebook would, for the gallery and for notebooks."""

from __future__ import annotations

import ast
import io
import re
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from retree_lab.reports.figures import COLOURS, WIDTH, as_svg, style

_CELL = re.compile(r"^# %%.*\n", re.MULTILINE)


@dataclass(frozen=True)
class Output:
    """The output of a cell."""

    text: str  # What it prints, and the representation of the value of its last line
    html: str | None  # The HTML of that value, if it has any
    svg: str | None  # A drawing of that value, if it has any
    pictures: tuple[str, ...]  # The figures that it leaves open in pyplot, as SVG


@dataclass(frozen=True)
class ScriptCell:
    """A cell of a script: Markdown, or code with what it shows."""

    source: str
    output: Output | None = field(default=None)


def run_script(path: Path) -> list[ScriptCell]:
    """Run a script and return its cells.

    `path`: a Python file in the percent format: the docstring is the first text, in Markdown; ``#
    %%`` begins a cell, whose comments before the first line of code are text in Markdown.
    """
    from matplotlib import pyplot

    script = path.read_text()
    title = ast.get_docstring(ast.parse(script)) or path.stem
    cells, names = [ScriptCell(title)], {"__name__": "__main__"}
    pyplot.close("all")
    own: Any = {
        **{"axes.prop_cycle": pyplot.cycler(color=COLOURS), "figure.figsize": (WIDTH, 0.6 * WIDTH)},
        "savefig.bbox": "tight",
    }
    with style(), pyplot.rc_context(own):
        for block in _CELL.split(script)[1:]:
            text, code = _text_and_code(block)
            if text:
                cells.append(ScriptCell(text))
            if code:
                cells.append(ScriptCell(code, _run(code, path, names)))
    return cells


def _text_and_code(block: str) -> tuple[str, str]:
    """Return the comments that a cell begins with, as Markdown, and its code."""
    lines = block.strip().splitlines()
    n = next((i for i, line in enumerate(lines) if not line.startswith("#")), len(lines))
    text = "\n".join(line.removeprefix("#").removeprefix(" ") for line in lines[:n])
    return text.strip(), "\n".join(lines[n:]).strip()


def _run(code: str, path: Path, names: dict[str, Any]) -> Output:
    """Run a cell among the `names` that the cells before it have defined."""
    statements = ast.parse(code).body
    last = statements.pop() if isinstance(statements[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with redirect_stdout(printed):
        exec(compile(ast.Module(statements, []), str(path), "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), str(path), "eval"), names)
    bundle = _representation(value)
    text = printed.getvalue() + bundle.get("text/plain", "")
    draw = getattr(value, "_repr_svg_", None)
    svg = None if draw is None else draw()
    return Output(text.rstrip(), bundle.get("text/html"), svg, tuple(_taken_pictures()))


def _representation(value: Any) -> dict[str, str]:
    """Return the text that a notebook shows for the value of a cell's last line."""
    if value is None:
        return {}
    if hasattr(value, "_repr_mimebundle_"):
        return dict(value._repr_mimebundle_())
    shown = {"text/plain": repr(value)}
    if hasattr(value, "_repr_html_"):
        shown["text/html"] = value._repr_html_()
    return shown


def run_code(code: str) -> Output:
    """Run code by itself and return what its cell shows."""
    return _run(code, Path("example.py"), {"__name__": "__main__"})


def _taken_pictures() -> list[str]:
    """Return pyplot's open figures as SVG, and close them."""
    from matplotlib import pyplot

    pictures = [as_svg(pyplot.figure(number)) for number in pyplot.get_fignums()]
    pyplot.close("all")
    return pictures
