"""Classes by where they live: in an installed package, or in a study's own Python file."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

from retree.errors import RetreeError, unknown_name
from retree_lab.paths import PAPERS
from retree_lab.study.own_sources import Stamps, find_stamps

OWN_CODE = "retree_study_"
PAPERS_PACKAGE = "retree_lab.papers"
INTERFACE = ("get_params", "set_params")


def import_estimator(target: str) -> type[Any]:
    """Return the class that stands at `target`, ``module:Class`` or ``file.py:Class``."""
    module, _, cls = target.rpartition(":")
    try:
        holder = (
            load_file(Path(module)) if module.endswith(".py") else importlib.import_module(module)
        )
    except (ImportError, FileNotFoundError) as error:
        raise RetreeError(f"{target} cannot be imported ({error}): correct it.") from error
    if not hasattr(holder, cls):
        names = [name for name in vars(holder) if not name.startswith("_")]
        raise unknown_name(f"name in {module}", cls, names)
    member: type[Any] = getattr(holder, cls)
    return member


def estimator_class(target: str) -> Any:
    """Return the class at `target`, if it is one that may be called."""
    member = import_estimator(target)
    if not isinstance(member, type) or not all(hasattr(member, name) for name in INTERFACE):
        raise RetreeError(
            f"{target} is not an estimator: name a class with {' and '.join(INTERFACE)}, as "
            "scikit-learn's have."
        )
    return member


def load_file(file: Path) -> ModuleType:
    """Return a study's Python file as a module; a file of retree's own papers by its name."""
    if file.parent.parent == PAPERS:
        return importlib.import_module(f"{PAPERS_PACKAGE}.{file.parent.name}.{file.stem}")
    return _load_version(file, file.stat().st_mtime_ns, find_stamps(file.parent))


@lru_cache(maxsize=64)
def _load_version(file: Path, changed: int, stamps: Stamps) -> ModuleType:
    """Return a study's file as a module of a package of its folder: it may import from ``.``."""
    digest = hashlib.sha256(f"{file.parent}{stamps}".encode()).hexdigest()[:12]
    package = f"{OWN_CODE}{digest}"
    know_packages({package: str(file.parent)})
    name = f"{package}.{file.stem}"
    if name in sys.modules:
        # Another file of the study has imported it, or a class of it was unpickled.
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        with explained(module):
            spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def own_packages() -> dict[str, str]:
    """Return the packages that studies' files were loaded as, with their folders."""
    names = [name for name in sys.modules if name.startswith(OWN_CODE) and "." not in name]
    return {name: sys.modules[name].__path__[0] for name in names}


def know_packages(packages: Mapping[str, str]) -> None:
    """Let modules be imported by name from `own_packages` of another process.

    Pickles name the classes in them so.
    """
    for name, folder in packages.items():
        package = ModuleType(name)
        package.__path__ = [folder]
        sys.modules.setdefault(name, package)


@contextmanager
def explained(module: Any) -> Iterator[None]:
    """Let what a study's own `module` raises be one sentence with its file and line."""
    try:
        yield
    except RetreeError:
        raise
    except (Exception, SystemExit) as error:
        if not module.__name__.startswith(OWN_CODE):
            raise
        entries = traceback.extract_tb(error.__traceback__)
        lines = (e.lineno for e in reversed(entries) if e.filename == module.__file__)
        line = getattr(error, "lineno", None) or next(lines, 1)
        what = f"{type(error).__name__}: {' '.join(str(error).split())}"
        raise RetreeError(
            f"{module.__file__}, line {line}: {what}; {_fix(error, module)}."
        ) from error


def _fix(error: BaseException, module: Any) -> str:
    """Return the fix for an error in a study's own `module`."""
    beside = Path(str(module.__file__)).with_name(f"{getattr(error, 'name', None)}.py")
    return f"write from .{beside.stem} import …" if beside.is_file() else "correct it"
