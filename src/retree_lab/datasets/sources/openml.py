"""OpenML, through its own client; the only module that knows this client."""

from __future__ import annotations

import io
import logging
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Any
from xml.parsers.expat import ExpatError

import numpy as np
import pandas as pd
import requests

from retree.errors import DataError
from retree.weka_folds import openml_fold
from retree_lab import paths
from retree_lab.datasets.arff import read_arff
from retree_lab.datasets.sources.web import BoundedSession, TooMuchError, require
from retree_lab.plain_files import write_atomically
from retree_lab.scratch import scratch

VARIABLE = "OPENML_SERVER"
SERVER = "https://www.openml.org/api/v1/xml"
_TRIES = 2
# What the server answers with; its client knows the codes of unknown sets alone.
_UNKNOWN_TASK = 151


def address() -> str:
    """Return the server's XML interface: ``OPENML_SERVER``, else the public one."""
    return (os.environ.get(VARIABLE) or SERVER).rstrip("/")


def kept_file(name: str, ask: Callable[[], pd.DataFrame]) -> Path:
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
    number = int(options["id"])
    with _asking("set", f"{number} ({name})", "use another source") as client:
        dataset = client.datasets.get_dataset(number, download_data=True)
        return read_arff(Path(str(dataset.data_file)).read_bytes(), "its file")


def fetch_task(number: int) -> pd.DataFrame:
    """Return the table of an OpenML task, its classes last, with the file's order of levels.

    Its split is compared with the one that is made from these data.

    Raises
    ------
    DataError
        If the server does not give it, it is no classification, or its split cannot be made.
    """
    try:
        with _asking("task", str(number), "look for its number on openml.org"):
            return _download_task(number)
    except NotImplementedError as error:
        raise DataError(f"Task {number} is not a classification; name another task.") from error


@contextmanager
def _asking(what: str, name: str, other: str) -> Iterator[Any]:
    """Yield the client, configured for one fetch of a set or task; failures are one sentence.

    `other`: what to do if the server does not have it.
    """
    # The import is slow and makes folders in the user's home, so only who fetches pays for it.
    import openml
    from arff import ArffException

    server = _address()
    errors = (
        *(requests.RequestException, openml.exceptions.PyOpenMLError, ArffException, ExpatError),
        *(DataError, LookupError, ValueError, TypeError, AttributeError),
    )
    try:
        with _client(openml.config, server):
            yield openml
    except errors as error:
        raise DataError(
            f"OpenML {what} {name} could not be fetched from {server}: "
            f"{_reason(error, what, other)}."
        ) from error


def _download_task(number: int) -> pd.DataFrame:
    from openml.datasets import get_dataset
    from openml.tasks import OpenMLClassificationTask, OpenMLLearningCurveTask, get_task

    task = get_task(number, download_splits=False, download_data=True, download_qualities=False)
    if not isinstance(task, OpenMLClassificationTask) or isinstance(task, OpenMLLearningCurveTask):
        raise NotImplementedError
    procedure = task.estimation_procedure
    kind, parameters = procedure["type"], procedure["parameters"] or {}
    if kind != "crossvalidation":
        raise DataError(
            f"Task {number} is scored by {kind}, and only the splits of cross-validations can be "
            "made here; name another task."
        )
    data = get_dataset(task.dataset_id, download_data=True, download_qualities=False)
    table = read_arff(Path(str(data.data_file)).read_bytes(), f"The file of task {number}")
    left = [data.row_id_attribute, *(data.ignore_attribute or ())]
    table = table.drop(columns=[name for name in left if name in table])
    if task.target_name not in table:
        raise DataError(f"The file of task {number} has no column {task.target_name!r}.")
    table = table[[*table.columns.drop(task.target_name), task.target_name]]
    task.download_split()
    folds, repeats = int(parameters["number_folds"]), int(parameters["number_repeats"])
    _compare_split(number, task, table.iloc[:, -1], repeats, folds)
    return table


def _compare_split(number: int, task: Any, y: pd.Series, repeats: int, folds: int) -> None:
    """Refuse a task whose split is another than the one made from its classes."""
    codes = pd.Categorical(y).codes
    for repeat, fold in product(range(repeats), range(folds)):
        theirs = task.get_train_test_split_indices(fold=fold, repeat=repeat)
        ours = openml_fold(codes, folds, repeat, fold, 0, True)
        if not all(np.array_equal(a, b) for a, b in zip(ours, theirs, strict=True)):
            raise DataError(
                f"The split of task {number} is not the one that OpenML's rule gives for its data "
                f"(repeat {repeat}, fold {fold}); write its folds to a csv and name it by "
                "splitter: file."
            )


def _reason(error: Exception, what: str, other: str) -> str:
    """Say what went wrong and what to do, for an exception of the client.

    `what` was asked for; `other` says what to do if the server does not have it.
    """
    from openml import exceptions

    message = (str(error).splitlines() or [""])[0]
    is_unknown = getattr(error, "code", None) == _UNKNOWN_TASK
    if is_unknown or isinstance(error, exceptions.OpenMLServerNoResult):
        return (
            f"the server does not know this {what} ({getattr(error, 'message', message)}); {other}"
        )
    if isinstance(error, exceptions.OpenMLHashException):
        return "the file does not have its announced checksum; try again later"
    if isinstance(error, TooMuchError):
        return f"{message}; {other}"
    if isinstance(error, requests.RequestException):
        return f"no connection ({type(error).__name__}); check the network or {VARIABLE}"
    if isinstance(error, exceptions.PyOpenMLError):
        return f"the server answers with an error ({message}); try again later"
    kind = "" if isinstance(error, DataError) else f"{type(error).__name__}: "
    return f"the content cannot be used ({kind}{message}); try again later or another source"


@contextmanager
def _client(config: Any, server: str) -> Iterator[None]:
    """Configure the client for one fetch: `server`, an empty cache, few tries, limits."""
    from unittest.mock import patch

    before = config.get_config_as_dict()
    session = patch("requests.Session", BoundedSession)
    # ARFF has a checksum where parquet has none.
    arff_only = patch.dict(os.environ, {"OPENML_SKIP_PARQUET": "true"})
    # liac-arff, with which the client reads splits, goes through every way of cutting levels at
    # commas: 40 take it for years. Braces alone around a type are enough.
    linear = patch("arff._RE_TYPE_NOMINAL", re.compile(r"\{.*\}$"))
    with scratch() as folder, _quiet(), session, arff_only, linear:
        config.server = server
        config.set_root_cache_directory(str(folder))
        config.set_retry_policy("human", _TRIES)
        try:
            yield
        finally:
            config.server = before["server"]
            config.set_root_cache_directory(before["cachedir"])
            config.set_retry_policy(before["retry_policy"], before["connection_n_retries"])


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep what the client warns of off the screen: what matters to a user is an error here."""
    root, client = logging.getLogger(), logging.getLogger("openml")
    # Without a handler, its first warning would give the whole process one.
    handler = logging.NullHandler()
    root.addHandler(handler)
    for logger in (root, client):
        logger.addFilter(_is_of_another)
    try:
        yield
    finally:
        root.removeHandler(handler)
        for logger in (root, client):
            logger.removeFilter(_is_of_another)


def _is_of_another(record: logging.LogRecord) -> bool:
    return Path(record.pathname).parent.name != "openml"
