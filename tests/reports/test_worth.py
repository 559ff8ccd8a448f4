"""How many numbers are equal once something is changed, on made-up folds."""

from types import SimpleNamespace

import pandas as pd

from retree_lab.reports.right_rows import Change, changed_numbers, count_equal

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
