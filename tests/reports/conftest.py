from __future__ import annotations

import pytest
from toy_paper import results, toy_experiment, toy_item, toy_paper


@pytest.fixture
def frame():
    return results()


@pytest.fixture
def experiment(tmp_path):
    return toy_experiment(tmp_path, toy_paper(tmp_path), toy_item("table2"))
