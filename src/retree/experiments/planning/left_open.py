"""Defaults that an estimator's own parameters leave open: those of its parts and of a pruning.

Keys of version 2 were made without them. They stand in a key only where they are no longer what
they were then (``first_defaults.json``), so that a changed default is a changed key.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from retree.trees.pruning.fitting import DEFAULTS

FIRST = Path(__file__).with_name("first_defaults.json")
PARTS = "made_of"
# Parameters that came later, with the value that changes nothing: at it they stand in no key.
LATER = {"weka": "3.9", "weighted": False, "weighted_selection": False}


def moved_defaults(cls: type[Any], params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the defaults that `params` leave open and that are not what they were at first.

    Parameters
    ----------
    cls : type
        The estimator. The classes in its ``made_of`` are those whose defaults it takes.
    params : dict
        All its own parameters.

    Returns
    -------
    dict of str to dict
        Name of a class or of a pruning: its defaults.
    """
    parts = () if params.get("estimator") is not None else getattr(cls, PARTS, ())
    now = {part.__name__: _defaults(part) for part in parts}
    if (pruning := params.get("pruning")) in DEFAULTS:
        given = params.get("pruning_params") or {}
        left = {name: value for name, value in DEFAULTS[pruning].items() if name not in given}
        first = {name: value for name, value in _first()[pruning].items() if name not in given}
        now |= {pruning: left} if left != first else {}
    return {name: found for name, found in now.items() if found != _first().get(name)}


def plain(value: Any) -> Any:
    """Return a parameter's value as JSON can write it; of an estimator, its class and parameters.

    The module is left out, so that a class may move.
    """
    if hasattr(value, "get_params"):
        return {type(value).__qualname__: plain(value.get_params(deep=False))}
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items() if k not in LATER or LATER[k] != v}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    return value if isinstance(value, (str, int, float, type(None))) else repr(value)


@cache
def _defaults(part: type[Any]) -> Any:
    return plain(part().get_params(deep=False))


@cache
def _first() -> dict[str, Any]:
    return dict(json.loads(FIRST.read_text()))
