"""The estimators that a method's configuration may name.

Those are retree's own by their short names, a class of an installed package by its dotted name, and
the classes in a study's own Python file as ``estimators.py:MyTree``.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
from dataclasses import dataclass
from pathlib import Path

import retree
from retree.errors import RetreeError, unknown_name
from retree_lab.paths import PAPERS
from retree_lab.study.folders import opened, paper_with
from retree_lab.study.importing import estimator_class
from retree_lab.study.modules import check_module, own_file
from retree_lab.study.own_sources import source_state

# Before the hash that is the version of a study's own class if it declares none.
STATE = "sources "


@dataclass(frozen=True)
class Registered:
    """An estimator that methods may name."""

    target: str  # Where it lives, as ``module:Class`` or ``file.py:Class``
    # A declared number, see `retree.trees.declaring.declare`. Of a class from another package, name
    # and version of that package. Of a class in a study's own file that declares none, the state of
    # its sources.
    version: int | str = 1


# Modules are read for this, not imported: that takes seconds.
_DECLARATION = re.compile(r'^@declare\("(\w+)"(?:, version=(\d+))?\)\nclass (\w+)', re.MULTILINE)


def _declared() -> dict[str, Registered]:
    """Return the estimators of retree, and of its papers, that declare a name for methods."""
    modules = sorted(set(retree._HOMES.values()))
    package = Path(retree.__file__).parent
    files = {package.joinpath(*m.split(".")[1:]).with_suffix(".py"): m for m in modules}
    files |= {path: str(path) for path in PAPERS.glob("*/*.py")}
    found = {}
    for file, module in files.items():
        if file.is_file():
            for name, version, cls in _DECLARATION.findall(file.read_text(encoding="utf-8")):
                found[name] = Registered(f"{module}:{cls}", int(version or 1))
    return dict(sorted(found.items()))


ESTIMATORS = _declared()


def find_estimator(
    name: str, home: Path | None = None, version: int | str | None = None
) -> Registered:
    """Return target and version of the estimator called `name`.

    `home`: the folder of such a file; by default that of the study that was opened last, or of the
    paper that has it.
    `version`: the declared version of a class in such a file, by default the state of its sources.
    """
    if name in ESTIMATORS:
        return ESTIMATORS[name]
    file, colon, cls = name.rpartition(":")
    if colon and file.endswith(".py"):
        folder = home or next(reversed(opened()), None) or paper_with(file)
        if folder is None:
            raise RetreeError(f"{name} is of a study: say which by --study.")
        path = own_file(folder, file)
        return Registered(f"{path}:{cls}", version or f"{STATE}{source_state(path, cls)}")
    if "." not in name:
        raise unknown_name("estimator", name, ESTIMATORS)
    module, _, cls = name.rpartition(".")
    check_module(module)
    found = estimator_class(f"{module}:{cls}")
    own = f"{found.__module__}:{found.__qualname__}"
    known = next((r for r in ESTIMATORS.values() if r.target == own), None)
    return known or Registered(f"{module}:{cls}", _package(module))


def _package(module: str) -> str:
    """Return name and version of the package that `module` is of."""
    package = module.partition(".")[0]
    return f"{package} {getattr(importlib.import_module(package), '__version__', 'unknown')}"
