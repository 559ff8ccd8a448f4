"""What results depend on besides their keys: sources and libraries, as a fingerprint.

A cell's key leaves the source code out, so that code can be cleaned up without computing anything
again. That nothing moved by it is shown by `retree verify`, which notes the fingerprint of each
estimator whose cells came out as stored; where today's differs, its results are unverified.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from posixpath import dirname, join, normpath

from retree.datasets.files import write_atomically
from retree.engine import sources
from retree.errors import RetreeError
from retree.provenance import now, provenance
from retree.study.registry import find_estimator

FILE = "verified.json"
LIBRARIES = ("numpy", "scipy", "scikit-learn", "pandas")
# What every cell passes through. That data come out as before is in the hash of their content.
COMMON = (
    "retree.java_random",
    "retree.study.registry",
    "retree.study.scorers",
    "retree.experiments.planning.splits",
    "retree.experiments.planning.weka_folds",
    "retree.experiments.planning.keys",
    "retree.experiments.storing.outcome",
    "retree.experiments.storing.digest",
    "retree.experiments.running.batches",
    "retree.experiments.running.compute",
    "retree.experiments.running.responses",
)
# A line for each estimator with its version, which stands apart from the sources.
_VERSIONS = "ESTIMATORS"
DIGITS = 16


@dataclass(frozen=True)
class Fingerprint:
    """What the results of an estimator depend on besides its parameters and data.

    Attributes
    ----------
    sources : str
        Hash of its modules, of its part of the engine and of what every cell passes through.
    libraries : dict of str to str
        Versions of the libraries that compute.
    """

    sources: str
    libraries: Mapping[str, str]

    def difference(self, earlier: Fingerprint) -> str:
        """Return what changed since `earlier`, "" if nothing did."""
        moved = ["sources changed"] if self.sources != earlier.sources else []
        for name in sorted({*self.libraries, *earlier.libraries}):
            then, today = earlier.libraries.get(name), self.libraries.get(name)
            moved += [f"{name} {then} -> {today}"] if then != today else []
        return ", ".join(moved)


@dataclass(frozen=True)
class Verified:
    """That cells of an estimator came out as stored.

    Attributes
    ----------
    fingerprint : Fingerprint
        With these sources and libraries.
    version : int or str
        The estimator's version.
    date, commit, machine : str or None
        When, from what commit, and on what processor.
    cells : int
        How many cells were compared.
    papers : list of str
        Of which papers.
    kernels : str or None
        What the libraries chose on the processor; older notes do not say it.
    """

    fingerprint: Fingerprint
    version: int | str
    date: str
    commit: str | None
    machine: str | None
    cells: int
    papers: list[str]
    kernels: str | None = None


def fingerprint(name: str) -> Fingerprint:
    """Return today's fingerprint of the estimator called `name` in the registry."""
    registered = find_estimator(name)
    return _fingerprint(registered.target, isinstance(registered.version, int))


def read_verified(path: Path) -> dict[str, Verified]:
    """Return what is noted in the file at `path` by estimator; nothing if there is no file.

    Raises
    ------
    RetreeError
        If the file is not one that `note_verified` wrote.
    """
    if not path.exists():
        return {}
    try:
        content = json.loads(path.read_text())
        return {
            name: Verified(**{**entry, "fingerprint": Fingerprint(**entry["fingerprint"])})
            for name, entry in content.items()
        }
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise RetreeError(
            f"{path} cannot be read ({error}): restore it with git checkout, or delete it and run "
            "retree verify."
        ) from error


def note_verified(compared: Mapping[str, int], papers: Iterable[str], path: Path) -> None:
    """Note in the file at `path` that cells came out as stored.

    Parameters
    ----------
    compared : dict of str to int
        How many cells of each estimator.
    papers : iterable of str
        Of which papers.
    path : Path
        Other estimators that it names stay as they are.
    """
    run = provenance()
    commit = f"{run['commit']}{' with uncommitted changes' if run['dirty'] else ''}"
    entries = read_verified(path)
    for name, count in compared.items():
        entries[name] = Verified(
            fingerprint=fingerprint(name),
            version=find_estimator(name).version,
            date=now()[:10],
            commit=None if run["commit"] is None else commit,
            machine=run["cpu"],
            cells=count,
            papers=sorted(papers),
            kernels=", ".join(filter(None, (run["blas"], run["simd"]))) or None,
        )
    content = {name: asdict(entry) for name, entry in sorted(entries.items())}
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, (json.dumps(content, indent=1, sort_keys=True) + "\n").encode())


def unverified(estimators: Iterable[str], committed: Path | None) -> list[str]:
    """Return a sentence for each of `estimators` whose results are not known to come out today.

    Parameters
    ----------
    estimators : iterable of str
        Names in the registry.
    committed : Path or None
        The folder of the committed results. Where it has no file ``verified.json``, no results are
        known, and there is nothing to say.
    """
    known = {} if committed is None else read_verified(committed / FILE)
    sentences = (_unverified(name, known.get(name)) for name in sorted(set(estimators)))
    return [sentence for sentence in sentences if known and sentence]


def _unverified(name: str, known: Verified | None) -> str:
    """Return why the results of an estimator are unverified, "" if they are verified."""
    if known is None:
        return f"{name}: never verified"
    version = find_estimator(name).version
    moved = [f"version {known.version} -> {version}"] if version != known.version else []
    moved += [text] if (text := fingerprint(name).difference(known.fingerprint)) else []
    return f"{name}: unverified since {known.date} ({', '.join(moved)})" if moved else ""


def engine_sources(modules: Iterable[str]) -> dict[str, str]:
    """Return the hashes of the files of the compiled engine that `modules` call, by file.

    A room of Python calls the folder of the same name in ``src/engine``, and all need its core.
    What a folder includes leads to further folders: a header's functions stand beside it.
    """
    files = sources()
    needs: dict[str, set[str]] = {_room(name): set() for name in files}
    for name, source in files.items():
        needs[_room(name)].update(_room(_included(text, name, files)) for text in source.includes)
    todo = needs.keys() & {part for module in modules for part in module.split(".")}
    todo |= {"core", "include"}
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
    found = next((place for place in places if place in files), None)
    if found is None:
        raise RetreeError(f"src/engine/{file} includes {text}, which is not there: correct it.")
    return found


@cache
def _fingerprint(target: str, declared: bool) -> Fingerprint:
    # The version of another package stands for its sources.
    own = _closure(target.rpartition(":")[0]) if declared else set()
    modules = {*own, *COMMON}
    # A study's own file goes by its name: a copy of the study elsewhere is the same.
    python = {name.rpartition("/")[2]: _normalised(name) for name in sorted(modules)}
    text = json.dumps(python | engine_sources(modules), sort_keys=True)
    libraries = {name: metadata.version(name) for name in LIBRARIES}
    return Fingerprint(hashlib.sha256(text.encode()).hexdigest()[:DIGITS], libraries)


def _closure(module: str) -> set[str]:
    """Return `module` and what it imports of its package outside of functions, transitively.

    An import inside a function serves presentation, not growing.
    """
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


@cache
def _normalised(module: str) -> str:
    """Return the source of `module` without comments, docstrings, layout and versions."""
    tree = _parse(module)
    tree.body = [node for node in tree.body if not _is_table_of_versions(node)]
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            documented = ast.get_docstring(node, clean=False) is not None
            node.body = (node.body[1:] or [ast.Pass()]) if documented else node.body
    return ast.unparse(tree)


def _is_table_of_versions(node: ast.stmt) -> bool:
    return isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == _VERSIONS
