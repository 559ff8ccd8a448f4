"""The Python that a study may name: modules of installed packages, and files in its own folder.

Importing a module runs it, so what may be imported is decided by the name alone.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

from retree.errors import RetreeError
from retree_lab.study.folders import code_folder, opened


def check_module(module: str) -> None:
    """Refuse a module that a study may not name, without importing anything.

    `module`: a dotted name. One that does not exist is not refused; its import says so.
    """
    top, *_ = parts = module.split(".")
    if top in ("retree", "retree_lab"):
        return
    standard = top in sys.stdlib_module_names or any(part.startswith("__") for part in parts)
    here = {Path.cwd().resolve(), *(folder.resolve() for folder in opened())}
    if standard or here & set(_homes(top)):
        raise RetreeError(
            f"{module} is no module of an installed package: name one that is, or write what you "
            "need into estimators.py of the study."
        )


def path_inside(folder: Path, name: str) -> Path:
    """Return a path in a study's folder; one that leads out of it, be it by a link, is refused."""
    path = folder / name
    if not path.resolve().is_relative_to(folder.resolve()):
        raise RetreeError(f"{name} is outside of the study's folder {folder}: move it there.")
    return path


def own_file(folder: Path, name: str) -> Path:
    """Return a Python file of a study."""
    path = path_inside(code_folder(folder), name)
    if path.exists() and not path.is_file():
        raise RetreeError(f"{path} is no file: write Python into it.")
    return path


def _homes(top: str) -> list[Path]:
    """Return the folders that a top-level module lies in."""
    spec = find_spec(top)
    if spec is None:
        return []
    places = spec.submodule_search_locations or [spec.origin or ""]
    return [Path(place).resolve().parent for place in places]
