"""The folds of Weka and OpenML: against OpenML's split files and a plain form of the rule."""

import csv
import hashlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retree.java_random import JavaRandom
from retree.weka_folds import openml_fold, weka_fold
from retree_lab.datasets.openml_tasks import load_task

REFERENCE = Path(__file__).parent / "reference" / "openml"
SPLITS = list(csv.DictReader((REFERENCE / "splits.csv").read_text(encoding="utf-8").splitlines()))
HEADER = (
    "@relation {}\n\n@attribute type {{TRAIN,TEST}}\n@attribute rowid numeric\n"
    "@attribute repeat numeric\n@attribute fold numeric\n\n@data\n"
)


def codes_of(task):
    return load_task(task)[1].cat.codes.to_numpy()


@pytest.mark.parametrize("row", SPLITS, ids=[f"{row['task']}-{row['source']}" for row in SPLITS])
def test_split_is_that_of_openml_row_for_row(row):
    lines, y = [], codes_of(int(row["data_of_task"]))
    for repeat in range(int(row["repeats"])):
        for fold in range(10):
            train, test = openml_fold(y, 10, repeat, fold, 0, stratified=True)
            lines += [f"TRAIN,{i},{repeat},{fold}" for i in train]
            lines += [f"TEST,{i},{repeat},{fold}" for i in test]
    text = HEADER.format(row["relation"]) + "\n".join(lines)
    assert hashlib.md5(text.encode()).hexdigest() == row["md5"]


def test_test_rows_of_task_1_come_in_the_order_of_its_file():
    y = codes_of(1)
    for fold, line in enumerate((REFERENCE / "task_1_test_rows.txt").read_text().splitlines()):
        np.testing.assert_array_equal(
            openml_fold(y, 10, 0, fold, 0, stratified=True)[1], [int(i) for i in line.split()]
        )


def plain_folds(y, folds, seed):
    """Return the rows dealt to folds by the rule as Weka writes it, swap by swap."""
    random, rows = JavaRandom(seed), list(range(len(y)))
    random.shuffle(rows)
    index = 1
    while index < len(rows):
        first = y[rows[index - 1]]
        for j in range(index, len(rows)):
            if y[rows[j]] == first:
                rows[index], rows[j] = rows[j], rows[index]
                index += 1
        index += 1
    dealt, start = [], 0
    while len(dealt) < len(rows):
        j = start
        while j < len(rows):
            dealt.append(rows[j])
            j += folds
        start += 1
    return dealt, random


@given(
    st.lists(st.integers(0, 4), min_size=3, max_size=60), st.integers(2, 3), st.integers(0, 2**31)
)
def test_folds_are_those_of_the_rule_swap_by_swap(classes, folds, seed):
    dealt, random = plain_folds(classes, folds, seed)
    y, at = np.array(classes), 0
    for fold in range(folds):
        size = len(y) // folds + (fold < len(y) % folds)
        test, train = dealt[at : at + size], dealt[:at] + dealt[at + size :]
        at += size
        ours = openml_fold(y, folds, 0, fold, seed, stratified=True)
        assert [part.tolist() for part in ours] == [train, test]
        random.shuffle(train)
        ours = weka_fold(y, folds, fold, seed, stratified=True)
        assert [part.tolist() for part in ours] == [train, test]


def test_another_repeat_goes_on_with_the_same_generator():
    y = np.arange(40) % 3
    repeats = [openml_fold(y, 4, repeat, 1, 0, stratified=True)[1].tolist() for repeat in range(3)]
    assert len({tuple(rows) for rows in repeats}) == 3
    assert repeats[2] == openml_fold(y, 4, 2, 1, 0, stratified=True)[1].tolist()


def test_a_fold_that_is_changed_leaves_the_next_one_as_it_is():
    y = np.arange(30) % 2
    train, _ = openml_fold(y, 3, 0, 0, 0, stratified=True)
    before = train.tolist()
    train[:] = 0
    assert openml_fold(y, 3, 0, 0, 0, stratified=True)[0].tolist() == before


def test_fewer_rows_than_folds_are_refused():
    with pytest.raises(ValueError, match="choose fewer folds"):
        openml_fold(np.zeros(3, int), 10, 0, 0, 0, stratified=True)
