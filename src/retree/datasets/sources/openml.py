"""OpenML, through its own client; the only module that knows this client."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from xml.parsers.expat import ExpatError

import pandas as pd
import requests

from retree.datasets.own_tables import linear_types
from retree.datasets.sources.bounded import BoundedSession, TooMuchError
from retree.errors import DataError
from retree.scratch import scratch

VARIABLE = "OPENML_SERVER"
SERVER = "https://www.openml.org/api/v1/xml"
_SKIP_PARQUET = "OPENML_SKIP_PARQUET"
_TRIES = 2


def address() -> str:
    """Return the server's XML interface: ``OPENML_SERVER``, else the public one."""
    return (os.environ.get(VARIABLE) or SERVER).rstrip("/")


def fetch(name: str, options: Mapping[str, Any], server: str | None = None) -> pd.DataFrame:
    """Return the whole table of the OpenML set ``options["id"]``, ignored and id columns included.

    `server` is the server's XML interface (".../api/v1/xml"), by default that of `address`.
    """
    # The import is slow and makes folders in the user's home, so only who fetches pays for it.
    import openml
    from arff import ArffException

    server = server or address()
    number = int(options["id"])
    damage = (ArffException, ExpatError, LookupError, ValueError, TypeError, AttributeError)
    try:
        with _client(openml.config, server), _arff_only(), linear_types():
            return _download(number)
    except (requests.RequestException, openml.exceptions.PyOpenMLError, *damage) as error:
        raise DataError(
            f"OpenML set {number} ({name}) could not be fetched from {server}: {_reason(error)}."
        ) from error


def _download(number: int) -> pd.DataFrame:
    import openml

    dataset = openml.datasets.get_dataset(number, download_data=True)
    table, *_ = dataset.get_data(include_row_id=True, include_ignore_attribute=True)
    if not isinstance(table, pd.DataFrame):
        raise TypeError("it is sparse")
    return table


def _reason(error: Exception) -> str:
    """Return what went wrong and what to do, for an exception of the client."""
    from openml import exceptions

    message = (str(error).splitlines() or [""])[0]
    if isinstance(error, exceptions.OpenMLServerNoResult):
        return f"the server does not know this set ({error.message}); use another source"
    if isinstance(error, exceptions.OpenMLHashException):
        return "the file does not have its announced checksum; try again later"
    if isinstance(error, TooMuchError):
        return f"{message}; use another source"
    if isinstance(error, requests.RequestException):
        return f"no connection ({type(error).__name__}); check the network or {VARIABLE}"
    if isinstance(error, exceptions.PyOpenMLError):
        return f"the server answers with an error ({message}); try again later"
    kind = type(error).__name__
    return f"the content cannot be used ({kind}: {message}); try again later or another source"


@contextmanager
def _client(config: Any, server: str) -> Iterator[None]:
    """Configure the client for one fetch: `server`, an empty cache, few tries, limits."""
    before, session = config.get_config_as_dict(), requests.Session
    with scratch() as folder:
        requests.Session = BoundedSession  # type: ignore[misc]
        config.server = server
        config.set_root_cache_directory(str(folder))
        config.set_retry_policy("human", _TRIES)
        try:
            yield
        finally:
            requests.Session = session  # type: ignore[misc]
            config.server = before["server"]
            config.set_root_cache_directory(before["cachedir"])
            config.set_retry_policy(before["retry_policy"], before["connection_n_retries"])


@contextmanager
def _arff_only() -> Iterator[None]:
    """Make the client read ARFF, which has a checksum where parquet has none."""
    before = os.environ.get(_SKIP_PARQUET)
    os.environ[_SKIP_PARQUET] = "true"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_SKIP_PARQUET]
        else:
            os.environ[_SKIP_PARQUET] = before
