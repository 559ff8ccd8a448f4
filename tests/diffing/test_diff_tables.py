from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retree_lab.diffing.tables import ChangeKind, TableLayout, compare_rows, layout_of
from retree_lab.experiments.verifying.verification import ROUNDING

LAYOUT = TableLayout(("name",), "value")
rows = st.dictionaries(
    st.sampled_from("abcdef"),
    st.tuples(st.sampled_from(["", "0", "0.5", "0.25"]), st.sampled_from(["", "agrees"])),
)


def table(content):
    return pd.DataFrame(
        [(name, *values) for name, values in content.items()],
        columns=["name", "value", "verdict"],
        dtype=str,
    )


def found(old, new, exact=True):
    return set(compare_rows("t", table(old), table(new), LAYOUT, exact))


def expected(old, new):
    """Go through the rows one by one."""
    kinds = set()
    for name in old.keys() | new.keys():
        before, after = old.get(name, ("", "")), new.get(name, ("", ""))
        if before[0] and not after[0]:
            kinds.add((name, ChangeKind.BLANK))
        elif after[0] and not before[0]:
            kinds.add((name, ChangeKind.NEW))
        elif name in old and name in new:
            kinds |= {(name, ChangeKind.MOVED)} if before[0] != after[0] else set()
            kinds |= {(name, ChangeKind.VERDICT)} if before[1] != after[1] else set()
    return kinds


@settings(deadline=None)
@given(rows, rows)
def test_changes_are_those_of_the_rows_one_by_one(old, new):
    assert {(c.cell[0], c.kind) for c in found(old, new)} == expected(old, new)


@settings(deadline=None)
@given(rows, rows, st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_count(old, new, random):
    items = list(new.items())
    random.shuffle(items)
    assert found(old, new) == found(old, dict(items))


@settings(deadline=None)
@given(rows)
def test_a_table_is_as_itself(content):
    assert not found(content, content)


@pytest.mark.parametrize("value", [0.0, 0.1234567891, 1.0, 98.76543211, -3.3, 12345.67891])
@pytest.mark.parametrize("factor", [0.5, 2.0])
def test_the_tolerance_is_relative_to_the_number_but_at_least_to_one(value, factor):
    moved = value + factor * ROUNDING * max(1.0, abs(value))
    old, new = {"a": (repr(value), "")}, {"a": (repr(moved), "")}
    assert bool(found(old, new, exact=False)) == (factor > 1)
    assert found(old, new, exact=True)


def test_the_same_number_otherwise_written_is_no_move():
    assert not found({"a": ("1", "")}, {"a": ("1.0", "")})


def test_the_last_of_ten_digits_may_round_the_other_way():
    assert not found({"a": ("1.000000000", "")}, {"a": ("1.000000001", "")}, exact=False)


def test_rows_are_named_by_the_first_columns_that_tell_them_apart():
    frame = pd.DataFrame({"a": ["x", "x", "y"], "b": ["1", "2", "1"], "c": ["", "", ""]})
    assert layout_of(frame, frame) == TableLayout(("a", "b"))
    assert layout_of(frame, frame.iloc[:0]).key == ("a", "b")
    twice = pd.concat([frame, frame])
    assert layout_of(twice, frame) == TableLayout(("a", "b", "c"))


@pytest.mark.parametrize("content", [{}, {"a": ("0", "")}])
def test_a_column_by_another_name_is_a_change(content):
    old = table(content).assign(note="")
    changes = compare_rows("t", old, old.rename(columns={"note": "notes"}), LAYOUT, True)
    none = "no such column"
    assert [(c.old, c.new) for c in changes] == [("note", none), (none, "notes")]
