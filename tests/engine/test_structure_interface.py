"""The C interface of the family: any input gives trees or a ValueError, never a crash."""

import engine_parts
import numpy as np
import pytest
from call_by_name import call_by_name
from hypothesis import given
from hypothesis import strategies as st
from problems import examples

from retree import SegmentC45Classifier, StructurePurityClassifier
from retree.trees.structure.structure_growing import PENALTY, RANK_BY, TAKE

NUMBERS = [0.0, -0.0, 1.0, 2.5, -1e300, 1e308, 5e-324]
WRONG = {
    "X": [np.full((3, 2), np.nan), np.array([[np.inf], [0.0]]), np.empty((0, 2)), np.empty((3, 0))],
    "y": [np.full(3, -1, np.int32), np.full(3, 9, np.int32), np.zeros(2**12, np.int32)],
    "weight": [np.zeros(3), np.full(3, -1.0), np.full(3, np.nan), np.full(9, 0.1), np.empty(0)],
    "n_classes": [-1, 0, 2, 2**40],
    "list_of": [np.full(1, -1), np.full(2, 5), np.zeros(9, np.int64)],
    "k": [np.zeros(2, np.int64), np.full(1, 2**62), np.empty(0, np.int64)],
    "omega1": [np.nan, -np.inf],
    "omega2": [np.array([np.nan]), np.empty(0)],
    "codes": [np.ones((1, 1), np.int8), np.full((3, 2), 7, np.int8)],
} | dict.fromkeys(["rank_by", "take", "penalty"], (-1, 9))
WRONG |= dict.fromkeys(["min_samples_leaf", "least_ranked", "least_taken"], (-(2**60), 0, 2**60))


@st.composite
def calls(draw):
    """Draw the arguments of ``structure_grow``: valid ones, or with one of them anything."""
    n, m, n_classes = draw(st.integers(1, 12)), draw(st.integers(1, 4)), draw(st.integers(1, 4))
    rank_by, n_points = draw(st.sampled_from(list(RANK_BY.values()))), draw(st.integers(1, 3))
    n_lists = draw(st.integers(1, 2)) if rank_by == RANK_BY["margin"] else 1
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    arguments = {
        "X": rng.choice(NUMBERS[: draw(st.integers(1, len(NUMBERS)))], (n, m)),
        "y": rng.integers(0, n_classes, n).astype(np.int32),
        "weight": rng.choice([0.25, 1.0, 3.0], n) if draw(st.booleans()) else np.ones(n),
        "n_classes": n_classes,
        "rank_by": rank_by,
        "take": draw(st.sampled_from(list(TAKE.values()))),
        "list_of": rng.integers(0, n_lists, n_points),
        "k": rng.integers(1, 5, n_points),
        "alpha": rng.random(n_points),
        "omega1": draw(st.sampled_from([1.0, 0.0, 1e308])),
        "omega2": rng.choice([0.0, 0.02, 1.0, 1e308], n_lists),
        "penalty": draw(st.sampled_from(list(PENALTY.values()))),
        "squared": draw(st.booleans()),
        "scale_by_child": draw(st.booleans()),
        "codes": rng.integers(-1, 2, (n_classes, draw(st.integers(0, 3)))).astype(np.int8),
        "along_split": draw(st.booleans()),
        "rank_breaks_ties": draw(st.booleans()),
        "min_samples_leaf": draw(st.integers(1, 4)),
        "least_ranked": draw(st.integers(1, 4)),
        "least_taken": draw(st.integers(1, 4)),
        "max_depth": draw(st.integers(-1, 5)),
    }
    wrong = draw(st.sampled_from([None, None, *sorted(WRONG)]))
    return arguments | ({wrong: draw(st.sampled_from(WRONG[wrong]))} if wrong else {})


@examples
@given(arguments=calls())
def test_growing_by_any_arguments(arguments):
    try:
        numbers, counts, members = call_by_name("structure_grow", "structure", arguments)
    except ValueError:
        return
    assert members.shape == (len(numbers), len(arguments["k"]))
    roots = numbers[:, 0] == -1  # several, where points part the rows differently
    assert (members[roots].sum(axis=0) == 1).all()
    assert (counts[roots].sum(axis=1) == arguments["weight"].sum()).all()
    assert (numbers[numbers[:, 1] != -1, 2] >= 0).all()


