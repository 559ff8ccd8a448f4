"""What makes a cell the cell it is, as hashes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

from retree.experiments.definition.definitions import SPLITTERS, Method, Protocol
from retree.experiments.planning.left_open import moved_defaults, plain
from retree.experiments.planning.splits import OUTER
from retree.provenance import this_machine
from retree.study.registry import (
    SEED,
    TARGET,
    find_estimator,
    import_estimator,
    inner_targets,
    make_estimator,
)

# Raise it when the meaning of a split or of a metric changes: all cells are then computed anew.
CELL_VERSION = 2
# `json.dumps` makes one for each call.
_ENCODER = json.JSONEncoder(sort_keys=True, ensure_ascii=False)


class Parts(NamedTuple):
    """What a cell's key is made of, apart from its place in the split. Source code is not.

    Attributes
    ----------
    data : str
        Hash of the data set's content.
    protocol : str
        The fields of the protocol that decide the split, as JSON.
    estimator : str
        Name and declared version of the estimator, as JSON.
    parameters : str
        All its parameters, those that have their defaults included, as JSON.
    seed : int or None
        What the fit gets as ``random_state``; None if it draws nothing, or with a fixed seed, which
        is then among the parameters.
    """

    data: str
    protocol: str
    estimator: str
    parameters: str
    seed: int | None


def canonical(value: Any) -> str:
    """Return `value` as JSON text that does not depend on the order of keys."""
    return _ENCODER.encode(value)


def protocol_text(protocol: Protocol, inner: int) -> str:
    """Return the fields of `protocol` that decide the split, as JSON; if alone, the machine too."""
    machine = {"alone": protocol.machine or this_machine()} if protocol.alone else {}
    if protocol.own is not None:
        own = {name: v for name, v in vars(protocol.own).items() if v and name != "file"}
        own |= {"inner_folds": protocol.inner_folds} if inner != OUTER else {}
        return canonical({**own, "folds": protocol.folds, "seed": protocol.seed, **machine})
    if protocol.folds == 1 and not protocol.whole:
        return canonical({"folds": 1, "test_file": protocol.test_file, "seed": 0, **machine})
    if protocol.folds == 1:
        return canonical({"folds": 1, "seed": protocol.seed, **machine})
    fields = ["folds", "stratified", "shuffle", "seed"]
    fields += ["inner_folds"] if inner != OUTER else []
    fields += ["splitter"] if protocol.splitter != SPLITTERS[0] else []
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

    Those of inner estimators are among them. Of defaults that these parameters leave open, see
    `moved_defaults`.
    """
    target = method.registered.target
    params = _complete({**default_parameters(target), **method.params, **point}, method)
    return canonical(plain(params | moved_defaults(import_estimator(target), params)))


def _complete(value: Any, method: Method) -> Any:
    """Return a configured value with the defaults of the inner estimators that it names."""
    if isinstance(value, list | tuple):
        return [_complete(part, method) for part in value]
    if not isinstance(value, Mapping):
        return value
    parts = {name: _complete(part, method) for name, part in value.items()}
    if TARGET not in parts:
        return parts
    inner = find_estimator(str(parts[TARGET]), method.home, method.version)
    return {**default_parameters(inner.target), **parts}


def configured_text(method: Method, point: Mapping[str, Any]) -> str:
    """Return estimator and configured parameters of a grid point of `method` as JSON."""
    how = {"transductive": True} if method.transductive else {}
    return canonical({"estimator": method.estimator, **how, **method.params, **point})


@cache
def default_parameters(target: str) -> Mapping[str, Any]:
    """Return the parameters of the estimator at `target` with their defaults."""
    try:
        found: Mapping[str, Any] = import_estimator(target)().get_params(deep=False)
    except TypeError:
        # Some parameters have no defaults, as the steps of a pipeline.
        return {}
    return found


def seed_names(method: Method, point: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the parameters of a grid point of `method` that get the cell's seed."""
    target, params = method.registered.target, {**method.params, **point}
    if any(inner_targets(params)):
        values = make_estimator(target, params, method.home).get_params()
        names = (name for name, value in values.items() if value is None)
        return tuple(n for n in names if n.rpartition("__")[2] == SEED and n not in params)
    return (SEED,) if SEED not in params and SEED in default_parameters(target) else ()


def cell_seed(data: str, protocol: str, configured: str, repeat: int, fold: int, inner: int) -> int:
    """Return the cell's seed, in [0, 2**31).

    It depends on what is configured alone: no default, version or source moves it.

    Parameters
    ----------
    data, protocol : str
        As in `Parts`.
    configured : str
        As from `configured_text`.
    repeat, fold, inner : int
        Place in the split.
    """
    return int(_digest(data, protocol, configured, repeat, fold, inner)[:8], 16) % 2**31


def cell_key(parts: Parts, repeat: int, fold: int, inner: int) -> str:
    """Return the cell's key: a sha256 over all that its result depends on."""
    return _digest(CELL_VERSION, *parts, repeat, fold, inner)


def _digest(*parts: Any) -> str:
    return hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()
