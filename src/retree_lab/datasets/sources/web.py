"""Servers of data: whether they may be asked, whether they answer, and how much is read.

Each is asked at the first need and once per process, so a machine without a network waits for three
seconds for each, however many sets it loads. An answer is read no further than there are room and
time: bytes, once unpacked, seconds without any, and seconds until it is there.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from http import HTTPStatus
from typing import Any

import requests

from retree.errors import AwayError
from retree_lab.plain_files import MOST_BYTES

OFFLINE = "RETREE_OFFLINE"
SECONDS = 3.0
SILENT_SECONDS, MOST_SECONDS = 20.0, 600.0
_log = logging.getLogger(__name__)


class TooMuchError(requests.RequestException):
    """An answer that is too long, or takes too long."""


class BoundedSession(requests.Session):
    """A session that reads no more than it has room and time for."""

    def get(  # type: ignore[override]
        self, url: str | bytes, **options: Any
    ) -> requests.Response:
        """Return the whole answer to a request, as the session of requests does."""
        with super().get(url, stream=True, timeout=SILENT_SECONDS, **options) as response:
            response._content = _read_all(response.iter_content(2**16))
        return response


def _read_all(chunks: Iterable[bytes]) -> bytes:
    end, content = time.monotonic() + MOST_SECONDS, bytearray()
    for chunk in chunks:
        content += chunk
        if len(content) > MOST_BYTES:
            raise TooMuchError(f"the answer has more than {MOST_BYTES:,} bytes")
        if time.monotonic() > end:
            raise TooMuchError(f"the answer takes longer than {MOST_SECONDS:g} seconds")
    return bytes(content)


def is_offline() -> bool:
    """Return whether no server may be asked."""
    return os.environ.get(OFFLINE, "0") not in ("", "0")


def require(source: str, address: str, advice: str = "check the network") -> None:
    """Raise AwayError unless the server `source` may be asked and answers."""
    if is_offline():
        raise AwayError(f"{OFFLINE} is set, so {source} is not contacted; unset it.")
    if not _answers(address):
        raise AwayError(
            f"{address} does not answer within {SECONDS:g} seconds, no connection; {advice}."
        )


@cache
def _answers(address: str) -> bool:
    """Return whether a server answers within `SECONDS`; it is said if not."""
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
    has_answered = bool(answered) and answered[0] < HTTPStatus.INTERNAL_SERVER_ERROR
    if not has_answered:
        _log.warning("No answer from %s (%s=1 contacts no server).", address, OFFLINE)
    return has_answered
