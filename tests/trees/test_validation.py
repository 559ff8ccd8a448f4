"""The codes of class labels, and limits as the engine takes them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from retree import C45Classifier, CartClassifier, SPCEClassifier
from retree.trees.validation import NO_LIMIT, depth_limit, encode_classes, least_number

# Few of them: where every other row has a class of its own, scikit-learn warns.
TEXTS = st.lists(st.text("ab", max_size=2), min_size=1)
LABELS = st.one_of(
    TEXTS.map(lambda values: np.array(values, object)),
    TEXTS.map(np.array),
    st.lists(st.integers(-3, 3), min_size=1).map(np.array),
    st.lists(st.booleans(), min_size=1).map(np.array),
)


@given(LABELS)
def test_codes_are_places_among_the_sorted_labels(labels: NDArray[Any]) -> None:
    classes, codes = encode_classes(labels)
    assert classes.tolist() == sorted(set(labels.tolist()))
    assert classes.dtype == labels.dtype
    assert codes.dtype == np.int32
    assert classes[codes].tolist() == labels.tolist()


def test_labels_that_do_not_compare_are_refused() -> None:
    with pytest.raises(TypeError, match="turn all of them into strings"):
        encode_classes(np.array(["a", "b", 1], object))


@pytest.mark.parametrize("Classifier", [C45Classifier, CartClassifier, SPCEClassifier])
@pytest.mark.parametrize(
    "labels",
    [
        ["a", "b", None],
        np.array(["a", "b", np.nan], object),
        np.array(["2020-01-01", "2021-01-01", "NaT"], "M8[D]"),
        pd.Series(["a", "b", pd.NA], dtype="string"),
        pd.Series(["a", "b", None], dtype="category"),
        pd.Series([0, 1, None], dtype="Int64"),
        pa.array(["a", "b", None]),
    ],
)
def test_missing_labels_are_refused(Classifier: Any, labels: Any) -> None:
    with pytest.raises(ValueError, match="y contains NaN: 1 of 3 labels are missing; leave"):
        Classifier().fit([[1.0], [2.0], [3.0]], labels)


def test_thousands_of_classes_of_a_few_rows_are_refused_at_once() -> None:
    labels = np.arange(40_000) // 2
    with pytest.raises(ValueError, match=r"20,000 classes in 40,000 rows.* use CartRegressor"):
        encode_classes(labels)
    assert len(encode_classes(labels // 10)[0]) == 2000


def test_limits_beyond_those_of_the_engine_are_none() -> None:
    assert depth_limit(10**20) == depth_limit(None) == NO_LIMIT
    assert least_number("min_cases", 10**20, 5.0, 1) == NO_LIMIT
    model = CartClassifier(max_depth=10**20, min_samples_leaf=10**20)
    assert model.fit([[1.0], [2.0]], [0, 1]).get_n_leaves() == 1
