"""Estimators made from their configured parameters.

Nothing is called that is not a class with scikit-learn's interface.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from retree.errors import RetreeError
from retree_lab.study.importing import estimator_class
from retree_lab.study.registry import find_estimator

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
    for made in (estimator, *_parts(estimator)):
        for each in getattr(type(made), "__dataclass_fields__", {}).values():
            if check := each.metadata.get("check"):
                check(each.name, getattr(made, each.name))
        if hasattr(made, "_parameter_constraints"):
            made._validate_params()


def _parts(estimator: Any) -> Iterator[Any]:
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
        parts = [_built(part, home) for part in value]
        return tuple(parts) if isinstance(value, tuple) else parts
    return value
