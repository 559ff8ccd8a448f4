"""The UCI repository, through the ``ucimlrepo`` client."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPException
from typing import Any

import pandas as pd

from retree.errors import DataError

_TIMEOUT_SECONDS = 20.0


def address() -> str:
    """Return the repository's interface."""
    from ucimlrepo import fetch as client

    return str(client.API_BASE_URL)


def fetch(name: str, options: Mapping[str, Any]) -> pd.DataFrame:
    """Return the whole table of a UCI data set.

    Parameters
    ----------
    name : str
        For messages only.
    options : dict
        ``id`` is the set's number in the UCI repository.

    Raises
    ------
    DataError
        If the repository cannot be reached or does not offer the set.
    """
    from ucimlrepo import fetch_ucirepo  # slow to import, and rarely needed
    from ucimlrepo.fetch import DatasetNotFoundError

    try:
        with _timeout(_TIMEOUT_SECONDS):
            table = fetch_ucirepo(id=int(options["id"])).data.original
    except (DatasetNotFoundError, HTTPException, OSError, ValueError, KeyError) as error:
        raise DataError(
            f"UCI set {options['id']} ({name}) could not be fetched ({error});"
            " check the network, or use another source."
        ) from error
    return table.apply(_fifteen_digits)


def _fifteen_digits(column: pd.Series) -> pd.Series:
    """Undo the last-digit errors of the client's fast csv parser."""
    if not pd.api.types.is_float_dtype(column):
        return column
    return column.map(lambda value: float(f"{value:.15g}"))


@contextmanager
def _timeout(seconds: float) -> Iterator[None]:
    previous = socket.getdefaulttimeout()
    socket.setdefaulttimeout(seconds)
    try:
        yield
    finally:
        socket.setdefaulttimeout(previous)
