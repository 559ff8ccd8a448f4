from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from retree.errors import DataError, UnknownNameError
from retree_lab.datasets import load, load_dataset, prepare
from retree_lab.datasets.canonical import ordered_sha256
from retree_lab.study.catalogue import find


@pytest.fixture
def X() -> pd.DataFrame:
    colour = pd.Categorical(["red", None, "blue"], categories=["blue", "green", "red"])
    return pd.DataFrame({"size": [1.0, 2.0, 3.0], "colour": colour, "age": [4.0, 5.0, 6.0]})


Y = pd.Series(["a", "b", "c"], name="class", dtype=str)


def test_one_hot_stands_where_the_column_stood(X: pd.DataFrame) -> None:
    new, _ = prepare.one_hot(X, Y)
    assert list(new) == ["size", "colour=blue", "colour=green", "colour=red", "age"]
    assert new["colour=red"].tolist() == [1.0, 0.0, 0.0]
    assert new.loc[1].tolist() == [2.0, 0.0, 0.0, 0.0, 5.0]
    assert set(new.dtypes) == {np.dtype("float64")}


def test_one_hot_with_missing_as_a_level(X: pd.DataFrame) -> None:
    new, _ = prepare.one_hot(X, Y, missing_level="?")
    assert list(new)[1:5] == ["colour=?", "colour=blue", "colour=green", "colour=red"]
    assert new["colour=?"].tolist() == [0.0, 1.0, 0.0]
    assert (new.iloc[:, 1:5].sum(axis=1) == 1).all()


def test_label_codes_are_places_in_sorted_order(X: pd.DataFrame) -> None:
    new, _ = prepare.label_codes(X, Y)
    np.testing.assert_array_equal(new["colour"], [2.0, np.nan, 0.0])
    assert new["age"].tolist() == [4.0, 5.0, 6.0]


def test_as_numbers_reads_the_levels() -> None:
    X = pd.DataFrame({"code": pd.Categorical(["10", "2", "10"])})
    assert prepare.as_numbers(X, Y)[0]["code"].tolist() == [10.0, 2.0, 10.0]


def test_as_categories_has_the_numbers_as_sorted_texts() -> None:
    X = pd.DataFrame({"legs": [4.0, np.nan, 10.0, 2.5, 4.0], "size": [1.0, 2.0, 3.0, 4.0, 5.0]})
    new, _ = prepare.as_categories(X, Y, ["legs"])
    assert list(new["legs"].cat.categories) == ["10", "2.5", "4"]
    assert new["legs"].astype(object).tolist()[2:] == ["10", "2.5", "4"]
    assert new["legs"].isna().tolist() == [False, True, False, False, False]
    assert new["size"].dtype == np.float64


def test_complete_rows_leaves_out_rows_and_labels_alike(X: pd.DataFrame) -> None:
    new, labels = prepare.complete_rows(X, Y)
    assert new["size"].tolist() == [1.0, 3.0]
    assert labels.tolist() == ["a", "c"]
    assert list(new.index) == list(labels.index) == [0, 1]


def test_order_rows_moves_rows_and_labels(X: pd.DataFrame) -> None:
    new, y = prepare.order_rows(X, Y, [2, 0, 1])
    assert new["age"].tolist() == [6.0, 4.0, 5.0]
    assert y.tolist() == ["c", "a", "b"]
    assert new.index.tolist() == y.index.tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="each of 3 rows once"):
        prepare.order_rows(X, Y, [0, 1, 1])


def test_add_classes_declares_classes_without_rows(X: pd.DataFrame) -> None:
    new = prepare.add_classes(X, Y, ["d", "aa"])[1]
    assert new.tolist() == Y.tolist()
    assert new.cat.categories.tolist() == ["a", "aa", "b", "c", "d"]
    assert ordered_sha256(X, new) != ordered_sha256(X, Y)
    with pytest.raises(ValueError, match="rows have class b"):
        prepare.add_classes(X, Y, ["b"])


def test_add_levels_keeps_cells_and_sorts_levels(X: pd.DataFrame) -> None:
    new, _ = prepare.add_levels(X, Y, {"colour": ["cyan", "violet"]})
    assert list(new["colour"].cat.categories) == ["blue", "cyan", "green", "red", "violet"]
    pd.testing.assert_series_equal(new["colour"].astype(object), X["colour"].astype(object))


@pytest.mark.parametrize(
    ("levels", "reason"), [({"colour": ["red"]}, "unique"), ({"age": ["1"]}, "cat")]
)
def test_add_levels_that_do_not_fit(toy_mirror: Path, levels: dict, reason: str) -> None:
    entry = dataclasses.replace(find("toy"), prepare=({"add_levels": {"levels": levels}},))
    X = pd.DataFrame({"colour": pd.Categorical(["red"]), "age": [1.0]})
    with pytest.raises(DataError, match=rf"'add_levels' of data set 'toy' does not fit .*{reason}"):
        prepare.prepare(X, Y, entry)


def test_order_levels_keeps_cells(X: pd.DataFrame) -> None:
    new, _ = prepare.order_levels(X, Y, {"colour": ["red", "blue", "green"]})
    assert list(new["colour"].cat.categories) == ["red", "blue", "green"]
    pd.testing.assert_series_equal(new["colour"].astype(object), X["colour"].astype(object))
    assert ordered_sha256(new, Y) != ordered_sha256(X, Y)
    for order in (["red", "blue"], ["red", "blue", "green", "green"], ["red", "blue", "pink"]):
        with pytest.raises(ValueError, match="colour has levels blue, green, red: name each"):
            prepare.order_levels(X, Y, {"colour": order})


def test_merge_classes(X: pd.DataFrame) -> None:
    _, y = prepare.merge_classes(X, Y, {"ac": ["a", "c"]}, "other")
    assert y.tolist() == ["ac", "other", "ac"]
    assert y.name == "class"


def test_merge_of_a_class_that_is_not_there(X: pd.DataFrame) -> None:
    with pytest.raises(ValueError, match="there is no class z"):
        prepare.merge_classes(X, Y, {"ac": ["a", "z"]}, "other")


def test_derived_set(toy_mirror: Path) -> None:
    dataset = load_dataset("toy_two")
    assert dataset.name == "toy_two"
    assert dataset.y.tolist() == ["other", "two", "other", "two", "other"]
    np.testing.assert_array_equal(dataset.X["colour"], [1.0, 0.0, np.nan, 1.0, 0.0])


def test_raw_content_is_that_of_the_base(toy_mirror: Path) -> None:
    X, y = load("toy_two", raw=True)
    assert isinstance(X["colour"].dtype, pd.CategoricalDtype)
    assert set(y) == {"1", "2"}


@pytest.mark.parametrize(
    ("old", "new", "error", "reason"),
    [
        ("one_hot: {missing_level", "one_hat: {missing_level", UnknownNameError, "'one_hot'"),
        ("missing_level", "level", DataError, "Transform 'one_hot' of data set 'toy'"),
        ("n_features: 4", "n_features: 5", DataError, r"shape \(5, 4\).*not \(5, 5\)"),
    ],
)
def test_wrong_entry(
    toy_mirror: Path, old: str, new: str, error: type[Exception], reason: str
) -> None:
    path = toy_mirror.parent / "conf" / "dataset" / "toy.yaml"
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(error, match=reason):
        load("toy")
