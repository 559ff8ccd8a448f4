"""`reports.kinds.equality`: numbers that count right rows, before and after a change."""

import math
from types import SimpleNamespace

import pandas as pd

from retree_lab.reports.comparison import Comparison, Judgement
from retree_lab.reports.kinds.equality import (
    BLOCKED,
    NEAR,
    Change,
    changed_numbers,
    count_equal,
    count_numbers,
    methods_table,
)
from retree_lab.reports.published import PublishedValue

PUBLISHED = {"a": 0.8, "b": 0.6}


def context(accuracies, folds=2, status="done"):
    """Return an item of two folds; `accuracies` by data set, point and repeat."""
    rows = [
        (dataset, "tree", point, repeat, fold, -1, status, accuracy)
        for (dataset, point, repeat), accuracy in accuracies.items()
        for fold in range(folds)
    ]
    names = ["dataset", "method", "point", "repeat", "fold", "inner", "status", "accuracy"]
    item = SimpleNamespace(protocol=SimpleNamespace(folds=2), label=lambda name: name)
    return SimpleNamespace(item=item, frame=pd.DataFrame(rows, columns=names))


def is_equal(place, folds):
    return bool(folds["accuracy"].mean() == PUBLISHED[place[0]])


PLACES = [("a", "tree", "accuracy"), ("b", "tree", "accuracy")]
KNOWN = {("a", 0, 0): 0.8, ("b", 0, 0): 0.7}


def test_other_runs_count_by_their_share():
    found = context({**KNOWN, ("a", 0, 1): 0.8, ("a", 0, 2): 0.9, ("b", 0, 1): 0.6, ("b", 0, 2): 0})
    changes = {"nothing": Change(), "seed": Change(runs=(1, 2))}
    numbers = changed_numbers(found, PLACES, changes, is_equal)
    assert numbers["unchanged"].tolist() == [True, False] * 2
    assert numbers["equal"].tolist() == [1, 0, 0.5, 0.5]
    counted = count_equal(numbers, {"all": numbers["changed"].notna()})
    assert counted["equal"].tolist() == [1, 1]
    assert counted["share_pct"].tolist() == [50, 50]


def test_another_file_stands_in_for_its_own_set_alone():
    found = context({**KNOWN, ("other", 0, 0): 0.1})
    changes = {"nothing": Change(), "file": Change(datasets={"a": "other"})}
    numbers = changed_numbers(found, PLACES, changes, is_equal)
    counted = count_equal(numbers, {"all": numbers["changed"].notna()}).set_index("changed")
    assert counted.loc["file", ["numbers", "unchanged", "equal", "in_all"]].tolist() == [1, 1, 0, 0]
    assert counted.loc["nothing", "in_all"] == 1


def test_another_point_is_compared_where_both_are_complete():
    found = context({**KNOWN, ("a", 1, 0): 0.8})
    changes = {"release": Change(point=1)}
    numbers = changed_numbers(found, PLACES, changes, is_equal)
    assert numbers["dataset"].tolist() == ["a"]
    assert changed_numbers(context(KNOWN, folds=1), PLACES, changes, is_equal).empty
    assert changed_numbers(context(KNOWN, status="failed"), PLACES, changes, is_equal).empty


def number(steps=math.nan, ours=0.5, published=0.5, reason="", method="a"):
    theirs = PublishedValue(published, math.nan)
    judgement = Judgement(steps=steps)
    return Comparison("d", method, "accuracy", ours, math.nan, theirs, reason=reason,
                      judgement=judgement)  # fmt: skip


def test_numbers_are_counted_by_how_many_rows_they_are_away():
    blocked = number(reason=f"d {BLOCKED} its file is another")
    unpublished, absent = number(0.0, published=math.nan), number(ours=math.nan)
    away = [number(float(steps)) for steps in (0, 1, NEAR, NEAR + 1)]
    numbers = [*away, blocked, unpublished, absent]
    assert list(count_numbers(numbers).values()) == ["6", "5", "1", "2", "1"]
    # A number that no count of rows gives is further away.
    assert list(count_numbers([number()]).values()) == ["1", "1", "0", "0", "1"]
    table = methods_table(away, ["a"], count_numbers, "", total=True)
    assert table.header == ["method", *count_numbers([])]
    assert table.rows[0] == ["a", "4", "4", "1", "2", "1"]
    assert [cell.text for cell in table.rows[1]] == ["all", "4", "4", "1", "2", "1"]
