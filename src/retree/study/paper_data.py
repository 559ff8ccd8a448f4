"""Data sets that come with one paper: those that the ``datasets.py`` of its folder lists."""

from __future__ import annotations

from functools import cache
from types import ModuleType

from retree.paths import conf_dir
from retree.study.folders import DATA_CODE
from retree.study.importing import load_file


@cache
def paper_sets() -> dict[str, ModuleType]:
    """Return where each of these data sets is read, by its name.

    The module says what it has by ``set_names()``, what the paper calls a set by ``label(name)``,
    how many rows its files have by ``file_rows(name)``, and gives it by ``load(name, sources)``.
    """
    modules = map(load_file, sorted((conf_dir() / "paper").glob(f"*/{DATA_CODE}")))
    return {name: module for module in modules for name in module.set_names()}
