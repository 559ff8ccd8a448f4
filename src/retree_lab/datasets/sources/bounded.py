"""Answers of servers, read no further than there are room and time: their clients have no limits.

Limits are those of an answer, unpacked: bytes, seconds without any, seconds until it is there.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

import requests

from retree_lab.plain_files import MOST_BYTES

SILENT_SECONDS, MOST_SECONDS = 20.0, 600.0


class TooMuchError(requests.RequestException):
    """An answer that is too long, or takes too long."""


def read_all(chunks: Iterable[bytes]) -> bytes:
    """Return the chunks of an answer as one."""
    end, content = time.monotonic() + MOST_SECONDS, bytearray()
    for chunk in chunks:
        content += chunk
        if len(content) > MOST_BYTES:
            raise TooMuchError(f"the answer has more than {MOST_BYTES:,} bytes")
        if time.monotonic() > end:
            raise TooMuchError(f"the answer takes longer than {MOST_SECONDS:g} seconds")
    return bytes(content)


class BoundedSession(requests.Session):
    """A session that reads no more than it has room and time for."""

    def get(  # type: ignore[override]
        self, url: str | bytes, **options: Any
    ) -> requests.Response:
        """Return the whole answer to a request, as the session of requests does."""
        with super().get(url, stream=True, timeout=SILENT_SECONDS, **options) as response:
            response._content = read_all(response.iter_content(2**16))
        return response
