from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="session")
def offline() -> Iterator[None]:
    """Tests use the bundled data sets; those of the servers' clients say so themselves."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RETREE_OFFLINE", "1")
        patch.delenv("RETREE_MIRROR", raising=False)
        yield
