"""`reports.multiverse`: the list of interpretations that were tried."""

from types import SimpleNamespace

import pytest

from retree.errors import RetreeError
from retree_lab.reports.multiverse import Tried, tried_readings

ITEMS = {"grid": {"vary": {"a": [1, 2], "b": [1, 2, 3]}}, "list": {"vary": [{}, {"a": 2}]}}
CONTEXT = SimpleNamespace(paper=SimpleNamespace(items=ITEMS))


def test_computed_ones_are_counted_from_the_items():
    readings = {
        "grid": Tried(chosen_by="x", item="grid"),
        "list": Tried(chosen_by="x", item="list", tried=60, known="about"),
        "none": Tried(chosen_by="x", tried=3, known="at least"),
    }
    rows = tried_readings(CONTEXT, readings=readings)
    assert rows["tried"].tolist() == [6, 60, 3]
    assert rows["computed"].tolist() == [6, 2, 0]
    assert rows["_tried"].tolist() == ["6", "about 60", "at least 3"]


def test_a_number_or_an_item_is_needed():
    with pytest.raises(RetreeError, match="lacks tried"):
        tried_readings(CONTEXT, readings={"order": Tried(chosen_by="x")})
    with pytest.raises(RetreeError, match="item of order"):
        tried_readings(CONTEXT, readings={"order": Tried(chosen_by="x", item="gird")})
