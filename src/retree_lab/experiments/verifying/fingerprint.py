"""Fingerprints of the sources and libraries that results depend on beyond their keys.

A cell's key leaves the source code out, so that code can be cleaned up without computing anything
again. That nothing moved by it is shown by `retree verify`.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from posixpath import dirname, join, normpath

import retree
from retree.engine import sources
from retree.errors import RetreeError
from retree_lab.study.own_sources import normalised, siblings
from retree_lab.study.registry import STATE, find_estimator


def import_closure(module: str) -> set[str]:
    """Return `module` and what it imports of its package outside of functions, transitively.

    An import inside a function serves presentation, not growing. A study's file, which is named by
    its path, leads to the files beside it and to retree.
    """
    package, modules, todo = _package(module), set(), [module]
    while todo:
        name = todo.pop()
        if name not in modules:
            modules.add(name)
            todo += [i for i in _imports(name) if _package(i) == package]
    return modules


def _package(module: str) -> str:
    """Return the top-level package of `module`; retree and its laboratory count as one."""
    top = module.partition(".")[0]
    return retree.__name__ if module.endswith(".py") or top == "retree_lab" else top


@cache
def _source(module: str) -> Path | None:
    """Return the file of `module`, None if it does not exist."""
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
    """Return whether a decorator names an estimator and its version."""
    return isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "declare"


LIBRARIES = ("numpy", "scipy", "scikit-learn", "pandas")
# What every cell passes through. That data come out as before is in the hash of their content.
COMMON = (
    "retree.java_random",
    "retree_lab.study.importing",
    "retree_lab.study.registry",
    "retree_lab.study.scorers",
    "retree_lab.experiments.definition.protocol",
    "retree_lab.experiments.planning.splits",
    "retree.weka_folds",
    "retree_lab.experiments.planning.keys",
    "retree_lab.experiments.storing.outcomes",
    "retree_lab.experiments.running.batches",
    "retree_lab.experiments.running.compute",
    "retree_lab.experiments.running.responses",
)
DIGITS = 16


@dataclass(frozen=True)
class Fingerprint:
    """The sources and libraries that the results of an estimator depend on."""

    # Hash of its modules, of its part of the engine and of what every cell passes through.
    sources: str
    libraries: Mapping[str, str]  # Versions of the libraries that compute

    def difference(self, earlier: Fingerprint) -> str:
        """Return the changes since `earlier`, "" without any."""
        moved = ["sources changed"] if self.sources != earlier.sources else []
        for name in sorted({*self.libraries, *earlier.libraries}):
            then, today = earlier.libraries.get(name), self.libraries.get(name)
            moved += [f"{name} {then} -> {today}"] if then != today else []
        return ", ".join(moved)


def fingerprint(name: str) -> Fingerprint:
    """Return today's fingerprint of the estimator called `name` in the registry."""
    registered = find_estimator(name)
    declared = isinstance(registered.version, int) or registered.version.startswith(STATE)
    return _fingerprint(registered.target, declared)


def engine_sources(modules: Iterable[str]) -> dict[str, str]:
    """Return the hashes of the files of the compiled engine that `modules` call, by file.

    A room of Python calls the folder of the same name in ``src/engine``. All need its core, and the
    criteria of CART, by whose gains nodes are kept.
    What a folder includes leads to further folders: a header's functions stand beside it.
    """
    files = sources()
    needs: dict[str, set[str]] = {_room(name): set() for name in files}
    for name, source in files.items():
        needs[_room(name)].update(_room(_included(text, name, files)) for text in source.includes)
    todo = needs.keys() & {part for module in modules for part in module.split(".")}
    todo |= {"cart", "core", "include"}
    rooms: set[str] = set()
    while todo:
        rooms |= todo
        todo = set().union(*(needs[room] for room in todo)) - rooms
    return {name: source.digest for name, source in files.items() if _room(name) in rooms}


def _room(file: str) -> str:
    return file.partition("/")[0]


def _included(text: str, file: str, files: Collection[str]) -> str:
    """Return the file that `file` includes as `text`, as the compiler finds it."""
    places = (normpath(join(folder, text)) for folder in (dirname(file), "", "include"))
    header = next((place for place in places if place in files), None)
    if header is None:
        raise RetreeError(f"src/engine/{file} includes {text}, which is not there: correct it.")
    return header


@cache
def _fingerprint(target: str, declared: bool) -> Fingerprint:
    # The version of another package stands for its sources.
    closure = import_closure(target.rpartition(":")[0]) if declared else set()
    modules = {*closure, *COMMON}
    # A study's own file goes by its name: a copy of the study elsewhere is the same.
    python = {name.rpartition("/")[2]: normalised_source(name) for name in sorted(modules)}
    text = json.dumps(python | engine_sources(modules), sort_keys=True)
    libraries = {name: metadata.version(name) for name in LIBRARIES}
    return Fingerprint(hashlib.sha256(text.encode()).hexdigest()[:DIGITS], libraries)
