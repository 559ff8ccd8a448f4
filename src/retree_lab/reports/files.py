"""Where rendered files go, and how they are written."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pandas as pd

from retree.errors import DataError, RetreeError
from retree_lab.experiments.definition.definitions import Experiment
from retree_lab.plain_files import write_atomically
from retree_lab.reports.markup import inert


def folder(experiment: Experiment) -> Path:
    """Return the folder of the paper's rendered files."""
    return experiment.results / experiment.paper.name


def write(path: Path, content: str | bytes) -> Path:
    """Put `content` at `path`, whole or not at all, and return `path`; Markdown is made inert."""
    if isinstance(content, str):
        content = (inert(content) if path.suffix == ".md" else content).encode()
    try:
        write_atomically(path, content)
    except DataError as error:
        why = getattr(error.__cause__, "strerror", None) or error
        raise RetreeError(
            f"{path.parent} cannot be written ({why}); choose another folder with results=PATH."
        ) from error
    return path


def csv_text(table: pd.DataFrame, *, quoted: bool = True) -> str:
    """Return `table` as csv; floats have ten significant digits, NaN is an empty cell.

    `quoted`: whether a text that a spreadsheet would compute gets an apostrophe before it.
    """
    if quoted:
        texts = {n: {v: f"'{v}" for v in c.unique() if _is_formula(v)} for n, c in table.items()}
        table = table.replace({name: quotes for name, quotes in texts.items() if quotes})
        table = table.rename(columns={n: f"'{n}" for n in table.columns if _is_formula(n)})
    return table.to_csv(index=False, float_format="%.10g", lineterminator="\n")


def _is_formula(value: Any) -> bool:
    """Return whether a value is a text that begins as formulas do, and is no number."""
    if not isinstance(value, str) or not value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return False
    try:
        float(value)
    except ValueError:
        return True
    return False


def item_title(name: str) -> str:
    """Return an item's name as a reader writes it: ``table2`` is "Table 2"."""
    return re.sub(r"([^\d_])(\d+)$", r"\1 \2", name).replace("_", " ").capitalize()


def rendered_items(folder: Path, items: Collection[str]) -> list[str]:
    """Return which `items`, in their order, have a file in `folder`."""
    stems = {path.name.split(".")[0] for path in folder.glob("*.*")}
    owners = {_owner(stem, items) for stem in stems}
    return [name for name in items if name in owners]


def _owner(stem: str, items: Collection[str]) -> str:
    """Return the item that a file is of, "" if of none: ``ranks_auc`` is not of the item ranks."""
    names = (name for name in items if stem == name or stem.startswith(f"{name}_"))
    return max(names, key=len, default="")
