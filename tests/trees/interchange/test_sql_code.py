"""The exported SQL, executed, predicts what the model does, to the last bit."""

import sqlite3
from unittest import mock

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
    tree_model,
    tree_models,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from kinds import make_tree
from postgres_server import answer
from real_sets import read_set

from retree import (
    AdaBoostM1Classifier,
    BaggingTreesClassifier,
    C45Classifier,
    CartClassifier,
    CMDTClassifier,
    CodedCartClassifier,
    OC1Classifier,
)
from retree.trees.interchange.dialects import exact_number, quote_name
from retree.trees.interchange.node_tables import edges_of
from retree.trees.interchange.nodes import Node, Subset

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


def in_postgres(query, X):
    types = ["FLOAT8" if pd.api.types.is_numeric_dtype(X[name]) else "TEXT" for name in X]
    columns = ", ".join(f"{quote_name(n)} {t}" for n, t in zip(X, types, strict=True))
    lines = [f"CREATE TEMP TABLE {quote_name(TABLE)} (k INTEGER, {columns});"]
    lines.append(f"COPY {quote_name(TABLE)} FROM STDIN WITH (FORMAT csv);")
    for k, row in enumerate(X.astype(object).where(X.notna(), None).to_numpy().tolist()):
        cells = ["" if v is None else f'"{str(v).replace(chr(34), chr(34) * 2)}"' for v in row]
        lines.append(",".join([str(k), *cells]))
    names, found = answer("\n".join([*lines, "\\.", f"{query};", ""]))
    return names, sorted((int(k), *map(float, shares), y) for k, *shares, y in found)


RUN = {"sqlite": in_sqlite, "postgres": in_postgres, "duckdb": in_duckdb}


def check(model, X, dialect="sqlite"):
    names, found = RUN[dialect](model.export_sql(TABLE, dialect=dialect, keys=["k"]), X)
    assert names == ["k", *(f"probability_{c}" for c in model.classes_), "prediction"]
    assert [row[0] for row in found] == list(range(len(X)))
    assert_same_bits([row[1:-1] for row in found], model.predict_proba(X))
    assert [row[-1] for row in found] == model.predict(X).tolist()


def check_both(model, X, dialect="sqlite"):
    """Check both forms of the query, that of shallow trees and that of deep ones."""
    check(model, X, dialect)
    with mock.patch("retree.trees.interchange.sql_code.fits", return_value=False):
        check(model, X, dialect)


@examples
@given(tree_models() | forest_models())
def test_random_models(model):
    check_both(model, rows())


@pytest.mark.parametrize("dialect", ["postgres", "duckdb"])
@settings(examples, max_examples=10)
@given(tree_models() | forest_models())
def test_random_models_in_other_databases(dialect, model):
    check_both(model, rows(), dialect)


@pytest.mark.parametrize("dialect", RUN)
@pytest.mark.parametrize(
    "model",
    [
        C45Classifier(),
        C45Classifier(binary_splits=True),
        BaggingTreesClassifier(n_estimators=5, random_state=0),
        AdaBoostM1Classifier(n_estimators=5),
        CMDTClassifier(),
        CodedCartClassifier(coding="one_hot"),
        CodedCartClassifier(coding="ordinal"),
    ],
    ids=repr,
)
def test_grown_models(model, dialect):
    check_both(model.fit(*mixed_data()), rows(seed=1), dialect)


@pytest.mark.parametrize("dialect", RUN)
@pytest.mark.parametrize(
    "model",
    [
        C45Classifier(),
        CartClassifier(max_depth=25),
        BaggingTreesClassifier(
            estimator=C45Classifier(max_depth=12), n_estimators=2, random_state=0
        ),
    ],
    ids=["C4.5", "CART", "forest"],
)
def test_deep_trees_of_many_levels_and_missing_values(model, dialect):
    X, y = read_set("adult")
    model.fit(X, y)
    some = X.isna().any(axis=1).to_numpy().nonzero()[0][:40].tolist()
    part = X.iloc[[*range(40), *some]].astype({n: object for n in X if X[n].dtype != float})
    check(model, part, dialect)


@pytest.mark.parametrize("dialect", RUN)
def test_a_tree_that_is_deeper_than_any_expression(dialect):
    depth = 1200
    children = [c for i in range(depth) for c in ([2 * i + 1, 2 * i + 2], [])] + [[]]
    tests = {2 * i: i / 300 for i in range(depth)}
    counts = np.random.default_rng(0).integers(0, 9, (len(children), 3))
    tree = make_tree(children, counts, feature=dict.fromkeys(tests, 0), threshold=tests)
    assert tree.max_depth == depth
    check(tree_model(tree, divide=False), rows(20), dialect)


def test_a_subset_of_many_levels_is_few_intervals():
    levels, inside = 3000, (0, 1, 2, 700, 2998, 2999)
    node = Node((), Subset(0, inside), (1, 2), (1.0, None))
    leaf = Node((1.0,), None, (), ())
    edges = [e for e in edges_of([[node, leaf, leaf]], [levels]) if e.low is not None]
    assert len(edges) == 5
    for level in range(levels):
        (taken,) = (e.child for e in edges if e.low < level <= e.high)
        assert taken == (1 if level in inside else 2)


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
    with pytest.raises(ValueError, match="'Coded' is what a part of the query is called"):
        C45Classifier().fit(X, y).export_sql("Coded")
    wide = C45Classifier().fit(np.eye(4, 1700), [0, 1, 0, 1])
    with pytest.raises(ValueError, match=r"would need .* columns, and databases have 1600"):
        wide.export_sql("rows")
