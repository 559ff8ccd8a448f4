"""The sorted columns that C4.5 and CART grow from."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from retree import engine
from retree.trees.mixed import Sample
from retree.trees.weighted_columns import make_weighted_columns, take_rows

VALUES = st.sampled_from([0.0, -0.0, 1.0, 1.0 + 1e-6, 2.0, -3.0, np.inf, -np.inf, np.nan, -np.nan])
N_CLASSES = 3


@st.composite
def samples(draw):
    """Draw a sample of numeric columns and one nominal column."""
    shape = draw(st.integers(1, 30)), draw(st.integers(0, 3))
    numeric = draw(hnp.arrays(np.float64, shape, elements=VALUES))
    levels = draw(hnp.arrays(np.float64, (shape[0], 1), elements=st.sampled_from([0, 1, np.nan])))
    y = draw(hnp.arrays(np.int32, shape[0], elements=st.integers(0, N_CLASSES - 1)))
    return Sample(np.hstack([numeric, levels]), y, np.ones(len(y)))


def layout(sample, order=None):
    n_levels = np.array([-1] * (sample.X.shape[1] - 1) + [2], np.int32)
    columns = make_weighted_columns(sample, n_levels, N_CLASSES, order, counts_near=True)
    others = make_weighted_columns(sample, n_levels, N_CLASSES, order)
    near = near_of(columns) << np.uint64(34)
    np.testing.assert_array_equal(others.entries | near, columns.entries)
    assert not near_of(others).any()
    return columns


def code_bits(columns):
    return len(columns.y).bit_length()


def codes_of(columns):
    return columns.entries >> np.uint64(64 - code_bits(columns))


def near_of(columns):
    near = columns.entries >> np.uint64(34) & np.uint64(2 ** (30 - code_bits(columns)) - 1)
    return np.where(codes_of(columns) == 2 ** code_bits(columns) - 1, np.uint64(0), near)


@given(samples(), st.randoms(use_true_random=False))
def test_entries_are_the_rows_sorted_by_value(sample, random):
    order = np.array(random.sample(range(len(sample.y)), len(sample.y)))
    columns = layout(sample, order)
    for j, entries in enumerate(columns.entries):
        values = sample.X[order, j]
        rows = order[np.argsort(np.where(np.isnan(values), np.inf, values), kind="stable")]
        rows = np.concatenate([rows[~np.isnan(sample.X[rows, j])], order[np.isnan(values)]])
        np.testing.assert_array_equal(entries & 0xFFFFFFFF, rows)
        np.testing.assert_array_equal(entries >> 32 & 3, sample.y[rows])
        found, codes = np.unique(sample.X[rows, j], return_inverse=True)
        codes = np.where(np.isnan(found[codes]), 2 ** code_bits(columns) - 1, codes)
        np.testing.assert_array_equal(codes_of(columns)[j], codes)
        known = sample.X[rows, j][~np.isnan(sample.X[rows, j])]
        n_near = [len(np.unique(known[(known > v) & (known <= v + 1e-5)])) for v in known]
        np.testing.assert_array_equal(near_of(columns)[j, : len(known)], n_near)
    codes = np.where(np.isnan(sample.X[:, -1]), -1, sample.X[:, -1])
    np.testing.assert_array_equal(columns.codes[0], codes)


# Enough rows for a sort by digits; the values differ in the first bits, the last ones or few.
@pytest.mark.parametrize("n_rows", [64, 65, 3000, 70_000])
@pytest.mark.parametrize(
    "values",
    [
        lambda random, n: random.normal(size=n),
        lambda random, n: np.exp(100 * random.normal(size=n)),
        lambda random, n: 1 + random.integers(0, 9, n) * 2.0**-52,
        lambda random, n: np.round(random.normal(size=n), 1),
        lambda random, n: random.normal(size=n).astype(np.float32),
        lambda random, n: np.append(random.choice([-np.inf, 5e-324, np.inf, np.nan], n - 1), 1.0),
        lambda random, n: np.where(random.random(n) < 0.9, 1 + random.random(n) * 1e-9, -5.0),
        lambda random, n: np.full(n, 7.0),
    ],
)
def test_many_rows_are_sorted_stably(values, n_rows):
    random = np.random.default_rng(n_rows)
    X = np.column_stack([values(random, n_rows), np.zeros(n_rows)])
    sample = Sample(X, np.zeros(n_rows, np.int32), np.ones(n_rows))
    order = random.permutation(n_rows)
    columns = layout(sample, order)
    entries = columns.entries[0]
    rows = (entries & 0xFFFFFFFF).astype(np.int64)
    np.testing.assert_array_equal(rows, order[np.argsort(X[order, 0], kind="stable")])
    found = X[rows, 0]
    is_new = (found[1:] != found[:-1]) & ~(np.isnan(found[1:]) & np.isnan(found[:-1]))
    np.testing.assert_array_equal(np.diff(codes_of(columns)[0]) > 0, is_new)


@given(samples(), st.integers(0, 2**32 - 1))
def test_columns_of_some_rows_are_those_sorted_anew(sample, seed):
    weight = np.random.default_rng(seed).integers(0, 3, len(sample.y)).astype(float)
    taken = take_rows(layout(sample), weight)
    expected = layout(sample._replace(weight=weight), np.flatnonzero(weight))
    np.testing.assert_array_equal(taken.rows, expected.rows)
    np.testing.assert_array_equal(taken.weight, weight)
    assert taken.total == expected.total
    label_and_row = np.uint64(2**34 - 1)
    np.testing.assert_array_equal(taken.entries & label_and_row, expected.entries & label_and_row)
    for own, other in zip(codes_of(taken), codes_of(expected), strict=True):
        np.testing.assert_array_equal(np.diff(own) > 0, np.diff(other) > 0)


def test_too_many_rows_and_classes():
    sample = Sample(np.zeros((2, 1)), np.zeros(2, np.int32), np.ones(2))
    with pytest.raises(ValueError, match="2 rows of 3000000000 classes are more"):
        make_weighted_columns(sample, np.array([-1]), 3_000_000_000)


@given(samples(), st.data())
def test_presort_refuses_or_sorts_whatever_it_gets(sample, data):
    n, n_features = sample.X.shape
    y = data.draw(hnp.arrays(np.int32, st.integers(0, n + 1), elements=st.integers(-1, 3)))
    rows = data.draw(hnp.arrays(np.int32, st.integers(0, n + 1), elements=st.integers(-1, n)))
    entries = np.empty((data.draw(st.integers(0, 3)), len(rows)), np.uint64)
    codes = np.empty((data.draw(st.integers(0, 2)), data.draw(st.just(n) | st.just(0))), np.int32)
    n_levels = data.draw(hnp.arrays(np.int32, n_features, elements=st.integers(-1, 2)))
    n_classes, near = data.draw(st.tuples(st.integers(-1, 4), st.integers(0, 1)))
    try:
        how = n_classes, near, 2
        engine.call("presort_columns", sample.X, y, rows, n_levels, *how, entries, codes)
    except ValueError as error:
        assert "The engine needs" in str(error)  # noqa: PT017
    else:
        assert len(y) == n
        assert set(entries.ravel() & 0xFFFFFFFF) <= set(rows)
        known = sample.X[:, n_levels >= 0].T
        np.testing.assert_array_equal(codes, np.nan_to_num(known, nan=-1.0).astype(int))


@pytest.mark.parametrize(
    ("weight", "n_kept"), [(np.ones(2), 3), (np.ones(3), 2), (np.zeros(3), 1), (np.ones(3), 4)]
)
def test_take_refuses_other_sizes(weight, n_kept):
    columns = layout(Sample(np.zeros((3, 2)), np.zeros(3, np.int32), np.ones(3)))
    with pytest.raises(ValueError, match="The engine needs"):
        engine.call("take_entries", columns.entries, weight, np.empty((1, n_kept), np.uint64))
