"""Weka's RandomTree: seeds of a row's text, ties and what Weka answers."""

import numpy as np
import pandas as pd
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from retree import WekaRandomTreeClassifier
from retree.java_random import JavaRandom
from retree.trees.weka.row_text import java_hash, new_number_text, old_number_text, quoted

X = np.round(np.random.RandomState(2).normal(size=(60, 5)), 2)
Y = (X[:, 0] + X[:, 1] * X[:, 2] > 0).astype(int)


# Which row makes the seed depends on how many there are.
OF_ROWS = {
    f"check_sample_weight_equivalence_on_{kind}_data": "the number of rows is part of the seed"
    for kind in ("dense", "sparse")
}


@parametrize_with_checks([WekaRandomTreeClassifier()], expected_failed_checks=lambda _: OF_ROWS)
def test_sklearn_checks(estimator, check):
    check(estimator)


# As ``Utils.doubleToString(value, 6)`` of 3.7.12 and of 3.9.7, run by Java.
@pytest.mark.parametrize(
    ("value", "old", "new"),
    [
        (0.0, "0", "0"),
        (-0.0, "0", "-0"),
        (5.1, "5.1", "5.1"),
        (-0.25, "-0.25", "-0.25"),
        (1 / 3, "0.333333", "0.333333"),
        (2 / 3, "0.666667", "0.666667"),
        (1e-7, "0", "0"),
        (-4e-7, "0", "-0"),
        (0.0000125, "0.000013", "0.000013"),
        (40.99999999999998, "41", "41"),
        (123456789.125, "123456789.125", "123456789.125"),
        (1e13, "1.0E13", "10000000000000"),
        (1.5e300, "1.5E300", "15" + "0" * 299),
        (-2.5e20, "-2.5E20", "-250000000000000000000"),
    ],
)
def test_numbers_are_written_as_weka_writes_them(value, old, new):
    assert (old_number_text(value), new_number_text(value)) == (old, new)


def test_levels_are_quoted_as_weka_quotes_them():
    assert [quoted(t) for t in ("a", "a b", "", "?", "it's", "5%", "a\\b", "é")] == [
        "a", "'a b'", "''", "'?'", "'it\\'s'", "'5\\%'", "'a\\\\b'", "é"
    ]  # fmt: skip


def test_hashes_are_those_of_java():
    # "polygenelubricants" has the least int as its hash; a clef is two units of UTF-16.
    assert [java_hash(t) for t in ("", "abc", "polygenelubricants", "𝄞")] == [
        0, 96354, -(2**31), 1772394
    ]  # fmt: skip


def test_the_names_of_classes_are_part_of_the_seed():
    names = np.array(["no", "yes"])
    by_name = WekaRandomTreeClassifier().fit(X, names[Y]).tree_
    told = WekaRandomTreeClassifier(class_names=names).fit(X, Y).tree_
    np.testing.assert_array_equal(by_name.threshold, told.threshold)
    others = [WekaRandomTreeClassifier(class_names=[a, "yes"]).fit(X, Y).tree_ for a in "abcd"]
    assert any(len(o.threshold) != len(told.threshold) for o in others)


def test_all_features_make_the_best_test_at_the_root_whatever_the_seed():
    trees = [
        WekaRandomTreeClassifier(max_features=5, random_state=seed).fit(X, Y).tree_
        for seed in range(20)
    ]
    assert len({tree.feature[0] for tree in trees}) == 1
    few = {WekaRandomTreeClassifier(max_features=1, random_state=s).fit(X, Y).tree_.feature[0]
           for s in range(40)}  # fmt: skip
    assert few == {0, 1, 2, 3, 4}


def test_the_first_of_equal_features_wins():
    twice = np.column_stack((X[:, 0], X[:, 0]))
    for seed in range(10):
        tree = WekaRandomTreeClassifier(max_features=2, random_state=seed).fit(twice, Y).tree_
        assert (tree.feature <= 0).all()


def test_a_node_looks_on_until_a_feature_gains_something():
    constant = np.column_stack([np.zeros(60)] * 9 + [X[:, 0]])
    for seed in range(10):
        model = WekaRandomTreeClassifier(max_features=1, random_state=seed).fit(constant, Y)
        assert model.score(constant, Y) == 1.0


def test_weights_are_rows():
    weight = np.random.RandomState(1).randint(1, 4, 60)
    # The row that makes the seed is another one of more rows: no feature is left to chance.
    model = WekaRandomTreeClassifier(max_features=5)
    own = model.fit(X, Y, weight).tree_
    other = model.fit(np.repeat(X, weight, axis=0), np.repeat(Y, weight)).tree_
    np.testing.assert_array_equal(own.threshold, other.threshold)
    np.testing.assert_array_equal(own.counts, other.counts)


def test_a_branch_without_rows_predicts_what_the_node_does():
    levels = pd.Categorical(list("aabb"), list("abc"))
    model = WekaRandomTreeClassifier().fit(pd.DataFrame({"x": levels}), [0, 0, 1, 0])
    unseen = pd.DataFrame({"x": pd.Categorical(["c"], list("abc"))})
    np.testing.assert_array_equal(model.predict_proba(unseen), [[0.75, 0.25]])


def test_any_int_of_java_is_a_seed():
    for seed in (-(2**31), -1, 2**31 - 1):
        WekaRandomTreeClassifier(random_state=seed).fit(X, Y)
    assert JavaRandom(-1).below(7) in range(7)
