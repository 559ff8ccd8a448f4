"""The exported C, compiled and called, predicts what the model does, to the last bit."""

import ctypes
import shutil
import subprocess

import numpy as np
import pytest
from exported_models import (
    LEVELS,
    assert_same_bits,
    examples,
    forest_models,
    mixed_data,
    regression_model,
    rows,
    tree_models,
)
from hypothesis import given, settings

from retree import AdaBoostM1Classifier, C45Classifier, CodedCartClassifier

COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
STRICT = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
pytestmark = pytest.mark.skipif(COMPILER is None, reason="there is no C compiler (cc) here")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("compiled")


def compiled(folder, model, *options):
    """Return the library that the exported file makes."""
    number = len(list(folder.iterdir()))
    source, library = folder / f"model{number}.c", folder / f"model{number}.so"
    source.write_text(model.export_c("tree"), encoding="ascii")
    command = [COMPILER, *STRICT, *options, "-shared", "-fPIC", source, "-o", library, "-lm"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return ctypes.CDLL(str(library))


def coded(library, X, model):
    """Return the rows as C takes them: numbers, and what it says of the levels."""
    columns = []
    for j, levels in enumerate(getattr(model, "categories_", [None] * X.shape[1])):
        column = X.iloc[:, j].astype(object)
        if levels is not None:
            library.tree_level.restype = ctypes.c_double
            column = [
                np.nan if label is None else library.tree_level(j, str(label).encode())
                for label in column
            ]
        columns.append(np.asarray(column, np.float64))
    return np.ascontiguousarray(np.column_stack(columns))


def pointer(array):
    return array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))


def check(folder, model, X, *options):
    library = compiled(folder, model, *options)
    table = coded(library, X, model)
    shares = np.empty((len(X), len(model.classes_)))
    for row, own in zip(table, shares, strict=True):
        library.tree_predict_proba(pointer(row), pointer(own))
    assert_same_bits(shares, model.predict_proba(X))
    classes = (ctypes.c_char_p * len(model.classes_)).in_dll(library, "tree_classes")
    found = [classes[library.tree_predict(pointer(row))].decode() for row in table]
    assert found == model.predict(X).astype(str).tolist()


@settings(examples, max_examples=10)
@given(model=tree_models() | forest_models())
def test_random_models(folder, model):
    check(folder, model, rows())


@pytest.mark.parametrize("options", [["-O0"], ["-O3", "-march=native"]], ids=" ".join)
def test_a_forest_by_other_compilations(folder, options):
    model = AdaBoostM1Classifier(vote="weighted_shares").fit(*mixed_data())
    check(folder, model, rows(seed=1), *options)


@pytest.mark.parametrize("coding", ["one_hot", "ordinal"])
def test_coded_columns(folder, coding):
    check(folder, CodedCartClassifier(coding=coding).fit(*mixed_data()), rows(seed=1))


def test_a_regression(folder):
    model, X = regression_model(), rows(seed=1)
    library = compiled(folder, model)
    library.tree_predict.restype = ctypes.c_double
    found = [library.tree_predict(pointer(row)) for row in coded(library, X, model)]
    assert_same_bits(found, model.predict(X))


def test_fast_math_is_refused(folder):
    source = folder / "fast.c"
    source.write_text(C45Classifier().fit(*mixed_data()).export_c())
    done = subprocess.run([COMPILER, "-ffast-math", "-c", source, "-o", "/dev/null"],
                          capture_output=True, text=True)  # fmt: skip
    assert "without -ffast-math" in done.stderr


def test_names_and_labels_that_c_does_not_know_are_refused():
    X, y = mixed_data()
    model = C45Classifier().fit(X, y)
    with pytest.raises(ValueError, match=r"must be letters, digits and _ .* got 'a-b'"):
        model.export_c("a-b")
    for bad, reason in (("\0", "null character"), ("\ud800", "UTF-8")):
        names = np.where(y == y[0], f"a{bad}a", "b")
        with pytest.raises(ValueError, match=reason):
            C45Classifier().fit(X, names).export_c()
    assert LEVELS[0] not in model.export_c()
