"""OpenML, by its interface: descriptions in XML, data and splits in ARFF."""

from __future__ import annotations

import hashlib
import io
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import requests

from retree.errors import DataError
from retree.weka_folds import openml_fold
from retree_lab import paths
from retree_lab.datasets.arff import read_arff
from retree_lab.datasets.sources.web import BoundedSession, TooMuchError, require
from retree_lab.plain_files import write_atomically

VARIABLE = "OPENML_SERVER"
SERVER = "https://www.openml.org/api/v1/xml"
_TRIES, _PAUSE = 2, 1.0
_NAMES = {"": "http://openml.org/openml"}
# The codes of answers that say that there is no such set, or task.
_UNKNOWN = ("111", "151")
_CLASSIFICATION = "1"


class _AnswerError(Exception):
    """An answer that has not what was asked for: why, and what to do."""

    def __init__(self, why: str) -> None:
        super().__init__(f"{why}; try again later")


class _UnknownError(Exception):
    """A set or a task that the server does not have."""


def address() -> str:
    """Return the server's XML interface: ``OPENML_SERVER``, else the public one."""
    return (os.environ.get(VARIABLE) or SERVER).rstrip("/")


def kept(name: str, ask: Callable[[], pd.DataFrame]) -> Path:
    """Return the file of a table in the data folder, which is fetched once and then kept."""
    path = paths.data_dir() / "cache" / f"openml-{name}.parquet"
    if not path.exists():
        content = io.BytesIO()
        ask().to_parquet(content)
        write_atomically(path, content.getvalue())
    return path


def _address() -> str:
    """Return the server's interface, after it was seen that it answers."""
    require("openml", address(), f"check the network or {VARIABLE}")
    return address()


def fetch(name: str, options: Mapping[str, Any]) -> pd.DataFrame:
    """Return the whole table of the OpenML set ``options["id"]``, ignored and id columns too."""
    server, number = _address(), int(options["id"])
    with _explained(f"OpenML set {number} ({name})", server, "set", "use another source"):
        about = _described(f"{server}/data/{number}")
        return read_arff(_data(about), "its file")


def fetch_task(number: int) -> pd.DataFrame:
    """Return the table of an OpenML task, its classes last, with the file's order of levels.

    Its split is compared with the one that is made from these data.

    Raises
    ------
    DataError
        If the server does not give it, it is no classification, or its split cannot be made.
    """
    server = _address()
    how = f"OpenML task {number}", server, "task", "look for its number on openml.org"
    with _explained(*how):
        task = _described(f"{server}/task/{number}")
        is_classification = _text(task, "task_type_id") == _CLASSIFICATION
        kind = _text(task, ".//estimation_procedure/type")
    if not is_classification:
        raise DataError(f"Task {number} is no classification; name another task.")
    if kind != "crossvalidation":
        raise DataError(
            f"Task {number} is scored by {kind}, and only the splits of cross-validations can be "
            "made here; name another task."
        )
    with _explained(*how):
        about = _described(f"{server}/data/{_text(task, './/data_set_id')}")
        table = read_arff(_data(about), f"The file of task {number}")
        split = read_arff(_get(_text(task, ".//data_splits_url")), "its split")
        target = _text(task, ".//target_feature")
        parameters = {p.get("name"): p.text for p in task.iterfind(".//parameter", _NAMES)}
        sizes = [int(str(parameters[f"number_{what}"])) for what in ("repeats", "folds")]
    names = (about.findall(f"{kind}_attribute", _NAMES) for kind in ("row_id", "ignore"))
    left = {each.text for every in names for each in every}
    table = table.drop(columns=[name for name in table if name in left])
    if target not in table:
        raise DataError(f"The file of task {number} has no column {target!r}.")
    table = table[[*table.columns.drop(target), target]]
    _compare_split(number, split, table[target], *sizes)
    return table


def _compare_split(
    number: int, split: pd.DataFrame, y: pd.Series, repeats: int, folds: int
) -> None:
    """Refuse a task whose split is another than the one made from its classes."""
    codes = pd.Categorical(y).codes
    groups = split.groupby(["repeat", "fold", "type"], observed=True)["rowid"]
    rows = {place: part.to_numpy(np.intp) for place, part in groups}
    nothing = np.zeros(0, np.intp)
    for repeat, fold in product(range(repeats), range(folds)):
        theirs = [rows.get((repeat, fold, part), nothing) for part in ("TRAIN", "TEST")]
        ours = openml_fold(codes, folds, repeat, fold, 0, True)
        if not all(np.array_equal(a, b) for a, b in zip(ours, theirs, strict=True)):
            raise DataError(
                f"The split of task {number} is not the one that OpenML's rule gives for its data "
                f"(repeat {repeat}, fold {fold}); write its folds to a csv and name it by "
                "splitter: file."
            )


def _described(place: str) -> ElementTree.Element:
    return ElementTree.fromstring(_get(place))


def _text(about: ElementTree.Element, path: str) -> str:
    text = about.findtext(path, None, _NAMES)
    if text is None:
        raise _AnswerError(f"the server's answer has no {path.rpartition('/')[2]}")
    return text.strip()


def _data(about: ElementTree.Element) -> bytes:
    """Return the file of a set as it is described, if it has the checksum."""
    content = _get(_text(about, "url"))
    # A checksum of transport, which the server announces by MD5 alone.
    digest = hashlib.md5(content, usedforsecurity=False).hexdigest()
    if digest != (about.findtext("md5_checksum", None, _NAMES) or digest):
        raise _AnswerError("the file does not have its announced checksum")
    return content


def _get(place: str) -> bytes:
    """Return an answer of the server, which is asked once more if it fails."""
    for left in reversed(range(_TRIES)):
        try:
            reply = BoundedSession().get(place)
        except TooMuchError:
            raise
        except requests.RequestException:
            if not left:
                raise
        else:
            if reply.ok:
                return reply.content
            code, message = _complaint(reply)
            if code in _UNKNOWN:
                raise _UnknownError(message)
            if not left:
                raise _AnswerError(f"the server answers with an error ({message})")
        time.sleep(_PAUSE)
    raise AssertionError


def _complaint(reply: requests.Response) -> tuple[str, str]:
    """Return code and message of an answer that says why there is none."""
    try:
        about = ElementTree.fromstring(reply.content)
    except ElementTree.ParseError:
        return "", f"status {reply.status_code}"
    return about.findtext("code", "", _NAMES), about.findtext("message", "", _NAMES)


@contextmanager
def _explained(asked: str, server: str, what: str, other: str) -> Iterator[None]:
    """Let errors say what went wrong and what to do; `other`: if the server has no such thing."""
    try:
        yield
        return
    except _UnknownError as error:
        cause: Exception = error
        why = f"the server does not know this {what} ({error}); {other}"
    except _AnswerError as error:
        cause, why = error, str(error)
    except TooMuchError as error:
        cause, why = error, f"{error}; {other}"
    except requests.RequestException as error:
        cause = error
        why = f"no connection ({type(error).__name__}); check the network or {VARIABLE}"
    except ElementTree.ParseError as error:
        cause, why = error, f"the server answers with an error (no XML: {error}); try again later"
    except (DataError, ValueError, LookupError, TypeError) as error:
        cause, kind = error, "" if isinstance(error, DataError) else f"{type(error).__name__}: "
        why = f"the content cannot be used ({kind}{error}); try again later or another source"
    raise DataError(f"{asked} could not be fetched from {server}: {why}.") from cause
