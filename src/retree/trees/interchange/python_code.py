"""Models as a Python file that needs nothing but Python."""

from __future__ import annotations

import inspect
import math
from typing import Any

from retree.trees.interchange import walker
from retree.trees.interchange.model import Model
from retree.trees.interchange.nodes import (
    EachLevel,
    Nearest,
    Node,
    Oblique,
    Subset,
    Test,
    Threshold,
    nodes_of,
)
from retree.trees.interchange.values import plain_classes, plain_levels

_KINDS = {Threshold: "threshold", Subset: "subset", EachLevel: "level", Oblique: "oblique",
          Nearest: "nearest"}  # fmt: skip


def python_code(model: Model) -> str:
    """Return the source of a Python module that predicts as a model does, row by row.

    Returns with the functions ``predict_proba`` and ``predict``.
    """
    pairs = zip(model.feature_names, model.levels, strict=True)
    levels = [
        None if own is None else {v: k for k, v in enumerate(plain_levels(name, own))}
        for name, own in pairs
    ]
    tables = {
        "FEATURES": model.feature_names,
        "LEVELS": levels,
        "CLASSES": None if model.classes is None else plain_classes(model.classes),
        "COLUMNS": model.columns,
        "N_VALUES": model.values[0].shape[1],
        "WEIGHTS": model.weights.tolist(),
        "TOTAL": model.total,
        "VOTES": model.votes,
    }
    lines = [inspect.getsource(walker), "", *(f"{k} = {_source(v)}" for k, v in tables.items())]
    lines.append("TREES = [")
    for nodes in nodes_of(model):
        lines += ["    [", *(f"        {_source(_row(node))}," for node in nodes), "    ],"]
    return "\n".join([*lines, "]", ""])


def _row(node: Node) -> tuple[Any, ...]:
    """Return a node as the walker takes it."""
    if node.test is None:
        return (node.value,)
    return _test(node.test), node.children, node.parts


def _test(test: Test) -> tuple[Any, ...]:
    if isinstance(test, Nearest):
        columns = tuple(map(tuple, test.columns))
        return _KINDS[type(test)], test.metric, test.gamma, columns, test.centres
    return _KINDS[type(test)], *test


def _source(value: Any) -> str:
    """Return a literal, each float being exactly its number; ASCII only."""
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else f"float('{value}')"
    if isinstance(value, tuple):
        return f"({', '.join(map(_source, value))}{',' * (len(value) == 1)})"
    if isinstance(value, list):
        return f"[{', '.join(map(_source, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_source(k)}: {_source(v)}' for k, v in value.items())}}}"
    return ascii(value)
