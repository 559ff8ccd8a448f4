"""The exported SQL, executed, predicts what the model does, to the last bit."""

import sqlite3

import numpy as np
import pandas as pd
import pytest
from exported_models import (
    NAMES,
    assert_same_bits,
    examples,
    forest_models,
    mixed_data,
    regression_model,
    rows,
    tree_models,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from retree import (
    AdaBoostM1Classifier,
    BaggingTreesClassifier,
    C45Classifier,
    CMDTClassifier,
    CodedCartClassifier,
    OC1Classifier,
)
from retree.trees.interchange.dialects import exact_number, quote_name

TABLE = 'ro\'ws "x"'


def in_sqlite(query, X):
    with sqlite3.connect(":memory:") as base:
        types = ["TEXT" if X[name].dtype == object else "REAL" for name in X]
        columns = ", ".join(f"{quote_name(n)} {t}" for n, t in zip(X, types, strict=True))
        base.execute(f"CREATE TABLE {quote_name(TABLE)} (k INTEGER, {columns})")
        marks = ", ".join("?" * (X.shape[1] + 1))
        values = X.astype(object).where(X.notna(), None).to_numpy().tolist()
        table = [[k, *row] for k, row in enumerate(values)]
        base.executemany(f"INSERT INTO {quote_name(TABLE)} VALUES ({marks})", table)
        found = base.execute(query)
        return [column[0] for column in found.description], sorted(found.fetchall())


def in_duckdb(query, X):
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not there: pip install duckdb")
    with duckdb.connect() as base:
        table = X.assign(k=range(len(X)))  # NaN stays NaN in the numeric columns
        base.register("given", table)
        base.execute(f"CREATE TABLE {quote_name(TABLE)} AS SELECT * FROM given")
        found = base.execute(query)
        return [column[0] for column in found.description], sorted(found.fetchall())


RUN = {"sqlite": in_sqlite, "postgres": in_duckdb, "duckdb": in_duckdb}


def check(model, X, dialect="sqlite"):
    names, found = RUN[dialect](model.export_sql(TABLE, dialect=dialect, keys=["k"]), X)
    assert names == ["k", *(f"probability_{c}" for c in model.classes_), "prediction"]
    assert [row[0] for row in found] == list(range(len(X)))
    assert_same_bits([row[1:-1] for row in found], model.predict_proba(X))
    assert [row[-1] for row in found] == model.predict(X).tolist()


@examples
@given(tree_models() | forest_models())
def test_random_models(model):
    check(model, rows())


@settings(examples, max_examples=10)
@given(tree_models() | forest_models())
def test_random_models_in_duckdb(model):
    check(model, rows(), "duckdb")


@pytest.mark.parametrize("dialect", RUN)
@pytest.mark.parametrize(
    "model",
    [
        C45Classifier(),
        C45Classifier(binary_splits=True),
        BaggingTreesClassifier(n_estimators=5, random_state=0),
        AdaBoostM1Classifier(n_estimators=5),
        CMDTClassifier(),
        CodedCartClassifier("one_hot"),
        CodedCartClassifier("ordinal"),
    ],
    ids=repr,
)
def test_grown_models(model, dialect):
    check(model.fit(*mixed_data()), rows(seed=1), dialect)


def test_oblique_tests():
    X = rows(200, missing=0).drop(columns=NAMES[2])
    y = (X[NAMES[0]] - 0.3 * X[NAMES[1]] > 1).astype(int)
    model = OC1Classifier(random_state=0).fit(X, y)
    check(model, rows(seed=1, missing=0).drop(columns=NAMES[2]))


def test_a_regression():
    model, X = regression_model(), rows(seed=1)
    names, found = in_sqlite(model.export_sql(TABLE, keys=["k"]), X)
    assert names == ["k", "prediction"]
    assert_same_bits([row[1] for row in found], model.predict(X))


@pytest.mark.parametrize("levels", [[3, 1, 2], [0.1, -2.5], [True, False]], ids=str)
def test_levels_and_classes_that_are_no_texts(levels):
    column = pd.Series(pd.Categorical(np.array(levels * 20, object), categories=levels))
    labels = np.array([levels.index(v) % 2 + 0.5 for v in levels * 20]) > 1
    model = C45Classifier().fit(pd.DataFrame({"a": column}), labels)
    X = pd.DataFrame({"a": np.array(levels)}).astype(float)
    _, found = in_sqlite(model.export_sql(TABLE, keys=["k"]), X)
    expected = model.predict_proba(pd.DataFrame({"a": np.array(levels)}))
    assert_same_bits([row[1:3] for row in found], expected)


@settings(examples, max_examples=300)
@given(st.floats(allow_nan=False))
def test_numbers_of_sqlite_are_exact(value):
    with sqlite3.connect(":memory:") as base:
        ((found,),) = base.execute(f"SELECT {exact_number(value)}").fetchall()
    assert found == value
    assert isinstance(found, float)


def test_what_sql_cannot_hold_is_refused():
    X, y = mixed_data()
    model = C45Classifier().fit(X, y)
    with pytest.raises(ValueError, match=r"Invalid dialect 'oracle'. Valid ones are 'sqlite'"):
        model.export_sql("rows", dialect="oracle")
    with pytest.raises(ValueError, match="null character"):
        model.export_sql("ro\0ws")
    with pytest.raises(ValueError, match="UTF-8"):
        model.export_sql("ro\ud800ws")
    model.feature_names_in_ = np.array(["a", "a", "b"], object)
    with pytest.raises(ValueError, match="same name"):
        model.export_sql("rows")
    many = AdaBoostM1Classifier(C45Classifier(max_depth=1)).fit(X, y)
    forest = many.forest_
    many.forest_ = forest.take([0] * 700)
    with pytest.raises(ValueError, match=r"would need .* columns, and databases have 1600"):
        many.export_sql("rows")
