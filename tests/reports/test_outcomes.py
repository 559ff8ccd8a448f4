"""`reports.claims.judging.outcomes`: what becomes of the claims of a paper."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retree_lab.reports.claims.judging import (
    LOST,
    SURVIVES,
    UNKNOWN,
    Here,
    Honest,
    InPaper,
    outcomes,
)


def claims(*rows):
    return pd.DataFrame(rows, columns=["text", "published", "here", "nested", "ours"])


@pytest.mark.parametrize(
    ("published", "here", "nested", "outcome"),
    [
        ("yes", "yes", "", SURVIVES),
        ("yes", "yes", "yes", SURVIVES),
        ("yes", "yes", "no", LOST),
        ("yes", "no", "yes", LOST),
        ("no", "yes", "", SURVIVES),
        ("yes", "possible", "", UNKNOWN),
        ("yes", "possible", "no", LOST),
        ("yes", "cannot be checked", "", UNKNOWN),
        ("no", "", "", LOST),
        ("", "", "", UNKNOWN),
    ],
)
def test_honest_selection_decides_where_it_was_run(published, here, nested, outcome):
    found = outcomes(claims(["It is so.", published, here, nested, ""]))
    assert {name: said for name, said in found.items() if said} == {outcome: ["It is so"]}


def test_the_most_tested_come_first_and_our_own_statements_not_at_all():
    found = outcomes(
        claims(
            ["First.", "yes", "yes", "", ""],
            ["Second.", "yes", "direction only", "yes", ""],
            ["Ours.", "yes", "yes", "yes", "yes"],
        )
    )
    assert found[SURVIVES] == ["Second (direction only)", "First"]


def test_a_lost_count_is_told_and_so_is_one_of_which_only_the_direction_holds():
    rows = claims(
        ["Best on 4.", "yes", "yes", "no", ""],
        ["Worse on one only.", "yes", "yes", "direction only", ""],
        ["Best mean.", "yes", "no", "", ""],
    ).assign(
        nested_numbers=["13 of 21 (not a)", "6 of 21", ""], here_numbers=["3 of 21", "", "A 1"]
    )
    found = outcomes(rows)
    assert found[LOST] == ["Best on 4 (with honest selection: 13 of 21)", "Best mean"]
    assert found[SURVIVES] == ["Worse on one only (direction only)"]


answers = [st.sampled_from([str(a) for a in kind]) for kind in (InPaper, Here, Honest)]


@given(st.lists(st.tuples(*answers)))
def test_every_claim_has_one_outcome(rows):
    found = outcomes(claims(*([f"{i}.", *row, ""] for i, row in enumerate(rows))))
    assert sorted(int(text.split()[0]) for said in found.values() for text in said) == [
        *range(len(rows))
    ]
