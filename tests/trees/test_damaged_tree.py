"""Trees that somebody has tampered with: refused with a reason, or not to be had at all."""

import copy
import pickle
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from kinds import MIXED, NEAREST

from retree.trees.tree import OBLIQUE, Tree

ROWS = np.random.default_rng(0).normal(size=(50, 3))
WHOLE = st.integers(-4, 9) | st.sampled_from([2**31 - 1, -(2**31)])
NUMBERS = st.floats() | st.integers(-2, 9).map(float)


def arrays(tree):
    """Return all arrays of a tree by their paths."""
    found = {f.name: getattr(tree, f.name) for f in fields(tree)}
    if tree.centres is not None:
        found |= {("centres", n): a for n, a in tree.centres._asdict().items()}
    return {name: a for name, a in found.items() if isinstance(a, np.ndarray)}


def with_array(tree, name, array):
    """Return the tree with another array in the place of one."""
    if isinstance(name, tuple):
        return replace(tree, centres=tree.centres._replace(**{name[1]: array}))
    return replace(tree, **{name: array})


@pytest.mark.parametrize("tree", [MIXED, NEAREST])
def test_nobody_changes_an_array(tree):
    tree.apply(ROWS[:, : tree.n_features] * 0)
    for array in arrays(tree).values():
        if array.size:
            with pytest.raises(ValueError, match="read-only"):
                array[...] = 1
        with pytest.raises(ValueError, match="cannot set WRITEABLE"):
            array.setflags(write=True)
        with pytest.raises(ValueError, match="does not own its data"):
            array.resize(array.size + 9, refcheck=False)


def test_a_tree_copies_the_arrays_that_it_is_given():
    given = {f.name: getattr(MIXED, f.name) for f in fields(MIXED)}
    given = {n: a.copy() if isinstance(a, np.ndarray) else a for n, a in given.items()}
    tree = Tree(**given)
    expected = tree.apply(ROWS * 0)
    given["children"][:] = 0
    given["feature"].resize(1, refcheck=False)
    np.testing.assert_array_equal(tree.apply(ROWS * 0), expected)


@pytest.mark.parametrize(
    "leave", [copy.copy, copy.deepcopy, lambda t: pickle.loads(pickle.dumps(t))]
)
def test_a_copy_has_only_the_fields_of_a_tree(leave):
    MIXED.apply(ROWS * 0)
    again = leave(MIXED)
    assert again.views != MIXED.views
    assert not again.children.flags.writeable
    assert set(MIXED.__getstate__()) == {f.name for f in fields(Tree)}
    np.testing.assert_array_equal(again.apply(ROWS * 0), MIXED.apply(ROWS * 0))


def test_arrays_that_let_go_of_their_memory_leave_the_engine_its_own():
    tree = replace(MIXED, held_out=1.0)
    expected = tree.apply(ROWS * 0)
    for array in arrays(tree).values():
        # What unpickling does to an empty array: it drops the memory, and takes other.
        array.__setstate__((1, (1,), np.dtype(np.int8), False, b"\1"))
    np.testing.assert_array_equal(tree.apply(ROWS * 0), expected)


@given(st.sampled_from([MIXED, NEAREST]), st.data())
@settings(deadline=None)
def test_any_array_in_the_place_of_another(tree, data):
    name = data.draw(st.sampled_from(sorted(arrays(tree), key=str)))
    old = arrays(tree)[name]
    dtype = data.draw(st.sampled_from([old.dtype, old.dtype, old.dtype, np.float32, np.int64]))
    shape = data.draw(st.just(old.shape) | npst.array_shapes(max_dims=3, max_side=6))
    elements = {"f": NUMBERS, "i": WHOLE, "b": st.booleans()}[np.dtype(dtype).kind]
    if np.dtype(dtype).itemsize == 1:
        elements = None
    if dtype == np.float32:
        elements = st.floats(width=32)
    array = data.draw(npst.arrays(dtype, shape, elements=elements))
    if data.draw(st.booleans()):
        array = array.T
    try:
        damaged = with_array(tree, name, array)
        leaves = damaged.apply(ROWS[:, : tree.n_features])
        damaged.predicted(np.full((2, tree.n_features), np.nan), divide_missing=True)
    except ValueError:
        return
    assert damaged.is_leaf[leaves].all()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"children": np.zeros(4, np.int32)}, "Node 0 .* not one of the later nodes"),
        ({"children": np.array([1, 4, 1, 3], np.int32)}, "Node 1 .* not one of the later nodes"),
        ({"children": np.array([1, 4, 2, 4], np.int32)}, "Node 1 .* child of another"),
        ({"children": np.array([1, 9, 2, 3], np.int32)}, "Node 0 .* not one of the later nodes"),
        ({"children": np.array([1, 4, 2], np.int32)}, "children_ptr of a tree must rise"),
        ({"children": np.array([1.0, 4, 2, 3])}, "children of a tree must be of type int32"),
        ({"feature": np.array([7, 0, -1, -1, -1], np.int32)}, "Node 0 .* feature that is not"),
        ({"feature": np.array([-9, 0, -1, -1, -1], np.int32)}, "Node 0 .* feature that is not"),
        ({"feature": np.array([0, -1, -1, -1, -1], np.int32)}, "Node 1 .* or be a leaf"),
        ({"feature": np.array([0, OBLIQUE, -1, -1, -1], np.int32)}, "Node 1 .* no normals"),
        ({"feature": np.array([0, -3, -1, -1, -1], np.int32)}, "Node 1 .* there are none"),
        ({"subset": np.array([-1, 0, -1, -1, -1], np.int32)}, "Node 1 .* subset of levels"),
        ({"threshold": np.zeros(4)}, "threshold with 5 along axis 0"),
        ({"threshold": np.zeros(5, np.float32)}, "must be of type float64, not float32"),
        ({"counts": np.ones((4, 2))}, "counts of a tree of 5 nodes have 4 rows"),
        ({"counts": np.ones(5)}, "counts of a tree must have 2 dimensions"),
    ],
)
def test_the_error_says_what_is_wrong(change, reason):
    tree = Tree(
        n_features=2,
        children_ptr=np.array([0, 2, 4, 4, 4, 4], np.int32),
        children=np.array([1, 4, 2, 3], np.int32),
        feature=np.array([1, 0, -1, -1, -1], np.int32),
        threshold=np.array([2.0, -1.0, np.nan, np.nan, np.nan]),
        counts=np.array([[4.0, 4], [4, 1], [3, 0], [1, 1], [0, 3]]),
    )
    with pytest.raises(ValueError, match=reason):
        replace(tree, **change)


def test_a_tampered_pickle_is_refused():
    state = MIXED.__getstate__()
    tree = Tree.__new__(Tree)
    with pytest.raises(ValueError, match=r"Node 6 .* later nodes"):
        tree.__setstate__({**state, "children": state["children"][::-1].copy()})
