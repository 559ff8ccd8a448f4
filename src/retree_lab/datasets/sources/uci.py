"""The UCI repository, by its interface: a description in JSON, which names a csv."""

from __future__ import annotations

import io
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import pandas as pd
import requests

from retree.errors import DataError
from retree_lab.datasets.sources.web import BoundedSession, require

INTERFACE = "https://archive.ics.uci.edu/api/dataset"


def address() -> str:
    """Return the repository's interface."""
    return INTERFACE


def fetch(name: str, options: Mapping[str, Any]) -> pd.DataFrame:
    """Return the whole table of the set ``options["id"]`` of the UCI repository."""
    require("uci", address())
    session = BoundedSession()
    try:
        about = session.get(f"{address()}?id={int(options['id'])}").json()
        if about["status"] != HTTPStatus.OK:
            raise ValueError(about.get("message", "no such data set"))
        place = str(about["data"]["data_url"])
        if not place.endswith(".csv"):
            raise ValueError(f"{place} is not a csv file")
        reply = session.get(place)
        reply.raise_for_status()
        return pd.read_csv(io.BytesIO(reply.content)).apply(_fifteen_digits)
    except (requests.RequestException, ValueError, LookupError, TypeError) as error:
        raise DataError(
            f"UCI set {options['id']} ({name}) could not be fetched ({error});"
            " check the network, or use another source."
        ) from error


def _fifteen_digits(column: pd.Series) -> pd.Series:
    """Undo the last-digit errors of pandas' fast csv parser."""
    if not pd.api.types.is_float_dtype(column):
        return column
    return column.map(lambda value: float(f"{value:.15g}"))
