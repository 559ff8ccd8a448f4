"""The cell, the unit that is planned, computed and stored, and what makes it the cell it is.

A part of a cell that its result depends on belongs into one of the texts of `Parts`: what the data
are into ``data``, how they are split into ``protocol``, what code computes it into ``estimator`` (a
declared version, or a hash of sources), and what it is asked for into ``parameters``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from retree.errors import RetreeError
from retree.trees.declaring import neutral_values
from retree.trees.pruning.fitting import DEFAULTS
from retree_lab.experiments.definition.method import Method
from retree_lab.experiments.definition.protocol import K_FOLD, Protocol
from retree_lab.experiments.planning.splits import OUTER
from retree_lab.provenance import this_machine
from retree_lab.study.importing import OWN_CODE, PAPERS_PACKAGE, import_estimator
from retree_lab.study.registry import (
    SEED,
    check_values,
    find_estimator,
    inner_targets,
    make_estimator,
)

# Raise it when the meaning of a split or of a metric changes: all cells are then computed anew.
CELL_VERSION = 3
# `json.dumps` makes one for each call.
_ENCODER = json.JSONEncoder(sort_keys=True, ensure_ascii=False)


class Parts(NamedTuple):
    """The parts of a cell's key apart from its place in the split. Source code is none."""

    data: str  # Hash of the data set's content
    protocol: str  # The fields of the protocol that decide the split, as JSON
    estimator: str  # Name and declared version of the estimator, as JSON
    parameters: str  # All its parameters and those of its parts, defaults included, as JSON
    # What the fit gets as ``random_state``; None if it draws nothing, or with a fixed seed, which
    # is then among the parameters.
    seed: int | None


def canonical(value: Any) -> str:
    """Return `value` as JSON text that does not depend on the order of keys."""
    return _ENCODER.encode(value)


def protocol_text(protocol: Protocol, inner: int) -> str:
    """Return the fields of `protocol` that decide the split, as JSON; if timed, the machine too."""
    machine = {"alone": protocol.machine or this_machine()} if protocol.timed else {}
    if protocol.is_own:
        names = ("splitter", "test_share", "arguments", "content")
        chosen = {name: value for name in names if (value := getattr(protocol, name))}
        chosen |= {"inner_folds": protocol.inner_folds} if inner > OUTER else {}
        return canonical({**chosen, "folds": protocol.folds, "seed": protocol.seed, **machine})
    if protocol.folds == 1 and not protocol.whole:
        return canonical({"folds": 1, "test_file": protocol.test_file, "seed": 0, **machine})
    if protocol.folds == 1:
        return canonical({"folds": 1, "seed": protocol.seed, **machine})
    fields = ["folds", "stratified", "shuffle", "seed"]
    fields += ["inner_folds"] if inner > OUTER else []
    fields += ["splitter"] if protocol.splitter != K_FOLD else []
    return canonical({name: getattr(protocol, name) for name in fields} | machine)


def estimator_text(method: Method) -> str:
    """Return name and version of the estimator of `method` as JSON, and if it is transductive."""
    name, version = str(method.estimator), method.registered.version
    how: dict[str, Any] = {"transductive": True} if method.transductive else {}
    inner = sorted(set(inner_targets(method.params)))
    if inner:
        how["inner"] = {t: find_estimator(t, method.home, method.version).version for t in inner}
    return canonical({"name": name, "version": version, **how})


def parameters_text(method: Method, point: Mapping[str, Any]) -> str:
    """Return all parameters of a grid point of `method` as JSON, defaults included.

    So are those of the estimators inside, be they given as parameters or made by ``parts()``, and
    those of a pruning.
    """
    params = {**method.params, **point}
    estimator = make_estimator(method.registered.target, params, method.home)
    try:
        check_values(estimator)
    except (TypeError, ValueError) as error:
        raise RetreeError(f"{method.file}: {method.key} cannot be run ({error}).") from error
    return canonical(_all_parameters(estimator))


def _all_parameters(estimator: Any) -> dict[str, Any]:
    params: dict[str, Any] = estimator.get_params(deep=False)
    if hasattr(estimator, "parts"):
        # What is wrong with a parameter shows in the cell, which fails.
        with suppress(TypeError, ValueError):
            params |= estimator.parts()
    given = params.get("pruning_params")
    if params.get("pruning") in DEFAULTS and isinstance(given, Mapping | None):
        defaults = DEFAULTS[params["pruning"]]
        left = {name: value for name, value in defaults.items() if name not in params}
        params["pruning_params"] = {**left, **(given or {})}
    neutral = neutral_values(type(estimator))
    some = {name: value for name, value in params.items() if not _is_neutral(neutral, name, value)}
    return {name: _plain(value) for name, value in some.items()}


