"""The state of a study's own Python: what a definition in one of its files depends on, as a hash.

It covers the statements of the file that a class or function needs, directly or through others, and
whatever those import from the study. Comments, docstrings, layout and the place of the study are no
part of it. What code reads when it runs, as a file of numbers, is not seen.
"""

from __future__ import annotations

import ast
import hashlib
import os
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

DIGITS = 12
# Code that may reach definitions without naming them: all of its file counts then.
_DYNAMIC = {
    *("globals", "vars", "eval", "exec", "getattr", "__import__", "import_module"),
    *("__init_subclass__", "__subclasses__", "metaclass"),
}
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_BINDINGS = (*_DEFINITIONS, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Import, ast.ImportFrom)
Stamps = tuple[tuple[str, int], ...]


def find_stamps(folder: str | os.PathLike[str]) -> Stamps:
    """Return the Python files in `folder` and its packages with the times of their last changes."""
    # It is asked after every batch of cells, and `Path.glob` takes five times as long.
    stamps: list[tuple[str, int]] = []
    with os.scandir(folder) as listing:
        entries = list(listing)
    if not any(entry.name == "pyvenv.cfg" for entry in entries):
        for entry in entries:
            if entry.name.endswith(".py"):
                stamps.append((entry.path, entry.stat().st_mtime_ns))
            elif entry.name.isidentifier() and entry.is_dir(follow_symlinks=False):
                stamps += find_stamps(entry.path)
    return tuple(sorted(stamps))


def folder_hash(folder: Path) -> str:
    """Return a hash of the Python files in `folder` and its packages, "" if there are none."""
    return _folder_hash(folder, find_stamps(folder) if folder.is_dir() else ())


@lru_cache(maxsize=256)
def _folder_hash(folder: Path, stamps: Stamps) -> str:
    digest = hashlib.sha256()
    for path, _ in stamps:
        name = Path(path).relative_to(folder).as_posix()
        digest.update(f"\0{name}\0".encode() + Path(path).read_bytes())
    return digest.hexdigest()[:DIGITS] if stamps else ""


def source_state(file: Path, name: str) -> str:
    """Return a hash of everything that the definition `name` in a study's `file` depends on.

    A file that is not there, or is no Python, has a state too: importing it says what is wrong.
    """
    return _state(file, name, find_stamps(file.parent))


@lru_cache(maxsize=256)
def _state(file: Path, name: str, stamps: Stamps) -> str:
    texts: dict[str, str] = {}
    todo = [(file, name)]
    seen = set()
    while todo:
        path, wanted = place = todo.pop()
        if place in seen or not path.is_file():
            continue
        seen.add(place)
        relative = os.path.relpath(path, file.parent)
        try:
            tree = ast.parse(path.read_bytes())
        except (SyntaxError, ValueError) as error:
            texts[f"{relative} {wanted}"] = str(error)
            continue
        needed = _slice(tree, wanted)
        todo += [(sibling, "") for sibling in siblings(needed, path)]
        texts[f"{relative} {wanted}"] = normalised(ast.Module(needed, []))
    text = "\0".join(f"{place}\0{texts[place]}" for place in sorted(texts))
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


def normalised(tree: ast.Module) -> str:
    """Return the source of `tree`, which is changed, without comments, docstrings and layout."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            documented = bool(node.body) and ast.get_docstring(node, clean=False) is not None
            node.body = (node.body[1:] or [ast.Pass()]) if documented else node.body
    return ast.unparse(tree)


def _slice(tree: ast.Module, name: str) -> list[ast.stmt]:
    """Return the statements of `tree` that the definition called `name` needs, all for ""."""
    if not name or not _DYNAMIC.isdisjoint(_names(tree)):
        return tree.body
    needed, todo = {i for i, node in enumerate(tree.body) if _always(node)}, {name}
    for i in needed:
        todo |= _names(tree.body[i])
    bound: set[str] = set()
    while todo:
        bound |= todo
        binding = {i for i, node in enumerate(tree.body) if bound & _bound(node)} - needed
        needed |= binding
        todo = set().union(*(_names(tree.body[i]) for i in binding)) - bound
    return [tree.body[i] for i in sorted(needed)]


def _always(node: ast.stmt) -> bool:
    """Tell whether a statement does more than to bind names when the file is imported."""
    if isinstance(node, _DEFINITIONS):
        return bool(node.decorator_list)
    is_star = isinstance(node, ast.ImportFrom) and node.names[0].name == "*"
    return is_star or not isinstance(node, _BINDINGS)


def _bound(node: ast.stmt) -> set[str]:
    """Return the names that a statement binds, or whose objects it changes."""
    if isinstance(node, _DEFINITIONS):
        return {node.name}
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return {part.id for t in targets if t for part in ast.walk(t) if isinstance(part, ast.Name)}


def _names(node: ast.AST) -> set[str]:
    """Return all names that stand in `node`: variables, attributes, definitions and keywords."""
    fields = ("id", "attr", "name", "arg")
    values = (getattr(part, field, None) for part in ast.walk(node) for field in fields)
    return {value for value in values if isinstance(value, str)}


def siblings(nodes: list[ast.stmt], file: Path) -> Iterator[Path]:
    """Yield the files of its study that statements of `file` import, packages included."""
    for part in (part for node in nodes for part in ast.walk(node)):
        if not isinstance(part, ast.ImportFrom) or not 0 < part.level <= len(file.parents):
            continue
        for alias in part.names:
            place = file.parents[part.level - 1]
            for name in [*(part.module.split(".") if part.module else []), alias.name]:
                place /= name
                beside = (place.with_name(f"{name}.py"), place / "__init__.py")
                yield from (path for path in beside if path.is_file())
