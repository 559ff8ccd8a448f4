"""Calls of the engine: how the library is found, and what becomes of its errors."""

import re
from types import SimpleNamespace

import engine_parts
import numpy as np
import pytest

from retree import engine
from retree_lab import paths


def test_a_missing_library_names_the_remedy(tmp_path, monkeypatch):
    monkeypatch.setenv("RETREE_ENGINE", str(tmp_path))
    with pytest.raises(ImportError, match="engine of retree is missing: run `make setup`"):
        engine._folder.__wrapped__()


def test_a_library_of_another_version_names_the_remedy(monkeypatch):
    monkeypatch.setattr(engine, "INTERFACE", engine.INTERFACE + 1)
    with pytest.raises(ImportError, match="has another version: run `make engine`"):
        engine._library.__wrapped__()


def test_the_folder_is_that_of_the_environment(monkeypatch):
    folder = engine._folder()
    monkeypatch.setenv("RETREE_ENGINE", str(folder))
    assert engine._folder.__wrapped__() == folder


def test_what_is_compiled_for_two_processors_throws_nothing():
    # GCC lets no exception of such a function past its callers: the process would end.
    files = (paths.project_dir() / "src" / "engine").rglob("*.[ch]pp")
    text = "\n".join(file.read_text() for file in files)
    found = re.findall(r"^ *RETREE_VECTOR ([^;{]*){", text, re.MULTILINE)
    assert len(found) > 20
    assert [name for name in found if "noexcept" not in name] == []


def test_every_declared_function_can_be_called():
    declared = engine._declarations().items()
    names = [name for name, parameters in declared if "retree_array" in parameters]
    assert len(names) > 30
    for name in names:
        _, converters, has_result = engine._function(name.removeprefix("retree_"))
        assert len(converters) + has_result == engine._declarations()[name].count(",") + 1


def test_choices_have_the_names_and_numbers_of_the_headers():
    assert engine.choices("rank_by") == {"purity": 0, "margin": 1, "gain_ratio": 2, "hellinger": 3}
    assert list(engine.choices("penalty")) == ["none", "within", "across", "nearest"]
    assert engine.choices("order") == {"sequential": 0, "best_first": 1, "random": 2}
    criteria = {"twoing": 0, "gini": 1, "entropy": 2, "sum_minority": 3, "max_minority": 4}
    assert engine.choices("oblique_criterion") == criteria
    assert engine.choices("scaling") == {"as_is": 0, "by_range": 1, "by_quartiles": 2}


def test_a_rule_needs_all_fields():
    with pytest.raises(AttributeError, match="max_depth"):
        engine._converter("retree_cart_rule")(SimpleNamespace(criterion=0))


@pytest.mark.parametrize("n", [0, 1, 3])
def test_another_number_of_arguments(n):
    with pytest.raises(TypeError, match=f"majority takes 2 arguments, got {n}"):
        engine.call("majority", *[np.zeros(1)] * n)


@pytest.mark.parametrize(
    ("shares", "message"),
    [
        (np.zeros((2, 3), np.float32), "no arrays of float32"),
        (np.zeros((2, 3), ">f8"), "no arrays of >f8"),
        (np.zeros((2, 3), object), "no arrays of object"),
        (np.zeros((2, 3), np.int32), "another number type"),
        (np.zeros(2), "of 2 dimensions, got shape \\(2\\)"),
        (np.zeros((1, 1, 2, 3)), "of 2 dimensions, got shape \\(1, 1, 2, ...\\)"),
        (np.zeros((3, 3)), "with 3 along axis 0, got shape \\(2\\)"),
        (np.zeros((3, 2)).T, "C-contiguous"),
        (np.zeros((2, 6))[:, ::2], "C-contiguous"),
    ],
)
def test_arrays_of_another_kind_are_refused(shares, message):
    with pytest.raises(ValueError, match=message):
        engine.call("majority", shares, np.empty(2, np.int64))


@pytest.mark.parametrize(
    "array",
    [
        np.zeros(3),
        np.zeros((4, 3))[2:],
        np.zeros((0, 3)),
        np.frombuffer(b"12345678"),
        np.zeros(2, np.int32).view(np.matrix),
    ],
)
def test_the_engine_sees_arrays_where_numpy_says_they_are(array):
    address, *_ = engine._LAYOUT.unpack(engine._view(array))
    assert address == array.__array_interface__["data"][0]


def test_a_pointer_to_nothing_is_refused():
    assert engine._library().retree_majority(None, None) == engine._INVALID
    with pytest.raises(ValueError, match=r"The engine needs .*, got none\."):
        engine._raise_if(engine._INVALID)


def test_an_error_does_not_outlive_its_call():
    codes = np.empty(2, np.int64)
    with pytest.raises(ValueError, match="The engine needs"):
        engine.call("majority", np.zeros(2), codes)
    engine.call("majority", np.eye(2), codes)
    np.testing.assert_array_equal(codes, [0, 1])


def test_results_are_read_only():
    counts = np.array([1.0, 0.0]), np.array([1.0, 0.0]), np.array([2.0, 3.0])
    first, second = (engine_parts.call("oblique_goodness", *counts, 0)[0] for _ in range(2))
    assert not np.shares_memory(first, second)
    with pytest.raises(ValueError, match="read-only"):
        first[:] = -1.0
