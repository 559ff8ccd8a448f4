"""The studies that can be named, a folder each, and the files and modules that they may name.

Importing a module runs it, so what may be imported is decided by the name alone.
"""

from __future__ import annotations

import re
import shlex
import sys
from importlib.util import find_spec
from pathlib import Path

from retree.errors import RetreeError, unknown_name
from retree_lab import paths
from retree_lab.yaml_files import list_yaml, located

PAPER, CLAIMS, PUBLISHED = "paper.yaml", "claims.yaml", "published.csv"
DATASETS, METHODS, PROTOCOLS = "datasets", "methods", "protocols"
QUICKSTART = "quickstart.yaml"

# Windows takes these for devices, whatever their ending is.
_DEVICE = re.compile(r"con|prn|aux|nul|(com|lpt)\d", re.IGNORECASE)

_opened: dict[str, Path] = {}


def check_name(name: str) -> None:
    """Refuse a name of an item, data set, method or protocol that cannot be a file's."""
    if not re.fullmatch(r"\w[\w-]*", name) or _DEVICE.fullmatch(name):
        raise RetreeError(
            f"{name!r} is used in file names: use letters, digits, _ and -, none beginning with "
            "-, and no Windows device name, such as con."
        )


def study_names() -> list[str]:
    """Return the names of all studies, sorted: retree's own, and the ones that were opened."""
    papers = (path.parent.name for path in (paths.conf_dir() / "paper").glob(f"*/{PAPER}"))
    return sorted({*papers, *_opened})


def opened() -> list[Path]:
    """Return the folders of the studies that were opened."""
    return list(_opened.values())


def code_folder(study: Path) -> Path:
    """Return where the Python of the study in a folder is: there, or of a paper in the package."""
    is_paper = study.resolve().parent == (paths.conf_dir() / "paper").resolve()
    return paths.PAPERS / study.name if is_paper else study


def paper_with(file: str) -> Path | None:
    """Return the folder of the paper of ours that has a Python file of this name, if one has."""
    path = next(iter(sorted(paths.PAPERS.glob(f"*/{file}"))), None)
    return path and paths.conf_dir() / "paper" / path.parent.name


def study_folder(name: str) -> Path:
    """Return the folder of the study called `name`."""
    if name in _opened:
        return _opened[name]
    folder = paths.conf_dir() / "paper" / name
    if folder.name != name or not (folder / PAPER).is_file():
        raise unknown_name("paper", name, study_names())
    return folder


def study_places(folder: Path, name: str) -> dict[str, str | Path]:
    """Return the settings by which an opened study's folder holds its results, by key."""
    results = folder.resolve() / "results"
    store = results / ".store" / "cells.sqlite"
    return {"paper": name, "results": results, "committed": results, "store": store}


def named(name: str) -> str:
    """Return the argument that names a study: ``--study DIR`` if it was opened, else ``paper=``."""
    if name not in _opened:
        return f"paper={name}"
    folder, here = _opened[name], Path.cwd()
    relative = folder.relative_to(here) if folder.is_relative_to(here) else folder
    return f"--study {shlex.quote(str(relative))}"


def named_on_pages(name: str) -> tuple[str, ...]:
    """Return the arguments that name a study in ``retree show``, without a path of this machine.

    An opened study is named by its folder; the command is meant for the folder's parent.
    """
    return ("--study", name) if name in _opened else (name,)


def open_study(folder: Path) -> str:
    """Make a study outside of retree's configuration known, and return its name, the folder's."""
    folder = folder.resolve()
    if not (folder / PAPER).is_file():
        raise RetreeError(
            f"{folder} holds no {PAPER}: name the folder of a study, or make one with retree init."
        )
    if not re.fullmatch(r"[A-Za-z]\w*", folder.name):
        raise RetreeError(
            f"The study's folder {folder} needs a name of letters, digits and _: rename it."
        )
    for file in (*list_yaml(folder / DATASETS), *list_yaml(folder / PROTOCOLS)):
        with located(file, ()):
            check_name(file.name.removesuffix(".yaml"))
    inside = folder.parent == (paths.conf_dir() / "paper").resolve()
    if not inside and folder.name in study_names() and folder.name not in _opened:
        raise RetreeError(f"A study called {folder.name} already exists: rename {folder}.")
    if not inside:
        _opened.pop(folder.name, None)
        _opened[folder.name] = folder
    return folder.name


def check_module(module: str) -> None:
    """Refuse a module that a study may not name, without importing anything.

    `module`: a dotted name. One that does not exist is not refused; its import says so.
    """
    top, *_ = names = module.split(".")
    if top in ("retree", "retree_lab"):
        return
    standard = top in sys.stdlib_module_names or any(part.startswith("__") for part in names)
    here = {Path.cwd().resolve(), *(folder.resolve() for folder in opened())}
    if standard or here & set(_homes(top)):
        raise RetreeError(
            f"{module} is not a module of an installed package: name one that is, or write what "
            "you need into estimators.py of the study."
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
        raise RetreeError(f"{path} is not a file: write Python into it.")
    return path


def _homes(top: str) -> list[Path]:
    """Return the folders that a top-level module lies in."""
    spec = find_spec(top)
    if spec is None:
        return []
    places = spec.submodule_search_locations or [spec.origin or ""]
    return [Path(place).resolve().parent for place in places]
