"""The exported SQL, executed, predicts what the tree does."""

import math
import sqlite3
from contextlib import closing

import numpy as np
import pandas as pd
import pytest
from exported_models import (
    CLASSES,
    LEVELS,
    NAMES,
    assert_same_bits,
    examples,
    forest_models,
    mixed_data,
    regression_model,
    rows,
    tree_model,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from kinds import make_tree, random_trees
from real_sets import read_set

from retree import (
    AdaBoostM1Classifier,
    BaggingTreesClassifier,
    C45Classifier,
    CartClassifier,
    CartLCClassifier,
    CMDTClassifier,
    CodedCartClassifier,
    LocalSVDTreeClassifier,
    MultiBoostClassifier,
    OC1Classifier,
    RealAdaBoostClassifier,
)
from retree.trees.interchange.model import last_double_below
from retree.trees.interchange.sql import _number, quote_name
from retree.trees.tree import OBLIQUE

TABLE = 'ro\'ws "x"'


def table_of(X):
    """Return the columns with their types, and the rows with their numbers."""
    types = ["DOUBLE" if pd.api.types.is_numeric_dtype(X[name]) else "TEXT" for name in X]
    columns = [f"{quote_name(name)} {kind}" for name, kind in zip(X, types, strict=True)]
    values = X.astype(object).where(X.notna(), None).to_numpy().tolist()
    return ", ".join(["k INTEGER", *columns]), [[k, *row] for k, row in enumerate(values)]


def executed(base, query, X):
    columns, values = table_of(X)
    base.execute(f"CREATE TABLE {quote_name(TABLE)} ({columns})")
    marks = ", ".join("?" * len(values[0]))
    base.executemany(f"INSERT INTO {quote_name(TABLE)} VALUES ({marks})", values)
    found = base.execute(query)
    return [column[0] for column in found.description], sorted(found.fetchall())


def in_sqlite(query, X):
    with closing(sqlite3.connect(":memory:")) as base:
        return executed(base, query, X)


def in_duckdb(query, X):
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not there: pip install duckdb")
    with duckdb.connect() as base:
        return executed(base, query, X)


RUN = {"sqlite": in_sqlite, "duckdb": in_duckdb}


def check(model, X, database="sqlite"):
    names, found = RUN[database](model.export_sql(TABLE, keys=["k"]), X)
    assert names == ["k", *(f"probability_{c}" for c in model.classes_), "prediction"]
    assert [row[0] for row in found] == list(range(len(X)))
    # Rows that the tree divides are NULL.
    whole = [row for row in found if None not in row]
    assert all(set(row[1:]) == {None} for row in found if None in row)
    kept = [row[0] for row in whole]
    assert kept == list(range(len(X))) or (
        divides(model) and X.drop(index=kept).isna().any(axis=1).any()
    )
    assert not set(X.index[X.notna().all(axis=1) & known(model, X)]) - set(kept)
    if kept:
        assert_same_bits([row[1:-1] for row in whole], model.predict_proba(X)[kept])
        assert [row[-1] for row in whole] == model.predict(X)[kept].tolist()


def divides(model):
    """Return whether rows with missing values are divided over branches."""
    return (
        model.forest_.divide_missing
        if hasattr(model, "forest_")
        else model.contract.divides_missing
    )


def known(model, X):
    """Return which rows have no level that was not seen."""
    found = np.ones(len(X), bool)
    for name, levels in zip(X, model.categories_, strict=True):
        if levels is not None:
            found &= X[name].isin(set(levels)).to_numpy()
    return found


@pytest.mark.parametrize("divide", [False, True])
@examples
@given(tree=random_trees())
def test_random_trees(tree, divide):
    model = tree_model(tree, divide=divide)
    if tree.centres is not None:
        with pytest.raises(ValueError, match="nearest of several centres"):
            model.export_sql(TABLE)
    else:
        check(model, rows())


@examples
@given(model=forest_models())
def test_random_forests(model):
    if not any(tree.centres is not None for tree in model.forest_.trees):
        check(model, rows())


@pytest.mark.parametrize("database", RUN)
@pytest.mark.parametrize(
    "model",
    [
        C45Classifier(),
        C45Classifier(binary_splits=True),
        CartClassifier(max_depth=9),
        CodedCartClassifier(coding="one_hot", max_depth=9),
        CodedCartClassifier(coding="ordinal", max_depth=9),
        BaggingTreesClassifier(
            estimator=CartClassifier(max_depth=9), n_estimators=20, random_state=0
        ),
        AdaBoostM1Classifier(estimator=C45Classifier(max_depth=4), n_estimators=5, random_state=0),
    ],
    ids=repr,
)
def test_grown_models(model, database):
    check(model.fit(*mixed_data()), rows(seed=1), database)


@pytest.mark.parametrize("database", RUN)
@pytest.mark.parametrize(
    "model",
    [OC1Classifier(random_state=0, max_depth=5), CartLCClassifier(), LocalSVDTreeClassifier()],
    ids=repr,
)
def test_tests_of_weighted_sums(model, database):
    X = rows(200, missing=0).drop(columns=NAMES[2])
    y = np.array(CLASSES)[np.digitize(X[NAMES[0]] - 0.3 * X[NAMES[1]], [0.5, 2])]
    model.fit(X, y)
    assert (model.tree_.feature == OBLIQUE).any()
    table = rows(60, missing=0, seed=1).drop(columns=NAMES[2])
    names, found = RUN[database](model.export_sql(TABLE, keys=["k"]), table)
    assert names[-1] == "prediction"
    assert_same_bits([row[1:-1] for row in found], model.predict_proba(table))
    assert [row[-1] for row in found] == model.predict(table).tolist()


def test_a_forest_of_weighted_rows_with_missing_values():
    X, y = mixed_data(missing=0.2)
    weights = np.random.default_rng(0).integers(1, 4, len(X)) / 2
    for model in (
        AdaBoostM1Classifier(n_estimators=4, random_state=0),
        MultiBoostClassifier(n_estimators=4, random_state=0),
        BaggingTreesClassifier(n_estimators=4, vote="votes", random_state=0),
    ):
        check(model.fit(X, y, sample_weight=weights), rows(seed=1))


@pytest.mark.parametrize("model", [C45Classifier(max_depth=12), CartClassifier(max_depth=12)])
def test_deep_trees_of_many_levels_and_missing_values(model):
    X, y = read_set("adult")
    model.fit(X, y)
    some = X.isna().any(axis=1).to_numpy().nonzero()[0][:40].tolist()
    part = (
        X.iloc[[*range(40), *some]]
        .reset_index(drop=True)
        .astype({n: object for n in X if X[n].dtype != float})
    )
    check(model, part)


@pytest.mark.parametrize("side", [0, 1])
def test_twelve_levels(side):
    depth = 12
    ways = ([2 * i + 1, 2 * i + 2] for i in range(depth))
    if side:  # the deep branch is the second one
        children = [c for own in ways for c in (own, [])] + [[]]
        inner = range(0, 2 * depth, 2)
    else:
        children = [[i + 1, 2 * depth - i] for i in range(depth)] + [[]] * (depth + 1)
        inner = range(depth)
    tests = {node: place / 3 if side else 4 - place / 3 for place, node in enumerate(inner)}
    counts = np.random.default_rng(0).integers(1, 9, (len(children), 3))
    tree = make_tree(children, counts, feature=dict.fromkeys(tests, 0), threshold=tests)
    assert tree.max_depth == depth
    check(tree_model(tree, divide=False), rows(20))


def test_a_regression():
    model, X = regression_model(), rows(seed=1)
    names, found = in_sqlite(model.export_sql(TABLE, keys=["k"]), X)
    assert names == ["k", "prediction"]
    assert_same_bits([row[1] for row in found], model.predict(X))


def test_one_leaf_and_no_keys():
    X = rows(3)
    model = tree_model(make_tree([[]], [[1, 2, 1]]), divide=False)
    names, found = in_sqlite(model.export_sql(TABLE), X)
    assert names[0] == f"probability_{model.classes_[0]}"
    assert found == [(0.25, 0.5, 0.25, model.classes_[1])] * 3


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
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_of_sqlite_are_exact(value):
    with closing(sqlite3.connect(":memory:")) as base:
        ((found,),) = base.execute(f"SELECT {_number(value)}").fetchall()
    assert found == value
    assert isinstance(found, float)


@given(st.floats(width=64, allow_nan=False), st.integers(-3, 3))
def test_the_threshold_for_doubles_is_the_last_one(threshold, step):
    found = last_double_below(threshold)
    value = found
    for _ in range(abs(step)):
        value = math.nextafter(value, math.copysign(math.inf, step))
    with np.errstate(over="ignore"):
        assert (float(np.float32(value)) <= threshold) == (value <= found)


def test_what_sql_cannot_say_is_refused():
    X, y = mixed_data()
    model = C45Classifier().fit(X, y)
    with pytest.raises(ValueError, match="null character"):
        model.export_sql("ro\0ws")
    with pytest.raises(ValueError, match="UTF-8"):
        model.export_sql("ro\ud800ws")
    model.feature_names_in_ = np.array(["a", "a", "b"], object)
    with pytest.raises(ValueError, match="same name"):
        model.export_sql("rows")
    with pytest.raises(ValueError, match="'Coded' is also a name inside the query"):
        C45Classifier().fit(X, y).export_sql("Coded")
    with pytest.raises(ValueError, match="nearest of several centres"):
        CMDTClassifier().fit(X, y).export_sql("rows")
    with pytest.raises(ValueError, match="log odds of trees"):
        RealAdaBoostClassifier(n_estimators=2).fit(X, y == y[0]).export_sql("rows")
    many = BaggingTreesClassifier(estimator=CartClassifier(max_depth=1), n_estimators=501)
    with pytest.raises(ValueError, match="has 501 trees, but databases can add up only 500"):
        many.fit(X, y).export_sql("rows")
    deep = CartClassifier().fit(2.0 ** np.arange(40)[:, None], np.arange(40) % 2)
    with pytest.raises(ValueError, match=r"has 39 levels, .* fit with max_depth=12"):
        deep.export_sql("rows")


def test_levels_that_have_no_literal_are_refused():
    X = pd.DataFrame({"when": pd.Categorical(pd.to_datetime(["2020-01-01", "2020-01-02"] * 9))})
    model = C45Classifier().fit(X, [0, 1] * 9)
    with pytest.raises(ValueError, match=r"level of when .* has type Timestamp: .* to strings"):
        model.export_sql("rows")


def test_labels_are_quoted():
    query = C45Classifier().fit(*mixed_data()).export_sql("rows")
    assert all(level.replace("'", "''") in query for level in LEVELS)
