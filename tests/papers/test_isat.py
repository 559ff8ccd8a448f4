"""iSAT: batches worked by hand."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from retree_lab.papers.structure_purity.isat import ISATClassifier


def learn(*batches, **params):
    """Return the tree of batches [(x, label), …] of one feature or [((x1, x2), label), …]."""
    tree = ISATClassifier(**params)
    for batch in batches:
        X = np.array([np.atleast_1d(x) for x, _ in batch], float)
        tree.partial_fit(X, [label for _, label in batch])
    return tree


def text(tree):
    return tree.export_text().splitlines()


FIRST = [(1, "a"), (2, "a"), (4, "b"), (5, "b")]


def test_first_batch_grows_by_information_gain():
    assert text(learn(FIRST)) == ["x[0] <= 2: a (a: 2)", "x[0] > 2: b (b: 2)"]


def test_new_class_to_the_right_of_the_box():
    # d1 = 9 - 5 = 4: a new root at 7, and a leaf for the batch.
    assert text(learn(FIRST, [(9, "c"), (10, "c")])) == [
        "x[0] <= 7",
        "|   x[0] <= 2: a (a: 2)",
        "|   x[0] > 2: b (b: 2)",
        "x[0] > 7: c (c: 2)",
    ]


def test_new_classes_to_the_left_of_the_box():
    # d2 = 1 - (-3) = 4: a new root at -1, and a tree of the batch, cut at its own value -5.
    assert text(learn(FIRST, [(-3, "c"), (-4, "c"), (-5, "d"), (-6, "d")])) == [
        "x[0] <= -1",
        "|   x[0] <= -5: d (d: 2)",
        "|   x[0] > -5: c (c: 2)",
        "x[0] > -1",
        "|   x[0] <= 2: a (a: 2)",
        "|   x[0] > 2: b (b: 2)",
    ]


def test_widest_gap_decides():
    # The boxes are 1 apart on the first feature (d1) and 3 apart on the second (d2).
    first = [((0, 10), "a"), ((1, 10), "a"), ((2, 12), "b"), ((3, 12), "b")]
    assert text(learn(first, [((4, 7), "c"), ((5, 6), "c")]))[0] == "x[1] <= 8.5: c (c: 2)"


def test_boxes_that_meet_on_both_sides():
    # No gap: -1 reaches 2 beyond Tmin = 1, then 7, 8 and 9 reach 4 beyond Tmax = 5; the right root
    # is above the left one. Row 3 is of a new class too: it falls into leaf b and perturbs it.
    batch = [(-1, "c"), (3, "c"), (7, "d"), (8, "d"), (9, "e")]
    assert text(learn(FIRST, batch)) == [
        "x[0] <= 5",
        "|   x[0] <= 1: c (c: 1)",
        "|   x[0] > 1",
        "|   |   x[0] <= 2: a (a: 2)",
        "|   |   x[0] > 2",
        "|   |   |   x[0] <= 3: c (c: 1)",
        "|   |   |   x[0] > 3: b (b: 2)",
        "x[0] > 5",
        "|   x[0] <= 8: d (d: 2)",
        "|   x[0] > 8: e (e: 1)",
    ]


def test_few_rows_beyond_the_right_side_make_no_root():
    # Of the two rows beyond 5 there is no tree: they fall into leaf b and perturb it.
    assert text(learn(FIRST, [(5, "b"), (6, "c"), (7, "c")])) == [
        "x[0] <= 2: a (a: 2)",
        "x[0] > 2",
        "|   x[0] <= 5: b (b: 3)",
        "|   x[0] > 5: c (c: 2)",
    ]


def test_batch_that_fits_is_only_counted():
    tree = learn(FIRST, [(1, "a"), (99, "b"), (-99, "a")])
    assert text(tree) == ["x[0] <= 2: a (a: 4)", "x[0] > 2: b (b: 3)"]


def test_tolerance_decides_what_is_perturbed():
    # The share of b falls from 2/2 to 3/4, that is by a quarter.
    batch = [(4.5, "a"), (5, "b")]
    assert len(text(learn(FIRST, batch, tolerance=0.24))) > 2
    assert text(learn(FIRST, batch, tolerance=0.25)) == [
        "x[0] <= 2: a (a: 2)",
        "x[0] > 2: b (a: 1, b: 3)",
    ]


def test_rows_of_earlier_batches_are_kept_where_a_leaf_is_split():
    # Leaf b has 4 and nine times 5; its share falls to 10/11, then to 10/14.
    first = [*FIRST, *[(5, "b")] * 8]
    tree = learn(first, [(4.5, "a")], [(4.6, "a")] * 3, tolerance=0.1)
    assert tree.tree_.counts[0].tolist() == [6, 10]
    assert text(tree)[1:] == [
        "x[0] > 2",
        "|   x[0] <= 4.6",
        "|   |   x[0] <= 4: b (b: 1)",
        "|   |   x[0] > 4: a (a: 4)",
        "|   x[0] > 4.6: b (b: 9)",
    ]


def test_classes_are_those_seen_so_far():
    tree = learn([(1, "b"), (2, "b")])
    assert tree.classes_.tolist() == ["b"]
    assert text(tree) == ["b (b: 2)"]
    tree.partial_fit([[8.0], [9.0]], ["a", "a"])
    assert tree.classes_.tolist() == ["a", "b"]
    assert tree.predict([[1.0], [9.0]]).tolist() == ["b", "a"]


@pytest.mark.parametrize("n_batches", [1, 4])
def test_fit_learns_batches_in_the_order_of_the_rows(n_batches):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(90, 3)), np.repeat([0, 1, 2], 30)
    X[:, 0] += y
    whole = ISATClassifier(n_batches=n_batches).fit(X, y)
    parts = ISATClassifier()
    for rows in np.array_split(np.arange(90), n_batches):
        parts.partial_fit(X[rows], y[rows])
    assert whole.export_text() == parts.export_text()
    assert whole.tree_.counts[0].tolist() == [30, 30, 30]
    assert clone(whole).fit(X, y).export_text() == whole.export_text()


def test_copies_learn_on():
    tree = learn(FIRST)
    copy = pickle.loads(pickle.dumps(tree))
    assert copy.partial_fit([[9.0]], ["c"]).predict([[9.0]]) == "c"
    assert tree.classes_.tolist() == ["a", "b"]


def test_gap_of_neighbouring_numbers():
    low, high = 1.0, np.nextafter(1.0, 2.0)
    tree = learn([(0, "a"), (low, "a")], [(high, "b"), (2, "b")])
    assert tree.predict([[low], [high]]).tolist() == ["a", "b"]


def test_bad_batches():
    tree = learn(FIRST)
    with pytest.raises(ValueError, match="X has 2 features, but ISATClassifier is expecting 1"):
        tree.partial_fit([[1.0, 2.0]], ["a"])
    with pytest.raises(ValueError, match=r"Columns \['x'\] are not numeric"):
        ISATClassifier().partial_fit(pd.DataFrame({"x": ["u", "v"]}), ["a", "b"])
