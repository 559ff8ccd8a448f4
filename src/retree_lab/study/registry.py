"""The estimators that a method's configuration may name, and how they are made.

Those are retree's own by their short names, a class of an installed package by its dotted name, and
the classes in a study's own Python file as ``estimators.py:MyTree``. Only classes with
scikit-learn's interface are called.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import retree
from retree.errors import RetreeError, unknown_name
from retree_lab.paths import PAPERS
from retree_lab.study.folders import check_module, opened, own_file, paper_with
from retree_lab.study.importing import estimator_class
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
    registered = {}
    for file, module in files.items():
        if file.is_file():
            for name, version, cls in _DECLARATION.findall(file.read_text(encoding="utf-8")):
                registered[name] = Registered(f"{module}:{cls}", int(version or 1))
    return dict(sorted(registered.items()))


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
            raise RetreeError(f"{name} belongs to a study: say which with --study.")
        path = own_file(folder, file)
        return Registered(f"{path}:{cls}", version or f"{STATE}{source_state(path, cls)}")
    if "." not in name:
        raise unknown_name("estimator", name, ESTIMATORS)
    # Metrics of packages have a colon before their name, and so may estimators.
    module, _, cls = name.replace(":", ".").rpartition(".")
    check_module(module)
    estimator = estimator_class(f"{module}:{cls}")
    place = f"{estimator.__module__}:{estimator.__qualname__}"
    registered = next((r for r in ESTIMATORS.values() if r.target == place), None)
    return registered or Registered(f"{module}:{cls}", _package(module))


def _package(module: str) -> str:
    """Return name and version of the package that `module` is of."""
    package = module.partition(".")[0]
    return f"{package} {getattr(importlib.import_module(package), '__version__', 'unknown')}"


TARGET = "_target_"
SEED = "random_state"
# Pipelines and others unpickle what they find in the folder that this parameter names.
CACHE = "memory"


def make_estimator(target: str, params: Mapping[str, Any], home: Path | None = None) -> Any:
    """Return an estimator with parameters as they are configured.

    A mapping with ``_target_`` among the values becomes an object of that class; names with ``__``
    are parameters of these.
    """
    _refuse_cache(params)
    built = {name: _built(value, home) for name, value in params.items()}
    direct = {name: value for name, value in built.items() if "__" not in name}
    made = estimator_class(target)(**direct)
    deep = {name: value for name, value in built.items() if "__" in name}
    return made.set_params(**deep) if deep else made


def check_values(estimator: Any) -> None:
    """Raise a ValueError or TypeError unless all parameters are as their declarations want them.

    Those of retree's estimators are declared as fields with checks, and those of scikit-learn's as
    constraints.
    """
    for made in (estimator, *_inner_estimators(estimator)):
        for each in getattr(type(made), "__dataclass_fields__", {}).values():
            if check := each.metadata.get("check"):
                check(each.name, getattr(made, each.name))
        if hasattr(made, "_parameter_constraints"):
            made._validate_params()


def _inner_estimators(estimator: Any) -> Iterator[Any]:
    """Yield the estimators among the parameters of one."""
    values = estimator.get_params().values()
    return (v for v in values if hasattr(v, "get_params") and not isinstance(v, type))


def signature_of(target: str) -> list[str]:
    """Return the names of the parameters of the class at `target`."""
    return list(_parameters(estimator_class(target)))


def inner_targets(value: Any) -> Iterator[str]:
    """Yield the classes that a configured value names inside."""
    if isinstance(value, Mapping):
        if TARGET in value:
            yield str(value[TARGET])
        for part in value.values():
            yield from inner_targets(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from inner_targets(part)


def _refuse_cache(value: Any, name: str = "") -> None:
    """Refuse parameters, at whatever depth, that let scikit-learn unpickle files."""
    if isinstance(value, Mapping):
        for key, part in value.items():
            _refuse_cache(part, str(key))
    elif isinstance(value, list | tuple):
        for part in value:
            _refuse_cache(part, name)
    elif isinstance(value, str) and name.rpartition("__")[2] == CACHE:
        raise RetreeError(f"{name} cannot be {value!r}, a folder of pickles: leave it out.")


@lru_cache(maxsize=256)
def _parameters(cls: Any) -> tuple[str, ...]:
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    parameters = inspect.signature(cls).parameters.values()
    return tuple(parameter.name for parameter in parameters if parameter.kind not in kinds)


def _built(value: Any, home: Path | None) -> Any:
    if isinstance(value, Mapping) and TARGET in value:
        rest = {str(name): part for name, part in value.items() if name != TARGET}
        return make_estimator(find_estimator(str(value[TARGET]), home).target, rest, home)
    if isinstance(value, list | tuple):
        values = [_built(part, home) for part in value]
        return tuple(values) if isinstance(value, tuple) else values
    return value
