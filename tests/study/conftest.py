from __future__ import annotations

import shutil

import pytest

from retree import paths


@pytest.fixture(autouse=True)
def alone(monkeypatch):
    """Only the studies that a test opens are open."""
    monkeypatch.setattr("retree.study.folders._opened", {})


@pytest.fixture
def study(tmp_path):
    """The study that ``retree init`` writes."""
    return shutil.copytree(paths.conf_dir() / "template", tmp_path / "my_study")
