"""What makes a cell the cell it is, as hashes."""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import json
import os
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from retree.experiments.definitions import Method, Protocol
from retree.experiments.provenance import processor
from retree.experiments.splits import OUTER

# Raise it when the meaning of a split or of a metric changes: all stored cells become stale.
CELL_VERSION = 1


class Parts(NamedTuple):
    """The four things a cell's key is made of, apart from its place in the split.

    Attributes
    ----------
    data : str
        Hash of the data set's content.
    protocol : str
        The fields of the protocol that decide the split, as JSON.
    parameters : str
        Estimator and full parameters, as JSON.
    code : str
        Hash of the source the estimator is made of.
    """

    data: str
    protocol: str
    parameters: str
    code: str


def canonical(value: Any) -> str:
    """Return `value` as JSON text that does not depend on the order of keys."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def protocol_text(protocol: Protocol, inner: int) -> str:
    """Return the fields of `protocol` that decide the split, as JSON; if alone, the machine too."""
    machine = {"alone": f"{processor()}, {os.cpu_count()} cores"} if protocol.alone else {}
    if protocol.folds == 1:
        return canonical({"folds": 1, "seed": protocol.seed, **machine})
    fields = ["folds", "stratified", "shuffle", "seed"]
    fields += ["inner_folds"] if inner != OUTER else []
    return canonical({name: getattr(protocol, name) for name in fields} | machine)


def cell_seed(parts: Parts, repeat: int, fold: int, inner: int) -> int:
    """Return the cell's seed, in [0, 2**31). It does not move when the code is edited."""
    digest = _digest(parts.data, parts.protocol, parts.parameters, repeat, fold, inner)
    return int(digest[:8], 16) % 2**31


def cell_key(parts: Parts, repeat: int, fold: int, inner: int) -> str:
    """Return the cell's key: a sha256 over all that its result depends on, its seed included."""
    seed = cell_seed(parts, repeat, fold, inner)
    return _digest(CELL_VERSION, *parts, repeat, fold, inner, seed)


@cache
def code_hash(module: str) -> str:
    """Return the hash of the source that the estimators of `module` are made of.

    It covers the module and, transitively, every module of the same top-level package that it
    imports outside of functions: an import inside a function serves presentation, not growing.
    Comments, docstrings and layout do not count.
    """
    sources = {name: _normalised(name) for name in sorted(_closure(module))}
    return _digest(canonical(sources))


def _digest(*parts: Any) -> str:
    return hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()


def _closure(module: str) -> set[str]:
    package, found, todo = module.partition(".")[0], set(), [module]
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo += [i for i in _imports(name) if i.partition(".")[0] == package]
    return found


@cache
def _source(module: str) -> Path | None:
    """Return the file of `module`, None if there is no such module."""
    try:
        spec = importlib.util.find_spec(module)
    except ModuleNotFoundError:
        return None
    return Path(spec.origin) if spec and spec.origin and spec.origin.endswith(".py") else None


def _parse(module: str) -> ast.Module:
    source = _source(module)
    return ast.parse(source.read_bytes() if source else b"")


def _imports(module: str) -> Iterator[str]:
    """Yield the modules that `module` imports outside of functions and classes."""
    todo: list[ast.stmt] = list(_parse(module).body)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from _imported_from(module, node)
        elif isinstance(node, ast.If) and not _is_type_checking(node):
            todo += [*node.body, *node.orelse]
        elif isinstance(node, ast.Try):
            handlers = [statement for handler in node.handlers for statement in handler.body]
            todo += [*node.body, *handlers, *node.orelse, *node.finalbody]


def _imported_from(module: str, node: ast.ImportFrom) -> Iterator[str]:
    source = _source(module)
    is_package = source is not None and source.name == "__init__.py"
    base = node.module or ""
    if node.level:
        package = module if is_package else module.rpartition(".")[0]
        base = importlib.util.resolve_name("." * node.level + base, package)
    for alias in node.names:
        # "from package import module" needs the module, not all that the package gathers.
        submodule = f"{base}.{alias.name}"
        same = submodule.partition(".")[0] == module.partition(".")[0]
        yield submodule if same and _source(submodule) else base


def _is_type_checking(node: ast.If) -> bool:
    return "TYPE_CHECKING" in ast.unparse(node.test)


def _normalised(module: str) -> str:
    """Return the source of `module` without comments, docstrings and layout."""
    tree = _parse(module)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            documented = ast.get_docstring(node, clean=False) is not None
            node.body = (node.body[1:] or [ast.Pass()]) if documented else node.body
    return ast.unparse(tree)


def parameters_text(method: Method, point: Mapping[str, Any]) -> str:
    """Return estimator and full parameters of a grid point of `method` as JSON."""
    how = {"transductive": True} if method.transductive else {}
    return canonical({"estimator": method.estimator, **how, **method.params, **point})