def _is_neutral(neutral: Mapping[str, Any], name: str, value: Any) -> bool:
    return name in neutral and type(value) is type(neutral[name]) and value == neutral[name]


def _plain(value: Any) -> Any:
    """Return a parameter's value as JSON can write it; of an estimator, its class and parameters.

    The module is left out, so that a class may move inside its package.
    """
    if hasattr(value, "get_params") and not isinstance(value, type):
        return {_class_name(type(value)): _all_parameters(value)}
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    return value if isinstance(value, str | int | float | None) else repr(value)


def _class_name(cls: type[Any]) -> str:
    """Return the name of a class as it stands in keys: with its package, unless it is a study's."""
    if cls.__module__.startswith((OWN_CODE, PAPERS_PACKAGE)):
        return cls.__qualname__
    return f"{cls.__module__.partition('.')[0]}.{cls.__qualname__}"


def configured_text(method: Method, point: Mapping[str, Any]) -> str:
    """Return estimator and configured parameters of a grid point of `method` as JSON."""
    how = {"transductive": True} if method.transductive else {}
    return canonical({"estimator": method.estimator, **how, **method.params, **point})


@cache
def default_parameters(target: str) -> Mapping[str, Any]:
    """Return the parameters of the estimator at `target` with their defaults."""
    try:
        defaults: Mapping[str, Any] = import_estimator(target)().get_params(deep=False)
    except TypeError:
        # Some parameters have no defaults, as the steps of a pipeline.
        return {}
    return defaults


def seed_names(method: Method, point: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the parameters of a grid point of `method` that get the cell's seed."""
    target, params = method.registered.target, {**method.params, **point}
    if any(inner_targets(params)):
        values = make_estimator(target, params, method.home).get_params()
        names = (name for name, value in values.items() if value is None)
        return tuple(n for n in names if n.rpartition("__")[2] == SEED and n not in params)
    # A seed that the estimator has by default stays.
    is_open = SEED not in params and default_parameters(target).get(SEED, "no such") is None
    return (SEED,) if is_open else ()


def depends_on_seed(method: Method, point: Mapping[str, Any]) -> bool:
    """Return whether results of a grid point of `method` depend on the seeds that its cells get.

    They do unless the estimator says otherwise.
    """
    if not seed_names(method, point):
        return False
    params = {**method.params, **point}
    estimator = make_estimator(method.registered.target, params, method.home)
    return bool(getattr(estimator, "depends_on_seed", True))


def cell_seed(data: str, protocol: str, configured: str, repeat: int, fold: int, inner: int) -> int:
    """Return the cell's seed, in [0, 2**31).

    It depends on what is configured alone: no default, version or source moves it.
    """
    return int(_digest(data, protocol, configured, repeat, fold, inner)[:8], 16) % 2**31


def cell_key(parts: Parts, repeat: int, fold: int, inner: int) -> str:
    """Return the cell's key: a sha256 over all that its result depends on."""
    return _digest(CELL_VERSION, *parts, repeat, fold, inner)


def _digest(*parts: Any) -> str:
    return hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()


Place = tuple[int, int, int]
# Of a key, where cells are committed.
KEY_DIGITS = 16


@dataclass(frozen=True)
class Cell:
    """The unit that is computed and stored: one fit, scored on one set of rows."""

    dataset: str  # Name of the data set and key of the method
    method: str
    # The varied parameters only; ``method.params | params`` are all of them.
    params: Mapping[str, Any]
    point: int  # Position of `params` in the grid
    repeat: int  # Place in the split; `inner` is -1 for an outer cell, and -2 for one of all rows
    fold: int
    inner: int
    parts: Parts  # What the key is made of
    key: str  # Hash of all that the result depends on

    @property
    def data(self) -> tuple[str, str]:
        """Name of the data set, and the hash of its content."""
        return self.dataset, self.parts.data


def cells_text(count: int) -> str:
    """Return a number of cells as a reader says it."""
    return "1 cell" if count == 1 else f"{count:,} cells"
