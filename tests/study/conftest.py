from __future__ import annotations

import shutil

import pytest

from retree_lab import paths


@pytest.fixture
def study(tmp_path):
    """The study that ``retree init`` writes."""
    return shutil.copytree(paths.conf_dir() / "template", tmp_path / "my_study")
