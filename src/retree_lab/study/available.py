"""The names that each group of the configuration offers, in retree, studies and papers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from retree_lab import paths
from retree_lab.paths import PAPERS
from retree_lab.study.folders import (
    DATASETS,
    PROTOCOLS,
    QUICKSTART,
    opened,
    study_folder,
    study_names,
)
from retree_lab.study.importing import load_file
from retree_lab.study.methods import method_keys
from retree_lab.yaml_files import list_yaml, read_mapping


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


# In the content of a study's protocol, the file that it stands in.
STANDS_IN = "stands in"
PRESET = "quickstart_"
FILES = ("protocol", "execution")
GROUPS = ("paper", "method", "dataset", "preset", *FILES)


def available(group: str) -> list[str]:
    """Return the names that the configuration group `group` (``paper``, ``method``, …) offers."""
    if group == "paper":
        return study_names()
    if group == "method":
        return sorted({key for study in _studies() for key in method_keys(study)})
    if group == "preset":
        return [f"{PRESET}{name}" for name in study_names() if quickstart_file(name).is_file()]
    folders = [paths.conf_dir() / group]
    own_folders = {"dataset": DATASETS, "protocol": PROTOCOLS}
    folders += [study / own_folders[group] for study in opened()] if group in own_folders else []
    others = paper_sets() if group == "dataset" else ()
    return sorted({path.stem for folder in folders for path in list_yaml(folder)} | {*others})


def quickstart_file(paper: str) -> Path:
    """Return where the part of a paper may stand that ``retree quickstart`` computes."""
    return study_folder(paper) / QUICKSTART


def _studies() -> list[Path | None]:
    """Return where methods may stand: retree's own, opened studies, papers."""
    return [None, *opened(), *map(study_folder, study_names())]


def method_home(key: str) -> Path | None:
    """Return the study or paper that has a method of its own called `key`, None if none has."""
    return next((study for study in _studies() if key in method_keys(study)), None)


def protocol_content(name: str, study: Path | None = None) -> dict[str, Any]:
    """Return the content of the file of a protocol, a study's or retree's.

    Without `study` it is looked for in all that are open.
    """
    folders = [study] if study is not None else opened()
    files = (folder / PROTOCOLS / f"{name}.yaml" for folder in folders)
    file = next((file for file in files if file.is_file()), None)
    if file is None:
        return read_mapping(paths.conf_dir() / "protocol" / f"{name}.yaml")
    return {"name": name, STANDS_IN: file, **read_mapping(file)}
