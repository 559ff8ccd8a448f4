"""Whether the servers of data are to be asked, and whether they answer.

Both are asked at the same time, at the first need and once per process, so a machine without a
network waits for three seconds at most, however many sets it loads.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from functools import cache
from http import HTTPStatus

import requests

from retree.datasets.sources import openml, uci
from retree.errors import DataError

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
    addresses = {name: address() for name, address in _ADDRESS.items()}
    if addresses[source] not in _answering(tuple(addresses.values())):
        raise DataError(
            f"{addresses[source]} does not answer within {SECONDS:g} seconds, no connection;"
            f" {_ADVICE[source]}."
        )


@cache
def _answering(addresses: tuple[str, ...]) -> frozenset[str]:
    """Return the addresses that answer within `SECONDS`; say which do not."""
    answered: set[str] = set()

    def ask(address: str) -> None:
        try:
            reply = requests.head(address, timeout=SECONDS, allow_redirects=False)
        except requests.RequestException:
            return
        if reply.status_code < HTTPStatus.INTERNAL_SERVER_ERROR:
            answered.add(address)

    # Threads that end with the process: looking up a name cannot be given a time limit.
    threads = [threading.Thread(target=ask, args=(a,), daemon=True) for a in addresses]
    for thread in threads:
        thread.start()
    end = time.monotonic() + SECONDS
    for thread in threads:
        thread.join(max(0.0, end - time.monotonic()))
    found = frozenset(answered)
    if silent := [address for address in addresses if address not in found]:
        _log.warning(
            "No answer from %s (%s=1 asks nobody).",
            " and ".join(silent),
            OFFLINE,
        )
    return found
