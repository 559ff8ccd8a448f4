"""Errors with a message for the user: one sentence that says how to fix the problem."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager


class RetreeError(Exception):
    """Base class of retree's own errors; the command line prints their message without a traceback.

    `is_usage`: whether the command, or a file that it reads, is wrong: the exit code is then 2.
    """

    is_usage = False


class UnknownNameError(RetreeError, KeyError):
    """The name of a data set, paper, item, method or source that does not exist."""

    is_usage = True

    def __str__(self) -> str:
        return str(self.args[0])


class DataError(RetreeError):
    """A data set that is unavailable, or that differs from its entry in the catalogue."""


class AwayError(DataError):
    """A data set that no reachable source has."""


class RefusedError(DataError):
    """Content that differs from the catalogue or from the bundled data set."""


class StoreError(RetreeError):
    """A store of cells that cannot be opened, read or written."""


@contextmanager
def as_usage() -> Iterator[None]:
    """Count the errors raised inside as wrong usage."""
    try:
        yield
    except RetreeError as error:
        error.is_usage = True
        raise


# Which command lists all names of a kind.
_LISTS = {
    "data set": "retree data list --all",
    "method": "retree methods",
    "metric": "retree metrics",
}
# More names than an error says, and more characters of a value.
_MOST, _LONGEST = 40, 80


def brief(value: object) -> str:
    """Return the repr of a value, shortened if it is long."""
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def unknown_name(kind: str, name: str, valid: Iterable[str]) -> UnknownNameError:
    """Return the error for an unknown `name`, with the nearest valid names first."""
    valid, kind = sorted({str(name) for name in valid}), re.sub(r"\bdataset\b", "data set", kind)
    what = f"Unknown {kind}{':' * (' of ' in kind or ' in ' in kind)} {brief(name)}."
    folded = {v.casefold(): v for v in reversed(valid)}
    near = [folded[n] for n in difflib.get_close_matches(name.casefold(), folded, n=3, cutoff=0.5)]
    hint = f" Did you mean {' or '.join(repr(n) for n in near)}?" if near else ""
    if len(valid) > _MOST:
        if not near:
            nearest = difflib.get_close_matches(name.casefold(), valid, n=3, cutoff=0.0)
            hint = f" The nearest of {len(valid)} are {', '.join(map(repr, nearest))}."
        hint += f" {_LISTS[kind]} shows all." if kind in _LISTS else ""
        return UnknownNameError(f"{what}{hint}")
    return UnknownNameError(f"{what}{hint} Valid ones are: {', '.join(valid) or '(none)'}.")


def refuse_unknown(kind: str, valid: Collection[str], *names: str) -> None:
    """Raise an `unknown_name` error for the first of `names` that is not valid."""
    for name in names:
        if name not in valid:
            raise unknown_name(kind, name, valid)


EXTRAS = {
    "plot": ("matplotlib",),
    "lab": ("arff", "hydra", "omegaconf", "openml", "requests", "retree_lab", "rich",
            "threadpoolctl", "yaml"),
    "site": ("docutils", "furo", "jinja2", "myst_parser", "numpydoc", "pygments", "sphinx"),
    "dask": ("distributed",),
    "interop": ("onnx", "shap"),
}  # fmt: skip
_EXTRA_OF = {package: extra for extra, packages in EXTRAS.items() for package in packages}


class MissingExtraError(RetreeError, ImportError):
    """A package is missing that only an extra of retree installs."""

    is_usage = True


@contextmanager
def needs_extra(what: str) -> Iterator[None]:
    """Say which extra to install if a package that is imported inside is missing.

    `what`: what needs it, as the message puts it: "drawing a tree", "the command retree".
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if (extra := _EXTRA_OF.get(package)) is None:
            raise
        text = f"{what} needs {package}, which is not installed: run pip install 'retree[{extra}]'."
        raise MissingExtraError(text[0].upper() + text[1:]) from error