def valid():
    """Return arguments that grow a tree of one split."""
    return {
        "X": np.array([[0.0], [1.0], [2.0]]),
        "y": np.array([0, 0, 1], np.int32),
        "weight": np.ones(3),
        "n_classes": 2,
        "rank_by": RANK_BY["purity"],
        "take": TAKE["first"],
        "list_of": np.zeros(1, np.int64),
        "k": np.ones(1, np.int64),
        "alpha": np.ones(1),
        "omega1": 1.0,
        "omega2": np.zeros(1),
        "penalty": PENALTY["none"],
        "squared": True,
        "scale_by_child": True,
        "codes": np.ones((2, 1), np.int8),
        "along_split": False,
        "rank_breaks_ties": False,
        "min_samples_leaf": 1,
        "least_ranked": 1,
        "least_taken": 1,
        "max_depth": 9,
    }


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"X": np.array([[0.0], [np.nan], [2.0]])}, "finite values in X"),
        ({"X": np.empty((0, 1))}, "at least one row"),
        ({"X": np.zeros(3)}, "X of 2 dimensions"),
        ({"y": np.array([0, 0, 2], np.int32)}, "class codes from 0 to n_classes - 1"),
        ({"y": np.array([0, 0], np.int32)}, "class codes with 3 along axis 0"),
        ({"y": np.array([0, 0, 1])}, "class codes of another number type"),
        ({"weight": np.array([1.0, 0.0, 1.0])}, "positive weights"),
        ({"weight": np.full(3, 1e301)}, "moderate sum"),
        ({"weight": np.array([1.0, 2.0**-60, 1.0])}, "sums are exact"),
        ({"n_classes": 2**40}, "n_classes from 1 to 2147483647"),
        ({"rank_by": 4}, "knows no choice of this number"),
        ({"list_of": np.ones(1, np.int64)}, "list_of within omega2"),
        ({"k": np.zeros(1, np.int64)}, "k of at least 1"),
        ({"omega1": np.inf}, "finite omega1"),
        ({"omega2": np.array([np.nan])}, "finite omega2"),
        ({"omega2": np.zeros(2)}, "several lists by margin only"),
        ({"codes": np.ones((3, 1), np.int8)}, "codes with 2 along axis 0"),
        ({"least_ranked": -1}, "least numbers of rows"),
    ],
)
def test_wrong_arguments_are_named(wrong, message):
    numbers, _, _ = call_by_name("structure_grow", "structure", valid())
    np.testing.assert_array_equal(numbers[:, 1], [0, -1, -1])
    with pytest.raises(ValueError, match=message):
        call_by_name("structure_grow", "structure", valid() | wrong)


@examples
@given(
    values=st.lists(st.integers(-(2**62), 2**62), max_size=8),
    labels=st.lists(st.integers(-1, 3), max_size=8),
    n_classes=st.integers(-1, 4),
    limit=st.integers(-3, 9),
)
def test_segments_of_any_rows(values, labels, n_classes, limit):
    arrays = np.array(values, np.int64), np.array(labels, np.int32)
    found = np.full(1, -9)
    try:
        engine_parts.call("structure_segments", *arrays, n_classes, limit, found)
    except ValueError:
        return
    assert found[0] <= max(limit, 0)


@pytest.mark.parametrize(
    "model", [StructurePurityClassifier(criterion="bnm+csn"), SegmentC45Classifier()]
)
def test_a_hundred_thousand_values_and_columns_of_one_value(model):
    n = 100_000
    X = np.column_stack([np.arange(n), np.zeros(n), np.arange(n) % 2]).astype(float)
    tree = model.set_params(max_depth=2).fit(X, np.arange(n) // 30_000).tree_
    assert tree.counts.sum(axis=1)[0] == n
    assert set(tree.feature) == {-1, 0}
