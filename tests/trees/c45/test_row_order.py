"""Sums over rows without a value, to the last bit, against a recursion of its own."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle_row_order import sorted_as_weka, sums_of_nodes

from retree.trees.c45.c45_growing import C45Rule, grow_c45
from retree.trees.mixed import Sample


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(5, 50), st.booleans(), st.booleans())
def test_rows_are_summed_as_j48_has_sorted_them(seed, n, numeric_first, is_weighted):
    rng = np.random.default_rng(seed)
    numbers = rng.integers(0, 6, (n, 2)) / 7
    levels = rng.integers(0, 3, (n, 2)).astype(float)
    X = np.column_stack([numbers[:, 0], levels, numbers[:, 1]])
    X = X if numeric_first else X[:, ::-1].take([1, 0, 3, 2], axis=1)
    numeric = [0, 3] if numeric_first else [1, 2]
    y = ((X[:, 0] + X[:, 1] * X[:, 2] > 1) + rng.integers(0, 2, n)).astype(np.int32)
    X[rng.uniform(size=X.shape) < 0.15] = np.nan
    sample = Sample(X, y, rng.uniform(0.2, 3, n) if is_weighted else np.ones(n))
    n_levels = np.where(np.isin(np.arange(4), numeric), -1, 3).astype(np.int32)
    tree = grow_c45(sample, n_levels, 3, C45Rule(2.0))
    counts, sums = sums_of_nodes(tree, sample, numeric)
    np.testing.assert_array_equal(tree.counts, counts)
    if np.isnan(X).any():
        np.testing.assert_array_equal(tree.row_sums, sums)


def test_equal_values_stand_as_weka_leaves_them():
    # As Utils.sortWithNoMissingValues of Weka 3.6.14 prints them.
    assert sorted_as_weka([1, 1, 1, 1, 1]) == [0, 3, 2, 1, 4]
    assert sorted_as_weka([2, np.nan, 1, 2, 1, np.nan]) == [2, 4, 3, 0, 1, 5]
    found = sorted_as_weka([3, 1, 2, 1, 3, 2, 1, 2, 3, 1, 2])
    assert found == [9, 1, 6, 3, 7, 5, 10, 2, 8, 4, 0]
