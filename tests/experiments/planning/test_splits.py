from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from toy_benchmark import CV, WHOLE

from retree_lab.experiments.planning.splits import split_rows

Y = np.repeat([0, 1], [40, 20])


def test_folds_partition_the_rows_and_are_stratified():
    tests = [split_rows(CV, Y, 0, fold)[1] for fold in range(3)]
    assert sorted(np.concatenate(tests)) == list(range(60))
    assert all(6 <= Y[rows].sum() <= 7 for rows in tests)


def test_training_rows_are_the_others():
    train, test = split_rows(CV, Y, 1, 2)
    assert sorted([*train, *test]) == list(range(60))


def test_repeat_r_uses_seed_plus_r():
    shifted = split_rows(replace(CV, seed=1), Y, 0, 0)
    assert np.array_equal(split_rows(CV, Y, 1, 0)[1], shifted[1])
    assert not np.array_equal(split_rows(CV, Y, 0, 0)[1], shifted[1])


def test_inner_folds_partition_the_outer_training_rows():
    outer = split_rows(CV, Y, 0, 1)[0]
    inner = [split_rows(CV, Y, 0, 1, i) for i in range(CV.inner_folds)]
    assert sorted(np.concatenate([test for _, test in inner])) == list(outer)
    assert all(set(train) | set(test) == set(outer) for train, test in inner)


def test_whole_trains_and_scores_on_all_rows():
    train, test = split_rows(WHOLE, Y, 0, 0)
    assert np.array_equal(train, np.arange(60))
    assert np.array_equal(test, np.arange(60))


def test_unshuffled_folds_are_in_order():
    plain = replace(CV, stratified=False, shuffle=False)
    assert np.array_equal(split_rows(plain, Y, 0, 0)[1], np.arange(20))


def test_a_rare_class_is_in_some_test_folds_only():
    y = np.repeat([0, 1], [20, 2])
    found = [(y[split_rows(CV, y, 0, fold)[1]] == 1).sum() for fold in range(CV.folds)]
    assert sorted(found) == [0, 1, 1]


FOLDS = pd.read_csv(Path(__file__).parents[2] / "reference" / "weka" / "folds.csv")


@pytest.mark.parametrize("expected", list(FOLDS.itertuples(index=False)))
def test_weka_fold_is_that_of_weka_row_by_row(expected):
    y = np.arange(expected.n) ** 2 % 7 % 3
    protocol = replace(CV, splitter="weka", folds=expected.folds, seed=expected.seed - 1)
    train, test = split_rows(protocol, y, 1, expected.fold)
    assert " ".join(map(str, train)) == expected.train
    assert " ".join(map(str, test)) == expected.test


def test_weka_folds_of_numbers_are_not_stratified():
    protocol = replace(CV, splitter="weka")
    numbers = split_rows(protocol, Y.astype(float), 0, 1)
    of_one_class = split_rows(protocol, np.zeros(60, int), 0, 1)
    plain = split_rows(replace(protocol, stratified=False), Y, 0, 1)
    assert np.array_equal(numbers[0], plain[0])
    assert not np.array_equal(numbers[0], of_one_class[0])


def test_weka_needs_as_many_rows_as_folds():
    with pytest.raises(ValueError, match="2 rows cannot be divided into 3 folds"):
        split_rows(replace(CV, splitter="weka"), Y[:2], 0, 0)
