"""The codes of class labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from retree.trees.validation import encode_classes

# More than 20 classes of a row or so make scikit-learn warn.
TEXTS = st.lists(st.text("ab", max_size=3), min_size=1)
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


@pytest.mark.parametrize("other", [1, None, float("nan")])
def test_labels_that_do_not_compare_are_refused(other: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        encode_classes(np.array(["a", "b", other], object))


def test_thousands_of_classes_of_a_few_rows_are_refused_at_once() -> None:
    labels = np.arange(40_000) // 2
    with pytest.raises(ValueError, match=r"20,000 classes in 40,000 rows.* use CartRegressor"):
        encode_classes(labels)
    assert len(encode_classes(labels // 10)[0]) == 2000
