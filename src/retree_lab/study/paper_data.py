"""Data sets that come with one paper: those that the ``datasets.py`` of its folder lists."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

from retree_lab.paths import PAPERS
from retree_lab.study.importing import load_file


@cache
def paper_sets() -> dict[str, ModuleType]:
    """Return where each of these data sets is read, by its name.

    The module says what it has by ``set_names()``, what the paper calls a set by ``label(name)``,
    and how many rows its files have by ``file_rows(name)``.
    """
    modules = map(load_file, sorted(PAPERS.glob("*/datasets.py")))
    return {name: module for module in modules for name in module.set_names()}


def load_paper_set(name: str, sources: Sequence[str] | None) -> Any:
    """Return a data set of `paper_sets`, read by ``load`` of the ``loading.py`` beside the module.

    That one takes long to import.
    """
    package = str(paper_sets()[name].__package__)
    return import_module(f"{package}.loading").load(name, sources)
