"""Whether the servers of data are to be asked, and whether they answer.

Each is asked at the first need and once per process, so a machine without a network waits for three
seconds for each, however many sets it loads.
"""

from __future__ import annotations

import logging
import os
import threading
from contextlib import suppress
from functools import cache
from http import HTTPStatus
from typing import Any

import requests

from retree.errors import DataError
from retree_lab.datasets.sources import openml, uci

OFFLINE = "RETREE_OFFLINE"
SECONDS = 3.0
_ADDRESS = {"openml": openml.address, "uci": uci.address}
_ADVICE = {
    "openml": f"check the network or {openml.VARIABLE}",
    "uci": "check the network",
}
_log = logging.getLogger(__name__)


def is_offline() -> bool:
    """Return whether no server is to be asked."""
    return os.environ.get(OFFLINE, "0") not in ("", "0")


def require(source: str) -> None:
    """Raise DataError unless the server `source` may be asked and answers."""
    if is_offline():
        raise DataError(f"{OFFLINE} is set, so {source} is not asked; unset it.")
    address = _ADDRESS[source]()
    if not _answers(address):
        raise DataError(
            f"{address} does not answer within {SECONDS:g} seconds, no connection;"
            f" {_ADVICE[source]}."
        )


@cache
def _answers(address: str) -> bool:
    """Whether a server answers within `SECONDS`; it is said if not."""
    answered: list[int] = []

    def ask() -> None:
        # By GET, which every server answers, and without the page.
        how: dict[str, Any] = {"allow_redirects": False, "stream": True}
        with (
            suppress(requests.RequestException),
            requests.get(address, timeout=SECONDS, **how) as reply,
        ):
            answered.append(reply.status_code)

    # A thread that ends with the process: looking up a name cannot be given a time limit.
    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(SECONDS)
    found = bool(answered) and answered[0] < HTTPStatus.INTERNAL_SERVER_ERROR
    if not found:
        _log.warning("No answer from %s (%s=1 asks nobody).", address, OFFLINE)
    return found
