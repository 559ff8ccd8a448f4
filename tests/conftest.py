from __future__ import annotations

import os

import pytest


@pytest.fixture
def mirror() -> str:
    """The folder of the real data sets, or a reported skip."""
    folder = os.environ.get("RETREE_MIRROR")
    if not folder:
        pytest.skip("RETREE_MIRROR is not set, so the real data sets are not tested")
    return folder
