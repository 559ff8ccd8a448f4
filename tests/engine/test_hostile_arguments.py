"""Arguments that Python never gives: each is refused by a sentence."""

import numpy as np
import pytest

from retree import engine

INT = np.iinfo(np.int32)


def ints(*values, dtype=np.int32):
    return np.array(values, dtype)


@pytest.mark.parametrize(
    "pointer", [(0, 8, 4, 4, 4, 4, 4), (0, 2, 1, 4, 4, 4, 4), (0, INT.max, 4, 4, 4, 4, 4)]
)
def test_depths_of_a_pointer_that_leads_astray(pointer):
    children = ints(1, 2, 3, 4)
    with pytest.raises(ValueError, match="needs a rising children_ptr into children"):
        engine.call("node_depths", ints(*pointer), children, ints(*[0] * 6), ints(*[0] * 6))


@pytest.mark.parametrize("edge", [INT.max, INT.max - 1, -1])
def test_gaps_of_children_out_of_reach(edge):
    tree = ints(edge, 2, 2, 2), ints(1, 2), ints(0, -1, -1), np.zeros(3)
    with pytest.raises(ValueError, match="needs two children of every test"):
        engine.call("gaps", np.zeros((2, 1)), *tree, np.empty((3, 2)))


@pytest.mark.parametrize(
    "pointer", [(0, np.iinfo(np.int64).min), (np.iinfo(np.int64).min, 1), (0, -1), (-2, 1)]
)
def test_paths_of_a_pointer_that_falls(pointer):
    bounds = ints(*pointer, dtype=np.int64)
    with pytest.raises(ValueError, match="The engine needs"):
        engine.call("mark_paths", ints(0), ints(-1), bounds, ints(0))


def test_slots_of_clusters_without_end():
    columns, positions = np.zeros((2, 3)), np.zeros((1, INT.max % 7))
    space = np.ones(2), 0.5, 1, ints(0, INT.max, INT.min), np.array([1, 0], np.uint8), 1
    with pytest.raises(ValueError, match="needs one slot for a numeric column"):
        engine.call("cluster", columns, positions, *space, 3, ints(0, 0, 0))


def test_no_columns_are_not_decomposed():
    with pytest.raises(ValueError, match="needs at least one column"):
        engine.call("decompose", np.zeros((3, 0)), np.ones(3))


@pytest.mark.parametrize("confidence", [1e6, 1e16, 1e308, 0.0, -1.0, np.nan])
def test_confidences_out_of_range(confidence):
    with pytest.raises(ValueError, match=r"needs a confidence above 0 and up to 0\.5"):
        engine.call("estimated_errors", np.ones((1, 2)), confidence, np.empty(1))


@pytest.mark.parametrize("share", [-1e6, 0.4, 1.5, np.nan])
def test_quantiles_of_what_is_no_share(share):
    with pytest.raises(ValueError, match=r"needs shares from 0\.5 to 1"):
        engine.call("normal_quantile", np.array([share]), np.empty(1))
