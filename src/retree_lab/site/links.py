"""Where the pages of methods, estimators, folds and source files are, from the root of the site."""

from __future__ import annotations

import ast
import inspect
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import retree
from retree_lab import paths
from retree_lab.experiments.definition.method import Method
from retree_lab.reports.document import (
    Reference,
    ToAddress,
    ToCommit,
    ToEstimator,
    ToMethod,
    ToSource,
    ToTest,
)
from retree_lab.site.rendered_papers import method_of
from retree_lab.study.available import available, method_home
from retree_lab.study.folders import opened
from retree_lab.study.importing import import_estimator

STANDS_FOR = "stands_for"


@cache
def load_methods() -> Mapping[str, Method]:
    """Return all configured methods of retree and its papers by key, none of opened studies."""
    own = (key for key in available("method") if method_home(key) not in opened())
    return {key: method_of(key) for key in own}


def own_pages(methods: Mapping[str, Method]) -> dict[str, Method]:
    """Return the methods that have a page: all but the interpretations of one that has."""
    names = {method.name for method in methods.values()}
    return {
        key: method for key, method in methods.items() if method.about.get(STANDS_FOR) not in names
    }


@cache
def method_page(key: str) -> str | None:
    """Return the page of a method; for an interpretation, of the method that it stands for."""
    methods = load_methods()
    if key not in methods:
        return None
    pages = own_pages(methods)
    wanted = methods[key].about.get(STANDS_FOR)
    page = key if key in pages else next(k for k, m in methods.items() if m.name == wanted)
    return f"methods/{page}.html"


def api_page(thing: Any) -> str | None:
    """Return the page of an estimator, None if it cannot be imported from ``retree``."""
    name = thing.__name__
    return f"api/{name}.html" if getattr(retree, name, None) is thing else None


def find(reference: Reference) -> str | None:
    """Return where in the site, or on the web, something is that is of no paper, or None."""
    match reference:
        case ToAddress(address):
            return address
        case ToMethod(key):
            return method_page(key)
        case ToEstimator(target):
            return api_page(import_estimator(target))
        case ToSource(target):
            return source_of(import_estimator(target))
        case ToTest(node):
            return source_of_test(node)
        case ToCommit(commit):
            return commit_page(commit)
    return None


def source_file(thing: Any) -> Path | None:
    """Return the file of a class or function from the project's folder, None if it is outside.

    What is installed is outside, also in a virtual environment that stands in the folder.
    """
    path, root = _file_of(thing), paths.project_dir()
    is_own = path.is_relative_to(root) and "site-packages" not in path.parts
    return path.relative_to(root) if is_own else None


@cache
def _file_of(thing: Any) -> Path:
    return Path(inspect.getfile(thing)).resolve()


def source_page(file: Path, line: int) -> str:
    """Return the place of a line of a source file, which is relative to the project's folder."""
    return f"source/{file.with_suffix('.html').as_posix()}#L-{line}"


def source_of(thing: Any) -> str | None:
    """Return the place where a class or function is defined, None outside a checkout."""
    file = source_file(thing)
    if file is None:
        return None
    return source_page(file, _definitions(paths.project_dir() / file)[thing.__name__])


def source_of_test(node: str) -> str | None:
    """Return the place of a test, given as pytest names it; None if it is not there."""
    name, _, function = node.partition("::")
    path = paths.project_dir() / name
    return source_page(Path(name), _definitions(path)[function]) if path.is_file() else None


@cache
def _definitions(path: Path) -> Mapping[str, int]:
    """Return the first lines of the functions and classes of a file."""
    kinds = (ast.FunctionDef, ast.ClassDef)
    statements = ast.parse(path.read_text()).body
    return {found.name: found.lineno for found in statements if isinstance(found, kinds)}


@cache
def repository() -> str | None:
    """Return the address of the repository in ``pyproject.toml``, None if there is none."""
    return _project_url("Repository")


def install_line() -> str:
    """Return the command that installs the estimators."""
    address = repository()
    return f"pip install git+{address}" if address else "pip install .  # in a clone"


@cache
def home() -> str | None:
    """Return the address of the site in ``pyproject.toml``, None if there is none."""
    return _project_url("Documentation")


def _project_url(name: str) -> str | None:
    path = paths.project_dir() / "pyproject.toml"
    project = tomllib.loads(path.read_text())["project"] if path.is_file() else {}
    found = project.get("urls", {}).get(name)
    return None if found is None else str(found).rstrip("/")


def commit_page(commit: str) -> str | None:
    """Return the page of a commit in the repository, None if the repository is not known."""
    return None if repository() is None else f"{repository()}/commit/{commit}"
