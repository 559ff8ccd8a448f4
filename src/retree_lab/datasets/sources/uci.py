"""The UCI repository, through the ``ucimlrepo`` client."""

from __future__ import annotations

import io
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPException, IncompleteRead
from pathlib import PurePosixPath
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit

import pandas as pd

from retree.errors import DataError
from retree_lab.datasets.sources import bounded


def address() -> str:
    """Return the repository's interface."""
    from ucimlrepo import fetch as client

    return str(client.API_BASE_URL)


def fetch(name: str, options: Mapping[str, Any]) -> pd.DataFrame:
    """Return the whole table of the set ``options["id"]`` of the UCI repository."""
    from ucimlrepo import fetch_ucirepo  # slow to import, and rarely needed
    from ucimlrepo.fetch import DatasetNotFoundError

    try:
        with _bounded():
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


class _Answer(io.BytesIO):
    """An answer that is here; without headers nobody unpacks it."""

    headers: Mapping[str, str] = {}


@contextmanager
def _bounded() -> Iterator[None]:
    """Let what opens addresses, as the client does, read only so much and wait only so long."""
    before = urllib.request.urlopen
    urllib.request.urlopen = _limited(before)
    try:
        yield
    finally:
        urllib.request.urlopen = before


def _limited(urlopen: Callable[..., Any]) -> Callable[..., Any]:
    def opened(url: str | urllib.request.Request, **options: Any) -> _Answer:
        try:
            answer = urlopen(url, timeout=bounded.SILENT_SECONDS, **options)
        except HTTPError as error:
            error.close()
            raise
        with answer as response:
            content = bounded.read_all(iter(lambda: response.read1(2**16), b""))
            if response.length:
                raise IncompleteRead(content, response.length)
        # What pandas reads is a Request. By other endings it knows what to unpack, without a limit.
        address = "data.csv" if isinstance(url, str) else url.full_url
        if PurePosixPath(urlsplit(address).path).suffix != ".csv":
            raise ValueError(f"{address} is no csv")
        return _Answer(content)

    return opened
