"""Small fits of every estimator come out bit by bit as when they were written."""

import importlib.util
from pathlib import Path

import pandas as pd
import pytest

from retree_lab.provenance import bits_text, provenance
from retree_lab.study.registry import ESTIMATORS

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "golden.py"


@pytest.fixture(scope="module")
def golden():
    spec = importlib.util.spec_from_file_location("golden", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    # Other tests of the same process register toys.
    module.ESTIMATORS = {n: r for n, r in ESTIMATORS.items() if not r.target.startswith("toy")}
    return module


@pytest.mark.slow
def test_nothing_moved(golden):
    fits = golden.compare()
    differing = fits[fits["differs"] != ""]
    # As retree verify: equal is equal to the last bit, and it is said where that was asked.
    assert differing.empty, f"{differing.to_string(index=False)}\non {bits_text(provenance())}"


def test_a_fit_that_differs_is_named_once_with_what_differs(golden, monkeypatch, tmp_path):
    stored = pd.read_csv(golden.FILE, dtype=str, keep_default_na=False)
    stored = stored[stored["estimator"] == "id3"].reset_index(drop=True)
    stored.loc[0, ["leaves", "tree"]] = "other"
    stored[:-1].to_csv(tmp_path / "cells.csv", index=False)
    monkeypatch.setattr(golden, "FILE", tmp_path / "cells.csv")
    fits = golden.compare(["id3"])
    assert len(fits) == len(stored)
    assert sorted(fits["differs"])[-2:] == [
        "depth, leaves, tree, cell, probabilities",
        "leaves, tree",
    ]


def test_every_estimator_is_there_in_many_forms(golden):
    table = pd.read_csv(golden.FILE, dtype=str, keep_default_na=False)
    assert set(table["estimator"]) == set(golden.ESTIMATORS)
    assert (table.groupby("estimator")["cell"].nunique() >= 5).all()
    assert set(table["problem"]) == {*golden.ANY, *golden.ERRING}
