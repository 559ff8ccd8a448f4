"""What a module imports, and its source as it counts for results."""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import retree
from retree_lab.study.own_sources import normalised, siblings


def import_closure(module: str) -> set[str]:
    """Return `module` and what it imports of its package outside of functions, transitively.

    An import inside a function serves presentation, not growing. A study's file, which is named by
    its path, leads to the files beside it and to retree.
    """
    package, found, todo = _package(module), set(), [module]
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo += [i for i in _imports(name) if _package(i) == package]
    return found


def _package(module: str) -> str:
    """Return the top-level package of `module`; retree and its laboratory count as one."""
    top = module.partition(".")[0]
    return retree.__name__ if module.endswith(".py") or top == "retree_lab" else top


@cache
def _source(module: str) -> Path | None:
    """Return the file of `module`, None if there is no such module."""
    if module.endswith(".py"):
        return Path(module)
    try:
        spec = importlib.util.find_spec(module)
    except ModuleNotFoundError:
        return None
    return Path(spec.origin) if spec and spec.origin and spec.origin.endswith(".py") else None


def _parse(module: str) -> ast.Module:
    source = _source(module)
    return ast.parse(source.read_bytes() if source else b"")


@cache
def _imports(module: str) -> frozenset[str]:
    """Return the modules that `module` imports outside of functions and classes."""
    return frozenset(_iterate_imports(module))


def _iterate_imports(module: str) -> Iterator[str]:
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
    if node.level and module.endswith(".py"):
        yield from map(str, siblings([node], Path(module)))
        return
    is_package = source is not None and source.name == "__init__.py"
    base = node.module or ""
    if node.level:
        package = module if is_package else module.rpartition(".")[0]
        base = importlib.util.resolve_name("." * node.level + base, package)
    for alias in node.names:
        # "from package import module" needs the module, not all that the package gathers.
        submodule = f"{base}.{alias.name}"
        if base == retree.__name__:
            submodule = retree._HOMES.get(alias.name, submodule)
        same = _package(submodule) == _package(module)
        yield submodule if same and _source(submodule) else base


def _is_type_checking(node: ast.If) -> bool:
    return "TYPE_CHECKING" in ast.unparse(node.test)


@cache
def normalised_source(module: str) -> str:
    """Return the source of `module` without comments, docstrings, layout and versions."""
    tree = _parse(module)
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            node.decorator_list = [each for each in node.decorator_list if not _declares(each)]
    return normalised(tree)


def _declares(decorator: ast.expr) -> bool:
    """Whether a decorator names an estimator and its version."""
    return isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "declare"
