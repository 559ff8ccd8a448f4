from __future__ import annotations

import hashlib

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from retree_lab.datasets.canonical import canonicalise, ordered_sha256, sorted_sha256
from retree_lab.study.catalogue import Raw

RAW = Raw(("a", "b"), {"x": 1, "y": 2}, ("b",), ("?",))


def _frame(**changes: list[object]) -> pd.DataFrame:
    columns = {"a": ["1", " 2.50", "-0"], "b": ["'p'", "q ", "?"], "class": ["x", "y ", "'y'"]}
    return pd.DataFrame({**columns, **changes})


def test_texts_are_stripped_and_typed() -> None:
    X, y = canonicalise(_frame(), RAW)
    assert X["a"].tolist() == [1.0, 2.5, 0.0]
    assert not np.signbit(X["a"]).any()
    assert list(X["b"].cat.categories) == ["p", "q"]
    assert X["b"].isna().tolist() == [False, False, True]
    assert y.tolist() == ["x", "y", "y"]
    assert y.name == "class"


def test_the_source_s_types_do_not_matter() -> None:
    expected = ordered_sha256(*canonicalise(_frame(a=["1", "2", "3"], b=["1", "2", "1"]), RAW))
    for numbers in ([1, 2, 3], [1.0, 2.0, 3.0], ["1.0", "2", "3e0"]):
        for codes in ([1, 2, 1], [1.0, 2.0, 1.0], pd.Categorical(["1", "2", "1"])):
            frame = _frame(a=numbers).assign(b=codes)
            assert ordered_sha256(*canonicalise(frame, RAW)) == expected


def test_booleans_are_lower_case_words() -> None:
    _, y = canonicalise(_frame().assign(**{"class": [True, False, True]}), RAW)
    assert y.tolist() == ["true", "false", "true"]


def test_first_label_map_that_knows_all_labels_is_applied() -> None:
    options = {"labels": [{"x": "0"}, {"x": "1", "y": "2"}, {"x": "3", "y": "4"}]}
    assert canonicalise(_frame(), RAW, options)[1].tolist() == ["1", "2", "2"]
    assert canonicalise(_frame(), RAW, {"labels": [{"x": "0"}]})[1].tolist() == ["x", "y", "y"]


def test_target_drop_and_rows() -> None:
    frame = _frame().assign(id=[1, 2, 3])
    X, y = canonicalise(frame, RAW, {"target": "class", "drop": ["id", "gone"], "rows": [1, 3]})
    assert X["a"].tolist() == [2.5, 0.0]
    assert y.tolist() == ["y", "y"]
    assert X.index.tolist() == y.index.tolist() == [0, 1]


def test_sorted_hash_is_that_of_the_sorted_rows() -> None:
    X, y = canonicalise(_frame(), RAW)
    rows = ["0.0\x1f\x1fy", "1.0\x1fp\x1fx", "2.5\x1fq\x1fy"]
    assert sorted_sha256(X, y) == hashlib.sha256("\n".join(rows).encode()).hexdigest()


@given(
    hnp.arrays(
        np.float64,
        st.tuples(st.integers(2, 6), st.just(2)),
        elements=st.floats(-1e9, 1e9),
    ),
    st.randoms(),
)
def test_hashes_and_the_row_order(values: np.ndarray, random: object) -> None:
    X = pd.DataFrame(values + 0.0, columns=["a", "b"])
    y = pd.Series([str(i) for i in range(len(X))], name="class", dtype=str)
    order = list(range(len(X)))
    random.shuffle(order)  # type: ignore[attr-defined]
    shuffled = X.iloc[order].reset_index(drop=True), y.iloc[order].reset_index(drop=True)
    assert sorted_sha256(*shuffled) == sorted_sha256(X, y)
    assert (ordered_sha256(*shuffled) == ordered_sha256(X, y)) == (order == sorted(order))
    changed = X.copy()
    changed.iloc[0, 1] = np.nextafter(changed.iloc[0, 1], np.inf)
    assert sorted_sha256(changed, y) != sorted_sha256(X, y)
    assert ordered_sha256(changed, y) != ordered_sha256(X, y)


def test_ordered_hash_sees_names_types_and_levels() -> None:
    X, y = canonicalise(_frame(), RAW)
    seen = {ordered_sha256(X, y), ordered_sha256(X.rename(columns={"a": "c"}), y)}
    seen.add(ordered_sha256(X.assign(a=X["a"].astype(str).astype("category")), y))
    seen.add(ordered_sha256(X.assign(b=X["b"].cat.add_categories(["r"])), y))
    assert len(seen) == 4
