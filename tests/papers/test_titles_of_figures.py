"""The title of a figure says what its numbers bear out."""

from __future__ import annotations

from types import SimpleNamespace

import pandas as pd
import pytest
from paper_code import paper_module


@pytest.mark.parametrize(
    ("without_failed", "title"),
    [
        ([1.0, 2.0], "a is first by all 2 choices of runs"),
        (
            [2.5, 2.0],
            "a and b share the first place: 0.5 to 1.0 ranks apart, each first by some of 2 "
            "choices of runs",
        ),
    ],
)
def test_who_is_first_under_some_choices_shares_the_place(without_failed, title):
    module = paper_module("hundreds/published_table.py")
    rows = pd.DataFrame({"classifier": ["a", "b"], "all": [1.0, 2.0], "rest": without_failed})
    assert module._first(rows, ["all", "rest"])[0] == title


def test_regions_name_who_solves_the_problem_in_how_many_splits():
    module = paper_module("structure_purity/regions.py")
    shares = {"A": [0.5, 1.0], "B": [0.5, 0.995], "C": [0.5, 0.57]}
    frame = pd.DataFrame(
        [
            {"method": key, "point": point, "accuracy": share, "leaves": 2 + 2 * point}
            for key, own in shares.items()
            for point, share in enumerate(own)
        ]
    )
    methods = [SimpleNamespace(key=key, name=key) for key in shares]
    title, seen = module._words(frame, methods)
    assert title == "Solved by A and B in 3 splits; not by C in up to 3"
    assert "B 50, 99.5; C 50, 57" in seen
