"""Tables of every make: the same categories, trees and predictions from all of them."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from every_classifier import EVERY
from scipy import sparse
from sklearn.base import clone, is_classifier
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline

import retree
from retree import (
    BaggingTreesClassifier,
    C45Classifier,
    CartClassifier,
    CartLCClassifier,
    CartRegressor,
    CMDTClassifier,
    CodedCartClassifier,
    ID3Classifier,
    OC1Classifier,
    ReliefF,
)

NAMES = ["size", "colour", "wet"]
LEVELS = ["blue", "green", "red"]
MAKES = {
    "strings": lambda frame: frame,
    "objects": lambda frame: frame.astype(object),
    "nullable": lambda frame: frame.convert_dtypes(),
    "pyarrow": lambda frame: frame.convert_dtypes(dtype_backend="pyarrow"),
    "dictionary": lambda frame: frame.convert_dtypes(dtype_backend="pyarrow").astype(
        {"colour": pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string()))}
    ),
    "array": lambda frame: frame.to_numpy(dtype=object),
    "lists": lambda frame: frame.to_numpy(dtype=object).tolist(),
    "polars": lambda frame: polars_frame(frame),
    "categorical": lambda frame: polars_frame(frame, pl.Categorical()),
    "table": lambda frame: pa_table(frame, pa.string()),
    "batch": lambda frame: pa_table(frame, pa.string()).combine_chunks().to_batches()[0],
    "enum": lambda frame: polars_frame(frame, pl.Enum(LEVELS)),
}
TREES = [
    C45Classifier(),
    ID3Classifier(min_cases=2),
    CartClassifier(max_depth=4),
    CartRegressor(max_depth=4),
    CMDTClassifier(),
    CodedCartClassifier(max_depth=4),
    BaggingTreesClassifier(n_estimators=3, random_state=0),
]


def polars_frame(frame, colour=pl.String):
    columns = {
        name: [None if pd.isna(v) else v for v in frame[name].astype(object)] for name in NAMES
    }
    return pl.DataFrame(columns, {"size": pl.Float64, "colour": colour, "wet": pl.Boolean})


def pa_table(frame, colour):
    """Return a Table of pyarrow."""
    types = {"size": pa.float64(), "colour": colour, "wet": pa.bool_()}
    columns = {
        name: pa.array([None if pd.isna(v) else v for v in frame[name].astype(object)], kind)
        for name, kind in types.items()
    }
    return pa.table(columns)


def table(rng, n, missing):
    """Return numbers, strings and booleans, and a class that depends on them."""
    size = rng.integers(0, 9, n) / 4
    colour = rng.choice(np.array(LEVELS, object), n)
    wet = rng.choice(np.array([False, True], object), n)
    y = (size > 1).astype(int) + (colour == "red") * (wet == True)  # noqa: E712
    frame = pd.DataFrame({"size": size, "colour": colour, "wet": wet})
    frame = frame.mask(rng.random(frame.shape) < missing)
    frame.loc[: len(LEVELS) - 1, "colour"] = LEVELS
    frame.loc[:1, "wet"] = [False, True]
    frame["size"] = frame["size"].astype(float)
    frame["colour"] = frame["colour"].astype("str" if missing == 0 else object)
    return frame, np.where(rng.random(n) < 0.1, 0, y)


def with_category_types(frame):
    colour = pd.Categorical(frame["colour"], categories=LEVELS)
    wet = pd.Categorical(frame["wet"], categories=[False, True])
    return frame.assign(colour=colour, wet=wet)


@cache
def made_tables(missing):
    """Return two tables in every make, classes of the first, and both as category types."""
    rng = np.random.default_rng(0)
    (frame, y), (other, _) = (table(rng, 60, missing) for _ in range(2))
    makes = {name: (make(frame), make(other)) for name, make in MAKES.items()}
    return makes, y, (with_category_types(frame), with_category_types(other))


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("model", TREES, ids=lambda model: type(model).__name__)
def test_tables_of_every_make_give_the_tree_of_category_types(model, missing):
    makes, y, (frame, other) = made_tables(missing)
    model.fit(frame, y)
    levels = [None if own is None else own.tolist() for own in model.categories_]
    ask = "predict_proba" if is_classifier(model) else "predict"
    expected = getattr(model, ask)(other)
    for name, (rows, others) in makes.items():
        model.fit(rows, y)
        found = [None if own is None else own.tolist() for own in model.categories_]
        assert found == levels, name
        assert np.array_equal(getattr(model, ask)(others), expected), name
        if name not in ("array", "lists"):
            assert list(model.feature_names_in_) == NAMES
            # Of what make the rows to predict are does not matter.
            assert np.array_equal(getattr(model, ask)(makes["pyarrow"][1]), expected), name


@pytest.mark.parametrize("make", sorted(MAKES.keys() - {"enum"}))
def test_unseen_levels_count_as_missing(make):
    frame, y = table(np.random.default_rng(0), 80, 0.0)
    seen = frame["colour"] != "red"
    rows = frame[~seen]
    unknown = rows.assign(colour=np.full(len(rows), None, object))
    model = C45Classifier().fit(MAKES[make](frame[seen]), y[seen])
    assert list(model.categories_[1]) == ["blue", "green"]
    missing = MAKES[make if make in ("array", "lists") else "objects"](unknown)
    assert np.array_equal(model.predict_proba(MAKES[make](rows)), model.predict_proba(missing))


def test_polars_categories_of_other_frames_are_no_levels():
    pl.DataFrame({"colour": ["black", "white"]}, {"colour": pl.Categorical()})
    X = pl.DataFrame({"colour": ["red", "blue"] * 5}, {"colour": pl.Categorical()})
    assert C45Classifier().fit(X, [0, 1] * 5).categories_[0].tolist() == ["blue", "red"]


def test_levels_of_an_enum_keep_their_order():
    X = pl.DataFrame({"grade": ["low", "high"] * 5}, {"grade": pl.Enum(["low", "mid", "high"])})
    model = C45Classifier().fit(X, ["a", "b"] * 5)
    assert model.categories_[0].tolist() == ["low", "mid", "high"]
    assert "grade = low" in model.export_text()


def test_lazy_frames_are_refused_with_the_fix():
    with pytest.raises(TypeError, match=r"pass X\.collect\(\)"):
        C45Classifier().fit(pl.LazyFrame({"a": [1.0, 2.0]}), [0, 1])


def test_columns_of_polars_keep_their_names_in_all_trees():
    X = pl.DataFrame({"a": np.arange(12.0), "b": [1, 0] * 6})
    y = [0] * 6 + [1] * 6
    for model in (C45Classifier(), OC1Classifier(random_state=0), CartRegressor()):
        model.fit(X, pl.Series(y))
        assert model.feature_names() == ["a", "b"]
        assert model.predict(X).tolist() == y
    labels = pl.Series(["n"] * 6 + ["y"] * 6, dtype=pl.Enum(["n", "y"]))
    assert CartClassifier().fit(X, labels).predict(X).tolist() == labels.to_list()


def test_tables_of_pyarrow_in_all_trees():
    X = pa.table({"a": np.arange(12.0), "b": [1, 0] * 6})
    y = [0] * 6 + [1] * 6
    for model in EVERY.values():
        model = clone(model).fit(X, y)
        assert list(model.feature_names_in_) == ["a", "b"]
        assert (model.predict(X) == model.predict(X.to_pandas())).all()
    model = OC1Classifier(random_state=0).fit(X, y)
    assert "a = 3" in str(model.explain(X.slice(3, 1)))
    holes = pa.table({"a": [None, *range(1, 12)], "b": [1, 0] * 6})
    assert CartLCClassifier(fill_missing="mean").fit(holes, y).fill_values_.tolist() == [6.0, 0.5]
    names = pa.table({"a": ["u", "v"] * 6})
    with pytest.raises(ValueError, match=r"\['a'\] are not numeric; encode them"):
        OC1Classifier().fit(names, y)
    grades = pa.DictionaryArray.from_arrays([0, 2] * 6, ["low", "mid", "high"])
    model = C45Classifier().fit(pa.table({"grade": grades}), y)
    assert model.categories_[0].tolist() == ["low", "mid", "high"]


def test_what_is_no_category_is_named_with_a_fix():
    y = [0, 1, 0, 1]
    dates = pd.DataFrame({"day": pd.to_datetime(["2020-01-01"] * 4)})
    for X in (dates, dates.to_numpy(), dates - dates.iloc[0], pl.DataFrame(dates)):
        for cls in (C45Classifier, OC1Classifier):
            with pytest.raises(
                ValueError, match=r"dates or times: convert them to numbers, such as"
            ):
                cls().fit(X, y)
    numbers = dates.assign(day=[1.0, 2.0, 3.0, 4.0])
    with pytest.raises(ValueError, match=r"Columns \['day'\] hold dates or times"):
        CartClassifier().fit(numbers, y).predict(dates)
    assert len(C45Classifier(categorical_features=["day"]).fit(dates, y).categories_[0]) == 1
    strings = pd.DataFrame({"a": ["u", "v", "u", "v"]})
    for X in (strings, pl.DataFrame(strings.to_dict("list"))):
        with pytest.raises(ValueError, match=r"\['a'\] are not numeric; name them in categorical"):
            C45Classifier(categorical_features=None).fit(X, y)
        with pytest.raises(ValueError, match=r"\['a'\] are not numeric; encode them"):
            OC1Classifier().fit(X, y)
    several = pd.DataFrame({"a": ["u", 1, "u", 2.5]})
    with pytest.raises(ValueError, match=r"\['a'\] are not numeric"):
        C45Classifier().fit(several, y)
    with pytest.raises(TypeError, match=r"Column 'a' has values of several types.*astype\(str\)"):
        C45Classifier(categorical_features=["a"]).fit(several, y)
    with pytest.raises(TypeError, match="Column 0 has values of several types"):
        C45Classifier(categorical_features=[0]).fit(several.to_numpy(), y)


def test_objects_that_are_numbers_stay_numeric():
    X = pd.DataFrame({"a": [1, 2.5, None, 3]}, dtype=object)
    assert CartClassifier().fit(X, [0, 1, 1, 1]).categories_ == [None]
    assert CartClassifier().fit(X.to_numpy(), [0, 1, 1, 1]).categories_ == [None]
    boolean = np.array([[True], [False]])
    assert CartClassifier().fit(boolean, [0, 1]).categories_ == [None]


@pytest.mark.parametrize("bits", ["boolean", "bool[pyarrow]"])
def test_booleans_are_numbers_where_no_column_is_categorical(bits):
    X = pd.DataFrame({"a": pd.array([True, None, False, True], dtype=bits)})
    model = CartClassifier(categorical_features=None).fit(X, [1, 1, 0, 1])
    assert model.categories_ == [None]
    assert model.tree_.threshold[0] == 0.5


@pytest.mark.parametrize("output", ["default", "pandas", "polars"])
def test_categories_survive_a_column_transformer(output):
    frame, y = table(np.random.default_rng(1), 90, 0.0)
    steps = [("number", SimpleImputer(), ["size"]), ("rest", "passthrough", ["colour", "wet"])]
    before = ColumnTransformer(steps, verbose_feature_names_out=False).set_output(transform=output)
    model = make_pipeline(before, C45Classifier()).fit(frame, y)
    plain = C45Classifier().fit(with_category_types(frame), y)
    assert np.array_equal(model.predict_proba(frame), plain.predict_proba(frame))
    assert [c is None for c in model[-1].categories_] == [True, False, False]
    # Only of a frame the columns keep their names and category types the order of their levels.
    named = model[-1].feature_names() == NAMES
    assert named == (output != "default")


def test_integer_categories_survive_a_column_transformer_as_a_frame_only():
    X = pd.DataFrame({"code": pd.Categorical([3, 1, 2] * 9), "size": np.arange(27.0)})
    y = np.array([0, 1, 0] * 9)
    kept = ColumnTransformer([("all", "passthrough", ["code", "size"])])
    lost = make_pipeline(kept, CartClassifier()).fit(X, y)
    assert lost[-1].categories_ == [None, None]
    named = make_pipeline(kept, CartClassifier(categorical_features=[0])).fit(X, y)
    assert named[-1].categories_[0].tolist() == [1, 2, 3]
    as_frame = make_pipeline(kept, CartClassifier()).set_output(transform="pandas").fit(X, y)
    assert as_frame[-1].categories_[0].tolist() == [1, 2, 3]


def test_relief_selects_columns_of_polars():
    frame, y = table(np.random.default_rng(2), 60, 0.0)
    X = polars_frame(frame, pl.Enum(LEVELS))
    relief = ReliefF(n_features_to_select=2).fit(X, y)
    expected = ReliefF(n_features_to_select=2).fit(with_category_types(frame), y)
    assert np.array_equal(relief.feature_weights_, expected.feature_weights_)
    chosen = relief.set_output(transform="polars").transform(X)
    assert chosen.columns == list(expected.get_feature_names_out())


def test_short_floats_may_be_categories():
    X = pd.DataFrame({"a": np.array([1, 2, 1, 2], np.float16), "b": ["u", "v", "u", "u"]})
    model = C45Classifier(categorical_features=["a", "b"]).fit(X, [0, 1, 0, 1])
    assert model.predict(X).tolist() == [0, 1, 0, 1]
    assert model.categories_[0].tolist() == [1.0, 2.0]


@pytest.mark.parametrize("where", ["X", "y", "sample_weight"])
def test_a_number_that_no_float_can_be_is_refused_by_name(where):
    given = {"X": [[1], [2], [3]], "y": [1, 2, 3], "sample_weight": [1, 1, 1]}
    large = np.array([10**400, 1, 2], object)
    given[where] = large[:, None] if where == "X" else large
    frame = pd.DataFrame(given["X"], columns=["a"])
    for X in (given["X"], frame):
        with pytest.raises(ValueError, match=f"^{where} is or contains a whole number above"):
            CartRegressor().fit(**{**given, "X": X})


FITTED_ALREADY = ("AccuracyThinner", "EPICSelector", "FittedForestClassifier", "ForestThinner")
ESTIMATORS = [
    cls
    for name in retree.__all__
    if isinstance(cls := getattr(retree, name), type) and name not in FITTED_ALREADY
]


@pytest.mark.parametrize("cls", ESTIMATORS, ids=lambda cls: cls.__name__)
def test_sparse_data_are_refused_with_the_fix(cls):
    X = np.arange(40.0).reshape(20, 2) % 7
    y = np.arange(20) % 2
    for make in (sparse.csr_matrix, sparse.csc_array, sparse.coo_array):
        with pytest.raises((TypeError, ValueError), match=r"[Ss]parse.*toarray\(\)"):
            cls().fit(make(X), y)


def test_sparse_columns_and_sparse_rows_to_predict_are_refused_too():
    X = np.arange(40.0).reshape(20, 2) % 7
    y = np.arange(20) % 2
    columns = pd.DataFrame(X).astype(pd.SparseDtype("float64", 0.0))
    for cls in (CartClassifier, OC1Classifier):
        with pytest.raises(TypeError, match=r"pass X\.sparse\.to_dense\(\)"):
            cls().fit(columns, y)
        model = cls().fit(X, y)
        with pytest.raises(TypeError, match=r"[Ss]parse.*toarray\(\)"):
            model.predict(sparse.csr_array(X))
